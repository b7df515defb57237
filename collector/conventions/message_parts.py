"""The content of one message: texts, refusals, tool calls and tool results, in the parts that each library makes.

A part names its kind by ``type`` (OpenTelemetry, OpenAI, Anthropic) or by its only key (Gemini, Bedrock, Strands).
"""

from collections.abc import Iterator, Mapping, Sequence

import regex

from ragsonde.collector.conventions.values import is_hidden, parse
from ragsonde.collector.model import AttributeValue

_TEXT_TYPES = frozenset({"text", "output_text", "input_text"})
_CALL_TYPES = frozenset({"tool_call", "tool-call", "tool_use", "function_call"})
TOOL_CALL_REQUEST = "ToolCallRequestEvent"
"""AutoGen's message that asks for tools; its content is a list of calls without a type."""
_CALL_KEYS = ("functionCall", "function_call", "toolUse")
_RESULT_TYPES = frozenset({"tool_call_response", "tool_result", "tool-result", "tool_call_result"})
_RESULT_KEYS = ("tool_call_result", "functionResponse", "function_response", "toolResult")
_PART_TYPES = frozenset(
    {*_TEXT_TYPES, *_CALL_TYPES, *_RESULT_TYPES, "refusal", "image", "image_url", "input_image", "file", "input_file"}
    | {"document", "audio", "input_audio", "thinking", "reasoning", "redacted_thinking"}
)
_PART_KEYS = frozenset(
    {*_CALL_KEYS, *_RESULT_KEYS, "text", "image", "document", "video", "audio", "reasoningContent", "cachePoint"}
)

_STARTS_LIKE_PARTS = regex.compile(r'\s*\[\s*\{\s*"')
_ENDS_SENTENCE = regex.compile(r"[.!?…:;。！？：；।؟][\"'”’»)\]】」』*_]*$")
_GOES_ON = regex.compile(r"[,.;:!?…)\]}”’»。，、！？；：）」』]|[\[(【]\d+(?:,\s*\d+)*[\])】]\W*$")
_SCRIPT = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}、，]"
_WITHOUT_SPACES = regex.compile(rf"{_SCRIPT}$"), regex.compile(_SCRIPT)


def content_in(message: Mapping[str, AttributeValue]) -> AttributeValue:
    """Return the content of a message, whatever key holds it; None where it has none."""
    keys = ("parts", "content", "contents", "blocks", "text")
    content = next((message[key] for key in keys if message.get(key) is not None), None)
    if isinstance(content, dict) and isinstance(content.get("parts"), list):  # Gemini's content within a choice
        return content["parts"]
    if isinstance(content, str) and (parts := _parts_in(content)) is not None:
        return parts
    if content is None and isinstance(message.get("refusal"), str):
        return message["refusal"]
    return content


def _parts_in(text: str) -> list[AttributeValue] | None:
    """Read a text that is the JSON of parts (Strands); None for any other, such as JSON that somebody asked about."""
    parsed = parse(text) if _STARTS_LIKE_PARTS.match(text) else None
    return parsed if isinstance(parsed, list) and all(map(_is_part, parsed)) else None


def _is_part(value: AttributeValue) -> bool:
    if not isinstance(value, dict):
        return False
    named = value.get("type")
    return named in _PART_TYPES if isinstance(named, str) else len(value) == 1 and not _PART_KEYS.isdisjoint(value)


def content_text(content: AttributeValue) -> str | None:
    """Join the text parts of a message's content. An empty text is kept: it was captured, and it is empty."""
    if isinstance(content, str):
        return None if is_hidden(content) else content
    texts = [text for text in _texts(content if isinstance(content, list) else [content]) if not is_hidden(text)]
    return joined(texts) if texts else None


def _texts(parts: Sequence[AttributeValue]) -> Iterator[str]:
    for part in parts:
        text: AttributeValue = part
        if isinstance(part, dict):
            named = str(part.get("type", "text"))
            text = part.get("refusal") if named == "refusal" else part.get("content", part.get("text"))
            if named not in _TEXT_TYPES and named != "refusal":
                continue
            if isinstance(text, dict):  # the agents and assistants of Azure and OpenAI
                text = text.get("value")
        if isinstance(text, str):
            yield text


def joined(texts: Sequence[str]) -> str:
    """Join texts that follow each other: fragments of a sentence as they are, whole sentences and blocks by a break.

    Claude ends a part wherever a citation begins, so that a sentence lies in several, with its spaces.
    """
    pieces: list[str] = []
    for text in filter(None, texts):
        pieces += ["\n", text] if pieces and _is_apart(pieces[-1][-200:], text) else [text]
    return "".join(pieces)


def _is_apart(before: str, after: str) -> bool:
    if before[-1].isspace() or after[0].isspace():
        return False
    if _GOES_ON.match(after):
        return False
    if _ENDS_SENTENCE.search(before):
        return True
    ends, begins = _WITHOUT_SPACES
    return not (ends.search(before) and begins.match(after))


def tool_results(content: AttributeValue) -> tuple[AttributeValue, ...]:
    """Return what tools gave back, as a message passes it on to the model."""
    found: list[AttributeValue] = []
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict):
            continue
        named = part.get("type") in _RESULT_TYPES
        held = part if named else next((part[key] for key in _RESULT_KEYS if isinstance(part.get(key), dict)), None)
        if isinstance(held, dict):
            found.append(
                next((held[key] for key in ("response", "result", "content") if held.get(key) is not None), None)
            )
    return tuple(item for item in found if item is not None)


def calls_tool(message: Mapping[str, AttributeValue], content: AttributeValue) -> bool:
    """Whether a message asks for a tool, beside its text or in place of one."""
    return bool(message.get("tool_calls") or message.get("type") == TOOL_CALL_REQUEST) or any(
        part.get("type") in _CALL_TYPES or any(key in part for key in _CALL_KEYS)
        for part in (content if isinstance(content, list) else [])
        if isinstance(part, dict)
    )
