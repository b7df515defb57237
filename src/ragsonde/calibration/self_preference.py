"""Whether a judge is kinder to answers of its own family of models.

(Panickssery et al., "LLM Evaluators Recognize and Favor Their Own Generations", NeurIPS 2024.) Higher scores alone show
nothing, since answers of one model may simply be better. It is the difference in *error*, against what people say,
between answers of the judge's own family and those of others.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ragsonde.calibration.cases import Case

_FEWEST = 5

_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("claude",),
    "cohere": ("command", "c4ai"),
    "deepseek": ("deepseek",),
    "google": ("gemini", "gemma", "palm"),
    "meta": ("llama", "meta-llama"),
    "mistral": ("mistral", "mixtral", "magistral", "ministral", "codestral"),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "qwen": ("qwen", "qwq"),
}


@dataclass(frozen=True, slots=True)
class SelfPreference:
    """How much better than people a judge thinks of its own family, compared with others."""

    family: str
    own: int
    others: int
    shift: float
    """Mean of (people - score of a fault) of its own family's answers less that of others', -2 to 2; above 0 it favours
    its own."""
    low: float
    """95 % interval (Welch, 1947)."""
    high: float


def self_preference(cases: Sequence[Case], models: Mapping[str, str | None], judge: str) -> SelfPreference | None:
    """Compare the judge's errors on its own family's answers with those on others.

    ``models`` names the model that gave each answer, by the interaction's id. None where either group has fewer than
    five labelled answers, where their errors are all alike, or where the judge's family is not known.
    """
    family = family_of(judge)
    if family is None:
        return None
    own: list[float] = []
    others: list[float] = []
    for case in cases:
        given = family_of(models.get(case.id) or "")
        kindness = case.share - case.score
        if given is not None:
            (own if given == family else others).append(kindness)
    if min(len(own), len(others)) < _FEWEST:
        return None
    shift = float(np.mean(own) - np.mean(others))
    if np.var(own) + np.var(others) == 0.0:  # nothing varies, so nothing says how far chance reaches
        return None
    interval = stats.ttest_ind(own, others, equal_var=False).confidence_interval(0.95)
    return SelfPreference(family, len(own), len(others), shift, float(interval.low), float(interval.high))


def family_of(model: str) -> str | None:
    """The family that a model's name tells; None for one that is not known."""
    parts = re.split("[/.:@]", model.lower())  # providers put their own names before and after
    return next(
        (family for family, starts in _FAMILIES.items() if any(part.startswith(starts) for part in parts)), None
    )
