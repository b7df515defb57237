"""Lists of documents out of whatever shape a library gives a retrieval result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.conventions.document_fields import document_in, is_pair
from ragsonde.collector.conventions.messages import message_in
from ragsonde.collector.conventions.values import content_text, identifier, number, parse, parse_mapping
from ragsonde.collector.model import AttributeValue, Document

LIST_KEYS = (
    "documents",
    "docs",
    "source_documents",
    "source_nodes",
    "retrieved_documents",
    "retrieved_contexts",
    "retrievalResults",
    "retrieval_results",
    "retrievedReferences",
    "contexts",
    "context",
    "nodes",
    "matches",
    "hits",
    "results",
    "passages",
    "chunks",
    "items",
    "points",
    "objects",
    "output",
    "outputs",
    "result",
    "response",
    "data",
    "value",
)
_MESSAGE_KEYS = frozenset({"role", "content", "parts", "name", "type", "text"})
_MAX_DEPTH = 6


def documents_in(value: AttributeValue) -> tuple[Document, ...] | None:
    """Read a retrieval result: a list of documents, or a mapping that holds one, or a store's own reply.

    Args:
        value: structured, or JSON; known to be what a retrieval gave.

    Returns:
        The documents in order; empty for an empty list; None where this is no list of documents.
    """
    return _documents_in(value, guess=False, depth=_MAX_DEPTH)


def listed_documents_in(value: AttributeValue) -> tuple[Document, ...] | None:
    """Read a value only where it certainly is a list of documents with texts.

    What decides whether a span of no stated kind retrieved something, so it must not take chat messages, text parts or
    a single text for one.
    """
    value = parse(value)
    if isinstance(value, dict) and _from_columns(value) is None and not any(key in value for key in LIST_KEYS):
        return None
    found = _documents_in(value, guess=True, depth=_MAX_DEPTH)
    return found if found and all(document.text is not None for document in found) else None


def _documents_in(value: AttributeValue, *, guess: bool, depth: int) -> tuple[Document, ...] | None:
    value = parse(value)
    if depth <= 0:
        return None
    if isinstance(value, list):
        return _from_list(value, guess=guess, depth=depth)
    if not isinstance(value, dict):
        return None
    columns = _from_columns(value)
    if columns is not None:
        return columns
    for key in LIST_KEYS:
        if key in value and isinstance(parsed := parse(value[key]), list | dict):
            found = _documents_in(parsed, guess=guess, depth=depth - 1)
            if found is not None:
                return found
    single = document_in(value, 1, guess=guess)
    return (single,) if single is not None and single.text is not None else None


def _from_list(values: Sequence[AttributeValue], *, guess: bool, depth: int) -> tuple[Document, ...] | None:
    if not values:
        return ()
    if len(values) == 1 and isinstance(inner := parse(values[0]), list) and not is_pair(inner):
        return _documents_in(inner, guess=guess, depth=depth - 1)
    if all(map(_is_plain_message, values)):  # whatever the span is called, this is a conversation
        return None
    given = [value for value in values if not _is_absent(value)]
    read = [document_in(value, rank, guess=guess) for rank, value in enumerate(given, start=1)]
    if guess:
        forms = {_form(value) for value, document in zip(given, read, strict=True) if document is not None} - {None}
        read = [
            document or (document_in(value, rank) if _form(value) in forms else None)
            for rank, (value, document) in enumerate(zip(given, read, strict=True), start=1)
        ]
    found = tuple(document for document in read if document is not None)
    return found if found and len(found) == len(given) else None


def _is_absent(value: AttributeValue) -> bool:
    """Whether an index listed a hit of which its store no longer had anything."""
    return value is None or (isinstance(value, str) and value.strip() in ("", "null", "None"))


def _form(value: AttributeValue) -> frozenset[str] | None:
    """Return the keys of a mapping: what has the same as a document beside it is one too, if less filled in."""
    value = parse(value)
    return frozenset(value) if isinstance(value, dict) and message_in(value) is None else None


def _is_plain_message(value: AttributeValue) -> bool:
    """Whether a mapping is a chat message and nothing more; a document may have a ``role`` among its fields."""
    value = parse(value)
    if not isinstance(value, dict) or message_in(value) is None:
        return False
    return "additional_kwargs" in value or ("role" in value and _MESSAGE_KEYS.issuperset(value))


def _from_columns(value: Mapping[str, AttributeValue]) -> tuple[Document, ...] | None:
    """Read a reply in columns, as Chroma gives it: ``ids``, ``documents``, ``metadatas``, ``distances``."""
    ids = _column(value.get("ids"))
    if ids is None:
        return None
    texts = _column(value.get("documents")) or []
    metadatas = _column(value.get("metadatas")) or []
    distances = _column(value.get("distances")) or []
    found = []
    for index, document_id in enumerate(ids):
        metadata = parse_mapping(metadatas[index]) if index < len(metadatas) else {}
        if index < len(distances) and (distance := number(distances[index])) is not None:
            metadata["distance"] = distance
        text = content_text(texts[index]) if index < len(texts) else None
        found.append(Document(text=text, rank=index + 1, id=identifier(document_id), metadata=metadata))
    return tuple(found)


def _column(value: AttributeValue) -> list[AttributeValue] | None:
    """Return a column of the first query; Chroma nests one list for each query."""
    if isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]
    return value if isinstance(value, list) else None


def ranked(documents: Sequence[Document]) -> tuple[Document, ...]:
    """Number documents in the order given."""
    return tuple(replace(document, rank=rank) for rank, document in enumerate(documents, start=1))
