"""Reading a span from what went in and what came out, as every convention with an input and an output needs it."""

from collections.abc import Sequence

from ragsonde.collector.conventions.documents import LIST_KEYS, documents_in, listed_documents_in
from ragsonde.collector.conventions.messages import (
    ANSWER_KEYS,
    answer_in,
    message_in,
    messages_in,
    question_in,
    system_text,
)
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, ToolResult
from ragsonde.collector.conventions.reranking import places_in
from ragsonde.collector.conventions.values import clean_text, parse, walk
from ragsonde.collector.model import AttributeValue, Document

CONTEXT_ARGUMENTS = ("contexts", "context", "documents", "docs", "passages", "retrieved_contexts", "chunks")
RERANK_ARGUMENTS = (*CONTEXT_ARGUMENTS, "texts", "candidates", "nodes")
_MAX_MENTIONED = 500
_MAX_WRAPPED = 4


def read_io(
    convention: str, role: Role, given: AttributeValue, returned: AttributeValue, name: str = ""
) -> SpanReading:
    """Read a span whose input and output are known, by its role.

    A chain that returns nothing but a list of documents retrieved them; where documents went in as well, it reordered,
    joined or filtered them.
    """
    given, returned = parse(given), parse(returned)
    mentioned = _mentioned(given)
    if role in (Role.CHAIN, Role.OTHER) and _returns_only_documents(returned):
        role = Role.RERANK if mentioned else Role.RETRIEVAL
    match role:
        case Role.RETRIEVAL | Role.RERANK:
            documents = None if returned is None else documents_in(returned)
            if role is Role.RERANK:
                mentioned = _named_texts(given, RERANK_ARGUMENTS) or mentioned
                documents = documents or places_in(returned) or documents
            return SpanReading(convention, role, question=question_in(given), documents=documents, mentioned=mentioned)
        case Role.GENERATION:
            return _read_generation(convention, given, returned, mentioned)
        case Role.TOOL:
            result = None if returned is None else ToolResult(name, returned)
            return SpanReading(convention, role, question_in(given), answer_in(returned), tool_result=result)
        case Role.EMBEDDING:
            return SpanReading(convention, role, question=question_in(given))
        case _:
            mentioned = mentioned or _mentioned(returned)
            return SpanReading(convention, role, question_in(given), answer_in(returned), mentioned=mentioned)


def _read_generation(
    convention: str, given: AttributeValue, returned: AttributeValue, mentioned: tuple[Document, ...]
) -> SpanReading:
    messages = messages_in(given)
    if not messages and (prompt := question_in(given)) is not None:
        messages = (Message("user", prompt),)
    called_tool = calls_tool(returned)
    return SpanReading(
        convention,
        Role.GENERATION,
        answer=None if called_tool else answer_in(returned),
        messages=messages,
        system_instructions=system_text(messages),
        called_tool=called_tool,
        mentioned=mentioned or _named_texts(given, CONTEXT_ARGUMENTS),
    )


def _named_texts(given: AttributeValue, names: Sequence[str]) -> tuple[Document, ...]:
    """Read the documents that a function took as an argument of such a name, where each of them can be read."""
    arguments = given.get("kwargs") if isinstance(given, dict) and isinstance(given.get("kwargs"), dict) else given
    if not isinstance(arguments, dict):
        return ()
    lists = [value for name in names if isinstance(value := arguments.get(name), list)]
    return next((found for value in lists if (found := documents_in(value)) and len(found) == len(value)), ())


def calls_tool(output: AttributeValue) -> bool:
    """Whether a model's output asks for a tool: a ``tool_call`` part or a filled ``tool_calls`` list in it."""
    for item in walk(output):
        if isinstance(item, dict) and (
            item.get("tool_calls") or item.get("type") in ("tool_call", "tool_use", "function_call")
        ):
            return True
    return False


def _returns_only_documents(returned: AttributeValue) -> bool:
    if isinstance(returned, dict) and any(isinstance(returned.get(key), str) for key in ANSWER_KEYS):
        return False
    return listed_documents_in(returned) is not None and not _answers_beside(returned)


def _answers_beside(value: AttributeValue, depth: int = _MAX_WRAPPED) -> bool:
    """Whether an answer stands beside a list of its sources, at any level above the list."""
    value = parse(value)
    if not isinstance(value, dict) or depth <= 0:
        return False
    held = {key: parse(item) for key, item in value.items()}
    if any(isinstance(held.get(key), list) for key in LIST_KEYS) and any(_is_answer(held.get(k)) for k in ANSWER_KEYS):
        return True
    return any(_answers_beside(held[key], depth - 1) for key in LIST_KEYS if key in held)


def _is_answer(value: AttributeValue) -> bool:
    message = message_in(value) if isinstance(value, dict) else None
    text = value if isinstance(value, str) else message.text if message and message.role == "assistant" else None
    return clean_text(text) is not None


def _mentioned(value: AttributeValue) -> tuple[Document, ...]:
    """Find the documents anywhere in a value, such as those that a formatting step was given."""
    for item in walk(value, depth=4):
        if isinstance(item, list | dict) and (found := listed_documents_in(item)) is not None:
            return found[:_MAX_MENTIONED]
    return ()
