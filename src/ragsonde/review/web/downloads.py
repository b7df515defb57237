"""What reviews are for, to take away: labels, golden items, and how far the scorer agrees with people."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import orjson
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ragsonde.collector.clock import Clock
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.exporters.pages.site import GZIP, HEADERS, Site
from ragsonde.golden.exporting import from_reviews
from ragsonde.golden.files import as_row
from ragsonde.golden.item import GoldenItem
from ragsonde.review.desk import ReviewDesk
from ragsonde.review.web.answering import Endpoint, answered
from ragsonde.review.web.guard import RefusedError

_LINES = "application/x-ndjson"


class Downloads:
    """``/review/labels.jsonl``, ``/review/golden.jsonl`` and ``/review/calibration.html``."""

    def __init__(self, desk: ReviewDesk, site: Site, clock: Clock) -> None:
        self._desk = desk
        self._site = site
        self._clock = clock

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        handlers = {
            "/review/labels.jsonl": self._labels,
            "/review/golden.jsonl": self._golden,
            "/review/calibration.html": self._calibration,
        }
        return [
            Route(path, answered(self._site, _in_thread(handle)), middleware=GZIP) for path, handle in handlers.items()
        ]

    def _labels(self, _request: Request) -> Response:
        lines = [orjson.dumps(label.model_dump(mode="json", exclude_none=True)) for label in self._desk.labels()]
        return _download(lines, "labels.jsonl", left_out=0)

    def _golden(self, _request: Request) -> Response:
        lines, left_out = [], []
        for item in self._golden_items():
            if isinstance(item, BadRecord):
                left_out.append(item)
            else:
                lines.append(orjson.dumps(as_row(item)))
        if left_out and not lines:
            raise RefusedError(409, f"no reviewed item can be a golden one yet; the first one: {left_out[0]}")
        return _download(lines, "golden.jsonl", left_out=len(left_out))

    def _golden_items(self) -> Iterator[GoldenItem | BadRecord]:
        reviews = list(self._desk.reviewed_items())
        wanted = {review.id for review in reviews}
        scored = {one.interaction.id: one for one in self._desk.scored() if one.interaction.id in wanted}
        return from_reviews(reviews, scored)

    def _calibration(self, request: Request) -> Response:
        # The numerical libraries load slowly; nobody should wait for them who only looks at the queue.
        from ragsonde.calibration.report import to_svg  # noqa: PLC0415
        from ragsonde.calibration.reporting import calibration_report  # noqa: PLC0415

        labels = list(self._desk.labels())
        wanted = {label.id for label in labels}
        records = {one.interaction.id: one for one in self._desk.scored() if one.interaction.id in wanted}
        scorer = request.query_params.get("scorer") or None
        try:
            report = calibration_report(records, labels, scorer)
        except ConfigError as error:
            raise RefusedError(409, str(error)) from error
        drawings = {
            level.cases.level: _as_address(to_svg(level.reliability, f"Reliability by {level.cases.level.value}"))
            for level in report.levels
            if level.reliability is not None
        }
        sources = sorted({name for one in records.values() for name, _ in one.by_scorer()})
        page = self._site.render(
            "calibration.html",
            report=report,
            drawings=drawings,
            labels=len(labels),
            sources=sources,
            made_at=datetime.fromtimestamp(self._clock.wall(), UTC),
        )
        page.headers["Content-Security-Policy"] = _policy(bytes(page.body))
        return page


def _in_thread(handle: Callable[[Request], Response]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(handle, request)

    return endpoint


def _download(lines: list[bytes], name: str, *, left_out: int) -> Response:
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"', "X-Left-Out": str(left_out)}
    return Response(b"".join(line + b"\n" for line in lines), media_type=_LINES, headers=headers)


def _as_address(svg: str) -> str:
    """Return a drawing as an address for ``<img>``: it then keeps to itself, styles included."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _policy(page: bytes) -> str:
    """Allow this page its own style, which it carries along so that it can be kept as one file."""
    style = page.partition(b"<style>")[2].partition(b"</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )
