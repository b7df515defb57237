"""What the live page says, as values: the template and the JSON API are two ways to read them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from ragsonde.collector.clock import Clock
from ragsonde.exporters.estimate import Estimate, WeightedSums, estimate
from ragsonde.exporters.pages.evidence import FAULTS
from ragsonde.exporters.quality import NO_REASON, UNSEEN_REASONS, OutcomeKind
from ragsonde.exporters.status.chart import Point, Rise, points, rise
from ragsonde.exporters.status.recent import Order, RecentInteractions
from ragsonde.exporters.status.timeline import Tally
from ragsonde.scorers.score import LOCAL_SCORER, DiagnosisLabel, MetricKey, ScoredInteraction

DEFAULT_LIMIT, MAX_LIMIT = 20, 200


class Window(StrEnum):
    """How far back the page looks."""

    FIVE_MINUTES = "5m"
    FIFTEEN_MINUTES = "15m"
    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "24h"


_STEPS: Mapping[Window, tuple[tuple[int, int], ...]] = {
    Window.FIVE_MINUTES: ((10, 30), (20, 15), (30, 10)),
    Window.FIFTEEN_MINUTES: ((30, 30), (60, 15), (90, 10)),
    Window.HOUR: ((60, 60), (120, 30), (300, 12)),
    Window.SIX_HOURS: ((600, 36), (900, 24), (1800, 12)),
    Window.DAY: ((1800, 48), (3600, 24), (7200, 12)),
}
"""Length of a step in seconds and how many of them make the window, the finest division first."""

_ENOUGH_PER_STEP = 12.0
"""Effective observations that a step should hold on average: finer steps would draw noise."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What the reader asked for."""

    app: str | None = None
    window: Window | None = None
    """None for the shortest one that holds everything since the start, an hour at most."""
    scorer: str = LOCAL_SCORER
    """Whose scores make the rates."""
    order: Order = Order.NEWEST
    limit: int = DEFAULT_LIMIT
    misread: tuple[str, ...] = ()
    """What made no sense, as ``name=value``."""


