"""OTLP in protobuf: ``ExportTraceServiceRequest`` and ``ExportLogsServiceRequest`` to spans and log records."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord as LogRecordMessage
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import AttributeValue, LogRecord, Span, SpanEvent
from ragsonde.collector.otlp import (
    SPAN_ID_HEX,
    TRACE_ID_HEX,
    Gathering,
    Origin,
    estimate_bytes,
    remote_parent,
)
from ragsonde.collector.otlp_utf8 import with_valid_utf8
from ragsonde.collector.telemetry import IgnoreReason

_TRACE_ID_BYTES = TRACE_ID_HEX // 2
_SPAN_ID_BYTES = SPAN_ID_HEX // 2

Request = TypeVar("Request", ExportTraceServiceRequest, ExportLogsServiceRequest)
_Item = TypeVar("_Item", SpanMessage, LogRecordMessage)
_Group = tuple[Resource, Sequence[tuple[InstrumentationScope, Sequence[_Item]]]]
"""A resource, and its scopes with what lies in each."""

_Attributes = dict[str, AttributeValue]


def read_traces(value: bytes, max_depth: int) -> Gathering:
    """Read an ``ExportTraceServiceRequest``; spans that cannot be read are refused one by one.

    Raises:
        DecodeError: it is not one.
    """
    request, is_mended = _parse(value, ExportTraceServiceRequest())
    if not request.resource_spans:
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no resource spans: not an OTLP trace request")
    found = [span for group in request.resource_spans for scope in group.scope_spans for span in scope.spans]
    if found and all(not span.trace_id and not span.name for span in found):
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no span has an id or a name: not an OTLP trace request")
    if is_mended:
        _check_ids(found)
    groups = [
        (group.resource, [(scope.scope, scope.spans) for scope in group.scope_spans])
        for group in request.resource_spans
    ]
    return _gathered(groups, _take_span, "resource_spans[{}].scope_spans[{}].spans[{}]", max_depth)


def read_logs(value: bytes, max_depth: int) -> Gathering:
    """Read an ``ExportLogsServiceRequest``; log records that cannot be read are refused one by one.

    Raises:
        DecodeError: it is not one.
    """
    request, is_mended = _parse(value, ExportLogsServiceRequest())
    if not request.resource_logs:
        raise DecodeError(DecodeReason.INVALID_SHAPE, "no resource logs: not an OTLP logs request")
    if is_mended:
        _check_ids([log for group in request.resource_logs for scope in group.scope_logs for log in scope.log_records])
    groups = [
        (group.resource, [(scope.scope, scope.log_records) for scope in group.scope_logs])
        for group in request.resource_logs
    ]
    return _gathered(groups, _take_log, "resource_logs[{}].scope_logs[{}].log_records[{}]", max_depth)


def read_either(value: bytes, max_depth: int) -> Gathering:
    """Read a request of either signal: the two look alike down to the first span, where only one of them has ids.

    Raises:
        DecodeError: it is neither.
    """
    readings: list[Gathering] = []
    errors: list[DecodeError] = []
    for read in (read_traces, read_logs):
        try:
            gathering = read(value, max_depth)
        except DecodeError as error:
            errors.append(error)
            continue
        if gathering.spans or gathering.logs:
            return gathering
        readings.append(gathering)
    if readings:
        return next((gathering for gathering in readings if not gathering.fault), readings[0])
    # Where only one of the two got beyond the wire format, its complaint is the one that helps.
    vague = (DecodeReason.INVALID_PROTOBUF, DecodeReason.INVALID_SHAPE)
    if telling := next((error for error in errors if error.reason not in vague), None):
        raise telling
    if str(errors[0]) == str(errors[1]):
        raise errors[0]
    raise DecodeError(errors[-1].reason, f"neither traces ({errors[0]}) nor log records ({errors[1]})")


def _parse(value: bytes, request: Request) -> tuple[Request, bool]:
    """Parse a request; say whether bytes that are no UTF-8 had to be mended for that."""
    try:
        request.ParseFromString(value)
    except (ProtobufError, RecursionError) as error:
        # protobuf itself refuses nesting beyond 100 messages, which is about 47 levels of AnyValue.
        if isinstance(error, RecursionError) or "MaxDepth" in str(error):
            raise DecodeError(DecodeReason.TOO_DEEP, "values are nested too deep for protobuf") from error
        mended = with_valid_utf8(value, request.DESCRIPTOR)
        if mended is None:
            raise _not_protobuf() from error
        request.ParseFromString(mended)
        return request, True
    return request, False


def _check_ids(items: Sequence[SpanMessage] | Sequence[LogRecordMessage]) -> None:
    """Refuse bytes that only mending turned into a message: without an id anywhere they are something else.

    Raises:
        DecodeError: no item has ids.
    """
    if not any(len(item.trace_id) == _TRACE_ID_BYTES and len(item.span_id) == _SPAN_ID_BYTES for item in items):
        raise _not_protobuf()


def _not_protobuf() -> DecodeError:
    return DecodeError(DecodeReason.INVALID_PROTOBUF, "not readable as OTLP protobuf: the wire format is corrupt")


def _gathered(
    groups: Iterable[_Group[_Item]], take: Callable[[_Item, Origin, int, Gathering], None], place: str, max_depth: int
) -> Gathering:
    gathering = Gathering()
    for i, (resource_message, scopes) in enumerate(groups):
        try:
            resource = _attributes(resource_message.attributes, max_depth)
        except DecodeError as error:
            lost = sum(len(items) for _, items in scopes)
            gathering.refuse(_placed(error, f"{place.partition('.')[0].format(i)}.resource"), max(1, lost))
            continue
        for j, (scope, items) in enumerate(scopes):
            origin = Origin(resource, scope.name, scope.version)
            for k, item in enumerate(items):
                try:
                    take(item, origin, max_depth, gathering)
                except DecodeError as error:
                    gathering.refuse(_placed(error, place.format(i, j, k)))
    return gathering


def _placed(error: DecodeError, place: str) -> DecodeError:
    return DecodeError(error.reason, f"{place}.{error}")


def _take_span(span: SpanMessage, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    trace_id = _id(span.trace_id, _TRACE_ID_BYTES, "trace_id")
    span_id = _id(span.span_id, _SPAN_ID_BYTES, "span_id")
    parent_span_id = _id(span.parent_span_id, _SPAN_ID_BYTES, "parent_span_id")
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
    trace_id = _id(log.trace_id, _TRACE_ID_BYTES, "trace_id")
    span_id = _id(log.span_id, _SPAN_ID_BYTES, "span_id")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(log.attributes, max_depth)
    body = _value(log.body, max_depth, "body")
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


def _id(value: bytes, length: int, field: str) -> str | None:
    """Return an id as hex; None where it is missing or all zeros, which OTLP calls invalid."""
    if not any(value):
        return None
    if len(value) != length:
        raise DecodeError(DecodeReason.INVALID_IDS, f"{field}: {length} bytes are expected, not {len(value)}")
    return value.hex()


def _attributes(pairs: Iterable[KeyValue], max_depth: int) -> _Attributes:
    return {pair.key: _value(pair.value, max_depth, "attributes") for pair in pairs}


def _value(value: AnyValue, depth_left: int, field: str) -> AttributeValue:
    if depth_left <= 0:
        raise DecodeError(DecodeReason.TOO_DEEP, f"{field}: a value is nested too deep")
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
            return [_value(item, depth_left - 1, field) for item in value.array_value.values]
        case "kvlist_value":
            return {pair.key: _value(pair.value, depth_left - 1, field) for pair in value.kvlist_value.values}
        case "bytes_value":
            return value.bytes_value
        case _:
            return None
