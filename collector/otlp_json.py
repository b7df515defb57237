"""OTLP in JSON, as the OTLP specification maps it: hex ids, enums and 64-bit integers as numbers or strings.

Walks parsed JSON rather than going through protobuf's own JSON reader, which takes hex ids for base64. Unknown keys
are left alone; keys are read in lowerCamelCase and, as every protobuf JSON reader must, in snake_case.
"""

import base64
import binascii
import math
import re
from collections.abc import Mapping
from typing import Any

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
from ragsonde.collector.telemetry import IgnoreReason

_KINDS = {f"SPAN_KIND_{kind.name}": int(kind) for kind in SpanKind}
_STATUS_CODES = {"STATUS_CODE_UNSET": 0, "STATUS_CODE_OK": 1, "STATUS_CODE_ERROR": 2}
_INT64 = range(-(2**63), 2**63)
_UINT64 = range(2**64)

_Object = Mapping[str, Any]


def read_request(request: object, max_depth: int, gathering: Gathering) -> None:
    """Read one request, of traces or logs, into ``gathering``.

    Raises:
        DecodeError: it has neither ``resourceSpans`` nor ``resourceLogs``, or a field has the wrong shape.
    """
    if not isinstance(request, dict):
        raise _shape("the request", "an object", request)
    has_spans, has_logs = _get(request, "resourceSpans") is not None, _get(request, "resourceLogs") is not None
    if not has_spans and not has_logs:
        raise DecodeError(DecodeReason.INVALID_SHAPE, _foreign_shape(request))
    for group, where in _objects(request, "resourceSpans", ""):
        resource = _resource(group, where, max_depth)
        for scope_spans, scope_where in _objects(group, "scopeSpans", where):
            origin = _origin(scope_spans, scope_where, resource)
            for span, span_where in _objects(scope_spans, "spans", scope_where):
                _take_span(span, span_where, origin, max_depth, gathering)
    for group, where in _objects(request, "resourceLogs", ""):
        resource = _resource(group, where, max_depth)
        for scope_logs, scope_where in _objects(group, "scopeLogs", where):
            origin = _origin(scope_logs, scope_where, resource)
            for log, log_where in _objects(scope_logs, "logRecords", scope_where):
                _take_log(log, log_where, origin, max_depth, gathering)


def _foreign_shape(request: _Object) -> str:
    expected = "resourceSpans or resourceLogs is expected at the top"
    if "traceId" in request or "traceID" in request or "processes" in request:
        return f"{expected}; this looks like a single span, Jaeger or Zipkin: set the exporter's encoding to otlp_json"
    return f"{expected}: not OTLP/JSON"


