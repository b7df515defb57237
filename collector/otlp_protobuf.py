"""OTLP in protobuf: ``ExportTraceServiceRequest`` and ``ExportLogsServiceRequest`` to spans and log records."""

import contextlib
from collections.abc import Iterable
from typing import TypeVar

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord as LogRecordMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import AttributeValue, LogRecord, Span, SpanEvent
from ragsonde.collector.otlp import (
    SPAN_ID_HEX,
    TRACE_ID_HEX,
    Gathering,
    Origin,
    check_id,
    estimate_bytes,
    remote_parent,
)
from ragsonde.collector.telemetry import IgnoreReason

Request = TypeVar("Request", ExportTraceServiceRequest, ExportLogsServiceRequest)

_Attributes = dict[str, AttributeValue]


def read_traces(value: bytes, max_depth: int) -> Gathering:
    """Read an ``ExportTraceServiceRequest``.

    Raises:
        DecodeError: it is not one, nests too deep, or holds malformed ids.
    """
    request = _parse(value, ExportTraceServiceRequest())
    if not request.resource_spans:
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no resource spans: not an OTLP trace request")
    found = [span for group in request.resource_spans for scope in group.scope_spans for span in scope.spans]
    if found and all(not span.trace_id and not span.name for span in found):
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no span has an id or a name: not an OTLP trace request")
    gathering = Gathering()
    for group in request.resource_spans:
        resource = _attributes(group.resource.attributes, max_depth)
        for scope_spans in group.scope_spans:
            for span in scope_spans.spans:
                _take_span(span, _origin(resource, scope_spans.scope), max_depth, gathering)
    return gathering


def read_logs(value: bytes, max_depth: int) -> Gathering:
    """Read an ``ExportLogsServiceRequest``.

    Raises:
        DecodeError: it is not one, nests too deep, or holds malformed ids.
    """
    request = _parse(value, ExportLogsServiceRequest())
    if not request.resource_logs:
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no resource logs: not an OTLP logs request")
    gathering = Gathering()
    for group in request.resource_logs:
        resource = _attributes(group.resource.attributes, max_depth)
        for scope_logs in group.scope_logs:
            for log in scope_logs.log_records:
                _take_log(log, _origin(resource, scope_logs.scope), max_depth, gathering)
    return gathering


def read_either(value: bytes, max_depth: int) -> Gathering:
    """Read a request of either signal: the two look alike down to the first span, where only one of them has ids.

    Raises:
        DecodeError: it is neither, nests too deep, or holds malformed ids.
    """
    try:
        traces = read_traces(value, max_depth)
    except DecodeError as as_traces:
        try:
            return read_logs(value, max_depth)
        except DecodeError as as_logs:
            # Where only one of the two got beyond the wire format, its complaint is the one that helps.
            vague = (DecodeReason.INVALID_PROTOBUF, DecodeReason.INVALID_SHAPE)
            raise (as_logs if as_traces.reason in vague else as_traces) from None
    if traces.spans:
        return traces
    with contextlib.suppress(DecodeError):
        return read_logs(value, max_depth)
    return traces


def _parse(value: bytes, request: Request) -> Request:
    try:
        request.ParseFromString(value)
    except (ProtobufError, RecursionError) as error:
        # protobuf itself refuses nesting beyond 100 messages, which is about 47 levels of AnyValue.
        if isinstance(error, RecursionError) or "MaxDepth" in str(error):
            raise DecodeError(DecodeReason.TOO_DEEP, "values are nested too deep for protobuf") from error
        raise DecodeError(DecodeReason.INVALID_PROTOBUF, f"not readable as OTLP protobuf: {error}") from error
    return request


def _origin(resource: _Attributes, scope: InstrumentationScope) -> Origin:
    return Origin(resource, scope.name, scope.version)


def _take_span(span: SpanMessage, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    trace_id = check_id(span.trace_id.hex(), TRACE_ID_HEX, "span.trace_id")
    span_id = check_id(span.span_id.hex(), SPAN_ID_HEX, "span.span_id")
    parent_span_id = check_id(span.parent_span_id.hex(), SPAN_ID_HEX, "span.parent_span_id")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(span.attributes, max_depth)
    events = tuple(
        SpanEvent(event.name, event.time_unix_nano, _attributes(event.attributes, max_depth)) for event in span.events
    )
    gathering.spans.append(
        Span(
            trace_id=trace_id,
            span_id=span_id,
            name=span.name,
            parent_span_id=parent_span_id,
            kind=span.kind,
            start_ns=span.start_time_unix_nano,
            end_ns=span.end_time_unix_nano,
            attributes=attributes,
            events=events,
            resource=origin.resource,
            scope_name=origin.scope_name,
            scope_version=origin.scope_version,
            status_code=span.status.code,
            parent_is_remote=remote_parent(span.flags),
            size_bytes=estimate_bytes(attributes) + sum(estimate_bytes(event.attributes) for event in events),
        )
    )


def _take_log(log: LogRecordMessage, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    trace_id = check_id(log.trace_id.hex(), TRACE_ID_HEX, "log_record.trace_id")
    span_id = check_id(log.span_id.hex(), SPAN_ID_HEX, "log_record.span_id")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(log.attributes, max_depth)
    body = _value(log.body, max_depth)
    gathering.logs.append(
        LogRecord(
            trace_id=trace_id,
            span_id=span_id,
            event_name=log.event_name or str(attributes.get("event.name") or ""),
            time_ns=log.time_unix_nano or log.observed_time_unix_nano,
            body=body,
            attributes=attributes,
            resource=origin.resource,
            scope_name=origin.scope_name,
            size_bytes=estimate_bytes(attributes) + estimate_bytes(body),
        )
    )


def _attributes(pairs: Iterable[KeyValue], max_depth: int) -> _Attributes:
    return {pair.key: _value(pair.value, max_depth) for pair in pairs}


def _value(value: AnyValue, depth_left: int) -> AttributeValue:
    if depth_left <= 0:
        raise DecodeError(DecodeReason.TOO_DEEP, "an attribute value is nested too deep")
    match value.WhichOneof("value"):
        case "string_value":
            return value.string_value
        case "int_value":
            return value.int_value
        case "double_value":
            return value.double_value
        case "bool_value":
            return value.bool_value
        case "array_value":
            return [_value(item, depth_left - 1) for item in value.array_value.values]
        case "kvlist_value":
            return {pair.key: _value(pair.value, depth_left - 1) for pair in value.kvlist_value.values}
        case "bytes_value":
            return value.bytes_value
        case _:
            return None
