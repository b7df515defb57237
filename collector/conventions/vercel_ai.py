"""The AI SDK of Vercel: ``ai.prompt``, ``ai.response.text`` and ``ai.toolCall.result``, by ``ai.operationId``.

A call such as ``ai.generateText`` holds a ``doGenerate`` for each step of the model; only those have ``gen_ai.*`` keys.
"""

from collections.abc import Sequence

from ragsonde.collector.conventions.messages import answer_in, messages_in, question_in, system_text
from ragsonde.collector.conventions.reading import Role, SpanReading, ToolResult, noting
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import LogRecord, Span

NAME = "vercel_ai"
CONTENT_REMEDY = (
    "Set recordInputs and recordOutputs to true, or leave them out, in the application's experimental_telemetry."
)

OPERATION = "ai.operationId"
PROMPT = "ai.prompt"
PROMPT_MESSAGES = "ai.prompt.messages"
TEXTS = ("ai.response.text", "ai.result.text")
OBJECTS = ("ai.response.object", "ai.result.object")
TOOL_CALLS = ("ai.response.toolCalls", "ai.result.toolCalls")
FINISH_REASONS = ("ai.response.finishReason", "ai.finishReason")
TOOL_RESULT = "ai.toolCall.result"
SIGNS = (OPERATION, PROMPT, PROMPT_MESSAGES, *TEXTS, TOOL_RESULT)
METADATA = "ai.telemetry.metadata."
SESSIONS = tuple(METADATA + key for key in ("sessionId", "threadId", "conversationId", "chatId"))


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not any(key in attributes for key in SIGNS):
        return None
    role = _role(attributes.name(OPERATION) or attributes.name("operation.name").partition(" ")[0] or span.name)
    messages = messages_in(attributes.get(PROMPT_MESSAGES)) if role is Role.GENERATION else ()
    called_tool = role is Role.GENERATION and _called_tool(attributes)
    reading = SpanReading(
        NAME,
        role,
        question=_question(attributes, role),
        answer=None if called_tool else _answer(attributes),
        messages=messages,
        system_instructions=system_text(messages),
        tool_result=_tool_result(attributes),
        called_tool=called_tool,
        model=attributes.text("ai.response.model", "ai.model.id"),
        conversation_id=attributes.text(*SESSIONS),
    )
    return noting(reading, attributes)


def _role(operation: str) -> Role:
    if operation.endswith((".doGenerate", ".doStream")):
        return Role.GENERATION
    if operation.startswith("ai.embed"):
        return Role.EMBEDDING
    if operation == "ai.toolCall":
        return Role.TOOL
    return Role.CHAIN if operation.startswith(("ai.generate", "ai.stream")) else Role.OTHER


def _question(attributes: Attributes, role: Role) -> str | None:
    match role:
        case Role.CHAIN:
            return question_in(attributes.get(PROMPT))
        case Role.TOOL:
            return question_in(attributes.get("ai.toolCall.args"))
        case Role.EMBEDDING:
            return question_in(attributes.first("ai.value", "ai.values"))
        case _:
            return None


def _answer(attributes: Attributes) -> str | None:
    text = next((written for key in TEXTS if (written := attributes.written(key)) is not None), None)
    return text if text is not None else answer_in(attributes.first(*OBJECTS))


def _called_tool(attributes: Attributes) -> bool:
    return bool(attributes.first(*TOOL_CALLS)) or attributes.text(*FINISH_REASONS) == "tool-calls"


def _tool_result(attributes: Attributes) -> ToolResult | None:
    result = attributes.get(TOOL_RESULT)
    return None if result is None else ToolResult(attributes.name("ai.toolCall.name"), result)
