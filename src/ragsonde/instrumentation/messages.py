"""Chat messages, in the shapes the client libraries use, as OpenTelemetry GenAI messages."""

from collections.abc import Iterable
from typing import Any

from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.shapes import named

_ROLES = {"human": "user", "ai": "assistant"}
"""LangChain's names for the roles of the convention."""


def message_records(messages: str | Iterable[Any], role: str, content: Content) -> list[dict[str, Any]]:
    """Return ``[{"role", "parts"}]`` (semantic conventions 1.37 and later).

    A string is one message of ``role``. Otherwise each message is a mapping or an object with ``role`` (or ``type``)
    and ``content``, which is a string or a list of parts. Parts that are not text keep their type only: what is in
    an image or a tool call never bypasses the redactor. Messages that hold no text that may be sent are left out.
    """
    items = [messages] if isinstance(messages, str) else messages
    records = (_record(message, role, content) for message in items)
    return [record for record in records if record["parts"]]


def message_text(messages: str | Iterable[Any]) -> str:
    """Return the text of one message or several, joined by line ends."""
    items = [messages] if isinstance(messages, str) else messages
    return "\n".join(text for message in items for text in _texts(message))


def chunk_text(chunk: Any) -> str | None:
    """Return the text of one chunk of a streamed answer; None where the chunk holds none.

    Understands strings, the chunks of the OpenAI client (``choices[0].delta.content``) and of LangChain
    (``content``), and mappings with ``content``, ``text`` or ``delta``.
    """
    return _named_text(chunk, ("content", "text", "delta"))


def answer_text(result: Any) -> str | None:
    """Return the answer in what a function gave back; None where it cannot be told.

    Understands strings, mappings and objects with ``answer``, ``output``, ``response``, ``result``, ``content`` or
    ``text``, and the completions of the OpenAI client (``choices[0].message.content``).
    """
    return _named_text(result, ("answer", "output", "output_text", "response", "result", "content", "text"))


def _named_text(holder: Any, names: tuple[str, ...]) -> str | None:
    if isinstance(holder, str):
        return holder
    choices = named(holder, "choices")
    if isinstance(choices, list) and choices:
        for name in ("delta", "message"):
            inner = named(choices[0], name)
            if inner is not None:
                return _named_text(inner, ("content",))
    for name in names:
        value = named(holder, name)
        if isinstance(value, str):
            return value
    return None


def _record(message: Any, role: str, content: Content) -> dict[str, Any]:
    if not isinstance(message, str):
        given = named(message, "role") or named(message, "type")
        role = _ROLES.get(str(given), str(given)) if given else role
    parts = [{"type": "text", "content": text} for raw in _texts(message) if (text := content.text(raw)) is not None]
    return {"role": role, "parts": parts}


def _texts(message: Any) -> list[str]:
    if isinstance(message, str):
        return [message]
    body = named(message, "parts") or named(message, "content")
    if isinstance(body, str):
        return [body]
    if not isinstance(body, (list, tuple)):
        return []
    found = []
    for part in body:
        text = part if isinstance(part, str) else named(part, "text") or named(part, "content")
        if isinstance(text, str):
            found.append(text)
    return found
