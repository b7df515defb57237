"""Google's Agent Development Kit: whole requests and responses of Gemini as JSON, in ``gcp.vertex.agent.*``."""

from collections.abc import Sequence

from ragsonde.collector.conventions.messages import instructions_in, message_in, messages_in, question_in, reply_text
from ragsonde.collector.conventions.reading import Role, SpanReading, ToolResult, noting
from ragsonde.collector.conventions.values import Attributes, parse_mapping
from ragsonde.collector.model import LogRecord, Span

NAME = "google_adk"
CONTENT_REMEDY = "Unset ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=false in the application."

REQUEST = "gcp.vertex.agent.llm_request"
RESPONSE = "gcp.vertex.agent.llm_response"
TOOL_ARGUMENTS = "gcp.vertex.agent.tool_call_args"
TOOL_RESPONSE = "gcp.vertex.agent.tool_response"
SESSION = "gcp.vertex.agent.session_id"


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if TOOL_ARGUMENTS in attributes or TOOL_RESPONSE in attributes:  # with an empty request and response beside them
        reading = _tool_call(attributes)
    elif REQUEST in attributes or RESPONSE in attributes:
        reading = _model_call(attributes)
    else:
        return None
    return noting(reading, attributes)


def _tool_call(attributes: Attributes) -> SpanReading:
    response = attributes.get(TOOL_RESPONSE) or None  # "{}" where capture is off
    return SpanReading(
        NAME,
        Role.TOOL,
        question=question_in(attributes.get(TOOL_ARGUMENTS)),
        tool_result=None if response is None else ToolResult(attributes.name("gen_ai.tool.name"), response),
        conversation_id=attributes.text(SESSION),
    )


def _model_call(attributes: Attributes) -> SpanReading:
    request = parse_mapping(attributes.get(REQUEST))
    content = parse_mapping(attributes.get(RESPONSE)).get("content")
    reply = message_in({"role": "model", "content": content}) if content is not None else None
    return SpanReading(
        NAME,
        Role.GENERATION,
        answer=None if reply is None else reply_text([reply]),
        messages=messages_in(request.get("contents")),
        system_instructions=instructions_in(parse_mapping(request.get("config")).get("system_instruction")),
        called_tool=reply is not None and reply.calls_tool,
        model=attributes.text("gen_ai.request.model"),
        conversation_id=attributes.text(SESSION),
    )
