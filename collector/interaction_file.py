"""Interactions from files: OTLP exports, JSON lines, JSON arrays, Parquet.

A bad line never hides the others: each is reported with file, line, field and remedy, and the good ones are read.
What is no fault but may be a slip (a key that is not known, spans without ids) is noted once a file.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ragsonde.collector.assembler import Assembler, AssemblyConfig
from ragsonde.collector.clock import Clock
from ragsonde.collector.conventions.values import parse_json
from ragsonde.collector.decoder import decode_file_bytes
from ragsonde.collector.errors import ConfigError, DecodeError
from ragsonde.collector.extraction import extract
from ragsonde.collector.file_kinds import HEAD_BYTES, FileKind, is_indented, kind_of, opened, unreadable
from ragsonde.collector.interaction_row import interaction_from_row, json_fault, json_name, meant, unknown_keys
from ragsonde.collector.model import Interaction
from ragsonde.collector.telemetry import IgnoreReason


@dataclass(frozen=True, slots=True)
class BadRecord:
    """What could not be read."""

    file: str
    place: str
    """Where in the file: ``line 3``, ``row 12``, ``record``."""
    problem: str
    """The field and what is wrong with it, with the remedy."""

    def __str__(self) -> str:
        return f"{self.file}, {self.place}: {self.problem}"


_MAX_NAMED = 20


@dataclass
class InteractionFiles:
    """Reads interactions from files; what is bad is collected in ``bad``, slips in ``notes``, while reading goes on.

    OTLP files are read together, so that log records find the spans of another file.
    """

    paths: Iterable[Path]
    clock: Clock
    bad: list[BadRecord] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What was left alone and may have been meant, each with its file; one sentence each."""
    ignored: Counter[IgnoreReason] = field(default_factory=Counter)
    """Spans and log records that were left out of traces on purpose, by reason."""
    _ids: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[Interaction]:
        """Yield interactions file by file; those of OTLP files last, since a trace may be spread over several.

        Raises:
            ConfigError: a file does not exist, cannot be read, or needs an extra that is not installed.
        """
        limitless = AssemblyConfig(max_traces=10**9, max_bytes=10**12, max_trace_bytes=10**12)
        assembler: Assembler[int] = Assembler(limitless, self.clock)
        for path in self.paths:
            with opened(path) as stream:
                head = stream.read(HEAD_BYTES)
                stream.seek(0)
                if (problem := unreadable(head)) is not None:
                    self.bad.append(BadRecord(str(path), "whole file", problem))
                elif (kind := kind_of(head)) is FileKind.OTLP:
                    self._take_otlp(path, stream.read(), assembler)
                else:
                    yield from self._from_rows(path, self._rows(path, kind, stream))
        for assembled in assembler.drain():
            extraction = extract(assembled.trace)
            self.ignored.update(extraction.ignored)
            yield from extraction.interactions
        self.notes += self._left_out()

    def _left_out(self) -> Iterator[str]:
        """Say what was left out of traces, or came twice, although it may have been meant as an answer."""
        if count := self.ignored[IgnoreReason.ONLY_DOCUMENTS]:
            yield f"{count} chains returned nothing but the documents that they retrieved, and gave no interaction"
        again = sorted(interaction_id for interaction_id, count in self._ids.items() if count > 1)
        if again:
            more = f" and {len(again) - _MAX_NAMED} more" if len(again) > _MAX_NAMED else ""
            yield f"ids that stand more than once: {', '.join(again[:_MAX_NAMED])}{more}; give each interaction its own"

    def _rows(self, path: Path, kind: FileKind, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        match kind:
            case FileKind.PARQUET:
                return parquet_rows(path, stream)
            case FileKind.ARRAY:
                return self._array_rows(path, stream)
            case _:
                return self._line_rows(path, stream)

    def _take_otlp(self, path: Path, content: bytes, assembler: Assembler[int]) -> None:
        requests = decode_file_bytes(content)
        without_id = 0
        while True:  # a bad line raises, and the next one can still be asked for
            try:
                decoded = next(requests, None)
            except DecodeError as error:
                self.bad.append(BadRecord(str(path), "record", f"not readable as OTLP ({error.reason.value}): {error}"))
                continue
            if decoded is None:
                break
            if decoded.fault:
                self.bad.append(BadRecord(str(path), "record", str(decoded.fault)))
            without_id += decoded.ignored.get(IgnoreReason.NO_TRACE_ID, 0)
            self.ignored.update(decoded.ignored)
            assembler.add(decoded.spans, decoded.logs, 0)
        if without_id:
            self.notes.append(
                f"{path}: {without_id} spans or log records without a valid trace id and span id, left out"
            )

    def _from_rows(self, path: Path, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Interaction]:
        unknown: dict[str, str] = {}
        for place, row in rows:
            unknown = dict.fromkeys(unknown_keys(row), place) | unknown
            try:
                interaction = interaction_from_row(row, default_id=f"{path.name}:{place.split()[-1]}")
            except ConfigError as error:
                self.bad.append(BadRecord(str(path), place, str(error)))
            else:
                self._ids[interaction.id] += 1
                yield interaction
        if unknown:
            named = "; ".join(f"{key} ({place}{meant(key)})" for key, place in sorted(unknown.items())[:_MAX_NAMED])
            self.notes.append(f"{path}: keys that are not known, left alone: {named}")

    def _line_rows(self, path: Path, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if is_indented(stream):
            yield from self._indented_rows(path, stream)
            return
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield from self._parsed(path, f"line {number}", line)

    def _array_rows(self, path: Path, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        content = stream.read()
        try:
            rows = orjson.loads(content.lstrip(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            rows = _parse_tolerantly(content)
            if not isinstance(rows, list):
                self.bad.append(BadRecord(str(path), "record", f"not valid JSON: {error}"))
                return
        for number, row in enumerate(rows, start=1):
            yield from self._taken(path, f"item {number}", row)

    def _indented_rows(self, path: Path, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield objects that take several lines each, as ``jq`` prints them."""
        try:
            text = stream.read().decode("utf-8-sig").strip()
        except UnicodeDecodeError as error:
            self.bad.append(BadRecord(str(path), "whole file", f"not written in UTF-8: {error}"))
            return
        number = start = 0
        while start < len(text):
            number += 1
            try:
                _, end = json.JSONDecoder().raw_decode(text, start)
            except (ValueError, RecursionError) as error:
                self.bad.append(BadRecord(str(path), f"item {number}", f"not valid JSON: {error}"))
                return
            yield from self._parsed(path, f"item {number}", text[start:end].encode())
            while end < len(text) and text[end] in ", \t\r\n":
                end += 1
            start = end

    def _parsed(self, path: Path, place: str, line: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            row = orjson.loads(line.lstrip(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            row = _parse_tolerantly(line)
            if row is None:
                problem = f"{json_fault(error)}; one JSON object a line is expected"
                self.bad.append(BadRecord(str(path), place, problem))
                return
        yield from self._taken(path, place, row)

    def _taken(self, path: Path, place: str, row: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
        if isinstance(row, dict):
            yield place, row
        else:
            problem = f"a JSON object is expected, not {json_name(row)}"
            self.bad.append(BadRecord(str(path), place, problem))


def _parse_tolerantly(line: bytes) -> object:
    """Parse what Python's ``json`` writes, with NaN (read as null) and half surrogates; None where it is no JSON."""
    try:
        return parse_json(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return None


def parquet_rows(path: Path, stream: BinaryIO | None = None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a Parquet file, each with its place; ``stream`` is the file where it is open already.

    Raises:
        ConfigError: the file cannot be read, or the extra that reads it is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise ConfigError(f"{path} is a Parquet file: reading it needs pip install 'ragsonde[parquet]'") from error
    number = 0
    try:
        for batch in pyarrow.parquet.ParquetFile(path if stream is None else stream).iter_batches(batch_size=256):
            for row in batch.to_pylist():
                number += 1
                yield f"row {number}", row
    except pyarrow.ArrowException as error:
        raise ConfigError(f"cannot read {path} as Parquet: {error}") from error
