"""pydantic-ai and Logfire: what formats 1, 2 and 5 add to GenAI, above all the agent's run and the tools' answers."""

from collections.abc import Sequence

from ragsonde.collector.conventions.messages import answer_in, last_text, messages_in, system_text
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, ToolResult, noting
from ragsonde.collector.conventions.span_io import calls_tool
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import AttributeValue, LogRecord, Span

NAME = "pydantic_ai"
CONTENT_REMEDY = "Set include_content=True in the application's InstrumentationSettings."

ALL_MESSAGES = ("pydantic_ai.all_messages", "all_messages_events", "all_messages_json")
"""Of format 2 and later, of format 1, and of versions before."""
CHAT_EVENTS = "events"
FINAL_RESULT = "final_result"
TOOL_RESPONSE = "tool_response"
MODELS = ("gen_ai.response.model", "gen_ai.request.model", "model_name")


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if any(key in attributes for key in (*ALL_MESSAGES, FINAL_RESULT)):
        return noting(_agent_run(attributes), attributes)
    if TOOL_RESPONSE in attributes:
        response = attributes.get(TOOL_RESPONSE)
        result = None if response is None else ToolResult(attributes.name("gen_ai.tool.name"), response)
        return noting(SpanReading(NAME, Role.TOOL, tool_result=result), attributes)
    events = attributes.get(CHAT_EVENTS)
    if isinstance(events, list) and attributes.has_prefix("gen_ai."):
        return noting(_chat(attributes, events), attributes)
    return None


def _agent_run(attributes: Attributes) -> SpanReading:
    messages = messages_in(attributes.first(*ALL_MESSAGES))
    final = answer_in(attributes.get(FINAL_RESULT))
    return SpanReading(
        NAME,
        Role.AGENT,
        question=last_text(messages, "user"),
        answer=final,
        system_instructions=system_text(messages),
        model=attributes.text(*MODELS),
    )


def _chat(attributes: Attributes, events: Sequence[AttributeValue]) -> SpanReading:
    """Read format 1, where a list of legacy events stands in one attribute: the prompt, then the choice."""
    prompt: list[Message] = []
    reply: list[Message] = []
    choices: list[AttributeValue] = []
    for event in events:
        is_choice = isinstance(event, dict) and event.get("event.name") == "gen_ai.choice"
        if is_choice:
            choices.append(event)
        (reply if is_choice else prompt).extend(messages_in([event]))
    called_tool = calls_tool(choices)
    return SpanReading(
        NAME,
        Role.GENERATION,
        answer=None if called_tool else last_text(reply, "assistant"),
        messages=tuple(prompt),
        system_instructions=system_text(prompt),
        called_tool=called_tool,
        model=attributes.text(*MODELS),
    )
