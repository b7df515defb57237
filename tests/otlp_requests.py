"""Builders of OTLP export requests as protobuf messages."""

from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

ONE = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
TWO = bytes.fromhex("4bf92f3577b34da6a3ce929d0e0e4736")


def span_id(number: int) -> bytes:
    return number.to_bytes(8, "big")


def trace_request(*spans: tuple[bytes, bytes], service: str = "shop", text: str = "") -> ExportTraceServiceRequest:
    """Return a request with one span for each (trace id, span id), all of one resource and scope."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add(schema_url="https://opentelemetry.io/schemas/1.41.0")
    group.resource.attributes.add(key="service.name").value.string_value = service
    scope = group.scope_spans.add(schema_url="https://example.org/scope")
    scope.scope.name = "app"
    for trace, span in spans:
        scope.spans.add(trace_id=trace, span_id=span, name="answer").attributes.add(
            key="text"
        ).value.string_value = text
    return request


def log_request(*trace_ids: bytes) -> ExportLogsServiceRequest:
    """Return a request with one log record for each trace id."""
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    for trace_id in trace_ids:
        records.add(trace_id=trace_id, span_id=span_id(1) if trace_id else b"").body.string_value = "text"
    return request


def spans_of(request: ExportTraceServiceRequest) -> list[Any]:
    return [span for group in request.resource_spans for scope in group.scope_spans for span in scope.spans]
