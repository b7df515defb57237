"""A receiver of OTLP log records that keeps what it gets and answers as told; in memory, or over real HTTP."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ragsonde.collector.clock import Deadline
from ragsonde.server import HttpServer, ServerConfig

PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True)
class Event:
    """One received log record."""

    trace_id: str
    span_id: str
    name: str
    time_ns: int
    attributes: dict[str, Any]
    scope: str
    resource: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = ExportLogsServiceResponse().SerializeToString()
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": PROTOBUF})


class OtlpReceiver:
    """Gives the queued answers first, one a request, then takes everything."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, str]] = []
        """The headers of each request."""
        self.events: list[Event] = []
        """What was taken."""

    def answer(self, body: bytes, headers: dict[str, str]) -> Answer:
        self.requests.append(headers)
        given = self.answers.pop(0) if self.answers else Answer()
        if given.status == 200:
            if headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            self.events += events_in(ExportLogsServiceRequest.FromString(body))
        return given

    def transport(self) -> httpx.MockTransport:
        def handle(request: httpx.Request) -> httpx.Response:
            given = self.answer(request.content, dict(request.headers))
            return httpx.Response(given.status, content=given.body, headers=given.headers)

        return httpx.MockTransport(handle)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Yield the base URL under which it listens."""

        async def logs(request: Request) -> Response:
            given = self.answer(await request.body(), dict(request.headers))
            return Response(given.body, given.status, given.headers)

        server = HttpServer(ServerConfig(port=0), [Route("/v1/logs", logs, methods=["POST"])])
        url = server.start()
        try:
            yield url
        finally:
            server.stop(Deadline(10))


def events_in(request: ExportLogsServiceRequest) -> list[Event]:
    return [
        Event(
            record.trace_id.hex(),
            record.span_id.hex(),
            record.event_name,
            record.time_unix_nano,
            _values(record.attributes),
            scope.scope.name,
            _values(group.resource.attributes),
        )
        for group in request.resource_logs
        for scope in group.scope_logs
        for record in scope.log_records
    ]


def _values(attributes: Any) -> dict[str, Any]:
    return {item.key: getattr(item.value, item.value.WhichOneof("value")) for item in attributes}
