"""What tools gave a model to answer from: lists of documents, or plain texts that look looked-up."""

from collections.abc import Iterable, Sequence

import regex

from ragsonde.collector.conventions import Message, Role, ToolResult
from ragsonde.collector.conventions.documents import listed_documents_in
from ragsonde.collector.conventions.values import clean_text, parse
from ragsonde.collector.model import AttributeValue, Document
from ragsonde.collector.prompt import passages_in
from ragsonde.collector.span_tree import Node

_LOOKUP_NAME = regex.compile(r"retriev|search|look.?up|knowledge|document|passage|\bkb\b|\brag\b|_kb|kb_|wiki", regex.I)
_LONG_TEXT = 200
_STATUS_ERROR = 2
_ERROR_TYPE = "error.type"
_MAX_WRAPPED = 4
_WRAPPERS = ("content", "output", "result")
"""Keys under which a tool message, or a reply of the Model Context Protocol, has the result itself."""


def listed_by_tool(node: Node) -> tuple[Document, ...] | None:
    """Return the documents that a tool's span lists; None where it lists none, or failed."""
    result = node.reading.tool_result
    return None if result is None or _has_failed(node) else listed_documents_in(result.value)


def texts_of_tools(nodes: Iterable[Node], messages: Iterable[Message]) -> list[tuple[Document, ...]]:
    """Read the results of tools from their spans or, where no tool was traced, from the prompt.

    A failed tool has none: its text says what went wrong, and nobody answers a question from that.
    """
    traced = [node for node in nodes if node.role is Role.TOOL and node.reading.tool_result]
    results = [node.reading.tool_result for node in traced if not _has_failed(node)]
    if not traced:
        given = (value for message in messages for value in message.tool_results)
        results = [ToolResult("", value) for value in given if not _says_failed(value)]
    return [_documents(result) for result in results if result is not None]


def _has_failed(node: Node) -> bool:
    span, result = node.span, node.reading.tool_result
    is_error = span.status_code == _STATUS_ERROR or bool(span.attributes.get(_ERROR_TYPE))
    return is_error or (result is not None and _says_failed(result.value))


def _says_failed(value: AttributeValue, depth: int = _MAX_WRAPPED) -> bool:
    """Whether a result says so itself: ``isError`` of the Model Context Protocol, ``status`` of a tool message."""
    value = parse(value)
    if not isinstance(value, dict) or depth <= 0:
        return False
    if value.get("isError") is True or value.get("is_error") is True or value.get("status") == "error":
        return True
    return any(_says_failed(value.get(key), depth - 1) for key in _WRAPPERS)


def _documents(result: ToolResult) -> tuple[Document, ...]:
    listed = listed_documents_in(result.value)
    return listed if listed is not None else tuple(_looked_up_texts(result))


def _looked_up_texts(result: ToolResult) -> list[Document]:
    value = _unwrapped(parse(result.value))
    parts = value if isinstance(value, list) else [value]
    texts = [clean_text(part.get("text") if isinstance(part, dict) else part) for part in parts]
    whole = [text for text in texts if text is not None]
    if not whole or len(whole) < len(texts) or not _is_looked_up(result, whole):
        return []
    if len(whole) == 1 and len(passages := passages_in(whole[0])) > 1:
        return [Document(text=passage.text, rank=1, id=passage.id) for passage in passages]
    return [Document(text=text, rank=1) for text in whole]


def _unwrapped(value: AttributeValue) -> AttributeValue:
    """Take a result out of a tool message, or of a reply of the Model Context Protocol."""
    if isinstance(value, dict):
        return next((parse(value[key]) for key in _WRAPPERS if isinstance(value.get(key), str | list)), value)
    return value


def _is_looked_up(result: ToolResult, texts: Sequence[str]) -> bool:
    text = "\n\n".join(texts)
    has_words = any(character.isalpha() for character in text)
    says_so = result.is_datastore or _LOOKUP_NAME.search(result.name) is not None
    return has_words and (says_so or "\n\n" in text or len(text) >= _LONG_TEXT)
