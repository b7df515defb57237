"""The live page's routes: the page itself, one page an interaction, the JSON behind them, and their assets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ragsonde.collector.clock import Clock
from ragsonde.exporters.pages.query import Query
from ragsonde.exporters.pages.site import GZIP, HEADERS, Link, Site
from ragsonde.exporters.record import to_record
from ragsonde.exporters.status.chart import chart
from ragsonde.exporters.status.recent import Order, RecentInteractions
from ragsonde.exporters.status.view import DEFAULT_LIMIT, MAX_LIMIT, Filters, StatusView, Window, status_view
from ragsonde.scorers.score import LOCAL_SCORER

_HERE = Path(__file__).parent


class StatusPage:
    """Renders what ``recent`` holds."""

    def __init__(self, recent: RecentInteractions, clock: Clock, *, links: Sequence[Link] = ()) -> None:
        self._recent = recent
        self._clock = clock
        self._site = Site(
            "status",
            _HERE,
            clock,
            links=links,
            values={
                "windows": list(Window),
                "orders": list(Order),
                "local_scorer": LOCAL_SCORER,
                "max_limit": MAX_LIMIT,
                "time_of": recent.time_of,
                "app_of": recent.app_of,
            },
        )

    def routes(self) -> list[BaseRoute]:
        """Return the routes: ``/``, ``/interactions/ID``, ``/api/status`` and the assets."""
        return [
            Route("/", self._status, middleware=GZIP),
            Route("/interactions/{identifier:path}", self._interaction, middleware=GZIP),
            Route("/api/status", self._api, middleware=GZIP),
            self._site.assets(),
        ]

    def _status(self, request: Request) -> Response:
        view = status_view(self._recent, _filters(request.query_params), self._clock)
        return self._site.render(
            "status.html",
            here="/",
            view=view,
            chart=chart(view.series),
            query=_query(view.filters),
            base_url=_base_url(request),
        )

    def _interaction(self, request: Request) -> Response:
        identifier = request.path_params["identifier"]
        scored = self._recent.get(identifier)
        if scored is None:
            return self._site.render("missing.html", status_code=404, identifier=identifier)
        return self._site.render("interaction.html", scored=scored)

    def _api(self, request: Request) -> Response:
        filters = _filters(request.query_params)
        if filters.misread:  # a script would take the answer for that to what it asked
            return Response(
                orjson.dumps({"error": f"not understood: {', '.join(filters.misread)}"}),
                400,
                media_type="application/json",
                headers=dict(HEADERS),
            )
        view = status_view(self._recent, filters, self._clock)
        return Response(orjson.dumps(_as_json(view)), media_type="application/json", headers=dict(HEADERS))


def _as_json(view: StatusView) -> dict[str, Any]:
    """Return the view as JSON values; interactions in the shape of the score record."""
    fields = {name: getattr(view, name) for name in StatusView.__dataclass_fields__}
    return fields | {"latest": [to_record(scored) for scored in view.latest]}


def _filters(query: Mapping[str, str]) -> Filters:
    """Read what the reader asked for; what makes no sense is as if it had not been asked."""
    given = Query(query)
    filters = Filters(
        app=given.text("app"),
        scorer=given.text("scorer") or LOCAL_SCORER,
        window=given.choice("window", Window),
        order=given.choice("order", Order) or Order.NEWEST,
        limit=given.read("limit", _limit) or DEFAULT_LIMIT,
    )
    return replace(filters, misread=given.misread)


def _limit(value: str) -> int:
    if not (value.isascii() and value.isdigit()):
        raise ValueError("no number")
    return max(1, min(MAX_LIMIT, int(value[:9])))


def _query(filters: Filters) -> Callable[..., str]:
    """Return a function that makes the address of the page with some filters changed."""

    def address(**changed: str) -> str:
        limit = "" if filters.limit == DEFAULT_LIMIT else str(filters.limit)
        values = {
            "app": filters.app or "",
            "window": filters.window or "",
            "scorer": "" if filters.scorer == LOCAL_SCORER else filters.scorer,
            "order": filters.order,
            "limit": limit,
        } | changed
        return "?" + "&".join(f"{name}={quote(value, '', errors='replace')}" for name, value in values.items() if value)

    return address


def _base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")