def _take_span(span: _Object, where: str, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    trace_id = check_id(_text(span, "traceId", where), TRACE_ID_HEX, f"{where}.traceId")
    span_id = check_id(_text(span, "spanId", where), SPAN_ID_HEX, f"{where}.spanId")
    parent_span_id = check_id(_text(span, "parentSpanId", where), SPAN_ID_HEX, f"{where}.parentSpanId")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(span, where, max_depth)
    events = tuple(
        SpanEvent(
            _text(event, "name", event_where),
            _integer(event, "timeUnixNano", event_where, _UINT64),
            _attributes(event, event_where, max_depth),
        )
        for event, event_where in _objects(span, "events", where)
    )
    gathering.spans.append(
        Span(
            trace_id=trace_id,
            span_id=span_id,
            name=_text(span, "name", where),
            parent_span_id=parent_span_id,
            kind=_enum(span, "kind", where, _KINDS),
            start_ns=_integer(span, "startTimeUnixNano", where, _UINT64),
            end_ns=_integer(span, "endTimeUnixNano", where, _UINT64),
            attributes=attributes,
            events=events,
            resource=origin.resource,
            scope_name=origin.scope_name,
            scope_version=origin.scope_version,
            status_code=_enum(_object(span, "status", where), "code", where, _STATUS_CODES),
            parent_is_remote=remote_parent(_integer(span, "flags", where, _UINT64)),
            size_bytes=estimate_bytes(attributes) + sum(estimate_bytes(event.attributes) for event in events),
        )
    )


def _take_log(log: _Object, where: str, origin: Origin, max_depth: int, gathering: Gathering) -> None:
    trace_id = check_id(_text(log, "traceId", where), TRACE_ID_HEX, f"{where}.traceId")
    span_id = check_id(_text(log, "spanId", where), SPAN_ID_HEX, f"{where}.spanId")
    if trace_id is None or span_id is None:
        gathering.ignored[IgnoreReason.NO_TRACE_ID] += 1
        return
    attributes = _attributes(log, where, max_depth)
    body = _value(_get(log, "body"), f"{where}.body", max_depth)
    gathering.logs.append(
        LogRecord(
            trace_id=trace_id,
            span_id=span_id,
            event_name=_text(log, "eventName", where) or str(attributes.get("event.name") or ""),
            time_ns=_integer(log, "timeUnixNano", where, _UINT64)
            or _integer(log, "observedTimeUnixNano", where, _UINT64),
            body=body,
            attributes=attributes,
            resource=origin.resource,
            scope_name=origin.scope_name,
            size_bytes=estimate_bytes(attributes) + estimate_bytes(body),
        )
    )


# Values -----------------------------------------------------------------------------------------------------


def _resource(group: _Object, where: str, max_depth: int) -> dict[str, AttributeValue]:
    return _attributes(_object(group, "resource", where), f"{where}.resource", max_depth)


def _origin(scope_group: _Object, where: str, resource: dict[str, AttributeValue]) -> Origin:
    scope = _object(scope_group, "scope", where)
    return Origin(resource, _text(scope, "name", where), _text(scope, "version", where))


def _attributes(holder: _Object, where: str, max_depth: int) -> dict[str, AttributeValue]:
    return _pairs(holder, "attributes", where, max_depth)


def _pairs(holder: _Object, key: str, where: str, depth_left: int) -> dict[str, AttributeValue]:
    return {
        _text(pair, "key", pair_where): _value(_get(pair, "value"), f"{pair_where}.value", depth_left)
        for pair, pair_where in _objects(holder, key, where)
    }


def _value(value: Any, where: str, depth_left: int) -> AttributeValue:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _shape(where, "an AnyValue object", value)
    if depth_left <= 0:
        raise DecodeError(DecodeReason.TOO_DEEP, "an attribute value is nested too deep")
    if _get(value, "stringValue") is not None:
        return _text(value, "stringValue", where)
    if _get(value, "intValue") is not None:
        return _integer(value, "intValue", where, _INT64)
    if _get(value, "doubleValue") is not None:
        return _double(_get(value, "doubleValue"), f"{where}.doubleValue")
    if _get(value, "boolValue") is not None:
        return _boolean(_get(value, "boolValue"), f"{where}.boolValue")
    if _get(value, "arrayValue") is not None:
        items = _list(_object(value, "arrayValue", where), "values", where)
        return [_value(item, f"{where}[{i}]", depth_left - 1) for i, item in enumerate(items)]
    if _get(value, "kvlistValue") is not None:
        return _pairs(_object(value, "kvlistValue", where), "values", where, depth_left - 1)
    if _get(value, "bytesValue") is not None:
        return _bytes(_text(value, "bytesValue", where), f"{where}.bytesValue")
    return None


def _boolean(value: Any, where: str) -> bool:
    if isinstance(value, bool):
        return value
    raise _shape(where, "true or false", value)


def _double(value: Any, where: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str):  # "NaN", "Infinity" and "-Infinity" are written as strings
        try:
            return float(value)
        except ValueError:
            pass
    raise _shape(where, "a number", value)


def _bytes(value: str, where: str) -> bytes:
    standard = value.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise DecodeError(DecodeReason.INVALID_SHAPE, f"{where}: base64 is expected") from error


# Fields -----------------------------------------------------------------------------------------------------


def _snake(key: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), key)


_SNAKE = {
    key: _snake(key)
    for key in (
        "resourceSpans",
        "scopeSpans",
        "resourceLogs",
        "scopeLogs",
        "logRecords",
        "traceId",
        "spanId",
        "parentSpanId",
        "startTimeUnixNano",
        "endTimeUnixNano",
        "timeUnixNano",
        "observedTimeUnixNano",
        "eventName",
        "stringValue",
        "intValue",
        "doubleValue",
        "boolValue",
        "arrayValue",
        "kvlistValue",
        "bytesValue",
    )
}


def _get(holder: _Object, key: str) -> Any:
    value = holder.get(key)
    if value is None and key in _SNAKE:
        return holder.get(_SNAKE[key])
    return value


def _text(holder: _Object, key: str, where: str) -> str:
    value = _get(holder, key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _shape(f"{where}.{key}", "a string", value)
    return value


def _integer(holder: _Object, key: str, where: str, bounds: range) -> int:
    value = _get(holder, key)
    if value is None:
        return 0
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    # Twenty digits hold every 64-bit number; longer strings are refused before Python is made to read them.
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value not in bounds:
        raise _shape(f"{where}.{key}", "a 64-bit integer", value)
    return value


def _enum(holder: _Object, key: str, where: str, names: Mapping[str, int]) -> int:
    value = _get(holder, key)
    if isinstance(value, str) and not value.isdigit():
        return names.get(value, 0)
    return _integer(holder, key, where, _INT64)


def _object(holder: _Object, key: str, where: str) -> _Object:
    value = _get(holder, key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _shape(f"{where}.{key}", "an object", value)
    return value


def _list(holder: _Object, key: str, where: str) -> list[Any]:
    value = _get(holder, key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _shape(f"{where}.{key}", "an array", value)
    return value


def _objects(holder: _Object, key: str, where: str) -> list[tuple[_Object, str]]:
    prefix = f"{where}.{key}" if where else key
    found: list[tuple[_Object, str]] = []
    for index, item in enumerate(_list(holder, key, where)):
        item_where = f"{prefix}[{index}]"
        if not isinstance(item, dict):
            raise _shape(item_where, "an object", item)
        found.append((item, item_where))
    return found


def _shape(where: str, expected: str, value: object) -> DecodeError:
    return DecodeError(DecodeReason.INVALID_SHAPE, f"{where}: {expected} is expected, not {type(value).__name__}")
