"""The few kinds of panel that the dashboards are made of."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from grafana_foundation_sdk.builders import common, heatmap, prometheus, stat, timeseries
from grafana_foundation_sdk.builders.dashboard import (
    Dashboard,
    DashboardLink,
    DatasourceVariable,
    QueryVariable,
    Row,
    ThresholdsConfig,
)
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DashboardLinkType,
    DataSourceRef,
    DynamicConfigValue,
    Threshold,
    ThresholdsMode,
    VariableRefresh,
    VariableSort,
)
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
RATIO, SECONDS, BYTES, PER_SECOND, COUNT = "percentunit", "s", "bytes", "cps", "short"
RATE = "$__rate_interval"


@dataclass(frozen=True, slots=True)
class Query:
    """One line or family of lines: PromQL, and what the legend calls it."""

    expression: str
    legend: str = "__auto"
    dashed: bool = False
    """Drawn thin and dashed: an end of an interval, or a limit."""
    exemplars: bool = False


AnyPanel = timeseries.Panel | stat.Panel | heatmap.Panel


class Section:
    """A row of the dashboard: its title and its panels."""

    def __init__(self, title: str, *panels: AnyPanel) -> None:
        self.title = title
        self.panels = panels


def filled(board: Dashboard, *sections: Section) -> Dashboard:
    """Return the dashboard with the sections below each other, everything numbered so that links to it last."""
    numbers = itertools.count(1)
    for section in sections:
        board = board.with_row(Row(section.title).id(next(numbers)))
        for panel in section.panels:
            board = board.with_panel(panel.id(next(numbers)))
    return board


def lines(
    title: str,
    meaning: str,
    *queries: Query,
    unit: str = COUNT,
    span: int = 8,
    height: int = 8,
    stacked: bool = False,
    least: float = 0,
    most: float | None = None,
) -> timeseries.Panel:
    """Return a panel of lines over time; unknown stretches stay empty."""
    panel = (
        timeseries.Panel()
        .title(title)
        .description(meaning)
        .datasource(SOURCE)
        .unit(unit)
        .span(span)
        .height(height)
        .min(least)
        .show_points(options.VisibilityMode.NEVER)
        .fill_opacity(25 if stacked else 0)
        .line_width(1)
        .tooltip(common.VizTooltipOptions().mode(options.TooltipDisplayMode.MULTI).sort(options.SortOrder.DESCENDING))
        .legend(
            common.VizLegendOptions()
            .display_mode(options.LegendDisplayMode.LIST)
            .placement(options.LegendPlacement.BOTTOM)
            .show_legend(True)
            .calcs([])
        )
    )
    if most is not None:
        panel = panel.max(most)
    if stacked:
        panel = panel.stacking(common.StackingConfig().mode(options.StackingMode.NORMAL))
    for reference, query in zip("ABCDEFGH", queries, strict=False):
        panel = panel.with_target(_target(query, reference))
        if query.dashed:
            panel = panel.override_by_query(
                reference,
                [
                    DynamicConfigValue(id_val="custom.lineStyle", value={"fill": "dash", "dash": [4, 6]}),
                    DynamicConfigValue(id_val="custom.lineWidth", value=1),
                ],
            )
    return panel


def number(
    title: str, meaning: str, query: Query, *, unit: str = COUNT, span: int = 4, bad_from: float | None = None
) -> stat.Panel:
    """Return a panel of the latest value, red from ``bad_from`` on. Where nothing is known it says so."""
    steps = [Threshold(value=None, color="text" if bad_from is None else "green")]
    if bad_from is not None:
        steps.append(Threshold(value=bad_from, color="red"))
    return (
        stat.Panel()
        .title(title)
        .description(meaning)
        .datasource(SOURCE)
        .unit(unit)
        .span(span)
        .height(4)
        .no_value("unknown")
        .graph_mode(options.BigValueGraphMode.NONE)
        .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
        .thresholds(ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps))
        .with_target(_target(query, "A").instant())
    )


def distribution(title: str, meaning: str, query: Query, *, span: int = 12) -> heatmap.Panel:
    """Return a heat map over the buckets of a histogram."""
    target = _target(query, "A").format(PromQueryFormat.HEATMAP)
    return (
        heatmap.Panel()
        .title(title)
        .description(meaning)
        .datasource(SOURCE)
        .span(span)
        .height(8)
        .calculate(False)
        .with_target(target)
    )


def quantiles(name: str, by: str, selector: str) -> Iterable[Query]:
    """Yield the median and the 95th percentile of a histogram, by some of its labels."""
    keys = f"le, {by}" if by else "le"
    label = " ".join(f"{{{{{one.strip()}}}}}" for one in by.split(",")) if by else ""
    for quantile in ("0.5", "0.95"):
        rates = f"sum by ({keys}) (rate({name}_bucket{{{selector}}}[{RATE}]))"
        yield Query(f"histogram_quantile({quantile}, {rates})", f"{label} p{float(quantile) * 100:g}".strip())


def rate(name: str, by: str, selector: str, legend: str = "") -> Query:
    """Return the events per second of a counter, by some of its labels."""
    label = legend or " ".join(f"{{{{{one.strip()}}}}}" for one in by.split(","))
    return Query(f"sum by ({by}) (rate({name}{{{selector}}}[{RATE}]))", label)


def dashboard(uid: str, title: str, meaning: str, *, other: str, other_title: str) -> Dashboard:
    """Return an empty dashboard with its data source variable, and a link to its neighbour."""
    return (
        Dashboard(title)
        .uid(uid)
        .description(meaning)
        .tags(["ragsonde"])
        .timezone("browser")
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .time("now-6h", "now")
        .refresh("30s")
        .readonly()
        .link(
            DashboardLink(other_title).type(DashboardLinkType.LINK).url(f"/d/{other}").keep_time(True).icon("dashboard")
        )
        .with_variable(DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
    )


def values_of(name: str, label: str, metric: str, title: str) -> QueryVariable:
    """Return a variable over the values of a label, all of them chosen at first."""
    return (
        QueryVariable(name)
        .label(title)
        .datasource(SOURCE)
        .query(f"label_values({metric}, {label})")
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".+")
    )


def _target(query: Query, reference: str) -> prometheus.Dataquery:
    return (
        prometheus.Dataquery()
        .datasource(SOURCE)
        .expr(query.expression)
        .legend_format(query.legend)
        .exemplar(query.exemplars)
        .ref_id(reference)
    )
