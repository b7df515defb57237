"""Interactions from files: OTLP exports, JSON lines, JSON arrays, Parquet.

A bad line never hides the others: each is reported with file, line, field and remedy, and the good ones are read.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from ragsonde.collector.assembler import Assembler, AssemblyConfig
from ragsonde.collector.clock import Clock
from ragsonde.collector.decoder import decode_file_bytes
from ragsonde.collector.errors import ConfigError, DecodeError
from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Capture, Document, Interaction

_PARQUET_MAGIC = b"PAR1"
_OTLP_KEYS = (b'"resourceSpans"', b'"resource_spans"', b'"resourceLogs"', b'"resource_logs"')


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


class _FileInteraction(BaseModel):
    """The shape of a line; keys that are not known are left alone."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str | int | None = None
    question: str | None = None
    contexts: list[str | _FileDocument] | None = None
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


@dataclass
class InteractionFiles:
    """Reads interactions from files; what is bad is collected in ``bad`` while reading goes on.

    OTLP files are read together, so that log records find the spans of another file.
    """

    paths: Iterable[Path]
    clock: Clock
    bad: list[BadRecord] = field(default_factory=list)

    def __iter__(self) -> Iterator[Interaction]:
        """Yield interactions file by file; those of OTLP files last, since a trace may be spread over several.

        Raises:
            ConfigError: a file does not exist, cannot be read, or needs an extra that is not installed.
        """
        limitless = AssemblyConfig(max_traces=10**9, max_bytes=10**12, max_trace_bytes=10**12)
        assembler: Assembler[int] = Assembler(limitless, self.clock)
        for path in self.paths:
            with _readable(path) as stream:
                head = stream.read(1 << 16)
            if head.startswith(_PARQUET_MAGIC):
                yield from self._from_rows(path, parquet_rows(path))
            elif _looks_like_otlp(head):
                self._take_otlp(path, assembler)
            elif head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
                yield from self._from_rows(path, self._array_rows(path))
            else:
                yield from self._from_rows(path, self._line_rows(path))
        for assembled in assembler.drain():
            yield from extract(assembled.trace).interactions

    def _take_otlp(self, path: Path, assembler: Assembler[int]) -> None:
        requests = decode_file_bytes(path.read_bytes())
        while True:  # a bad line raises, and the next one can still be asked for
            try:
                decoded = next(requests, None)
            except DecodeError as error:
                self.bad.append(BadRecord(str(path), "record", f"not readable as OTLP ({error.reason.value}): {error}"))
                continue
            if decoded is None:
                return
            assembler.add(decoded.spans, decoded.logs, 0)

    def _from_rows(self, path: Path, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterator[Interaction]:
        for place, row in rows:
            try:
                parsed = _FileInteraction.model_validate(row)
            except ValidationError as error:
                self.bad.append(BadRecord(str(path), place, describe(error)))
            else:
                yield _interaction(parsed, default_id=f"{path.name}:{place.split()[-1]}")

    def _line_rows(self, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        with _readable(path) as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield from self._parsed(path, f"line {number}", line)

    def _array_rows(self, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
        try:
            rows = orjson.loads(path.read_bytes())
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
    return "; ".join(
        f"field {'.'.join(str(part) for part in item['loc']) or '(whole record)'}: {item['msg'].lower()}"
        for item in error.errors(include_url=False, include_input=False)
    )


def _looks_like_otlp(head: bytes) -> bool:
    """Whether a file is an OTLP export: JSON that names resources, or bytes that are no JSON at all."""
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text:
        return False
    if text.startswith((b"{", b"[")):
        return any(key in head for key in _OTLP_KEYS)
    return text[:1] == b"\x0a" or b"\x00" in head or not _is_text(text[:64])


def _is_text(head: bytes) -> bool:
    return all(byte >= 0x20 or byte in b"\t\r\n" for byte in head)


def _readable(path: Path) -> Any:
    try:
        return path.open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error


def parquet_rows(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the rows of a Parquet file, each with its place.

    Raises:
        ConfigError: the file cannot be read, or the extra that reads it is not installed.
    """
    try:
        import pyarrow.parquet  # noqa: PLC0415 - an optional extra
    except ImportError as error:
        raise ConfigError(f"{path} is a Parquet file: reading it needs pip install 'ragsonde[parquet]'") from error
    number = 0
    try:
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=256):
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


def _document(value: str | _FileDocument, rank: int) -> Document:
    if isinstance(value, str):
        return Document(text=value, rank=rank)
    document_id = None if value.id is None else str(value.id)
    return Document(text=value.text, rank=rank, id=document_id, score=value.score, metadata=value.metadata)
