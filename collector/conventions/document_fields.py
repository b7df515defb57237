"""One document out of whatever shape a library gives it: a mapping, a pair with its score, or a bare text."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.conventions.messages import message_in
from ragsonde.collector.conventions.values import (
    content_text,
    identifier,
    is_cut_json,
    is_repr,
    number,
    parse,
    parse_mapping,
)
from ragsonde.collector.model import AttributeValue, Document

_LANGCHAIN_TEXT_KEYS = ("page_content", "pageContent")
"""Keys that nothing but a document has."""
TEXT_KEYS = (
    "content",
    "text",
    *_LANGCHAIN_TEXT_KEYS,
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
_KNOWN_KEYS = frozenset({*TEXT_KEYS, *ID_KEYS, *SCORE_KEYS, *METADATA_KEYS, *WRAPPER_KEYS})
_FORM_KEYS = _KNOWN_KEYS | {"index", "role"}
_NOT_METADATA = _KNOWN_KEYS | {"embedding", "sparse_embedding", "vector", "blob", "lc", "type", "class_name"}
_WRAPPED = 3


def document_in(value: AttributeValue, rank: int, *, guess: bool = False) -> Document | None:
    """Read one document: a mapping with a text or an id, a ``[document, score]`` pair, or a bare text.

    Args:
        value: structured, or JSON.
        rank: its place in the list.
        guess: whether nothing around the value says that it was retrieved. Then it has to show by itself that it is a
            document and no chat message, tool or text part.
    """
    parsed = parse(value)
    if isinstance(parsed, list) and is_pair(parsed):
        document = document_in(parsed[0], rank, guess=guess)
        return None if document is None else replace(document, score=number(parsed[1]))
    if isinstance(parsed, dict):
        document = _from_mapping(parsed, rank)
        if document is not None and (not guess or _shows(document, parsed)):
            return document
    if guess or not isinstance(value, str):
        return None
    text = _bare_text(parsed if isinstance(parsed, str) else value, parsed)
    return None if text is None else Document(text=text, rank=rank)


def is_pair(value: Sequence[AttributeValue]) -> bool:
    """Whether a list is a document and its score."""
    return len(value) == 2 and isinstance(value[0], str | dict) and number(value[1]) is not None


def _shows(document: Document, value: Mapping[str, AttributeValue]) -> bool:
    """Whether a mapping cannot be anything but a document."""
    if document.text is None:
        return False
    if _has(value, _LANGCHAIN_TEXT_KEYS) or document.score is not None:
        return True
    is_tool = isinstance(parse(value.get("function")), dict)
    if is_tool or message_in(dict(value)) is not None:
        return False
    return document.id is not None or bool(document.metadata)


def _has(value: Mapping[str, AttributeValue], keys: Sequence[str], depth: int = _WRAPPED) -> bool:
    if any(content_text(value.get(key)) is not None for key in keys):
        return True
    wrapped = (parse(value.get(key)) for key in WRAPPER_KEYS if depth > 0)
    return any(_has(inner, keys, depth - 1) for inner in wrapped if isinstance(inner, dict))


def _from_mapping(value: Mapping[str, AttributeValue], rank: int, depth: int = _WRAPPED) -> Document | None:
    metadata = _metadata(value)
    text = _first_text(value)
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


def _first_text(value: Mapping[str, AttributeValue]) -> str | None:
    return next((text for key in TEXT_KEYS if (text := _text_of(value.get(key))) is not None), None)


def _text_of(value: AttributeValue) -> str | None:
    """Return a text, put together where it comes in parts as a message's does; a search engine lists even one."""
    if not isinstance(value, list):
        return content_text(value)
    parts = [part.get("text", part.get("content")) if isinstance(part, dict) else part for part in value]
    return "\n".join(text for part in parts if (text := content_text(part)) is not None) or None


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


# Bare texts -------------------------------------------------------------------------------------------------


def _bare_text(text: str, parsed: AttributeValue) -> str | None:
    found = content_text(text)
    if found is None or found == "null" or is_repr(found) or is_cut_json(found):
        return None
    return found if isinstance(parsed, str) or _is_quoted_json(found, parsed) else None


def _is_quoted_json(text: str, parsed: AttributeValue) -> bool:
    """Whether JSON is itself what was retrieved, such as a settings file, and not the form of a document."""
    held = parsed.items() if isinstance(parsed, dict) else enumerate(parsed) if isinstance(parsed, list) else ()
    is_form = any(key in _FORM_KEYS or (isinstance(key, int) and isinstance(item, dict | list)) for key, item in held)
    return not is_form and any(character.isalpha() for character in text)
