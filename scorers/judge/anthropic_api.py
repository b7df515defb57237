"""Anthropic's Messages API."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.scorers.judge.config import JudgeConfig, Structure
from ragsonde.scorers.judge.errors import InvalidReplyError, TruncatedError
from ragsonde.scorers.judge.wire import ChatPrompt, Completion, Dialect

MESSAGES_PATH = "/messages"
VERSION_HEADER = ("anthropic-version", "2023-06-01")
STRUCTURES = (Structure.TOOL, Structure.NONE)


def messages_body(config: JudgeConfig, dialect: Dialect, prompt: ChatPrompt) -> dict[str, object]:
    """Request body; the shape of the reply is asked for as the input of a tool that must be used."""
    messages = [{"role": "user", "content": prompt.user}]
    for reply, request in prompt.turns:
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": request}]
    body: dict[str, object] = {
        "model": config.model,
        "max_tokens": config.max_output_tokens * prompt.output_scale,
        "system": prompt.system,
        "messages": messages,
    }
    if dialect.temperature and config.temperature is not None:
        body["temperature"] = min(config.temperature, 1.0)
    if dialect.structure is Structure.TOOL:
        tool = {"name": prompt.schema_name, "description": "Takes the verdict.", "input_schema": prompt.schema}
        body["tools"] = [tool]
        body["tool_choice"] = {"type": "tool", "name": prompt.schema_name}
    return body


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Block(_Lenient):
    type: str
    text: str = ""
    input: dict[str, Any] | None = None


class _Usage(_Lenient):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(_Lenient):
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Usage | None = None


def read_message(payload: object) -> Completion:
    """The tool's input, else the text.

    Raises:
        InvalidReplyError: the payload is no message, or holds neither.
        TruncatedError: the output limit was reached before any text.
    """
    try:
        message = _Message.model_validate(payload)
    except ValidationError as error:
        raise InvalidReplyError("the server's answer is not a message") from error
    cut = message.stop_reason in ("max_tokens", "model_context_window_exceeded")
    inputs = [block.input for block in message.content if block.type == "tool_use" and block.input is not None]
    text = json.dumps(inputs[-1]) if inputs else "".join(b.text for b in message.content if b.type == "text")
    if not text.strip():
        if cut:
            raise TruncatedError("the judge reached its output limit before it replied")
        raise InvalidReplyError(
            f"the judge {'declined to answer' if message.stop_reason == 'refusal' else 'said nothing'}"
        )
    usage = message.usage or _Usage()
    parts = (usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens)
    read = None if usage.input_tokens is None else sum(part or 0 for part in parts)
    return Completion(text, cut, read, usage.output_tokens)
