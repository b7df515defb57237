"""What happened when: tallies of scored interactions in buckets of time. No locks and no clock here: see ``recent``."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragsonde.exporters import quality
from ragsonde.exporters.estimate import WeightedSums
from ragsonde.exporters.quality import AnswerResult
from ragsonde.scorers.score import LOCAL_SCORER, DiagnosisLabel, MetricKey, Scored, ScoredInteraction


@dataclass(slots=True)
class Tally:
    """Sums over some interactions, as one source of scores sees them.

    Each has drawn a sample of its own, so sums of several are never added up.
    """

    interactions: int = 0
    """Those that were drawn for this source; the outcomes of the others say that they were sampled out."""
    traffic: float = 0.0
    """Sum of the weights: how many interactions of the traffic these stand for."""
    hallucinations: WeightedSums = field(default_factory=WeightedSums)
    """Over judged answers; 1 for a hallucinated one."""
    hallucinated: int = 0
    """Hallucinated answers, unweighted."""
    scores: dict[MetricKey, WeightedSums] = field(default_factory=dict)
    eligible: Counter[MetricKey] = field(default_factory=Counter)
    outcomes: Counter[tuple[MetricKey, str, str]] = field(default_factory=Counter)
    """Unweighted, by metric, kind of outcome and reason."""
    diagnoses: Counter[DiagnosisLabel] = field(default_factory=Counter)
    """Unweighted."""
    diagnoses_traffic: dict[DiagnosisLabel, float] = field(default_factory=dict)
    """Weighted."""

    def add(self, seen: ScoredInteraction) -> None:
        """Add one interaction as ``by_scorer`` gives it."""
        for key, outcome in seen.scores.items():
            self.outcomes[key, *quality.outcome_labels(outcome)] += 1
            self.eligible[key] += quality.eligible_in_traffic(key, outcome, seen.interaction)
        if not seen.decision.kept:
            return
        weight = quality.weight(seen)
        self.interactions += 1
        self.traffic += weight
        for key, outcome in seen.scores.items():
            if isinstance(outcome, Scored):
                self.scores[key] = self.scores.get(key, WeightedSums()) + WeightedSums.of(outcome.value, weight)
        result = quality.answer_result(seen)
        if result is not AnswerResult.NOT_JUDGED:
            hallucinated = result is AnswerResult.HALLUCINATED
            self.hallucinations += WeightedSums.of(float(hallucinated), weight)
            self.hallucinated += hallucinated
        label = seen.diagnosis.label
        self.diagnoses[label] += 1
        self.diagnoses_traffic[label] = self.diagnoses_traffic.get(label, 0.0) + weight

    def merge(self, other: "Tally") -> None:
        """Add what another tally holds."""
        self.interactions += other.interactions
        self.traffic += other.traffic
        self.hallucinations += other.hallucinations
        self.hallucinated += other.hallucinated
        for key, sums in other.scores.items():
            self.scores[key] = self.scores.get(key, WeightedSums()) + sums
        self.eligible.update(other.eligible)
        self.outcomes.update(other.outcomes)
        self.diagnoses.update(other.diagnoses)
        for label, weight in other.diagnoses_traffic.items():
            self.diagnoses_traffic[label] = self.diagnoses_traffic.get(label, 0.0) + weight


class Timeline:
    """Tallies by application and source of scores in buckets of equal length; old ones are forgotten."""

    def __init__(self, bucket_seconds: int, retention_seconds: int) -> None:
        self.bucket_seconds = bucket_seconds
        self.retention_seconds = retention_seconds
        self._buckets: dict[int, dict[tuple[str, str], Tally]] = {}

    def add(self, time: float, app: str, scored: ScoredInteraction) -> None:
        """Add an interaction at a time, in seconds since the epoch."""
        bucket = self._buckets.setdefault(self._index(time), {})
        for scorer, seen in dict(scored.by_scorer()).items():
            bucket.setdefault((app, scorer), Tally()).add(seen)

    def forget_before(self, time: float) -> None:
        """Drop the buckets that ended before a time."""
        oldest = self._index(time)
        for index in [index for index in self._buckets if index < oldest]:
            del self._buckets[index]

    def total(self, start: float, end: float, app: str | None = None, scorer: str = LOCAL_SCORER) -> Tally:
        """Return a scorer's tally from ``start`` up to ``end``, of one application or of all."""
        total = Tally()
        for (name, by), tally in self._between(start, end):
            if by == scorer and app in (None, name):
                total.merge(tally)
        return total

    def by_app(self, start: float, end: float, scorer: str = LOCAL_SCORER) -> dict[str, Tally]:
        """Return a scorer's tally of each application that it was asked about from ``start`` up to ``end``."""
        found: dict[str, Tally] = {}
        for (app, by), tally in self._between(start, end):
            if by == scorer:
                found.setdefault(app, Tally()).merge(tally)
        return found

    def keys(self, start: float, end: float) -> set[tuple[str, str]]:
        """Return the applications seen from ``start`` up to ``end``, each with each of its scorers."""
        return {key for key, _ in self._between(start, end)}

    def _between(self, start: float, end: float) -> Iterator[tuple[tuple[str, str], Tally]]:
        first, beyond = self._index(start), -self._index(-end)
        for index in range(first, beyond) if beyond - first < len(self._buckets) else sorted(self._buckets):
            if first <= index < beyond:
                yield from self._buckets.get(index, {}).items()

    def _index(self, time: float) -> int:
        return int(time // self.bucket_seconds)
