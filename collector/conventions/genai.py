"""OpenTelemetry GenAI: attributes, span events and log records, from semantic conventions 1.27 to the newest.

Content stands on the span, in events on the span, or in log records joined by span id; as JSON or structured.
"""

from collections.abc import Iterator, Mapping, Sequence

from ragsonde.collector.conventions.documents import documents_in
from ragsonde.collector.conventions.message_parts import content_in
from ragsonde.collector.conventions.messages import (
    answer_in,
    instructions_in,
    last_text,
    message_in,
    messages_in,
    question_in,
    reply_text,
    system_text,
)
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, ToolResult, noting
from ragsonde.collector.conventions.span_io import calls_tool
from ragsonde.collector.conventions.values import Attributes, parse
from ragsonde.collector.model import AttributeValue, LogRecord, Span

NAME = "genai"
CONTENT_REMEDY = (
    "Set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY in the application (for packages that follow "
    "semantic conventions 1.36 or older: true, and let Ragsonde read the logs topic as well)."
)

ROLES = {
    "chat": Role.GENERATION,
    "generate_content": Role.GENERATION,
    "text_completion": Role.GENERATION,
    "completion": Role.GENERATION,
    "llm_request": Role.GENERATION,
    "embeddings": Role.EMBEDDING,
    "embedding": Role.EMBEDDING,
    "retrieval": Role.RETRIEVAL,
    "vector_db_retrieve": Role.RETRIEVAL,
    "rerank": Role.RERANK,
    "execute_tool": Role.TOOL,
    "invoke_agent": Role.AGENT,
    "invoke_workflow": Role.CHAIN,
    "execute_task": Role.CHAIN,
    "plan": Role.CHAIN,
    "chain": Role.CHAIN,
}
"""``gen_ai.operation.name``, with the values that OpenLLMetry and LangSmith add."""

INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM_INSTRUCTIONS = "gen_ai.system_instructions"
RETRIEVAL_QUERY = "gen_ai.retrieval.query.text"
RETRIEVAL_DOCUMENTS = "gen_ai.retrieval.documents"
TOOL_NAME = "gen_ai.tool.name"
TOOL_RESULT = "gen_ai.tool.call.result"
PROMPT_VARIABLE = "gen_ai.prompt.variable."
FINISH_REASONS = "gen_ai.response.finish_reasons"
MODELS = ("gen_ai.response.model", "gen_ai.request.model")
CONVERSATION = "gen_ai.conversation.id"
CHOICE_COUNT = "gen_ai.request.choice.count"

DETAILS_EVENT = "gen_ai.client.inference.operation.details"
EVALUATION_EVENT = "gen_ai.evaluation.result"
CHOICE_EVENT = "gen_ai.choice"
MESSAGE_EVENTS = ("gen_ai.system.message", "gen_ai.user.message", "gen_ai.assistant.message", "gen_ai.tool.message")
OLDEST = {"user": "gen_ai.prompt", "assistant": "gen_ai.completion"}
PROMPT_EVENTS = {"gen_ai.content.prompt": OLDEST["user"], "gen_ai.content.completion": OLDEST["assistant"]}
"""Events of 1.27 and before, with the attribute that holds their JSON."""


def is_content_event(log: LogRecord) -> bool:
    """Whether a log record carries content of an interaction; all others may be left out before assembly."""
    return log.event_name.startswith("gen_ai.") or "ragsonde.feedback" in log.attributes


