"""The geometry of the chart: a rate over time with its confidence band, and where it is raised."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.exporters.estimate import Estimate, WeightedSums, estimate

WIDTH, HEIGHT = 720.0, 200.0
"""The SVG's own coordinates; the page stretches them."""
_BAR_HEIGHT = 28.0
_LATEST_STEPS = 3
_MIN_BASELINE = 10.0
"""Effective observations that a baseline needs before anything can stand out from it."""


@dataclass(frozen=True, slots=True)
class Point:
    """The rate within one step of time."""

    start: float
    """Seconds since the epoch."""
    end: float
    estimate: Estimate | None
    """None where nothing was judged."""
    raised: bool
    """Whether the lower end of its interval lies above the upper end of that of the steps before, taken together."""


def points(start: float, step: float, sums: Sequence[WeightedSums], earlier: WeightedSums) -> list[Point]:
    """Turn the sums of consecutive steps into points, and tell which ones stand out from all that came before.

    The baseline begins with the sums of an earlier time. A raised step does not enter it: a fault that goes on stays
    visible as one.
    """
    found = []
    baseline = earlier
    for number, observed in enumerate(sums):
        current, before = estimate(observed), estimate(baseline)
        raised = (
            current is not None
            and before is not None
            and before.effective_size >= _MIN_BASELINE
            and current.low > before.high
        )
        if not raised:
            baseline += observed
        found.append(Point(start + number * step, start + (number + 1) * step, current, raised))
    return found


@dataclass(frozen=True, slots=True)
class Rise:
    """A rate that stands out from what came before, and still does."""

    since: float
    """Seconds since the epoch."""
    now: Estimate
    """The rate from then on."""
    before: Estimate
    """The rate up to then."""


def rise(start: float, step: float, sums: Sequence[WeightedSums], earlier: WeightedSums) -> Rise | None:
    """Find the earliest step from which on the rate stands out, taken together and over the latest steps alone."""
    for number, point in enumerate(points(start, step, sums, earlier)):
        if point.raised:
            before = estimate(sum(sums[:number], earlier))
            since = estimate(sum(sums[number:], WeightedSums()))
            latest = estimate(sum(sums[max(number, len(sums) - _LATEST_STEPS) :], WeightedSums()))
            if before and since and latest and min(since.low, latest.low) > before.high:
                return Rise(point.start, since, before)
    return None


@dataclass(frozen=True, slots=True)
class Mark:
    """A point on the plot."""

    x: float
    y: float
    low_y: float
    high_y: float
    point: Point


@dataclass(frozen=True, slots=True)
class Chart:
    """What the page draws, in the coordinates of the SVG."""

    top: float
    """The rate at the upper edge."""
    bottom: float
    """The rate at the lower edge."""
    marks: tuple[Mark, ...]
    bands: tuple[str, ...]
    """Polygon points of the confidence band, one for each run of neighbouring steps."""
    lines: tuple[str, ...]
    """Polyline points of the rate, one for each such run."""
    bars: tuple[tuple[float, float, float, float], ...]
    """Judged answers by step: x, y, width and height."""
    most_judged: int
    """Judged answers of the tallest bar."""


def chart(given: Sequence[Point], *, bottom: float = 0.0, top: float | None = None) -> Chart:
    """Lay a series out between two rates; without ``top`` it is one that leaves some room above the highest."""
    if top is None:
        top = fitting_top(max((point.estimate.mean for point in given if point.estimate), default=0.0))
    step = WIDTH / max(1, len(given))

    def y(rate: float) -> float:
        return round(HEIGHT * (1.0 - (min(max(rate, bottom), top) - bottom) / (top - bottom)), 1)

    runs: list[list[Mark]] = [[]]
    for number, point in enumerate(given):
        if point.estimate is None:
            runs.append([])
            continue
        x = round((number + 0.5) * step, 1)
        found = point.estimate
        runs[-1].append(Mark(x, y(found.mean), y(found.low), y(found.high), point))
    runs = [run for run in runs if run]
    counts = [point.estimate.count if point.estimate else 0 for point in given]
    return Chart(
        top=top,
        bottom=bottom,
        marks=tuple(mark for run in runs for mark in run),
        bands=tuple(_band(run, step) for run in runs),
        lines=tuple(" ".join(f"{mark.x},{mark.y}" for mark in run) for run in runs if len(run) > 1),
        bars=_bars(counts, step),
        most_judged=max(counts, default=0),
    )


def fitting_top(highest: float) -> float:
    """Return a round rate that leaves some room above the highest one."""
    return next((limit for limit in (0.1, 0.2, 0.4, 0.6, 0.8) if highest <= limit * 0.85), 1.0)


def _band(run: Sequence[Mark], step: float) -> str:
    """Return the outline of a run's band; a lone point gets one as wide as half its step."""
    if len(run) == 1:
        mark, quarter = run[0], step / 4
        edges = [(mark.x - quarter, mark.high_y), (mark.x + quarter, mark.high_y)]
        edges += [(mark.x + quarter, mark.low_y), (mark.x - quarter, mark.low_y)]
    else:
        edges = [(mark.x, mark.high_y) for mark in run] + [(mark.x, mark.low_y) for mark in reversed(run)]
    return " ".join(f"{x:.1f},{y}" for x, y in edges)


def _bars(counts: Sequence[int], step: float) -> tuple[tuple[float, float, float, float], ...]:
    most = max(counts, default=0)
    return tuple(
        (
            round(number * step + step * 0.15, 1),
            round(HEIGHT - _BAR_HEIGHT * count / most, 1),
            round(step * 0.7, 1),
            round(_BAR_HEIGHT * count / most, 1),
        )
        for number, count in enumerate(counts)
        if count
    )
