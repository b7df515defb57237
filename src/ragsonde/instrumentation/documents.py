"""Retrieved documents, in whatever shape the application holds them, as the JSON of a retrieval span."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.shapes import named

_TEXT_NAMES = ("content", "page_content", "text", "document", "passage", "chunk", "body")
_ID_NAMES = ("id", "id_", "doc_id", "document_id", "node_id", "chunk_id", "_id")
_SCORE_NAMES = ("score", "relevance_score", "similarity", "_score")
_METADATA_NAMES = ("metadata", "meta")
_ID_IN_METADATA = (*_ID_NAMES, "doc_uri", "source")
_INNER_NAMES = ("node", "document", "_source", "payload")
_SCORED_PAIR = 2


def document_records(documents: Iterable[Any], content: Content) -> list[dict[str, Any]]:
    """Return one JSON-ready record per document, in order: ``id``, ``score``, ``content``, ``metadata``.

    Understands plain strings, mappings, ``(document, score)`` pairs, and objects with ``page_content``, ``content``
    or ``text`` (LangChain, Haystack), or wrapping such an object in ``node`` (LlamaIndex). ``id`` and ``score`` are
    kept when content capture is off; text and metadata pass through ``content``.
    """
    return [_record(document, content) for document in documents]


def _record(document: Any, content: Content) -> dict[str, Any]:
    score: Any = None
    if isinstance(document, tuple) and len(document) == _SCORED_PAIR and not isinstance(document[1], str):
        document, score = document
    if isinstance(document, str):
        text: str | None = document
        metadata = identity = None
    else:
        text = _text(document)
        metadata = _first(document, _METADATA_NAMES)
        identity = _first(document, _ID_NAMES)
        score = _first(document, _SCORE_NAMES) if score is None else score
    if not isinstance(metadata, Mapping):
        metadata = {}
    if identity is None:
        identity = _first(metadata, _ID_IN_METADATA)
    record: dict[str, Any] = {"id": None if identity is None else str(identity), "score": _number(score)}
    if isinstance(text, str) and (sendable := content.text(text)) is not None:
        record["content"] = sendable
    if metadata and content.captured and (kept := _sendable_metadata(metadata, content)):
        record["metadata"] = kept
    return record


def _text(document: Any) -> str | None:
    for name in _TEXT_NAMES:
        value = named(document, name)
        if isinstance(value, str):
            return value
    for name in _INNER_NAMES:
        inner = named(document, name)
        if inner is not None and (text := _text(inner)) is not None:
            return text
    get_content = getattr(document, "get_content", None)
    value = get_content() if callable(get_content) else None
    return value if isinstance(value, str) else None


def _first(holder: Any, names: Sequence[str]) -> Any:
    for name in names:
        value = named(holder, name)
        if value is not None and not callable(value):
            return value
    return None


def _number(value: Any) -> float | None:
    """Return a finite float; a score that is not a number is unknown, not zero."""
    if value is None or isinstance(value, (str, bool)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _sendable_metadata(metadata: Mapping[Any, Any], content: Content) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in metadata.items():
        sendable = content.text(value) if isinstance(value, str) else value
        if isinstance(sendable, float) and not math.isfinite(sendable):
            continue
        if isinstance(sendable, (str, int, float, bool)):
            kept[str(key)] = sendable
    return kept
