"""OpenAI's chat completions and embeddings, as any compatible server speaks them."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from ragsonde.scorers.judge.config import JudgeConfig, Structure
from ragsonde.scorers.judge.errors import InvalidReplyError, TruncatedError
from ragsonde.scorers.judge.wire import ChatPrompt, Completion, Dialect, Embeddings

CHAT_PATH = "/chat/completions"
EMBEDDINGS_PATH = "/embeddings"
_CUT = ("length", "max_tokens", "max_output_tokens", "model_length")
"""Reasons to finish, in small letters, that mean the output limit."""
STRUCTURES = (Structure.JSON_SCHEMA, Structure.JSON_OBJECT, Structure.NONE)


def chat_body(config: JudgeConfig, dialect: Dialect, prompt: ChatPrompt) -> dict[str, object]:
    """Request body of a chat completion."""
    messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
    for reply, request in prompt.turns:
        messages += [{"role": "assistant", "content": reply}, {"role": "user", "content": request}]
    body: dict[str, object] = {
        "model": config.model,
        "messages": messages,
        dialect.output_limit: config.max_output_tokens * prompt.output_scale,
    }
    if dialect.temperature and config.temperature is not None:
        body["temperature"] = config.temperature
    if dialect.seed and config.seed is not None:
        body["seed"] = config.seed
    if dialect.structure is Structure.JSON_SCHEMA:
        schema = {"name": prompt.schema_name, "strict": True, "schema": prompt.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif dialect.structure is Structure.JSON_OBJECT:
        body["response_format"] = {"type": "json_object"}
    return body


def embeddings_body(model: str, texts: Sequence[str]) -> dict[str, object]:
    """Request body for vectors."""
    return {"model": model, "input": list(texts), "encoding_format": "float"}


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


def _count(value: object) -> object:
    """A count of tokens; what is none is not known, and spoils no verdict."""
    return value if isinstance(value, int | float) and value >= 0 and float(value).is_integer() else None


_Count = Annotated[int | None, BeforeValidator(_count)]


class _Usage(_Lenient):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None


class _Function(_Lenient):
    arguments: str | dict[str, Any] = ""


class _ToolCall(_Lenient):
    function: _Function = _Function()


class _Message(_Lenient):
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None
    function_call: _Function | None = None
    """What came before ``tool_calls``; some servers still send it."""


class _Choice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _Chat(_Lenient):
    choices: list[_Choice]
    usage: _Usage | None = None


class _Vector(_Lenient):
    index: int
    embedding: list[float]


class _Vectors(_Lenient):
    data: list[_Vector]
    usage: _Usage | None = None


def read_chat(payload: object) -> Completion:
    """The first choice of a chat completion.

    Raises:
        InvalidReplyError: the payload is no chat completion, or holds no text.
        TruncatedError: the output limit was reached before any text.
    """
    try:
        chat = _Chat.model_validate(payload)
    except ValidationError as error:
        raise InvalidReplyError("the server's answer is not a chat completion") from error
    if not chat.choices:
        raise InvalidReplyError("the server's answer has no choices")
    choice = chat.choices[0]
    cut = (choice.finish_reason or "").lower() in _CUT
    text = _text_of(choice.message)
    if not text.strip():
        if cut:
            raise TruncatedError("the judge reached its output limit before it replied")
        why = (
            "declined to answer"
            if choice.message.refusal or choice.finish_reason == "content_filter"
            else "said nothing"
        )
        raise InvalidReplyError(f"the judge {why}")
    usage = chat.usage or _Usage()
    return Completion(text, cut, usage.prompt_tokens, usage.completion_tokens)


def read_embeddings(payload: object, count: int) -> Embeddings:
    """The vectors, in the order of the texts.

    Raises:
        InvalidReplyError: there are not exactly ``count`` vectors of one length.
    """
    try:
        reply = _Vectors.model_validate(payload)
    except ValidationError as error:
        raise InvalidReplyError("the server's answer holds no embeddings") from error
    ordered = sorted(reply.data, key=lambda vector: vector.index)
    lengths = {len(vector.embedding) for vector in ordered}
    if [vector.index for vector in ordered] != list(range(count)) or len(lengths) != 1 or 0 in lengths:
        raise InvalidReplyError(f"the server gave {len(ordered)} embeddings for {count} texts")
    tokens = reply.usage.prompt_tokens if reply.usage else None
    return Embeddings(tuple(tuple(vector.embedding) for vector in ordered), tokens)


def _text_of(message: _Message) -> str:
    if isinstance(message.content, str) and message.content.strip():
        return message.content
    if isinstance(message.content, list):
        parts: Sequence[Mapping[str, Any]] = message.content
        return "".join(str(part.get("text", "")) for part in parts if part.get("type") in ("text", "output_text"))
    calls = [call.function for call in message.tool_calls or ()]
    called = next((call.arguments for call in (*calls, message.function_call) if call and call.arguments), "")
    return called if isinstance(called, str) else json.dumps(called, ensure_ascii=False)
