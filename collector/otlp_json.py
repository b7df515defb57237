"""OTLP in JSON, as the OTLP specification maps it: hex ids, enums and 64-bit integers as numbers or strings.

Walks parsed JSON rather than going through protobuf's own JSON reader, which takes hex ids for base64 and gives up the
whole request for one bad field. Unknown keys are left alone.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from ragsonde.collector.conventions.values import parse_json
from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import AttributeValue, LogRecord, Span, SpanEvent, SpanKind
from ragsonde.collector.otlp import (
    SPAN_ID_HEX,
    TRACE_ID_HEX,
    Gathering,
    Origin,
    check_id,
    estimate_bytes,
    remote_parent,
)
from ragsonde.collector.otlp_json_fields import (
    INT64,
    UINT64,
    JsonObject,
    enum_of,
    get,
    integer_of,
    list_of,
    object_of,
    objects_of,
    text_of,
    wrong_shape,
)
from ragsonde.collector.telemetry import IgnoreReason

_KINDS = {f"SPAN_KIND_{kind.name}": int(kind) for kind in SpanKind}
_STATUS_CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}


@dataclass(frozen=True, slots=True)
class Keys:
    """What one signal's arrays are called, from the outside in."""

    groups: str
    scopes: str
    items: str


TRACES = Keys("resourceSpans", "scopeSpans", "spans")
LOGS = Keys("resourceLogs", "scopeLogs", "logRecords")


@dataclass(frozen=True, slots=True)
class Found:
    """A span or log record, with the objects that it lies in."""

    group: JsonObject
    scope_group: JsonObject
    item: JsonObject
    where: str
    """Its place, as in ``resourceSpans[0].scopeSpans[0].spans[2]``."""
    origin: Origin


def parse(value: bytes) -> object:
    """Parse JSON; NaN, half surrogates and bytes that are no UTF-8, which some writers let through, do not spoil it.

    Raises:
        DecodeError: it is not JSON, or nests too deep.
    """
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        if "depth limit" in str(error):
            raise DecodeError(DecodeReason.TOO_DEEP, f"not readable as JSON: {error}") from error
        parsed = parse_json(value.decode("utf-8", "replace"))
        if parsed is None:
            raise DecodeError(DecodeReason.INVALID_JSON, f"not readable as JSON: {error}") from error
        return parsed


def read_request(request: object, max_depth: int, gathering: Gathering) -> None:
    """Read one request, of traces or logs, into ``gathering``; what cannot be read in it is refused one by one."""
    if not isinstance(request, dict):
        gathering.refuse(wrong_shape("the request", "an object", request))
    elif all(get(request, keys.groups) is None for keys in (TRACES, LOGS)):
        gathering.refuse(foreign_shape(request))
    else:
        for keys, take in ((TRACES, take_span), (LOGS, take_log)):
            for found in walk(request, keys, max_depth, gathering):
                try:
                    take(found.item, found.where, found.origin, max_depth, gathering)
                except DecodeError as error:
                    gathering.refuse(error)


def walk(request: JsonObject, keys: Keys, max_depth: int, gathering: Gathering) -> Iterator[Found]:
    """Yield the spans or log records of a request, themselves not yet read; refuse what has no readable place."""
    for group, where in _each(request, keys.groups, "", gathering):
        try:
            resource = _resource(group, where, max_depth)
        except DecodeError as error:
            lost = sum(len(_found(scope, keys.items)) for scope in _found(group, keys.scopes))
            gathering.refuse(error, max(1, lost))
            continue
        for scope, scope_where in _each(group, keys.scopes, where, gathering):
            try:
                origin = _origin(scope, scope_where, resource)
            except DecodeError as error:
                gathering.refuse(error, max(1, len(_found(scope, keys.items))))
                continue
            for item, item_where in _each(scope, keys.items, scope_where, gathering):
                yield Found(group, scope, item, item_where, origin)


def _each(holder: JsonObject, key: str, where: str, gathering: Gathering) -> Iterator[tuple[JsonObject, str]]:
    """Yield the objects of an array, each with its place; whatever else stands there is refused."""
    try:
        items = list_of(holder, key, where)
    except DecodeError as error:
        gathering.refuse(error)
        return
    if where and get(holder, key) is None and any(_is_filled(value) for value in holder.values()):
        # Protobuf's readers pass unknown keys over, which here would lose all that the group holds without a word.
        problem = f"{where}: {key} is expected, and an array of another name is there"
        gathering.refuse(DecodeError(DecodeReason.INVALID_SHAPE, problem))
    for index, item in enumerate(items):
        place = f"{where}.{key}[{index}]" if where else f"{key}[{index}]"
        if isinstance(item, dict):
            yield item, place
        else:
            gathering.refuse(wrong_shape(place, "an object", item))


def _found(holder: Any, key: str) -> list[Any]:
    """Return an array's items; none where there is no such array."""
    items = get(holder, key) if isinstance(holder, dict) else None
    return items if isinstance(items, list) else []


