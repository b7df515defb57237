"""Bytes to spans and log records: OTLP in protobuf or JSON, plain or gzip, told apart by their first bytes.

Pure: bad bytes raise ``DecodeError`` and nothing else. Kafka carries no header that names the encoding (the Collector's
exporter writes none), so it is sniffed.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from ragsonde.collector.config import Config
from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.file_kinds import unreadable
from ragsonde.collector.inflate import GZIP, inflated
from ragsonde.collector.model import Record, Signal
from ragsonde.collector.otlp import Decoded, Gathering
from ragsonde.collector.otlp_json import parse, read_request
from ragsonde.collector.otlp_protobuf import read_either, read_logs, read_traces

__all__ = ["Decoded", "Decoder", "DecoderConfig", "decode_bytes", "decode_file_bytes"]

_BLANK = b"\xef\xbb\xbf \t\r\n"
"""A byte order mark and white space: what may stand before JSON."""
_PROTOBUF_FIRST_BYTE = 0x0A
"""The tag of both requests' only field. It is also a line feed, so JSON may start with it."""


class DecoderConfig(Config):
    """Bounds on records."""

    max_record_bytes: Annotated[int, Field(ge=1024, le=1 << 30)] = 16 * 1024 * 1024
    """Larger records go to the dead letters, in bytes. Default 16 MiB."""
    max_depth: Annotated[int, Field(ge=1, le=500)] = 64
    """Levels of arrays and key-value lists in one attribute value. Default 64; protobuf allows about 47."""


class Decoder:
    """Decodes records. Holds no state beyond its bounds, so one may serve many threads."""

    def __init__(self, max_record_bytes: int = 16 * 1024 * 1024, max_depth: int = 64) -> None:
        """Take the bounds.

        Args:
            max_record_bytes: larger records are refused.
            max_depth: levels of arrays and key-value lists in one attribute value; deeper ones are refused. In
                protobuf about 47 levels are the library's own limit.
        """
        self._max_record_bytes = max_record_bytes
        self._max_depth = max_depth

    def decode(self, record: Record) -> Decoded:
        """Decode a record of a known signal. JSON says itself what it holds, so there the signal is not needed.

        Raises:
            DecodeError: the record cannot be read; ``reason`` says why.
        """
        read = read_logs if record.signal is Signal.LOGS else read_traces
        return self._decode(record.value, lambda value: read(value, self._max_depth))

    def decode_bytes(self, value: bytes) -> Decoded:
        """Decode one request whose signal is not known, as in a file.

        Raises:
            DecodeError: it cannot be read; ``reason`` says why.
        """
        return self._decode(value, lambda value: read_either(value, self._max_depth))

    def decode_file_bytes(self, value: bytes) -> Iterator[Decoded]:
        """Decode a file: one request in protobuf or JSON, or one a line in JSON (the Collector's file exporter).

        The iterator goes on after a bad line: whoever wants the rest catches the error and calls ``next`` again.

        Raises:
            DecodeError: from ``next``; it names the line where the file holds lines.
        """
        if value.startswith(GZIP):
            with contextlib.suppress(DecodeError):  # which ``next`` raises again
                value = inflated(value, self._max_record_bytes)
        if _may_be_json(value) and _first_line_is_whole(value):
            return _Lines(value, self)
        return (self.decode_bytes(each) for each in (value,))  # nothing is raised before ``next``

    def _decode(self, value: bytes, read_protobuf: Callable[[bytes], Gathering]) -> Decoded:
        self._check(value)
        if value.startswith(GZIP):
            value = inflated(value, self._max_record_bytes)
            self._check(value)
        if not _may_be_json(value):
            try:
                return read_protobuf(value).finish()
            except DecodeError as error:
                raise _explained(error, value) from error
        try:
            return self._decode_json(value)
        except DecodeError as error:
            if value[0] == _PROTOBUF_FIRST_BYTE:
                with contextlib.suppress(DecodeError):
                    return read_protobuf(value).finish()
            raise _explained(error, value) from error

    def _check(self, value: bytes) -> None:
        if len(value) > self._max_record_bytes:
            raise DecodeError(
                DecodeReason.TOO_LARGE, f"the record has {len(value)} bytes, more than {self._max_record_bytes}"
            )
        if not value.strip(_BLANK):
            raise DecodeError(DecodeReason.EMPTY, "the record is empty")

    def _decode_json(self, value: bytes) -> Decoded:
        parsed = parse(value.lstrip(_BLANK))
        gathering = Gathering()
        for request in parsed if isinstance(parsed, list) else [parsed]:
            read_request(request, self._max_depth, gathering)
        return gathering.finish()


def decode_bytes(value: bytes) -> Decoded:
    """Decode one request whose signal is not known, with the default bounds; see ``Decoder.decode_bytes``."""
    return Decoder().decode_bytes(value)


def decode_file_bytes(value: bytes) -> Iterator[Decoded]:
    """Decode a file, with the default bounds for each request in it; see ``Decoder.decode_file_bytes``."""
    return Decoder().decode_file_bytes(value)


class _Lines:
    """One request a line; goes on after a line that raised."""

    def __init__(self, value: bytes, decoder: Decoder) -> None:
        self._lines = enumerate(value.split(b"\n"), start=1)
        self._decoder = decoder

    def __iter__(self) -> Iterator[Decoded]:
        return self

    def __next__(self) -> Decoded:
        for number, line in self._lines:
            if line.strip(_BLANK):
                try:
                    decoded = self._decoder.decode_bytes(line)
                except DecodeError as error:
                    raise _in_line(number, error) from error
                return replace(decoded, fault=_in_line(number, decoded.fault)) if decoded.fault else decoded
        raise StopIteration


def _in_line(number: int, error: DecodeError) -> DecodeError:
    return DecodeError(error.reason, f"line {number}: {error}")


def _may_be_json(value: bytes) -> bool:
    return value.lstrip(_BLANK)[:1] in (b"{", b"[")


def _first_line_is_whole(value: bytes) -> bool:
    first, _, rest = value.lstrip(_BLANK).partition(b"\n")
    if not rest.strip(_BLANK):
        return False
    try:
        parse(first)
    except DecodeError:
        return False
    return True


def _explained(error: DecodeError, value: bytes) -> DecodeError:
    """Say what the bytes are, where their first ones tell: another compression, or text in UTF-16."""
    problem = unreadable(value)
    return DecodeError(error.reason, problem) if problem else error
