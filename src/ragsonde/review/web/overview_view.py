"""What the overview page shows, as values that the templates draw."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum

from ragsonde.exporters.estimate import Estimate, WeightedSums, estimate
from ragsonde.exporters.pages.evidence import FAULTS
from ragsonde.exporters.status.chart import Chart, Point, chart, fitting_top
from ragsonde.review.model import ItemState
from ragsonde.review.overview import Drift, HonestRate, JudgeHealth, Overview, RatePoint, RateSeries
from ragsonde.scorers.score import LOCAL_SCORER, DiagnosisLabel, MetricKey

ALL_METRICS = "all"
FEW = 10
"""Scored answers below which a mean is called one of few."""
SHIFT, MOVE = 0.2, 0.1
"""Stability index from which on an input is called shifted, and moved (Siddiqi 2006)."""
_FEWEST_STEPS = 12
_BOTTOMS = (0.8, 0.7, 0.6, 0.5, 0.4, 0.2)
PARTS = ("retriever", "generator", "unknown", "ok")


class Stretch(StrEnum):
    """How far back the page looks."""

    HOUR = "1h"
    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    QUARTER = "90d"

    @property
    def length(self) -> timedelta:
        """Its length."""
        number = int(self.value[:-1])
        return timedelta(hours=number) if self.value.endswith("h") else timedelta(days=number)


@dataclass(frozen=True, slots=True)
class Panel:
    """One of the small plots: a metric by one scorer."""

    series: RateSeries
    chart: Chart | None
    """None where nothing was scored."""
    few: bool


@dataclass(frozen=True, slots=True)
class PanelGroup:
    """Plots that stand together: one metric of all applications on one scale, or all metrics of one application."""

    name: str
    """Of the metric, or of the application."""
    of_metric: bool
    panels: tuple[Panel, ...]
    silent: tuple[RateSeries, ...] = ()
    """Series that neither scored nor failed: nothing to plot."""

    @property
    def several_sources(self) -> bool:
        """Whether more than one source of scores is among them, so that each plot has to name its own."""
        return len({panel.series.scorer for panel in self.panels}) > 1


@dataclass(frozen=True, slots=True)
class RateRow:
    """One way to know the rate of hallucinated answers."""

    kind: str
    """``corrected``, ``people`` or ``scorer``."""
    found: Estimate | None
    bounded: bool
    """Whether its interval is known; without, its ends are the rate itself."""


@dataclass(frozen=True, slots=True)
class HonestView:
    """The rate of one application in three ways, on one scale."""

    honest: HonestRate
    rows: tuple[RateRow, ...]
    top: float
    """The rate at the right edge."""


@dataclass(frozen=True, slots=True)
class Split:
    """Where the fault lies in one application."""

    app: str
    parts: Mapping[str, float]
    """Share of the traffic by part: retriever, generator, unknown, ok."""
    labels: tuple[tuple[str, float], ...]
    """Share of each diagnosis, the most frequent first."""


@dataclass(frozen=True, slots=True)
class DriftRow:
    """An input of the traffic and how far it has moved."""

    drift: Drift
    is_share: bool
    state: str
    """``steady``, ``moved``, ``shifted`` or ``unknown``."""


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """How a judge fares."""

    health: JudgeHealth
    failed: int
    missing: int
    """Drawn, but neither judged nor failed so far."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """Conversations of one application."""

    app: str
    bad: int
    conversations: int
    share: Estimate | None


@dataclass(frozen=True, slots=True)
class OverviewView:
    """The page."""

    overview: Overview
    groups: tuple[PanelGroup, ...]
    honest: tuple[HonestView, ...]
    splits: tuple[Split, ...]
    drift: Mapping[str, Sequence[DriftRow]]
    """By application."""
    judges: tuple[JudgeRow, ...]
    queue: Mapping[str, Mapping[ItemState, int]]
    """By application."""
    sessions: tuple[SessionRow, ...]
    metrics: tuple[str, ...]
    """Metrics that can be chosen."""

    @property
    def interactions(self) -> int:
        """Scored interactions of all applications."""
        return sum(self.overview.interactions.values())


def overview_view(overview: Overview, metric: str) -> OverviewView:
    """Lay an overview out; ``metric`` is one of them, or ``ALL_METRICS``."""
    overview = replace(overview, rates=_trimmed(overview))
    order = {str(key): number for number, key in enumerate(MetricKey)}
    metrics = sorted({series.metric for series in overview.rates}, key=lambda name: (order.get(name, 99), name))
    return OverviewView(
        overview=overview,
        groups=_all_metrics(overview, metrics) if metric == ALL_METRICS else _one_metric(overview, metric),
        honest=tuple(_honest(honest) for honest in overview.honest),
        splits=tuple(_split(app, shares) for app, shares in sorted(overview.diagnoses.items()) if shares),
        drift=_drift(overview.drift),
        judges=tuple(_judge(health) for health in overview.judges),
        queue=_queue(overview),
        sessions=tuple(_session(app, *counts) for app, counts in sorted(overview.sessions.items())),
        metrics=tuple(metrics),
    )


def _trimmed(overview: Overview) -> list[RateSeries]:
    """The series from the first score of all on, lest a young store shows little but emptiness."""
    known = [point.at for series in overview.rates for point in series.points if point.mean is not None]
    begin = min([overview.until - timedelta(seconds=_FEWEST_STEPS * overview.bucket_seconds), *known])
    return [
        replace(series, points=tuple(point for point in series.points if point.at >= begin))
        for series in overview.rates
    ]


def _one_metric(overview: Overview, metric: str) -> tuple[PanelGroup, ...]:
    given = [series for series in overview.rates if series.metric == metric]
    given.sort(key=lambda series: (series.app, *_source_order(series)))
    bottom = _bottom(given)
    panels = tuple(_panel(series, overview, bottom) for series in given)
    return (PanelGroup(metric, True, panels),) if panels else ()


def _all_metrics(overview: Overview, metrics: Sequence[str]) -> tuple[PanelGroup, ...]:
    groups = []
    for app in sorted({series.app for series in overview.rates}):
        given = [series for series in overview.rates if series.app == app]
        given.sort(key=lambda series: (metrics.index(series.metric), *_source_order(series)))
        silent = [series for series in given if not series.overall.scored and not series.failed]
        panels = [_panel(series, overview, _bottom([series])) for series in given if series not in silent]
        groups.append(PanelGroup(app, False, tuple(panels), tuple(silent)))
    return tuple(groups)


def _source_order(series: RateSeries) -> tuple[bool, str]:
    return series.scorer != LOCAL_SCORER, series.scorer


def _bottom(given: Sequence[RateSeries]) -> float:
    """The score at the lower edge: a round one below all intervals."""
    lows = [point.low for series in given for point in series.points if point.low is not None]
    return next((limit for limit in _BOTTOMS if lows and min(lows) >= limit), 0.0)


def _panel(series: RateSeries, overview: Overview, bottom: float) -> Panel:
    step = timedelta(seconds=overview.bucket_seconds)
    known = any(point.mean is not None for point in series.points)
    drawn = chart([_point(point, step) for point in series.points], bottom=bottom, top=1.0) if known else None
    return Panel(series, drawn, few=0 < series.overall.scored < FEW)


def _point(point: RatePoint, step: timedelta) -> Point:
    return Point(point.at.timestamp(), (point.at + step).timestamp(), _estimate(point), raised=False)


def _estimate(point: RatePoint) -> Estimate | None:
    return _interval(point.mean, point.low, point.high, point.scored)


def _interval(mean: float | None, low: float | None, high: float | None, count: int) -> Estimate | None:
    """An estimate with what is known of its ends: without them it is a point."""
    if mean is None:
        return None
    return Estimate(mean, mean if low is None else low, mean if high is None else high, count, float(count))


def _honest(honest: HonestRate) -> HonestView:
    rows = (
        _row("corrected", honest.rate, honest.low, honest.high, honest.labelled),
        _row("people", honest.people, honest.people_low, honest.people_high, honest.labelled),
        _row("scorer", honest.uncorrected, honest.uncorrected_low, honest.uncorrected_high, honest.population),
    )
    highest = max((row.found.high for row in rows if row.found is not None), default=0.0)
    return HonestView(honest, rows, fitting_top(highest))


def _row(kind: str, rate: float | None, low: float | None, high: float | None, count: int) -> RateRow:
    return RateRow(kind, _interval(rate, low, high, count), low is not None and high is not None)


def _split(app: str, shares: Mapping[str, float]) -> Split:
    parts = dict.fromkeys(PARTS, 0.0)
    for label, share in shares.items():
        parts[FAULTS[DiagnosisLabel(label)] if label in set(DiagnosisLabel) else "unknown"] += share
    return Split(app, parts, tuple(sorted(shares.items(), key=lambda pair: -pair[1])))


def _drift(given: Sequence[Drift]) -> dict[str, list[DriftRow]]:
    rows: dict[str, list[DriftRow]] = {}
    for drift in given:
        is_share = drift.name.startswith("language:") or drift.name in {"refusals", "no_context"}
        rows.setdefault(drift.app, []).append(DriftRow(drift, is_share, _drift_state(drift.distance)))
    return rows


def _drift_state(distance: float | None) -> str:
    if distance is None:
        return "unknown"
    return "shifted" if distance > SHIFT else "moved" if distance > MOVE else "steady"


def _judge(health: JudgeHealth) -> JudgeRow:
    failed = sum(health.failed.values())
    return JudgeRow(health, failed, max(0, health.drawn - health.judged - failed))


def _queue(overview: Overview) -> dict[str, dict[ItemState, int]]:
    rows: dict[str, dict[ItemState, int]] = {}
    for (app, state), count in sorted(overview.queue.items()):
        rows.setdefault(app, dict.fromkeys(ItemState, 0))[state] += count
    return rows


def _session(app: str, bad: int, conversations: int) -> SessionRow:
    sums = WeightedSums(conversations, conversations, conversations, bad, bad)
    return SessionRow(app, bad, conversations, estimate(sums) if conversations else None)


def step_name(seconds: int) -> str:
    """Return the length of a step of the plots in words."""
    for length, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= length and seconds % length == 0:
            count = seconds // length
            return name if count == 1 else f"{count} {name}s"
    return f"{seconds} seconds"
