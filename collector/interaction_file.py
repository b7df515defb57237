"""Interactions from files: OTLP exports, JSON lines, JSON arrays, Parquet.

A bad line never hides the others: each is reported with file, line, field and remedy, and the good ones are read.
What is no fault but may be a slip (a key that is not known, spans without ids) is noted once a file.
"""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragsonde.collector.assembler import Assembler, AssemblyConfig
from ragsonde.collector.clock import Clock
from ragsonde.collector.decoder import decode_file_bytes
from ragsonde.collector.errors import ConfigError, DecodeError
from ragsonde.collector.extraction import extract
from ragsonde.collector.file_kinds import HEAD_BYTES, FileKind, kind_of, opened, unreadable
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.collector.telemetry import IgnoreReason

_UNION_TAGS = frozenset({"str", "int", "float", "bool", "dict", "list"})
"""What pydantic appends to the place of a fault for each type that was tried."""


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


class _FileDocument(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str | int | None = None
    text: str | None = Field(default=None, validation_alias=AliasChoices("text", "content", "page_content"))
    score: float | None = None
    metadata: dict[str, Any] = {}


def _as_document(value: object) -> object:
    if isinstance(value, str):
        return {"text": value}
    if not isinstance(value, dict):
        # What pydantic makes a fault of the field is a ValueError.
        raise ValueError(f"a text or an object with id and text is expected, not {type(value).__name__}")  # noqa: TRY004
    return value


class _FileInteraction(BaseModel):
    """The shape of a line; keys that are not known are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str | int | None = None
    question: str | None = None
    contexts: list[Annotated[_FileDocument, BeforeValidator(_as_document)]] | None = None
    answer: str | None
    citations: list[str | int] | None = None
    reference: str | None = None
    relevant_ids: list[str | int] | None = None
    app: str = "unknown"
    app_version: str | None = None
    environment: str | None = None
    conversation_id: str | None = None
    model: str | None = None
    system_instructions: str | None = None
    feedback: float | None = Field(default=None, ge=-1.0, le=1.0)


_MAX_NAMED = 20
_KEYS = frozenset(_FileInteraction.model_fields)
_DOCUMENT_KEYS = frozenset({*_FileDocument.model_fields, "content", "page_content"})


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
            unknown = dict.fromkeys(_unknown_keys(row), place) | unknown
            try:
                parsed = _FileInteraction.model_validate(row)
            except ValidationError as error:
                self.bad.append(BadRecord(str(path), place, describe(error)))
            else:
                yield _interaction(parsed, default_id=f"{path.name}:{place.split()[-1]}")
        if unknown:
            named = "; ".join(f"{key} ({place}{_meant(key)})" for key, place in sorted(unknown.items())[:_MAX_NAMED])
            self.notes.append(f"{path}: keys that are not known, left alone: {named}")

    def _line_rows(self, path: Path, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield from self._parsed(path, f"line {number}", line)

    def _array_rows(self, path: Path, stream: BinaryIO) -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            rows = orjson.loads(stream.read().lstrip(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            self.bad.append(BadRecord(str(path), "record", f"not valid JSON: {error}"))
            return
        for number, row in enumerate(rows, start=1):
            yield from self._parsed(path, f"item {number}", orjson.dumps(row))

    def _parsed(self, path: Path, place: str, line: bytes) -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            row = orjson.loads(line.lstrip(b"\xef\xbb\xbf"))
        except orjson.JSONDecodeError as error:
            self.bad.append(BadRecord(str(path), place, f"not valid JSON: {error}; one JSON object a line is expected"))
            return
        if isinstance(row, dict):
            yield place, row
        else:
            problem = f"a JSON object is expected, not {type(row).__name__}"
            self.bad.append(BadRecord(str(path), place, problem))


def describe(error: ValidationError) -> str:
    """Say in one line which fields are wrong and why."""
    problems: dict[str, list[str]] = {}
    for item in error.errors(include_url=False, include_input=False):
        place = [str(part) for part in item["loc"]]
        if len(place) > 1 and place[-1] in _UNION_TAGS:
            place.pop()
        told = problems.setdefault(".".join(place) or "(whole record)", [])
        told.append(item["msg"].lower().removeprefix("value error, "))
    return "; ".join(f"field {place}: {' or '.join(dict.fromkeys(told))}" for place, told in problems.items())


def _unknown_keys(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of a row, and of its contexts, that nothing is made of."""
    yield from (key for key in row if key not in _KEYS)
    contexts = row.get("contexts")
    for document in contexts if isinstance(contexts, list) else ():
        if isinstance(document, dict):
            yield from (f"contexts.{key}" for key in document if key not in _DOCUMENT_KEYS)


def _meant(key: str) -> str:
    start, _, name = key.rpartition(".")
    close = difflib.get_close_matches(name.lower(), _DOCUMENT_KEYS if start else _KEYS, n=1)
    return f", perhaps {close[0]}?" if close else ""


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


def interaction_from_row(row: Mapping[str, Any]) -> Interaction:
    """Return the interaction that a row with an id describes: one line of an interaction file.

    Raises:
        ConfigError: a field is missing or wrong; the message names it.
    """
    try:
        parsed = _FileInteraction.model_validate(row)
    except ValidationError as error:
        raise ConfigError(describe(error)) from error
    return _interaction(parsed, default_id="")


def _interaction(parsed: _FileInteraction, default_id: str) -> Interaction:
    interaction_id = str(parsed.id) if parsed.id is not None else default_id
    contexts = None if parsed.contexts is None else tuple(map(_document, parsed.contexts, range(1, 1 + 10**9)))
    has_texts = contexts is not None and (not contexts or any(document.text is not None for document in contexts))
    return Interaction(
        id=interaction_id,
        question=parsed.question,
        answer=parsed.answer,
        contexts=contexts,
        capture=_capture(parsed, has_texts=has_texts),
        convention="file",
        app=parsed.app,
        app_version=parsed.app_version,
        environment=parsed.environment,
        conversation_id=parsed.conversation_id,
        model=parsed.model,
        system_instructions=parsed.system_instructions,
        cited_ids=None if parsed.citations is None else tuple(map(str, parsed.citations)),
        reference=parsed.reference,
        relevant_ids=None if parsed.relevant_ids is None else tuple(map(str, parsed.relevant_ids)),
        feedback=parsed.feedback,
    )


def _capture(parsed: _FileInteraction, *, has_texts: bool) -> Capture:
    if parsed.answer is None:
        return Capture.CONTENT_NOT_CAPTURED if parsed.question is None else Capture.INCOMPLETE
    return Capture.CAPTURED if has_texts else Capture.CONTEXTS_NOT_CAPTURED


def _document(value: _FileDocument, rank: int) -> Document:
    document_id = None if value.id is None else str(value.id)
    return Document(text=value.text, rank=rank, id=document_id, score=value.score, metadata=value.metadata)
