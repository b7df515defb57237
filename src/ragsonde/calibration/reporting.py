"""From score records and labels to a report on a scorer."""

from collections.abc import Mapping, Sequence

import numpy as np

from ragsonde.calibration.cases import Cases, answer_cases, by_scorer, claim_cases
from ragsonde.calibration.drift import circumstances, warnings
from ragsonde.calibration.labels import Label
from ragsonde.calibration.mapping import fit_map
from ragsonde.calibration.report import CalibrationReport, level_report
from ragsonde.calibration.self_preference import self_preference
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.score import ScoredInteraction

_SEED = 20080823
"""Of the bootstrap: the same records and labels give the same report."""


def calibration_report(
    records: Mapping[str, ScoredInteraction],
    labels: Sequence[Label],
    scorer: str | None = None,
    *,
    before: Mapping[str, Sequence[str]] | None = None,
    judge_model: str | None = None,
    fit: bool = False,
) -> CalibrationReport:
    """Compare a scorer with people, by claim and by answer.

    Args:
        records: by the interaction's id.
        labels: what people say of them.
        scorer: source of scores (``local``, ``judge``, …); None for the best known of each metric.
        before: the circumstances that an earlier report noted; says what has changed since.
        judge_model: model of the judge; says whether it is kinder to answers of its own family.
        fit: whether to fit a map from scores to probabilities.

    Raises:
        ConfigError: no label could be used.
    """
    scored = by_scorer(records, scorer)
    labelled = {label.id for label in labels}
    now = circumstances(known for id_, known in scored.items() if id_ in labelled)
    answers = answer_cases(labels, scored)
    found = [cases for cases in (claim_cases(labels, scored), answers) if cases.cases]
    if not found:
        if not labels:
            raise ConfigError("there are no labels yet: say of some answers whether they are right")
        raise ConfigError(f"none of the {len(labels)} labels could be used: {_why(answers)}")
    fitted = fit_map(answers.cases, answers.level, scorer, now.single_versions()) if fit else None
    models = {id_: known.interaction.model for id_, known in scored.items()}
    chance = np.random.default_rng(_SEED)
    return CalibrationReport(
        scorer=scorer,
        levels=tuple(level_report(cases, chance, fitted) for cases in found),
        circumstances=now,
        warnings=tuple(warnings(now, labels, scored, before)),
        fitted=fitted,
        self_preference=None if judge_model is None else self_preference(answers.cases, models, judge_model),
    )


def _why(cases: Cases) -> str:
    return ", ".join(f"{reason.value} {count}" for reason, count in cases.left_out.items()) or "none says enough"
