"""A receiver over a publisher in memory, with a client for it."""

from typing import Any

import httpx
from google.protobuf import json_format
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.collector.receiver import JSON, PROTOBUF, ReceiverConfig, receiver_routes
from tests.fakes import EventRecorder
from tests.memory_publisher import MemoryPublisher


class Receiver:
    """A receiver over a publisher in memory, and a client for it."""

    def __init__(self, **settings: object) -> None:
        self.publisher = MemoryPublisher()
        self.events = EventRecorder()
        config = ReceiverConfig.model_validate(settings)
        self.client = TestClient(Starlette(routes=receiver_routes(self.publisher, config, listener=self.events)))

    def post(self, body: bytes, path: str = "/v1/traces", encoding: str = PROTOBUF, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        response: Any = self.client.post(path, content=body, headers={"Content-Type": encoding} | names)
        return response

    def written(self) -> dict[str, ExportTraceServiceRequest]:
        """Return the written trace requests by key."""
        requests: dict[str, ExportTraceServiceRequest] = {}
        for message in self.publisher.messages:
            request = ExportTraceServiceRequest.FromString(message.value)
            requests.setdefault((message.key or b"").decode(), ExportTraceServiceRequest()).MergeFrom(request)
        return requests


def error_of(response: httpx.Response) -> Status:
    if response.headers["content-type"] == JSON:
        return json_format.ParseDict(response.json(), Status())
    return Status.FromString(response.content)
