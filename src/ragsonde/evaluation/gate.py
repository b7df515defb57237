"""Whether a run is good enough to release."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragsonde.evaluation.config import EvaluationConfig, GateOn
from ragsonde.evaluation.summary import MetricSummary
from ragsonde.exporters.estimate import Estimate
from ragsonde.scorers.score import MetricKey


class CheckResult(StrEnum):
    """How one check ended."""

    PASSED = "passed"
    MISSED = "missed"
    COVERAGE = "coverage"
    """Too few of the items that the metric applies to have a score."""
    NOT_MEASURED = "not_measured"
    """The metric applies to none of the items; says nothing for or against."""


@dataclass(frozen=True, slots=True)
class Check:
    """A metric held against its threshold."""

    key: MetricKey
    threshold: float
    result: CheckResult
    explanation: str

    @property
    def failed(self) -> bool:
        """Whether it stops a release."""
        return self.result in {CheckResult.MISSED, CheckResult.COVERAGE}


@dataclass(frozen=True, slots=True)
class Gate:
    """All checks of a run."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """No check failed, and at least one could be made: a run that measures nothing does not pass."""
        results = [check.result for check in self.checks]
        nothing = bool(results) and all(result is CheckResult.NOT_MEASURED for result in results)
        return not nothing and not any(check.failed for check in self.checks)


def hold(summaries: Sequence[MetricSummary], config: EvaluationConfig) -> Gate:
    """Hold each metric that has a threshold against it."""
    by_key = {summary.key: summary for summary in summaries}
    return Gate(tuple(_check(key, limit, by_key.get(key), config) for key, limit in config.thresholds.items()))


def _check(key: MetricKey, limit: float, summary: MetricSummary | None, config: EvaluationConfig) -> Check:
    if summary is None:
        return Check(key, limit, CheckResult.NOT_MEASURED, "no scorer gives this metric")
    coverage = summary.coverage
    if coverage is None:
        return Check(key, limit, CheckResult.NOT_MEASURED, f"applies to no item ({_reasons(summary)})")
    if coverage < config.minimum_coverage or summary.estimate is None:
        why = f"only {summary.scored} of {summary.eligible} items have a score ({_reasons(summary)})"
        return Check(key, limit, CheckResult.COVERAGE, f"{why}; at least {config.minimum_coverage:.0%} are needed")
    value = _held(summary.estimate, config.gate_on)
    passed = value >= limit
    what = "the mean" if config.gate_on is GateOn.MEAN else f"the {config.gate_on} end of the mean's interval"
    words = f"{what} is {value:.3f}, {'at least' if passed else 'below'} {limit:.2f}"
    return Check(key, limit, CheckResult.PASSED if passed else CheckResult.MISSED, words)


def _held(mean: Estimate, gate_on: GateOn) -> float:
    return {GateOn.MEAN: mean.mean, GateOn.LOW: mean.low, GateOn.HIGH: mean.high}[gate_on]


def _reasons(summary: MetricSummary) -> str:
    counts = {**summary.not_applicable, **summary.failed}
    return ", ".join(f"{reason}: {count}" for reason, count in counts.items()) or "no item"
