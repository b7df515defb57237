"""The report as JSON, which is also what a later run is compared with."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from numpy.random import Generator
from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_row import describe
from ragsonde.evaluation.comparison import Values, compare
from ragsonde.evaluation.report import Comparison, Report
from ragsonde.evaluation.summary import MetricSummary
from ragsonde.exporters.estimate import Estimate
from ragsonde.exporters.quality import outcome_labels
from ragsonde.exporters.record import to_record
from ragsonde.golden.rows import open_file
from ragsonde.scorers.score import MetricKey, Scored, ScoredInteraction

SCHEMA_VERSION = 1
"""Raised when a reader of the older shape would misread the newer one."""


def to_json(report: Report) -> bytes:
    """Return the report as JSON."""
    origin = report.origin
    value = {
        "schema_version": SCHEMA_VERSION,
        "ragsonde_version": origin.version,
        "created_at": datetime.fromtimestamp(origin.created_at, UTC).isoformat(timespec="seconds"),
        "passed": report.passed,
        "files": origin.files,
        "golden": origin.golden,
        "scorer_versions": dict(origin.scorer_versions),
        "items_scored": len(report.scored),
        "items_unanswered": [item.id for item in report.unanswered],
        "interactions_without_item": origin.strangers,
        "records_unreadable": origin.unreadable,
        "metrics": {summary.key.value: _metric(summary) for summary in report.summaries},
        "gate": [{**asdict(check), "failed": check.failed} for check in report.gate.checks],
        "groups": [
            {"field": mean.field, "value": mean.value, "metric": mean.key, **_estimate(mean.estimate)}
            for mean in report.groups
        ],
        "comparison": _comparison(report.comparison),
        "items": [_item(known) for known in report.scored],
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _metric(summary: MetricSummary) -> dict[str, Any]:
    return {
        **(_estimate(summary.estimate) if summary.estimate is not None else {"mean": None}),
        "scored": summary.scored,
        "eligible": summary.eligible,
        "coverage": summary.coverage,
        "not_applicable": summary.not_applicable,
        "failed": summary.failed,
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"mean": estimate.mean, "low": estimate.low, "high": estimate.high, "count": estimate.count}


def _comparison(comparison: Comparison | None) -> dict[str, Any] | None:
    if comparison is None:
        return None
    changes = [{**asdict(change), "difference": change.difference} for change in comparison.changes]
    return {**asdict(comparison), "changes": changes, "regressed": comparison.regressed}


def _item(known: ScoredInteraction) -> dict[str, Any]:
    scores = {key.value: outcome for key, outcome in known.scores.items()}
    interaction = to_record(known)["interaction"]  # with what UTF-8 cannot hold replaced
    return {
        "id": interaction["id"],
        "question": interaction["question"],
        "values": {key: outcome.value for key, outcome in scores.items() if isinstance(outcome, Scored)},
        "unscored": {
            key: outcome_labels(outcome)[1] for key, outcome in scores.items() if not isinstance(outcome, Scored)
        },
        "diagnosis": known.diagnosis.label,
    }


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a comparison needs of an earlier run."""

    name: str
    values: Values
    scorer_versions: Mapping[str, str]


class _Item(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str
    values: dict[str, float]


class _Run(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    schema_version: int
    scorer_versions: dict[str, str]
    items: list[_Item]


def read_baseline(path: Path) -> Baseline:
    """Read the JSON report of an earlier run. Metrics that this version does not know are left out.

    Raises:
        ConfigError: the file cannot be read, or is no such report.
    """
    with open_file(path) as stream:
        content = stream.read()
    try:
        run = _Run.model_validate_json(content)
    except ValidationError as error:
        remedy = "give the report.json that an earlier `ragsonde evaluate` wrote"
        raise ConfigError(f"{path} is no evaluation report ({describe(error)}); {remedy}") from error
    if run.schema_version != SCHEMA_VERSION:
        raise ConfigError(f"{path}: schema_version {run.schema_version} is not {SCHEMA_VERSION}; run the baseline anew")
    known = {key.value for key in MetricKey}
    values = {
        item.id: {MetricKey(key): value for key, value in item.values.items() if key in known} for item in run.items
    }
    return Baseline(str(path), values, run.scorer_versions)


def compare_with(
    baseline: Baseline,
    scored: tuple[ScoredInteraction, ...],
    scorer_versions: Mapping[str, str],
    chance: Generator,
    significance: float,
) -> Comparison:
    """Compare a run with an earlier one."""
    after = {
        known.interaction.id: {key: out.value for key, out in known.scores.items() if isinstance(out, Scored)}
        for known in scored
    }
    names = sorted(set(baseline.scorer_versions) | set(scorer_versions))
    differing = [name for name in names if baseline.scorer_versions.get(name) != scorer_versions.get(name)]
    warnings = [f"scored by other versions of {', '.join(differing)}: score the baseline anew"] if differing else []
    common = len(baseline.values.keys() & after.keys())
    if not common:
        warnings.append("the two runs have no item in common: are the ids the same?")
    return Comparison(
        baseline=baseline.name,
        changes=tuple(compare(baseline.values, after, chance, significance)),
        only_before=len(baseline.values) - common,
        only_after=len(after) - common,
        warnings=tuple(warnings),
    )
