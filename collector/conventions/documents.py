"""Documents out of whatever shape a library gives a retrieval result."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.conventions.messages import message_in
from ragsonde.collector.conventions.values import clean_text, content_text, identifier, number, parse, parse_mapping
from ragsonde.collector.model import AttributeValue, Document

TEXT_KEYS = (
    "content",
    "text",
    "page_content",
    "pageContent",
    "document",
    "passage",
    "chunk",
    "chunk_text",
    "body",
    "snippet",
    "contents",
    "raw_text",
    "excerpt",
)
ID_KEYS = ("id", "document_id", "doc_id", "id_", "_id", "node_id", "chunk_id", "documentId", "docId")
SCORE_KEYS = ("score", "relevance_score", "similarity", "similarity_score", "_score", "relevanceScore")
METADATA_KEYS = ("metadata", "meta", "metadatas")
WRAPPER_KEYS = ("node", "document", "doc", "payload", "entity", "_source", "fields", "kwargs", "chunk", "content")
"""Keys below which stores and frameworks put the document itself, next to its id and score."""
LIST_KEYS = (
    "documents",
    "docs",
    "source_documents",
    "source_nodes",
    "retrieved_documents",
    "retrieved_contexts",
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
_NOT_METADATA = frozenset(
    {
        *TEXT_KEYS,
        *ID_KEYS,
        *SCORE_KEYS,
        *METADATA_KEYS,
        *WRAPPER_KEYS,
        "embedding",
        "sparse_embedding",
        "vector",
        "blob",
        "lc",
        "type",
        "class_name",
    }
)
_MAX_DEPTH = 6


def documents_in(
    value: AttributeValue, *, texts_count: bool = True, depth: int = _MAX_DEPTH
) -> tuple[Document, ...] | None:
    """Read a retrieval result: a list of documents, or a mapping that holds one, or a store's own reply.

    Args:
        value: structured, or JSON.
        texts_count: whether a list of bare texts is a list of documents too.
        depth: levels still to look into.

    Returns:
        The documents in order; empty for an empty list; None where this is no list of documents.
    """
    value = parse(value)
    if depth <= 0:
        return None
    if isinstance(value, list):
        return _from_list(value, texts_count=texts_count, depth=depth)
    if not isinstance(value, dict):
        return None
    columns = _from_columns(value)
    if columns is not None:
        return columns
    for key in LIST_KEYS:
        if key in value and isinstance(parsed := parse(value[key]), list | dict):
            found = documents_in(parsed, texts_count=texts_count, depth=depth - 1)
            if found is not None:
                return found
    single = document_in(value, 1)
    return (single,) if single is not None and single.text is not None else None


def _from_list(values: Sequence[AttributeValue], *, texts_count: bool, depth: int) -> tuple[Document, ...] | None:
    if not values:
        return ()
    if len(values) == 1 and isinstance(inner := parse(values[0]), list) and not _is_pair(inner):
        return documents_in(inner, texts_count=texts_count, depth=depth - 1)
    found: list[Document] = []
    for value in values:
        document = document_in(value, len(found) + 1, texts_count=texts_count)
        if document is None:
            return None
        found.append(document)
    return tuple(found)


def document_in(value: AttributeValue, rank: int, *, texts_count: bool = False) -> Document | None:
    """Read one document: a mapping with a text or an id, a ``[document, score]`` pair, or (on request) a bare text."""
    value = parse(value)
    if isinstance(value, str):
        text = clean_text(value)
        return Document(text=text, rank=rank) if texts_count and text is not None else None
    if isinstance(value, list) and _is_pair(value):
        document = document_in(value[0], rank, texts_count=texts_count)
        return None if document is None else replace(document, score=number(value[1]))
    if not isinstance(value, dict) or "function" in value or message_in(value) is not None:
        return None
    return _from_mapping(value, rank)


def _is_pair(value: Sequence[AttributeValue]) -> bool:
    return len(value) == 2 and isinstance(value[0], str | dict) and number(value[1]) is not None


def _from_mapping(value: Mapping[str, AttributeValue], rank: int, depth: int = 3) -> Document | None:
    metadata = _metadata(value)
    text = next((text for key in TEXT_KEYS if (text := content_text(value.get(key))) is not None), None)
    document_id = _first_id(value)
    score = _first_score(value)
    for key in WRAPPER_KEYS:
        inner = parse_mapping(value.get(key)) if depth > 0 else {}
        nested = _from_mapping(inner, rank, depth - 1) if inner else None
        if nested is not None:
            text = nested.text if text is None else text
            document_id = document_id or nested.id
            score = nested.score if score is None else score
            metadata = {**metadata, **nested.metadata}
    if text is None:
        text = next((text for key in TEXT_KEYS if (text := content_text(metadata.pop(key, None))) is not None), None)
    document_id = document_id or _first_id(metadata)
    score = _first_score(metadata) if score is None else score
    # An id alone is a document only where nothing else says what the mapping is.
    if text is None and (document_id is None or not _is_bare_reference(value)):
        return None
    return Document(text=text, rank=rank, id=document_id, score=score, metadata=metadata)


def _is_bare_reference(value: Mapping[str, AttributeValue]) -> bool:
    return "name" not in value and "type" not in value and any(value.get(key) is not None for key in ID_KEYS)


def _first_id(value: Mapping[str, AttributeValue]) -> str | None:
    return next((found for key in ID_KEYS if (found := identifier(value.get(key))) is not None), None)


def _first_score(value: Mapping[str, AttributeValue]) -> float | None:
    return next((score for key in SCORE_KEYS if (score := number(value.get(key))) is not None), None)


def _metadata(value: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    named = [parse_mapping(value[key]) for key in METADATA_KEYS if value.get(key) is not None]
    if named:
        return {key: item for mapping in named for key, item in mapping.items()}
    return {
        key: item
        for key, item in value.items()
        if key not in _NOT_METADATA and isinstance(item, str | int | float | bool)
    }


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


def listed_documents_in(value: AttributeValue) -> tuple[Document, ...] | None:
    """Read a result only where it certainly is a list of documents: each has a text and an id, a score or metadata.

    What decides whether a span of no stated kind retrieved something, so it must not take chat messages, text parts or
    a single text for one.
    """
    value = parse(value)
    if isinstance(value, dict) and _from_columns(value) is None and not any(key in value for key in LIST_KEYS):
        return None
    found = documents_in(value, texts_count=False)
    if not found or not all(
        d.text is not None and (d.id is not None or d.score is not None or d.metadata) for d in found
    ):
        return None
    return found
