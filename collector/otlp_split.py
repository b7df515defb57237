"""Cuts an OTLP export request into messages that each hold one trace, so that a trace stays on one partition.

Works on the protobuf messages themselves: resource, scope and fields that this version does not know are kept.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError as ProtobufDecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import Signal
from ragsonde.collector.otlp_utf8 import with_valid_utf8


@dataclass(frozen=True, slots=True)
class Shape:
    """The names of one signal's protobuf messages and fields."""

    signal: Signal
    request: Callable[[], Any]
    response: Callable[[], Any]
    resources: str
    scopes: str
    items: str
    rejected: str
    """The field of the response's partial success that counts rejected items."""


TRACES = Shape(
    Signal.TRACES,
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
    "resource_spans",
    "scope_spans",
    "spans",
    "rejected_spans",
)
LOGS = Shape(
    Signal.LOGS,
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
    "resource_logs",
    "scope_logs",
    "log_records",
    "rejected_log_records",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One message to be written."""

    key: bytes
    """The trace id as 32 lower-case hex characters, as the OpenTelemetry Collector keys its messages."""
    value: bytes
    """An export request of the same signal, as protobuf."""
    items: int


@dataclass(frozen=True, slots=True)
class Split:
    """What became of a request."""

    parts: tuple[Part, ...]
    rejected: Mapping[str, int]
    """Spans or log records that cannot be used, by reason."""
    without_trace: int
    """Log records that belong to no trace; not an error, but of no use here."""


def parse_protobuf(body: bytes, shape: Shape) -> Any:
    """Return the export request in ``body``.

    Raises:
        DecodeError: it is not one.
    """
    request = shape.request()
    try:
        request.ParseFromString(body)
    except ProtobufDecodeError as error:
        mended = with_valid_utf8(body, request.DESCRIPTOR)
        if mended is None:
            raise DecodeError(DecodeReason.INVALID_PROTOBUF, f"the body is no OTLP {shape.signal} request") from error
        request.ParseFromString(mended)
    return request


def split_by_trace(request: Any, shape: Shape, max_message_bytes: int) -> Split:
    """Return the request's items as messages of one trace each, none larger than ``max_message_bytes``."""
    traces: dict[bytes, list[_Item]] = {}
    rejected: dict[str, int] = {}
    without_trace = 0
    for item in _walk(request, shape):
        if shape.signal is Signal.LOGS and not any(item.message.trace_id):
            without_trace += 1
        elif fault := _fault(item.message, shape.signal):
            _count(rejected, fault)
        else:
            traces.setdefault(item.message.trace_id, []).append(item)
    parts: list[Part] = []
    for trace_id, items in traces.items():
        parts += _pack(trace_id.hex().encode("ascii"), items, shape, max_message_bytes, rejected)
    return Split(tuple(parts), rejected, without_trace)


@dataclass(frozen=True, slots=True)
class _Item:
    """A span or log record with the messages that it lies in."""

    resource_group: Any
    scope_group: Any
    message: Any


def _walk(request: Any, shape: Shape) -> Iterator[_Item]:
    for resource_group in getattr(request, shape.resources):
        for scope_group in getattr(resource_group, shape.scopes):
            for message in getattr(scope_group, shape.items):
                yield _Item(resource_group, scope_group, message)


def _fault(message: Any, signal: Signal) -> str | None:
    """Return why a span or log record cannot be used; None where it can."""
    if len(message.trace_id) != 16 or not any(message.trace_id):
        return "no valid trace id (16 bytes, not all zero)"
    if len(message.span_id) not in ((8,) if signal is Signal.TRACES else (0, 8)):
        return "no valid span id (8 bytes)"
    if signal is Signal.TRACES and (not any(message.span_id) or len(message.parent_span_id) not in (0, 8)):
        return "no valid span id or parent span id (8 bytes, the first not all zero)"
    return None


def _pack(key: bytes, items: list[_Item], shape: Shape, max_bytes: int, rejected: dict[str, int]) -> list[Part]:
    """Put the items into one message, or into as many as it takes."""
    value = _assemble(items, shape)
    if len(value) <= max_bytes:
        return [Part(key, value, len(items))]
    if len(items) == 1:
        _count(rejected, f"larger than {max_bytes} bytes on its own")
        return []
    middle = len(items) // 2
    return [
        *_pack(key, items[:middle], shape, max_bytes, rejected),
        *_pack(key, items[middle:], shape, max_bytes, rejected),
    ]


def _assemble(items: list[_Item], shape: Shape) -> bytes:
    request = shape.request()
    last_resource = last_scope = resource_group = scope_group = None
    for item in items:
        if item.resource_group is not last_resource:
            last_resource, last_scope = item.resource_group, None
            resource_group = getattr(request, shape.resources).add(schema_url=last_resource.schema_url)
            resource_group.resource.CopyFrom(last_resource.resource)
        if item.scope_group is not last_scope:
            last_scope = item.scope_group
            scope_group = getattr(resource_group, shape.scopes).add(schema_url=last_scope.schema_url)
            scope_group.scope.CopyFrom(last_scope.scope)
        getattr(scope_group, shape.items).add().CopyFrom(item.message)
    serialised: bytes = request.SerializeToString()
    return serialised


def _count(reasons: dict[str, int], reason: str) -> None:
    reasons[reason] = reasons.get(reason, 0) + 1