def _is_filled(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def foreign_shape(request: JsonObject) -> DecodeError:
    """Return the error for an object that holds neither signal."""
    expected = "resourceSpans or resourceLogs is expected at the top"
    if "traceId" in request or "traceID" in request or "processes" in request:
        hint = "this looks like a single span, Jaeger or Zipkin: set the exporter's encoding to otlp_json"
        return DecodeError(DecodeReason.INVALID_SHAPE, f"{expected}; {hint}")
    return DecodeError(DecodeReason.INVALID_SHAPE, f"{expected}: not OTLP/JSON")


def take_span(span: JsonObject, where: str, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    """Read a span into ``gathering``.

    Raises:
        DecodeError: it cannot be read; the error names the place and the field.
    """
    trace_id = check_id(text_of(span, "traceId", where), TRACE_ID_HEX, f"{where}.traceId")
    span_id = check_id(text_of(span, "spanId", where), SPAN_ID_HEX, f"{where}.spanId")
    parent_span_id = check_id(text_of(span, "parentSpanId", where), SPAN_ID_HEX, f"{where}.parentSpanId")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(span, where, max_depth)
    events = tuple(
        SpanEvent(
            text_of(event, "name", event_where),
            integer_of(event, "timeUnixNano", event_where, UINT64),
            _attributes(event, event_where, max_depth),
        )
        for event, event_where in objects_of(span, "events", where)
    )
    gathering.spans.append(
        Span(
            trace_id=trace_id,
            span_id=span_id,
            name=text_of(span, "name", where),
            parent_span_id=parent_span_id,
            kind=enum_of(span, "kind", where, _KINDS),
            start_ns=integer_of(span, "startTimeUnixNano", where, UINT64),
            end_ns=integer_of(span, "endTimeUnixNano", where, UINT64),
            attributes=attributes,
            events=events,
            resource=origin.resource,
            scope_name=origin.scope_name,
            scope_version=origin.scope_version,
            status_code=enum_of(object_of(span, "status", where), "code", where, _STATUS_CODES),
            parent_is_remote=remote_parent(integer_of(span, "flags", where, UINT64)),
            size_bytes=estimate_bytes(attributes) + sum(estimate_bytes(event.attributes) for event in events),
        )
    )


def take_log(log: JsonObject, where: str, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    """Read a log record into ``gathering``.

    Raises:
        DecodeError: it cannot be read; the error names the place and the field.
    """
    trace_id = check_id(text_of(log, "traceId", where), TRACE_ID_HEX, f"{where}.traceId")
    span_id = check_id(text_of(log, "spanId", where), SPAN_ID_HEX, f"{where}.spanId")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(log, where, max_depth)
    body = _value(get(log, "body"), f"{where}.body", max_depth)
    gathering.logs.append(
        LogRecord(
            trace_id=trace_id,
            span_id=span_id,
            event_name=text_of(log, "eventName", where) or str(attributes.get("event.name") or ""),
            time_ns=integer_of(log, "timeUnixNano", where, UINT64)
            or integer_of(log, "observedTimeUnixNano", where, UINT64),
            body=body,
            attributes=attributes,
            resource=origin.resource,
            scope_name=origin.scope_name,
            size_bytes=estimate_bytes(attributes) + estimate_bytes(body),
        )
    )


# Values -----------------------------------------------------------------------------------------------------


def _resource(group: JsonObject, where: str, max_depth: int) -> dict[str, AttributeValue]:
    return _attributes(object_of(group, "resource", where), f"{where}.resource", max_depth)


def _origin(scope_group: JsonObject, where: str, resource: dict[str, AttributeValue]) -> Origin:
    scope = object_of(scope_group, "scope", where)
    return Origin(resource, text_of(scope, "name", where), text_of(scope, "version", where))


def _attributes(holder: JsonObject, where: str, max_depth: int) -> dict[str, AttributeValue]:
    return _pairs(holder, "attributes", where, max_depth)


def _pairs(holder: JsonObject, key: str, where: str, depth_left: int) -> dict[str, AttributeValue]:
    return {
        text_of(pair, "key", pair_where): _value(get(pair, "value"), f"{pair_where}.value", depth_left)
        for pair, pair_where in objects_of(holder, key, where)
    }


def _value(value: Any, where: str, depth_left: int) -> AttributeValue:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise wrong_shape(where, "an AnyValue object", value)
    if depth_left <= 0:
        raise DecodeError(DecodeReason.TOO_DEEP, f"{where}: a value is nested too deep")
    if get(value, "stringValue") is not None:
        return text_of(value, "stringValue", where)
    if get(value, "intValue") is not None:
        return integer_of(value, "intValue", where, INT64)
    if get(value, "doubleValue") is not None:
        return _double(get(value, "doubleValue"), f"{where}.doubleValue")
    if get(value, "boolValue") is not None:
        return _boolean(get(value, "boolValue"), f"{where}.boolValue")
    if get(value, "arrayValue") is not None:
        items = list_of(object_of(value, "arrayValue", where), "values", where)
        return [_value(item, f"{where}[{i}]", depth_left - 1) for i, item in enumerate(items)]
    if get(value, "kvlistValue") is not None:
        return _pairs(object_of(value, "kvlistValue", where), "values", where, depth_left - 1)
    if get(value, "bytesValue") is not None:
        return _bytes(text_of(value, "bytesValue", where), f"{where}.bytesValue")
    return None


def _boolean(value: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise wrong_shape(where, "true or false", value)


def _double(value: Any, where: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):  # "NaN", "Infinity" and "-Infinity" are written as strings
        try:
            return float(value)
        except ValueError:
            pass
    raise wrong_shape(where, "a number", value)


def _bytes(value: str, where: str) -> bytes:
    standard = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise DecodeError(DecodeReason.INVALID_SHAPE, f"{where}: base64 is expected") from error
