"""A whole evaluation, as every format of the report shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragsonde.evaluation.comparison import Change, ChangeResult
from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.evaluation.gate import Gate, hold
from ragsonde.evaluation.summary import GroupMean, MetricSummary, group_means, summarise
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.score import Scored, ScoredInteraction


@dataclass(frozen=True, slots=True)
class Comparison:
    """A run against an earlier one."""

    baseline: str
    """What the earlier run is called."""
    changes: tuple[Change, ...]
    only_before: int
    """Items that only the earlier run has."""
    only_after: int
    warnings: tuple[str, ...] = ()
    """Why the two may not be comparable."""

    @property
    def regressed(self) -> bool:
        """Whether any metric has become worse, beyond chance."""
        return any(change.result is ChangeResult.WORSE for change in self.changes)


@dataclass(frozen=True, slots=True)
class Origin:
    """What was evaluated."""

    files: tuple[str, ...]
    golden: str | None
    created_at: float
    """Seconds since the epoch."""
    version: str
    """Of Ragsonde."""
    scorer_versions: Mapping[str, str]
    strangers: int = 0
    """Interactions that answer no golden item; they are not scored."""
    unreadable: int = 0
    """Records that could not be read."""


@dataclass(frozen=True, slots=True)
class Report:
    """An evaluation."""

    origin: Origin
    scored: tuple[ScoredInteraction, ...]
    items: Mapping[str, GoldenItem]
    """The golden item of each interaction, by the interaction's id."""
    unanswered: tuple[GoldenItem, ...]
    summaries: tuple[MetricSummary, ...]
    groups: tuple[GroupMean, ...]
    gate: Gate
    comparison: Comparison | None = None

    @property
    def passed(self) -> bool:
        """Whether the release may go on: the gate passes, and nothing has become worse than in the baseline."""
        return self.gate.passed and not (self.comparison is not None and self.comparison.regressed)


def make_report(
    origin: Origin,
    scored: Sequence[ScoredInteraction],
    config: EvaluationConfig,
    *,
    items: Mapping[str, GoldenItem] | None = None,
    unanswered: Sequence[GoldenItem] = (),
    comparison: Comparison | None = None,
) -> Report:
    """Add a run up and hold it against the thresholds."""
    summaries = summarise(scored, len(unanswered))
    return Report(
        origin=origin,
        scored=tuple(scored),
        items=items or {},
        unanswered=tuple(unanswered),
        summaries=tuple(summaries),
        groups=tuple(group_means(scored, items or {})),
        gate=hold(summaries, config),
        comparison=comparison,
    )


def worst_first(report: Report, limit: int) -> list[ScoredInteraction]:
    """The items with the lowest scores in the metrics that have a threshold; those without any score last."""
    keys = [check.key for check in report.gate.checks]

    def lowest(known: ScoredInteraction) -> float:
        outcomes = (known.scores.get(key) for key in keys)
        return min((outcome.value for outcome in outcomes if isinstance(outcome, Scored)), default=2.0)

    return sorted(report.scored, key=lowest)[:limit]
