"""The live page's routes: the page itself, one page an interaction, the JSON behind them, and their assets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from ragsonde import __version__
from ragsonde.collector.clock import Clock
from ragsonde.collector.model import Document
from ragsonde.exporters import quality
from ragsonde.exporters.record import to_record
from ragsonde.exporters.status import wording
from ragsonde.exporters.status.chart import chart
from ragsonde.exporters.status.marking import Piece, answer_pieces, passage_pieces
from ragsonde.exporters.status.recent import Order, RecentInteractions
from ragsonde.exporters.status.view import (
    DEFAULT_LIMIT,
    FAULTS,
    MAX_LIMIT,
    Filters,
    StatusView,
    Window,
    status_view,
)
from ragsonde.scorers.score import Claim, ScoredInteraction

_HERE = Path(__file__).parent
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_GZIP = [Middleware(GZipMiddleware, minimum_size=1024)]

_E = TypeVar("_E", Window, Order)


@dataclass(frozen=True, slots=True)
class Link:
    """A further page to lead to from the head of this one."""

    label: str
    path: str


class StatusPage:
    """Renders what ``recent`` holds."""

    def __init__(self, recent: RecentInteractions, clock: Clock, *, links: Sequence[Link] = ()) -> None:
        self._recent = recent
        self._clock = clock
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= wording.FILTERS
        self._templates.globals |= {
            "links": tuple(links),
            "version": __version__,
            "windows": list(Window),
            "orders": list(Order),
            "max_limit": MAX_LIMIT,
            "faults": FAULTS,
            "claims_of": quality.claims,
            "citations_of": lambda scored: list(quality.citations(scored)),
            "result_of": quality.answer_result,
            "time_of": recent.time_of,
            "app_of": recent.app_of,
            "answer_pieces": _answer_pieces,
            "passages": _passages,
            "path_of": lambda scored: "/interactions/" + quote(scored.interaction.id, safe="", errors="replace"),
        }

    def routes(self) -> list[BaseRoute]:
        """Return the routes: ``/``, ``/interactions/ID``, ``/api/status`` and the assets."""
        return [
            Route("/", self._status, middleware=_GZIP),
            Route("/interactions/{identifier:path}", self._interaction, middleware=_GZIP),
            Route("/api/status", self._api, middleware=_GZIP),
            Mount("/assets/status", StaticFiles(directory=_HERE / "static")),
        ]

    def _status(self, request: Request) -> Response:
        view = status_view(self._recent, _filters(request.query_params), self._clock)
        return self._render(
            "status.html", view=view, chart=chart(view.series), query=_query(view.filters), base_url=_base_url(request)
        )

    def _interaction(self, request: Request) -> Response:
        identifier = request.path_params["identifier"]
        scored = self._recent.get(identifier)
        if scored is None:
            return self._render("missing.html", status_code=404, identifier=identifier)
        return self._render("interaction.html", scored=scored)

    def _api(self, request: Request) -> Response:
        view = status_view(self._recent, _filters(request.query_params), self._clock)
        return Response(orjson.dumps(_as_json(view)), media_type="application/json", headers=_HEADERS)

    def _render(self, template: str, *, status_code: int = 200, **values: Any) -> Response:
        html = self._templates.get_template(template).render(now=self._clock.wall(), **values)
        # A lone surrogate in an application's text cannot be sent as UTF-8.
        return HTMLResponse(html.encode("utf-8", "replace"), status_code=status_code, headers=_HEADERS)


def _as_json(view: StatusView) -> dict[str, Any]:
    """Return the view as JSON values; interactions in the shape of the score record."""
    fields = {name: getattr(view, name) for name in StatusView.__dataclass_fields__}
    return fields | {"latest": [to_record(scored) for scored in view.latest]}


def _filters(query: Mapping[str, str]) -> Filters:
    """Read what the reader asked for; what makes no sense is as if it had not been asked."""
    limit = query.get("limit", "")
    return Filters(
        app=query.get("app") or None,
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
            "order": filters.order,
            "limit": limit,
        } | changed
        return "?" + "&".join(f"{name}={quote(value, '', errors='replace')}" for name, value in values.items() if value)

    return address


def _base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _answer_pieces(scored: ScoredInteraction) -> list[Piece]:
    citations = [citation for citation, _ in quality.citations(scored)]
    return answer_pieces(scored.interaction.answer or "", quality.claims(scored), citations)


def _passages(scored: ScoredInteraction) -> list[tuple[Document, str, list[Piece]]]:
    """Return each document with its name and its text cut at the quotes that were taken from it."""
    claims = quality.claims(scored)
    found = []
    for document in scored.interaction.contexts or ():
        name = document.id or str(document.rank)
        quotes = [claim.quote if _quotes_from(claim, name) else None for claim in claims]
        found.append((document, name, passage_pieces(document.text or "", quotes)))
    return found


def _quotes_from(claim: Claim, name: str) -> bool:
    return not claim.context_ids or name in claim.context_ids
