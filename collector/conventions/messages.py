"""Messages, questions and answers out of the shapes that model libraries and frameworks use."""

from collections.abc import Mapping, Sequence

import regex

from ragsonde.collector.conventions.message_parts import (
    TOOL_CALL_REQUEST,
    calls_tool,
    content_in,
    content_text,
    tool_results,
)
from ragsonde.collector.conventions.reading import Message
from ragsonde.collector.conventions.values import clean_text, number, parse
from ragsonde.collector.model import AttributeValue

_ROLES = {
    "human": "user",
    "humanmessage": "user",
    "user": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "system": "system",
    "systemmessage": "system",
    "developer": "system",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "ipython": "tool",
}
QUESTION_KEYS = (
    "question",
    "user_question",
    "user_query",
    "original_question",
    "query",
    "query_text",
    "query_str",
    "str_or_query_bundle",
    "query_bundle",
    "user_input",
    "user_message",
    "user_prompt",
    "input",
    "inputs",
    "message",
    "prompt",
    "search_query",
    "q",
    "task",
    "text",
    "messages",
    "kwargs",
    "args",
)
ANSWER_KEYS = (
    "answer",
    "final_answer",
    "final_output",
    "final_result",
    "response",
    "output_text",
    "output",
    "outputs",
    "generation",
    "generated_text",
    "result",
    "reply",
    "replies",
    "completion",
    "text",
    "content",
    "messages",
    "message",
    "parts",
    "choices",
    "generations",
    "kwargs",
    "data",
)
_NOT_CONTENT = frozenset({"metadata", "tags", "config", "callbacks", "additional_kwargs", "response_metadata", "usage"})
_WEAK_ANSWER_KEYS = frozenset({"message", "data", "kwargs"})
"""Keys that hold an answer only where they hold a structure: as a text they are a status as often as not."""
_HUMP = regex.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SPEAKING = frozenset({"TextMessage", "MultiModalMessage", "ToolCallSummaryMessage", TOOL_CALL_REQUEST})
"""Kinds of AutoGen's messages, which name who speaks as their ``source``."""
_USERS = frozenset({"user", "human", "user_proxy"})
_MAX_DEPTH = 7
_MAX_MESSAGES = 2000


def messages_in(value: AttributeValue) -> tuple[Message, ...]:
    """Read a list of messages: OpenTelemetry's parts, OpenAI's, LangChain's, Haystack's and Gemini's; else empty."""
    value = parse(value)
    if isinstance(value, dict):
        inner = next(
            (value[key] for key in ("messages", "input", "contents") if isinstance(value.get(key), list)), None
        )
        return messages_in(inner) if inner is not None else tuple(filter(None, [message_in(value)]))
    if not isinstance(value, list):
        return ()
    if value and isinstance(value[0], list):  # LangChain nests one list for each prompt of a batch
        return messages_in(value[0])
    latest = _in_order(value)[-_MAX_MESSAGES:]
    return tuple(message for item in latest if (message := message_in(item)) is not None)


def _in_order(messages: list[AttributeValue]) -> list[AttributeValue]:
    """Put a list that says when its messages were made, latest first (OpenAI's assistants), into the order of time."""
    first, last = (_made_at(item) for item in (messages[0], messages[-1])) if messages else (None, None)
    return messages[::-1] if first is not None and last is not None and first > last else messages


def _made_at(message: AttributeValue) -> float | None:
    return number(message.get("created_at")) if isinstance(message, dict) else None


def message_in(value: AttributeValue) -> Message | None:
    """Read one message; None where it is none."""
    value = parse(value)
    if not isinstance(value, dict):
        return None
    if value.get("lc") is not None and isinstance(value.get("kwargs"), dict):  # LangChain's serialised form
        value = _from_langchain(value)
    if isinstance(value.get("message"), dict):  # a choice
        return message_in(value["message"])
    if isinstance(value.get("data"), dict) and "type" in value:  # LangChain's message_to_dict
        value = {"type": value["type"], **_mapping(value["data"])}
    role = _role(value)
    if role is None:
        return None
    content = content_in(value)
    results = tool_results(content)
    if role == "tool":
        results = results or ((content,) if content is not None else ())
    text = content_text(content)
    if role == "user" and results and text is None:
        role = "tool"
    return Message(role, text, results, role == "assistant" and calls_tool(value, content))


