"""The exporter behind the live page: the latest interactions whole, and a day of tallies."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.config import Config
from ragsonde.exporters.labels import LabelPolicy
from ragsonde.exporters.recent_ids import RecentIds
from ragsonde.exporters.status.timeline import Tally, Timeline
from ragsonde.scorers.score import LOCAL_SCORER, MetricKey, Scored, ScoredInteraction, Verdict

FINE_BUCKET_SECONDS, FINE_RETENTION_SECONDS = 10, 2 * 3600
COARSE_BUCKET_SECONDS, COARSE_RETENTION_SECONDS = 300, 48 * 3600
"""Two resolutions: short windows are drawn from fine buckets, long ones from coarse ones. Each is kept for twice the
longest window that is drawn from it, so that a window can be held against the one before."""


class StatusConfig(Config):
    """What the live page keeps."""

    max_interactions: Annotated[int, Field(ge=1, le=100_000)] = 500
    """Interactions kept whole, the newest ones. Default 500."""
    max_bytes: Annotated[int, Field(ge=2**16, le=2**34)] = 32 * 2**20
    """Bytes of text in them, at most. Default 32 MiB."""


class Order(StrEnum):
    """Which interactions come first."""

    NEWEST = "newest"
    WORST = "worst"


class RecentInteractions:
    """Keeps the newest interactions and tallies by time, in memory. Thread-safe.

    Idempotent: an interaction that comes again changes nothing, and one scored anew replaces what is shown of it,
    while the tallies, like the Prometheus counters, count its first scoring.
    """

    name = "status_page"
    required = False

    def __init__(self, config: StatusConfig, labels: LabelPolicy, clock: Clock) -> None:
        self._config = config
        self._labels = labels
        self._clock = clock
        self._kept: OrderedDict[str, ScoredInteraction] = OrderedDict()
        self._kept_bytes = 0
        self._recent = RecentIds()
        self._fine = Timeline(FINE_BUCKET_SECONDS, FINE_RETENTION_SECONDS)
        self._coarse = Timeline(COARSE_BUCKET_SECONDS, COARSE_RETENTION_SECONDS)
        self._oldest: float | None = None
        self._lock = threading.Lock()

    # Exporter -------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Do nothing: it all stays in memory."""

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:  # noqa: ARG002 - never waits
        """Take a batch. Does not raise."""
        now = self._clock.wall()
        with self._lock:
            for scored in batch:
                if not self._recent.add(scored):
                    continue
                self._keep(scored)
                if scored.decision.kept and not scored.rescored:
                    time, app = min(self.time_of(scored), now), self.app_of(scored)
                    self._oldest = time if self._oldest is None else min(self._oldest, time)
                    for timeline in (self._fine, self._coarse):
                        if time >= now - timeline.retention_seconds:
                            timeline.add(time, app, scored)
            for timeline in (self._fine, self._coarse):
                timeline.forget_before(now - timeline.retention_seconds)

    def flush(self, deadline: Deadline) -> None:
        """Do nothing: what was taken is shown."""

    def shutdown(self, deadline: Deadline) -> None:
        """Do nothing: the page may still be looked at."""

    # Reading --------------------------------------------------------------------------------------------------

    def total(self, start: float, end: float, app: str | None, scorer: str = LOCAL_SCORER) -> Tally:
        """Return a scorer's tally over a stretch of time, of one application or of all."""
        with self._lock:
            return self._timeline(end - start).total(start, end, app, scorer)

    def by_app(self, start: float, end: float, scorer: str = LOCAL_SCORER) -> dict[str, Tally]:
        """Return a scorer's tally of each application over a stretch of time."""
        with self._lock:
            return self._timeline(end - start).by_app(start, end, scorer)

    def series(
        self, start: float, step: float, points: int, app: str | None, scorer: str = LOCAL_SCORER
    ) -> list[Tally]:
        """Return a scorer's tallies of equal steps from ``start`` on."""
        edges = [start + number * step for number in range(points + 1)]
        with self._lock:
            timeline = self._timeline(step * points)
            return [timeline.total(first, end, app, scorer) for first, end in pairwise(edges)]

    def oldest(self) -> float | None:
        """Return the time of the oldest answer tallied since the start, in seconds since the epoch."""
        with self._lock:
            return self._oldest

    def apps(self) -> list[str]:
        """Return the applications seen within the longest retention, in alphabetical order."""
        return sorted({app for app, _ in self._seen()})

    def scorers(self) -> list[str]:
        """Return the sources of scores seen within the longest retention: the local ones, then judges by name."""
        return [LOCAL_SCORER, *sorted({scorer for _, scorer in self._seen()} - {LOCAL_SCORER})]

    def interactions(self, *, app: str | None, order: Order, limit: int) -> list[ScoredInteraction]:
        """Return interactions that are kept whole, newest first or worst first."""
        with self._lock:
            kept = [scored for scored in self._kept.values() if app is None or self.app_of(scored) == app]
        kept.sort(key=self.time_of, reverse=True)
        if order is Order.WORST:
            kept.sort(key=_badness)  # stable: the newest of equally bad ones comes first
        return kept[:limit]

    def get(self, identifier: str) -> ScoredInteraction | None:
        """Return one interaction; None where it is not among the kept ones."""
        with self._lock:
            return self._kept.get(identifier)

    @staticmethod
    def time_of(scored: ScoredInteraction) -> float:
        """Return when the answer was given, in seconds since the epoch; when it was scored where that is not known."""
        return scored.interaction.end_ns / 1e9 if scored.interaction.end_ns > 0 else scored.scored_at

    def app_of(self, scored: ScoredInteraction) -> str:
        """Return the application as the page and the metrics name it."""
        return self._labels.app(scored.interaction.app)

    def _seen(self) -> set[tuple[str, str]]:
        now = self._clock.wall()
        with self._lock:
            return self._coarse.keys(now - COARSE_RETENTION_SECONDS, now + COARSE_BUCKET_SECONDS)

    def _timeline(self, seconds: float) -> Timeline:
        return self._fine if seconds <= FINE_RETENTION_SECONDS / 2 else self._coarse

    def _keep(self, scored: ScoredInteraction) -> None:
        identifier = scored.interaction.id
        replaced = self._kept.pop(identifier, None)
        if replaced is not None:
            self._kept_bytes -= _size_bytes(replaced)
        self._kept[identifier] = scored
        self._kept_bytes += _size_bytes(scored)
        while len(self._kept) > self._config.max_interactions or (
            self._kept_bytes > self._config.max_bytes and len(self._kept) > 1
        ):
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= _size_bytes(dropped)


def _size_bytes(scored: ScoredInteraction) -> int:
    """Return roughly what an interaction's texts take."""
    interaction = scored.interaction
    texts = [interaction.question, interaction.answer, interaction.system_instructions]
    texts += [document.text for document in interaction.contexts or ()]
    for outcome in scored.scores.values():
        if isinstance(outcome, Scored):
            texts += [text for claim in outcome.claims for text in (claim.text, claim.quote)]
    return 1000 + sum(4 * len(text) for text in texts if text)


def _badness(scored: ScoredInteraction) -> tuple[bool, float, int]:
    """Order by faithfulness, the lowest first, then by contradicted claims; what was not judged comes last."""
    outcome = scored.scores.get(MetricKey.FAITHFULNESS)
    if not isinstance(outcome, Scored):
        return True, 1.0, 0
    contradicted = sum(claim.verdict is Verdict.CONTRADICTED for claim in outcome.claims)
    return False, outcome.value, -contradicted
