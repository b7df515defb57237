"""The live page's routes: the page itself, one page an interaction, the JSON behind them, and their assets."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ragsonde.collector.clock import Clock
from ragsonde.exporters.pages.site import GZIP, HEADERS, Link, Site
from ragsonde.exporters.record import to_record
from ragsonde.exporters.status.chart import chart
from ragsonde.exporters.status.recent import Order, RecentInteractions
from ragsonde.exporters.status.view import DEFAULT_LIMIT, MAX_LIMIT, Filters, StatusView, Window, status_view
from ragsonde.scorers.score import LOCAL_SCORER

_HERE = Path(__file__).parent

_E = TypeVar("_E", Window, Order)


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
        view = status_view(self._recent, _filters(request.query_params), self._clock)
        return Response(orjson.dumps(_as_json(view)), media_type="application/json", headers=dict(HEADERS))


def _as_json(view: StatusView) -> dict[str, Any]:
    """Return the view as JSON values; interactions in the shape of the score record."""
    fields = {name: getattr(view, name) for name in StatusView.__dataclass_fields__}
    return fields | {"latest": [to_record(scored) for scored in view.latest]}


def _filters(query: Mapping[str, str]) -> Filters:
    """Read what the reader asked for; what makes no sense is as if it had not been asked."""
    limit = query.get("limit", "")
    return Filters(
        app=query.get("app") or None,
        scorer=query.get("scorer") or LOCAL_SCORER,
        window=_choice(Window, query.get("window")),
        order=_choice(Order, query.get("order")) or Order.NEWEST,
        limit=max(1, min(MAX_LIMIT, int(limit))) if limit.isascii() and limit.isdigit() else DEFAULT_LIMIT,
    )


def _choice(kind: type[_E], value: str | None) -> _E | None:
    try:
        return kind(value) if value else None
    except ValueError:
        return None


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