@dataclass(frozen=True, slots=True)
class Absence:
    """One reason why a metric has no value, and how often."""

    kind: OutcomeKind
    reason: str
    count: int
    unseen: bool
    """Whether the metric could have had a value, so that it lowers the coverage."""


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One quality metric over the window."""

    key: MetricKey
    estimate: Estimate | None
    scored: int
    eligible: int
    absences: tuple[Absence, ...]
    """The most frequent reason first."""


@dataclass(frozen=True, slots=True)
class Share:
    """One diagnosis over the window."""

    label: DiagnosisLabel
    part: str
    """``ok``, ``retriever``, ``generator`` or ``unknown``."""
    count: int
    share: float
    """Of the traffic, weighted."""


@dataclass(frozen=True, slots=True)
class AppSummary:
    """One application over the window."""

    app: str
    interactions: int
    """All that were scored."""
    hallucination: Estimate | None
    """By the scorer that was asked for."""
    main_fault: DiagnosisLabel | None
    """The most frequent diagnosis that points to a fault; None where there is none."""


@dataclass(frozen=True, slots=True)
class StatusView:
    """The page."""

    generated_at: float
    start: float
    end: float
    filters: Filters
    """What was asked for, with the window that was chosen."""
    apps: tuple[str, ...]
    scorers: tuple[str, ...]
    """Sources of scores that can be asked for; the one that was asked for is among them, be it seen or not."""
    interactions: int
    """All that were scored."""
    looked_at: int
    """Those of them that were drawn for the scorer."""
    traffic: float
    """How many interactions of the traffic stand behind those that were drawn for the scorer."""
    hallucination: Estimate | None
    hallucinated: int
    previous: Estimate | None
    """The rate in the window before; None where nothing was judged in it."""
    rise: Rise | None
    """That the rate stands out from what came before; None where it does not at the moment."""
    series: tuple[Point, ...]
    metrics: tuple[MetricSummary, ...]
    diagnoses: tuple[Share, ...]
    """Of all that were scored, by the best that is known of each."""
    by_app: tuple[AppSummary, ...]
    latest: tuple[ScoredInteraction, ...]


def status_view(recent: RecentInteractions, filters: Filters, clock: Clock) -> StatusView:
    """Read everything that the page shows."""
    now = clock.wall()
    filters = replace(filters, window=filters.window or _fitting_window(recent.oldest(), now))
    start, step, sums = _steps(recent, filters, now)
    end = start + step * len(sums)
    app, scorer = filters.app, filters.scorer
    everything, total = recent.total(start, end, app), recent.total(start, end, app, scorer)
    before = recent.total(start - (end - start), start, app, scorer)
    by_scorer = recent.by_app(start, end, scorer)
    return StatusView(
        generated_at=now,
        start=start,
        end=end,
        filters=filters,
        apps=tuple(recent.apps()),
        scorers=tuple(dict.fromkeys((*recent.scorers(), scorer))),
        interactions=everything.interactions,
        looked_at=total.interactions,
        traffic=total.traffic,
        hallucination=estimate(total.hallucinations),
        hallucinated=total.hallucinated,
        previous=estimate(before.hallucinations),
        rise=rise(start, step, sums, before.hallucinations),
        series=tuple(points(start, step, sums, before.hallucinations)),
        metrics=tuple(_metric(key, total) for key in MetricKey if total.eligible[key]),
        diagnoses=_diagnoses(everything),
        by_app=tuple(
            _app(name, tally, by_scorer.get(name, Tally())) for name, tally in sorted(recent.by_app(start, end).items())
        ),
        latest=tuple(recent.interactions(app=filters.app, order=filters.order, limit=filters.limit)),
    )


def _fitting_window(oldest: float | None, now: float) -> Window:
    age = 0.0 if oldest is None else now - oldest
    return next(
        (window for window in (Window.FIVE_MINUTES, Window.FIFTEEN_MINUTES) if age < _length(window)), Window.HOUR
    )


def _length(window: Window) -> int:
    step, count = _STEPS[window][0]
    return step * count


def _steps(recent: RecentInteractions, filters: Filters, now: float) -> tuple[float, int, list[WeightedSums]]:
    """Return the start, the length and the sums of the window's steps, as fine as the traffic allows."""
    divisions = _STEPS[filters.window or Window.HOUR]
    for step, count in divisions:
        start = (now // step + 1) * step - step * count
        sums = [tally.hallucinations for tally in recent.series(start, step, count, filters.app, filters.scorer)]
        sizes = [found.effective_size for found in map(estimate, sums) if found is not None]
        if sum(sizes) >= _ENOUGH_PER_STEP * len(sizes) or (step, count) == divisions[-1]:
            break
    return start, step, sums


def _metric(key: MetricKey, total: Tally) -> MetricSummary:
    absences = [
        Absence(OutcomeKind(kind), reason, count, unseen=kind == OutcomeKind.FAILED or reason in UNSEEN_REASONS)
        for (metric, kind, reason), count in total.outcomes.most_common()
        if metric is key and reason != NO_REASON
    ]
    sums = total.scores.get(key)
    return MetricSummary(
        key=key,
        estimate=estimate(sums) if sums else None,
        scored=sums.count if sums else 0,
        eligible=total.eligible[key],
        absences=tuple(absences),
    )


def _diagnoses(total: Tally) -> tuple[Share, ...]:
    return tuple(
        Share(label, FAULTS[label], total.diagnoses[label], total.diagnoses_traffic[label] / total.traffic)
        for label in DiagnosisLabel
        if total.diagnoses[label]
    )


def _app(app: str, tally: Tally, by_scorer: Tally) -> AppSummary:
    faults = {
        label: weight for label, weight in tally.diagnoses_traffic.items() if FAULTS[label] not in {"ok", "unknown"}
    }
    return AppSummary(
        app=app,
        interactions=tally.interactions,
        hallucination=estimate(by_scorer.hallucinations),
        main_fault=max(faults, key=lambda label: faults[label]) if faults else None,
    )
