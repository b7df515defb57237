"""What a run adds up to: each metric's mean with its interval and its coverage, over all items and by kind of item."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragsonde.exporters.estimate import Estimate, WeightedSums, estimate
from ragsonde.exporters.quality import eligible
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.score import Failed, MetricKey, NotApplicable, Outcome, Scored, ScoredInteraction

UNANSWERED = "unanswered"
"""The reason of a golden item that no interaction answers."""

_GROUPS = ("question_type", "difficulty", "risk", "language")


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric over many items."""

    key: MetricKey
    estimate: Estimate | None
    """Mean with its 95 % interval (see ``exporters.estimate``); None where nothing was scored."""
    scored: int
    eligible: int
    """Items that the metric applies to, whether or not it could be scored."""
    not_applicable: Mapping[str, int]
    """Items without a score, by reason."""
    failed: Mapping[str, int]
    """Items that the scorer failed on, by kind."""
    values: tuple[float, ...]

    @property
    def coverage(self) -> float | None:
        """Scored ÷ eligible; None where the metric applies to nothing."""
        return self.scored / self.eligible if self.eligible else None


@dataclass(frozen=True, slots=True)
class GroupMean:
    """The mean of a metric over the items of one kind."""

    field: str
    """``difficulty``, ``risk``, …"""
    value: str
    key: MetricKey
    estimate: Estimate


def summarise(scored: Sequence[ScoredInteraction], unanswered: int = 0) -> list[MetricSummary]:
    """Sum up each metric that any item has an outcome for, in the metrics' own order.

    ``unanswered`` golden items count as not covered in every metric: an application that fails on the hard questions
    must not pass for a good one.
    """
    found = {key for item in scored for key in item.scores}
    return [_summary(key, [item.scores.get(key) for item in scored], unanswered) for key in MetricKey if key in found]


def _summary(key: MetricKey, outcomes: Iterable[Outcome | None], unanswered: int) -> MetricSummary:
    known = [outcome for outcome in outcomes if outcome is not None]
    values = tuple(outcome.value for outcome in known if isinstance(outcome, Scored))
    reasons = Counter(outcome.reason.value for outcome in known if isinstance(outcome, NotApplicable))
    if unanswered:
        reasons[UNANSWERED] = unanswered
    return MetricSummary(
        key=key,
        estimate=mean_of(values),
        scored=len(values),
        eligible=sum(map(eligible, known)) + unanswered,
        not_applicable=dict(reasons.most_common()),
        failed=dict(Counter(outcome.kind.value for outcome in known if isinstance(outcome, Failed)).most_common()),
        values=values,
    )


def mean_of(values: Iterable[float]) -> Estimate | None:
    """The mean with its interval; None of nothing."""
    return estimate(sum((WeightedSums.of(value, 1.0) for value in values), WeightedSums()))


def group_means(scored: Sequence[ScoredInteraction], items: Mapping[str, GoldenItem]) -> list[GroupMean]:
    """The means by question type, difficulty, risk and language, where the golden items tell them apart."""
    means: list[GroupMean] = []
    for field in _GROUPS:
        members: dict[str, list[ScoredInteraction]] = {}
        for known in scored:
            value = getattr(items.get(known.interaction.id), field, None)
            if value is not None:
                members.setdefault(str(value), []).append(known)
        for value, group in sorted(members.items()) if len(members) > 1 else ():
            means += [
                GroupMean(field, value, summary.key, summary.estimate)
                for summary in summarise(group)
                if summary.estimate is not None
            ]
    return means
