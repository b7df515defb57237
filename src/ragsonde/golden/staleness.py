"""Which items speak of documents that have changed since they were written."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from ragsonde.collector.errors import ConfigError
from ragsonde.golden.item import GoldenItem
from ragsonde.golden.rows import Rows


class Change(StrEnum):
    """What has become of a document."""

    CHANGED = "changed"
    GONE = "gone"
    UNKNOWN = "unknown"
    """It is there, but the item does not say which state of it was read."""


@dataclass(frozen=True, slots=True)
class Stale:
    """An item that should be looked at again."""

    item: GoldenItem
    document_id: str
    change: Change


@dataclass(frozen=True, slots=True)
class DocumentState:
    """The present state of a document; what is None is not known."""

    sha256: str | None = None
    version: str | None = None


def find_stale(items: Iterable[GoldenItem], documents: Mapping[str, DocumentState]) -> Iterator[Stale]:
    """Yield each pair of item and document that no longer fits, or that cannot be told."""
    for item in items:
        noted = {source.document_id: source for source in item.sources}
        named = dict.fromkeys([*noted, *(passage.document_id for passage in item.gold)])
        for document_id in named:
            now, then = documents.get(document_id), noted.get(document_id)
            if now is None:
                yield Stale(item, document_id, Change.GONE)
                continue
            pairs = [] if then is None else [(then.sha256, now.sha256), (then.version, now.version)]
            known = [(before, after) for before, after in pairs if before is not None and after is not None]
            if not known:
                yield Stale(item, document_id, Change.UNKNOWN)
            elif any(before != after for before, after in known):
                yield Stale(item, document_id, Change.CHANGED)


def read_documents(path: Path) -> dict[str, DocumentState]:
    """Take stock of the documents: a directory of files, or rows with ``id`` and ``sha256``, ``version`` or ``text``.

    A file's ids are its path below the directory, with and without its ending.

    Raises:
        ConfigError: nothing can be read there.
    """
    if path.is_dir():
        return _directory(path)
    rows = Rows(path)
    found = {str(row["id"]): _row_state(row) for _, row in rows if "id" in row}
    if rows.bad or not found:
        problem = str(rows.bad[0]) if rows.bad else f"{path} holds no row with an id"
        raise ConfigError(f"{problem}; rows with id and sha256, version or text are expected, or a directory")
    return found


def _directory(folder: Path) -> dict[str, DocumentState]:
    found: dict[str, DocumentState] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            try:
                state = DocumentState(sha256=hashlib.sha256(file.read_bytes()).hexdigest())
            except OSError as error:
                raise ConfigError(f"cannot read {file}: {error.strerror}") from error
            name = file.relative_to(folder)
            found[name.as_posix()] = state
            found.setdefault(name.with_suffix("").as_posix(), state)
    if not found:
        raise ConfigError(f"{folder} holds no file")
    return found


def _row_state(row: Mapping[str, Any]) -> DocumentState:
    digest, text, version = row.get("sha256"), row.get("text"), row.get("version")
    if digest is None and isinstance(text, str):
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return DocumentState(None if digest is None else str(digest), None if version is None else str(version))
