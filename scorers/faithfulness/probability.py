"""The probability that a claim is supported, from how it lies on the contexts and what speaks against it.

A logistic regression over few features, each of which may only pull one way. ``weights.json`` holds the fitted weights
and says on which data they were fitted; ``bench/faithfulness_dev.py`` fits them anew.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragsonde.scorers.faithfulness.alignment import Alignment
from ragsonde.scorers.faithfulness.objections import Objection, ObjectionKind

FEATURES = ("coverage", "joint_coverage", "order", "missing", "conflicts", "absences", "doubts")
"""Names of the features, in the order of the weights. The first three speak for a claim, the others against it."""
_FOR = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """A fitted logistic regression."""

    intercept: float
    weights: tuple[float, ...]
    fitted_on: str

    def __post_init__(self) -> None:
        if len(self.weights) != len(FEATURES):
            raise ValueError(f"weights.json has {len(self.weights)} weights for {len(FEATURES)} features")
        if any(w < 0 for w in self.weights[:_FOR]) or any(w > 0 for w in self.weights[_FOR:]):
            raise ValueError(
                "weights.json: a feature pulls the wrong way, so more evidence would lower the probability"
            )


@cache
def fitted_weights() -> Weights:
    """The weights that ship with this version."""
    table = json.loads(files(__package__).joinpath("weights.json").read_text(encoding="utf-8"))
    return Weights(table["intercept"], tuple(table["weights"][name] for name in FEATURES), table["fitted_on"])


def features_of(alignment: Alignment, objections: Sequence[Objection]) -> tuple[float, ...]:
    """The features of a claim, in the order of ``FEATURES``."""
    kinds = [objection.kind for objection in objections]
    return (
        alignment.coverage,
        alignment.joint_coverage,
        alignment.order,
        math.log1p(len(alignment.missing)),
        math.log1p(kinds.count(ObjectionKind.CONFLICT)),
        math.log1p(kinds.count(ObjectionKind.ABSENT)),
        math.log1p(kinds.count(ObjectionKind.DOUBTFUL)),
    )


def probability(features: Sequence[float], weights: Weights | None = None) -> float:
    """Estimated probability of support, between 0 and 1; rises with what speaks for, falls with what speaks against."""
    used = weights or fitted_weights()
    total = used.intercept + sum(w * value for w, value in zip(used.weights, features, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
