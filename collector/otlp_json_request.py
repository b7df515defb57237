"""An OTLP export request in JSON as the protobuf message of the same content, span by span.

Protobuf's own JSON reader does the reading, so that fields unknown to the rest of the collector are kept. It gives up
the whole request for one bad field and lets some wrong types through as nothing, so each span or log record is read on
its own, after the check that it will face again when it is decoded: what fails either is refused, the others are taken.
"""

import binascii
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format

from ragsonde.collector import otlp_json
from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.otlp import Gathering
from ragsonde.collector.otlp_json import Found, Keys, foreign_shape, parse, take_log, take_span, walk
from ragsonde.collector.otlp_json_fields import JsonObject, get, names_of, under_new_names
from ragsonde.collector.otlp_split import LOGS, TRACES, Shape
from ragsonde.collector.telemetry import IgnoreReason

_ID_FIELDS = ("traceId", "trace_id", "spanId", "span_id", "parentSpanId", "parent_span_id")
_MAX_VALUE_DEPTH = 64
"""As the decoder's default."""
_MAX_SAID = 300
"""Characters of protobuf's own complaint."""
_MAX_MESSAGE_DEPTH = 96
"""Protobuf reads messages nested 100 deep; an item lies within three others."""


@dataclass(frozen=True, slots=True)
class JsonRequest:
    """What a request in JSON held."""

    message: Any
    """The export request, with what could be read."""
    rejected: Mapping[str, int]
    """Spans or log records that could not, by reason."""


def parse_json(body: bytes, shape: Shape) -> JsonRequest:
    """Return the export request in ``body``, which is OTLP's JSON: ids are hex there, not base64.

    Raises:
        DecodeError: it is not one, or nothing in it can be read.
    """
    document = parse(body)
    if not isinstance(document, dict):
        raise DecodeError(DecodeReason.INVALID_SHAPE, "the body is JSON, but no object")
    _refuse_other_content(document, shape)
    keys, take = (otlp_json.TRACES, take_span) if shape is TRACES else (otlp_json.LOGS, take_log)
    gathering = Gathering()
    building = _Building(shape, keys)
    for found in walk(document, keys, _MAX_VALUE_DEPTH, gathering):
        try:
            take(found.item, found.where, found.origin, _MAX_VALUE_DEPTH, Gathering())
            building.add(found)
        except DecodeError as error:
            gathering.refuse(error)
    if gathering.fault is None:
        return JsonRequest(building.request, {})
    if not building.count:
        raise gathering.fault
    return JsonRequest(
        building.request, {f"cannot be read, the first: {gathering.fault}": gathering.ignored[IgnoreReason.UNREADABLE]}
    )


def _refuse_other_content(document: JsonObject, shape: Shape) -> None:
    """Protobuf's JSON reader passes unknown keys over: what is sent under others would vanish with a 200."""
    mine, other = otlp_json.TRACES, otlp_json.LOGS
    if shape is LOGS:
        mine, other = other, mine
    if get(document, mine.groups) is not None:
        return
    if get(document, other.groups):
        signal = (LOGS if shape is TRACES else TRACES).signal
        problem = f"the body holds {signal}, not {shape.signal}: send it to /v1/{signal}"
        raise DecodeError(DecodeReason.INVALID_SHAPE, problem)
    if any(document.values()):
        raise foreign_shape(document)


class _Building:
    """Builds the request from its items; resource and scope are read once for all that they hold."""

    def __init__(self, shape: Shape, keys: Keys) -> None:
        self.request = shape.request()
        self.count = 0
        self._shape = shape
        self._keys = keys
        self._holders: dict[int, Any] = {}
        """What became of an object of the document, by its identity: a message, or the error that it gave."""

    def add(self, found: Found) -> None:
        """Add an item.

        Raises:
            DecodeError: it, its scope or its resource cannot be read.
        """
        group_where, scope_where = found.where.split(".")[0], found.where.rpartition(".")[0]
        groups = getattr(self.request, self._shape.resources)
        group = self._holder(found.group, groups, self._keys.scopes, group_where)
        scope = self._holder(found.scope_group, getattr(group, self._shape.scopes), self._keys.items, scope_where)
        _append(_with_base64_ids(found.item), getattr(scope, self._shape.items), found.where)
        self.count += 1

    def _holder(self, content: JsonObject, siblings: Any, held: str, where: str) -> Any:
        key = id(content)
        if key not in self._holders:
            own = dict(content)
            under_new_names(own)
            for name in names_of(held):
                own.pop(name, None)
            try:
                self._holders[key] = _append(own, siblings, where)
            except DecodeError as error:
                self._holders[key] = error
        holder = self._holders[key]
        if isinstance(holder, DecodeError):
            raise holder
        return holder


def _append(content: dict[str, Any], siblings: Any, where: str) -> Any:
    """Read a message at the end of ``siblings``."""
    message = siblings.add()
    try:
        json_format.ParseDict(content, message, ignore_unknown_fields=True, max_recursion_depth=_MAX_MESSAGE_DEPTH)
    except (json_format.ParseError, RecursionError, ValueError, TypeError, AttributeError) as error:
        del siblings[-1]
        raise DecodeError(DecodeReason.INVALID_SHAPE, f"{where}: {str(error)[:_MAX_SAID]}") from error
    return message


def _with_base64_ids(item: JsonObject) -> dict[str, Any]:
    """Return an item whose hex ids are base64, which is what protobuf's JSON reader reads bytes from."""
    recoded = _recoded(item)
    if isinstance(links := recoded.get("links"), list):
        recoded["links"] = [_recoded(link) if isinstance(link, dict) else link for link in links]
    return recoded


def _recoded(holder: JsonObject) -> dict[str, Any]:
    recoded = dict(holder)
    for field in _ID_FIELDS:
        if isinstance(value := recoded.get(field), str):
            try:
                recoded[field] = b64encode(binascii.unhexlify(value)).decode("ascii")
            except ValueError:  # all zeros, or a link's, which nothing reads
                del recoded[field]
    return recoded
