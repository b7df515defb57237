"""OpenLLMetry (Traceloop): ``traceloop.*``, and the numbered keys of its older versions.

Those are ``gen_ai.prompt.<i>``, and in the first ones ``llm.prompts.<i>``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.conventions.messages import last_text, message_in, question_in, system_text
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import AttributeValue, LogRecord, Span

NAME = "openllmetry"
CONTENT_REMEDY = "Unset TRACELOOP_TRACE_CONTENT=false in the application."

KIND = "traceloop.span.kind"
ROLES = {"workflow": Role.CHAIN, "task": Role.CHAIN, "agent": Role.AGENT, "tool": Role.TOOL}
REQUEST_TYPE = "llm.request.type"
ROLES_BY_REQUEST = {
    "chat": Role.GENERATION,
    "completion": Role.GENERATION,
    "embedding": Role.EMBEDDING,
    "rerank": Role.RERANK,
}
OPERATION = "gen_ai.operation.name"
ROLES_BY_OPERATION = {"vector_db_retrieve": Role.RETRIEVAL, "retrieval": Role.RETRIEVAL, "rerank": Role.RERANK}
"""Operations that tell more than the span's kind, which is a task for these."""
INPUTS = ("traceloop.entity.input", "gen_ai.task.input")
OUTPUTS = ("traceloop.entity.output", "gen_ai.task.output")
PROMPTS = ("gen_ai.prompt", "llm.prompts")
COMPLETIONS = ("gen_ai.completion", "llm.completions")
NUMBERED = tuple(f"{key}.0.{part}" for key in (*PROMPTS, *COMPLETIONS) for part in ("content", "role", "tool_calls"))
MODELS = ("llm.response.model", "llm.request.model")
ASSOCIATED = "traceloop.association.properties."
SESSIONS = tuple(ASSOCIATED + key for key in ("session_id", "thread_id", "conversation_id", "chat_id"))
SIGNS = (KIND, "gen_ai.is_streaming", "llm.is_streaming", "gen_ai.openai.api_base", REQUEST_TYPE)
"""Keys that no other convention writes, on the spans of the model clients."""


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    numbered = attributes.has_prefix(*NUMBERED)
    if not numbered and not attributes.has_prefix("traceloop.") and not any(key in attributes for key in SIGNS):
        return None
    role = ROLES_BY_REQUEST.get(attributes.name(REQUEST_TYPE)) or ROLES.get(attributes.name(KIND), Role.OTHER)
    if role in (Role.CHAIN, Role.OTHER):
        stated = ROLES_BY_OPERATION.get(attributes.name(OPERATION))
        role = stated or (Role.GENERATION if _is_model_call(attributes) else role)
    reading = read_io(
        NAME, role, attributes.first(*INPUTS), attributes.first(*OUTPUTS), attributes.name("traceloop.entity.name")
    )
    if numbered:
        reading = _with_numbered(reading, attributes)
    reading = replace(reading, conversation_id=attributes.text(*SESSIONS), model=attributes.text(*MODELS))
    return noting(reading, attributes)


def _is_model_call(attributes: Attributes) -> bool:
    operation = attributes.name(OPERATION)
    if operation:
        return operation in ("chat", "completion", "text_completion", "generate_content", "llm_request")
    return "gen_ai.output.messages" in attributes or bool(_numbered(attributes, COMPLETIONS))


def _with_numbered(reading: SpanReading, attributes: Attributes) -> SpanReading:
    prompt = [message for item in _numbered(attributes, PROMPTS) if (message := _message(item, "user")) is not None]
    completions = _numbered(attributes, COMPLETIONS)
    replies = [message for item in completions if (message := _message(item, "assistant")) is not None]
    if reading.role is Role.EMBEDDING:
        return replace(reading, question=question_in(prompt[0].text) if len(prompt) == 1 else None)
    called_tool = any(key.startswith("tool_calls.") for item in completions for key in item)
    answer = last_text(replies, "assistant")
    return replace(
        reading,
        role=Role.GENERATION if reading.role is Role.OTHER else reading.role,
        messages=tuple(prompt) or reading.messages,
        system_instructions=system_text(prompt) or reading.system_instructions,
        answer=None if called_tool else (answer if answer is not None else reading.answer),
        called_tool=called_tool,
    )


def _numbered(attributes: Attributes, prefixes: Sequence[str]) -> list[dict[str, AttributeValue]]:
    return next((found for prefix in prefixes if (found := attributes.indexed(prefix))), [])


def _message(item: Mapping[str, AttributeValue], default_role: str) -> Message | None:
    return message_in({"role": item.get("role") or default_role, "content": item.get("content")})
