"""Fields of OTLP/JSON, checked for their type.

Keys are read in lowerCamelCase and, as every protobuf JSON reader must, in snake_case; also under the names that they
had before OTLP 0.15.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from ragsonde.collector.errors import DecodeError, DecodeReason

INT64 = range(-(2**63), 2**63)
UINT64 = range(2**64)

JsonObject = Mapping[str, Any]


def _snake(key: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), key)


_OLDER = {
    "scopeSpans": "instrumentationLibrarySpans",
    "scopeLogs": "instrumentationLibraryLogs",
    "scope": "instrumentationLibrary",
}
_OTHER_NAMES = {
    key: tuple(
        dict.fromkeys(name for each in (key, _OLDER.get(key, key)) for name in (each, _snake(each)) if name != key)
    )
    for key in (
        "resourceSpans",
        "scope",
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


def names_of(key: str) -> tuple[str, ...]:
    """Return the names that a field may have, the present one first."""
    return (key, *_OTHER_NAMES.get(key, ()))


def get(holder: JsonObject, key: str) -> Any:
    """Return a field under whichever of its names it has; None where it is missing."""
    value = holder.get(key)
    if value is None or value == []:
        for name in _OTHER_NAMES.get(key, ()):
            other = holder.get(name)
            if other is not None:
                return other
    return value


def under_new_names(holder: dict[str, Any]) -> None:
    """Give fields that have the name of before OTLP 0.15 the one that they have now, unless that is there as well."""
    for new, old in _OLDER.items():
        for name in (old, _snake(old)):
            value = holder.pop(name, None)
            if value is not None and not get(holder, new):
                holder[new] = value


def text_of(holder: JsonObject, key: str, where: str) -> str:
    """Return a string, empty where it is missing.

    Raises:
        DecodeError: it is something else, as for all that follow.
    """
    value = get(holder, key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_shape(f"{where}.{key}", "a string", value)
    return value


def integer_of(holder: JsonObject, key: str, where: str, bounds: range) -> int:
    """Return an integer, written as a number or as a string; 0 where it is missing."""
    value = get(holder, key)
    if value is None:
        return 0
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        value = int(value)
    # Twenty digits hold every 64-bit number; longer strings are refused before Python is made to read them.
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,20}", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value not in bounds:
        raise wrong_shape(f"{where}.{key}", "a 64-bit integer", value)
    return value


def enum_of(holder: JsonObject, key: str, where: str, names: Mapping[str, int]) -> int:
    """Return an enum's number, which may be written as a name; 0 where it is missing or its name is new."""
    value = get(holder, key)
    if isinstance(value, str) and not value.isdigit():
        return names.get(value, 0)
    return integer_of(holder, key, where, INT64)


def object_of(holder: JsonObject, key: str, where: str) -> JsonObject:
    """Return an object, empty where it is missing."""
    value = get(holder, key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise wrong_shape(f"{where}.{key}", "an object", value)
    return value


def list_of(holder: JsonObject, key: str, where: str) -> list[Any]:
    """Return an array's items, none where it is missing."""
    value = get(holder, key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise wrong_shape(f"{where}.{key}", "an array", value)
    return value


def objects_of(holder: JsonObject, key: str, where: str) -> list[tuple[JsonObject, str]]:
    """Return the objects of an array, each with its place."""
    prefix = f"{where}.{key}" if where else key
    found: list[tuple[JsonObject, str]] = []
    for index, item in enumerate(list_of(holder, key, where)):
        item_where = f"{prefix}[{index}]"
        if not isinstance(item, dict):
            raise wrong_shape(item_where, "an object", item)
        found.append((item, item_where))
    return found


def wrong_shape(where: str, expected: str, value: object) -> DecodeError:
    """Return the error for a field of another type."""
    return DecodeError(DecodeReason.INVALID_SHAPE, f"{where}: {expected} is expected, not {type(value).__name__}")