def _from_langchain(value: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
    path = value.get("id")
    name = str(path[-1]) if isinstance(path, list) and path else ""
    return {"type": name, **_mapping(value.get("kwargs"))}


def _mapping(value: AttributeValue) -> dict[str, AttributeValue]:
    return value if isinstance(value, dict) else {}


def _role(value: Mapping[str, AttributeValue]) -> str | None:
    for key in ("role", "type"):
        named = value.get(key)
        if key == "type" and named == "function":  # a tool's definition or call, not its message
            continue
        if isinstance(named, str) and (role := _ROLES.get(named.lower().rsplit(".", 1)[-1])) is not None:
            return role
    name = str(value.get("event.name", ""))  # a legacy event, flattened
    return _ROLES.get(name.removeprefix("gen_ai.").removesuffix(".message")) if name else _speaker(value)


def _speaker(value: Mapping[str, AttributeValue]) -> str | None:
    kind, source = value.get("type"), value.get("source")
    if not isinstance(kind, str) or not isinstance(source, str):
        return None
    if kind in _SPEAKING:
        return "user" if source.lower() in _USERS else "assistant"
    return "tool" if kind == "ToolCallExecutionEvent" else None


def last_text(messages: Sequence[Message], role: str) -> str | None:
    """Return the last text that a role wrote; an empty one only where there is no other."""
    texts = [message.text for message in messages if message.role == role and message.text is not None]
    return next((text for text in reversed(texts) if text.strip()), texts[-1] if texts else None)


def reply_text(messages: Sequence[Message]) -> str | None:
    """Return what the assistant replied in the last turn of a conversation; None where it gave no reply there.

    What it said before a tool was called, or along with the call, came on the way to a reply and is none.
    """
    before = [place for place, message in enumerate(messages) if message.calls_tool or message.role in ("user", "tool")]
    return last_text(messages[before[-1] + 1 :] if before else messages, "assistant")


def system_text(messages: Sequence[Message]) -> str | None:
    """Join what the system role wrote."""
    return "\n".join(m.text for m in messages if m.role == "system" and m.text) or None


def instructions_in(value: AttributeValue) -> str | None:
    """Read system instructions: a text, or a list of text parts."""
    return content_text(parse(value)) or None


def question_in(value: AttributeValue, depth: int = _MAX_DEPTH) -> str | None:
    """Find what was asked in the input of a chain, a retriever or a pipeline; None where nothing clearly is."""
    value = parse(value)
    if isinstance(value, str):
        return clean_text(value)
    if depth <= 0:
        return None
    if isinstance(value, list):
        return last_text(messages_in(value), "user") or (question_in(value[0], depth - 1) if len(value) == 1 else None)
    if not isinstance(value, dict):
        return None
    message = message_in(value)
    if message is not None:
        return message.text if message.role == "user" else None
    value = _snake_keyed(value)
    for key in QUESTION_KEYS:
        if value.get(key) is not None and (found := _asked_under(key, value[key], depth)) is not None:
            return found
    nested = [_snake_keyed(item) for key, item in value.items() if isinstance(item, dict) and key not in _NOT_CONTENT]
    return _best_nested_question(nested, depth)


def _snake_keyed(value: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Name what JavaScript calls ``finalAnswer`` ``final_answer`` as well."""
    renamed = {_HUMP.sub("_", key).lower(): item for key, item in value.items() if not key.islower()}
    return renamed | value if renamed else value


def _asked_under(key: str, value: AttributeValue, depth: int) -> str | None:
    if key == "args" and isinstance(value, list):  # positional arguments: the first that is a text
        return next((found for item in value if (found := question_in(item, depth - 1)) is not None), None)
    return question_in(value, depth - 1)


def _best_nested_question(nested: Sequence[Mapping[str, AttributeValue]], depth: int) -> str | None:
    """Look one level down, best key first, so that the order of a pipeline's components does not decide."""
    for key in QUESTION_KEYS:
        for item in nested:
            if item.get(key) is not None and (found := question_in(item[key], depth - 2)) is not None:
                return found
    return None


def answer_in(value: AttributeValue, depth: int = _MAX_DEPTH) -> str | None:
    """Find the answer in the output of a chain, a model or a pipeline; None where nothing clearly is."""
    value = parse(value)
    if isinstance(value, str):
        return clean_text(value)
    if depth <= 0:
        return None
    if isinstance(value, list):
        return _answer_in_list(value, depth)
    if not isinstance(value, dict):
        return None
    message = message_in(value)
    if message is not None:
        return reply_text([message])
    value = _snake_keyed(value)
    for key in ANSWER_KEYS:
        held = value.get(key)
        if held is None or (key in _WEAK_ANSWER_KEYS and isinstance(held, str)):
            continue
        if (found := answer_in(held, depth - 1)) is not None:
            return found
    nested = [_snake_keyed(item) for key, item in value.items() if isinstance(item, dict) and key not in _NOT_CONTENT]
    return next((found for item in nested if (found := _answer_below(item, depth)) is not None), None)


def _answer_below(value: Mapping[str, AttributeValue], depth: int) -> str | None:
    keys = [key for key in ANSWER_KEYS if isinstance(value.get(key), list | dict)]
    return next((found for key in keys if (found := answer_in(value[key], depth - 2)) is not None), None)


def _answer_in_list(values: Sequence[AttributeValue], depth: int) -> str | None:
    messages = messages_in(list(values))
    if messages:
        return reply_text(messages)
    parts = content_text(list(values)) if all(isinstance(item, dict) and "type" in item for item in values) else None
    if parts is not None:
        return parts
    return answer_in(values[0], depth - 1) if len(values) == 1 else None