def read(span: Span, logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span with its log records; None where it has nothing of this convention."""
    attributes = Attributes(_with_details(span, logs))
    events = [*_events(span, logs)]
    if not attributes.has_prefix("gen_ai.") and not events:
        return None
    prompt, reply = _legacy_messages(events, attributes)
    given, output = attributes.get(INPUT_MESSAGES), attributes.get(OUTPUT_MESSAGES)
    messages = messages_in(given) or prompt or _plain("user", question_in(given)) or _oldest(attributes, "user")
    replies = messages_in(output) or reply or _plain("assistant", None if calls_tool(output) else answer_in(output))
    replies = replies or _oldest(attributes, "assistant")
    role = _role(attributes, has_messages=bool(messages or replies))
    called_tool = role is Role.GENERATION and (
        _called_tool(attributes, output, events) or bool(replies and replies[-1].calls_tool)
    )
    answers = role in (Role.GENERATION, Role.AGENT, Role.CHAIN) and not called_tool
    reading = SpanReading(
        NAME,
        role,
        question=_question(attributes, role, messages),
        answer=_answer(attributes, replies) if answers else None,
        messages=messages if role is Role.GENERATION else (),
        system_instructions=instructions_in(attributes.get(SYSTEM_INSTRUCTIONS)) or system_text(messages),
        documents=documents_in(value) if (value := attributes.get(RETRIEVAL_DOCUMENTS)) is not None else None,
        variables=_variables(attributes),
        tool_result=_tool_result(attributes, events) if role is Role.TOOL or TOOL_RESULT in attributes else None,
        called_tool=called_tool,
        model=attributes.text(*MODELS),
        conversation_id=attributes.text(CONVERSATION),
    )
    return noting(reading, attributes)


def _plain(role: str, text: str | None) -> tuple[Message, ...]:
    """Make a message of what stands as a plain text where the convention has a list of messages."""
    return () if text is None else (Message(role, text),)


def _oldest(attributes: Attributes, role: str) -> tuple[Message, ...]:
    """Read the attributes of 1.27 and before; LangSmith writes the input and output of any span there."""
    return () if attributes.has_prefix("langsmith.") else _written(attributes, attributes.raw(OLDEST[role]), role)


def _written(attributes: Attributes, value: AttributeValue, role: str) -> tuple[Message, ...]:
    """Read what is a list of messages by its convention, and a text or several in practice (Spring AI)."""
    parsed = attributes.read(value)
    found = messages_in(parsed)
    if found or parsed is None:
        return found
    if isinstance(parsed, list) and parsed and all(isinstance(item, str) for item in parsed):
        texts = [Message(role, item) for item in parsed if isinstance(item, str)]
        return tuple(texts[:1] if role == "assistant" else texts)  # of several completions the first is shown
    if isinstance(parsed, str):
        return _plain(role, parsed)
    if calls_tool(parsed):
        return ()
    text = question_in(parsed) if role == "user" else answer_in(parsed)
    return _plain(role, text if text is not None else value if isinstance(value, str) else None)


def _role(attributes: Attributes, *, has_messages: bool) -> Role:
    named = ROLES.get(attributes.name("gen_ai.operation.name"))
    if named is not None:
        return named
    if RETRIEVAL_QUERY in attributes or RETRIEVAL_DOCUMENTS in attributes:
        return Role.RETRIEVAL
    if TOOL_NAME in attributes:
        return Role.TOOL
    if has_messages or any(key in attributes for key in MODELS):
        return Role.GENERATION
    return Role.OTHER


def _question(attributes: Attributes, role: Role, messages: Sequence[Message]) -> str | None:
    match role:
        case Role.RETRIEVAL | Role.RERANK:
            return question_in(attributes.get(RETRIEVAL_QUERY))
        case Role.EMBEDDING:
            return messages[0].text if len(messages) == 1 else None
        case Role.TOOL:
            return question_in(attributes.get("gen_ai.tool.call.arguments"))
        case Role.AGENT | Role.CHAIN:
            return last_text(messages, "user")
        case _:
            return None


def _answer(attributes: Attributes, replies: Sequence[Message]) -> str | None:
    if (attributes.number(CHOICE_COUNT) or 1) > 1:  # alternatives, of which applications show the first
        replies = replies[:1]
    return reply_text(replies)


def _called_tool(
    attributes: Attributes, output: AttributeValue, events: Sequence[tuple[str, Mapping[str, AttributeValue]]]
) -> bool:
    reasons = attributes.get(FINISH_REASONS)
    if (
        isinstance(reasons, list)
        and reasons
        and all(reason in ("tool_call", "tool_calls", "tool-calls") for reason in reasons)
    ):
        return True
    return calls_tool(output) or any(calls_tool(dict(body)) for name, body in events if name == CHOICE_EVENT)


def _variables(attributes: Attributes) -> dict[str, str]:
    return {
        name: value
        for name, value in attributes.with_prefix(PROMPT_VARIABLE).items()
        if isinstance(value, str) and value
    }


def _tool_result(
    attributes: Attributes, events: Sequence[tuple[str, Mapping[str, AttributeValue]]]
) -> ToolResult | None:
    """Read what a tool gave back: from the attribute, else from the choice event in which Strands writes it."""
    result = attributes.get(TOOL_RESULT)
    if result is None and TOOL_RESULT not in attributes:
        result = next((content_in(_inner(body)) for name, body in events if name == CHOICE_EVENT), None)
    if result is None:
        return None
    return ToolResult(attributes.name(TOOL_NAME), result, attributes.name("gen_ai.tool.type") == "datastore")


# Events -----------------------------------------------------------------------------------------------------


def _with_details(span: Span, logs: Sequence[LogRecord]) -> dict[str, AttributeValue]:
    """Complete the span's attributes from the event that repeats them with content; the span's own win."""
    merged: dict[str, AttributeValue] = {}
    for log in logs:
        if log.event_name == DETAILS_EVENT:
            merged |= log.attributes
            merged |= log.body if isinstance(log.body, dict) else {}
    for event in span.events:
        if event.name == DETAILS_EVENT:
            merged |= event.attributes
    own = {key: value for key, value in span.attributes.items() if key not in merged or _is_whole(value)}
    return merged | own


def _is_whole(value: AttributeValue) -> bool:
    probe = Attributes({})
    return probe.read(value) is not None


def _events(span: Span, logs: Sequence[LogRecord]) -> Iterator[tuple[str, dict[str, AttributeValue]]]:
    """Yield name and body of the message events, on the span first."""
    for event in span.events:
        if _is_message_event(event.name):
            content = parse(event.attributes.get("gen_ai.event.content"))
            yield event.name, {**event.attributes, **(content if isinstance(content, dict) else {})}
    for log in logs:
        if _is_message_event(log.event_name):
            body = parse(log.body)
            yield log.event_name, body if isinstance(body, dict) else {**log.attributes, "content": body}


def _is_message_event(name: str) -> bool:
    return name in MESSAGE_EVENTS or name == CHOICE_EVENT or name in PROMPT_EVENTS


def _inner(body: Mapping[str, AttributeValue]) -> Mapping[str, AttributeValue]:
    """Return the message of an event: itself, what it holds as ``message`` (also as JSON or text), or ``message.*``."""
    inner = parse(body.get("message"))
    if isinstance(inner, dict):
        return inner
    if inner is not None and body.get("content") is None:
        return {**body, "message": None, "content": inner if isinstance(inner, str) else body["message"]}
    flat = {key.removeprefix("message."): value for key, value in body.items() if key.startswith("message.")}
    return {**body, **flat}


def _legacy_messages(
    events: Sequence[tuple[str, Mapping[str, AttributeValue]]], attributes: Attributes
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Sort the message events into prompt and reply."""
    prompt: list[Message] = []
    reply: list[Message] = []
    for name, body in events:
        if name in PROMPT_EVENTS:
            is_reply = name == "gen_ai.content.completion"
            found = _written(attributes, body.get(PROMPT_EVENTS[name]), "assistant" if is_reply else "user")
            (reply if is_reply else prompt).extend(found)
            continue
        default = "assistant" if name == CHOICE_EVENT else name.removeprefix("gen_ai.").removesuffix(".message")
        message = message_in({"role": default, **_inner(body)})
        if message is not None:
            (reply if name == CHOICE_EVENT else prompt).append(message)
    if not reply and prompt and prompt[-1].role == "assistant":  # Azure's agents write no choice
        reply = [prompt.pop()]
    return tuple(prompt), tuple(reply)
