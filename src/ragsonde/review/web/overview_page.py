"""The overview: how good the answers are, how far that can be trusted, and what people have labelled."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ragsonde.collector.clock import Clock
from ragsonde.exporters.pages.query import Query
from ragsonde.exporters.pages.site import GZIP, Site
from ragsonde.review.overview import OverviewSource
from ragsonde.review.web.answering import answered
from ragsonde.review.web.overview_view import (
    ALL_METRICS,
    FEW,
    PARTS,
    SHIFT,
    Stretch,
    overview_view,
    step_name,
)
from ragsonde.scorers.score import MetricKey

PATH = "/overview"


@dataclass(frozen=True, slots=True)
class Shown:
    """What the reader asked for. What makes no sense is as if it had not been asked."""

    app: str | None
    metric: str
    """A metric, a rubric, or ``ALL_METRICS``."""
    stretch: Stretch
    misread: tuple[str, ...] = ()
    """What made no sense, as ``name=value``."""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Shown":
        """Read a query."""
        given = Query(query)
        return cls(
            app=given.text("app"),
            metric=given.text("metric") or MetricKey.FAITHFULNESS,
            stretch=given.choice("stretch", Stretch) or Stretch.WEEK,
            misread=given.misread,
        )

    def query(self, **changed: str) -> str:
        """Return the query with some of it changed."""
        values = {"app": self.app or "", "metric": self.metric, "stretch": self.stretch} | changed
        return "?" + "&".join(f"{name}={quote(value, '', errors='replace')}" for name, value in values.items() if value)


class OverviewPage:
    """Renders what the source computes."""

    def __init__(self, source: OverviewSource, site: Site, clock: Clock) -> None:
        self._source = source
        self._site = site
        self._clock = clock

    def routes(self) -> list[BaseRoute]:
        """Return the route."""
        return [Route(PATH, answered(self._site, self._show), middleware=GZIP)]

    async def _show(self, request: Request) -> Response:
        return await run_in_threadpool(self._render, request)

    def _render(self, request: Request) -> Response:
        shown = Shown.read(request.query_params)
        now = datetime.fromtimestamp(self._clock.wall(), UTC)
        overview = self._source.overview(now - shown.stretch.length, now, app=shown.app)
        return self._site.render(
            "overview.html",
            here=PATH,
            shown=shown,
            apps=sorted(
                {*overview.interactions, *(app for app, _ in overview.queue), *([shown.app] if shown.app else [])}
            ),
            step_name=step_name(overview.bucket_seconds),
            view=overview_view(overview, shown.metric),
            stretches=list(Stretch),
            all_metrics=ALL_METRICS,
            few=FEW,
            shift=SHIFT,
            part_names=PARTS,
        )
