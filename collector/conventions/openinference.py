"""OpenInference (Arize Phoenix): ``openinference.span.kind``, ``input.value``, ``output.value`` and flattened lists."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.conventions.document_fields import document_in
from ragsonde.collector.conventions.documents import ranked
from ragsonde.collector.conventions.messages import last_text, message_in, messages_in, question_in, system_text
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes, identifier, parse, parse_mapping
from ragsonde.collector.model import AttributeValue, Document, LogRecord, Span

NAME = "openinference"
CONTENT_REMEDY = (
    "Unset OPENINFERENCE_HIDE_INPUTS, OPENINFERENCE_HIDE_OUTPUTS and the other OPENINFERENCE_HIDE_* switches "
    "in the application."
)

KIND = "openinference.span.kind"
ROLES = {
    "LLM": Role.GENERATION,
    "EMBEDDING": Role.EMBEDDING,
    "CHAIN": Role.CHAIN,
    "RETRIEVER": Role.RETRIEVAL,
    "RERANKER": Role.RERANK,
    "TOOL": Role.TOOL,
    "AGENT": Role.AGENT,
    "GUARDRAIL": Role.GUARDRAIL,
    "EVALUATOR": Role.EVALUATION,
    "PROMPT": Role.OTHER,
}

INPUT = "input.value"
OUTPUT = "output.value"
OUTPUT_KIND = "output.mime_type"
RETRIEVED = "retrieval.documents"
RERANKED = "reranker.output_documents"
RERANK_INPUT = "reranker.input_documents"
RERANK_QUERY = "reranker.query"
INPUT_MESSAGES = "llm.input_messages"
OUTPUT_MESSAGES = "llm.output_messages"
PROMPTS = "llm.prompts"
CHOICES = "llm.choices"
VARIABLES = "llm.prompt_template.variables"
EMBEDDINGS = "embedding.embeddings"
MODEL = "llm.model_name"
SESSION = "session.id"
METADATA = "metadata"


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has no OpenInference kind and nothing else of this convention."""
    attributes = Attributes(span.attributes)
    kind = attributes.name(KIND).upper()
    if not kind and not attributes.has_prefix(RETRIEVED, RERANKED, INPUT_MESSAGES, OUTPUT_MESSAGES):
        return None
    role = ROLES.get(kind) or _role_by_keys(attributes)
    reading = read_io(
        NAME, role, attributes.get(INPUT), attributes.get(OUTPUT), attributes.name("tool.name") or span.name
    )
    if reading.answer is None and attributes.name(OUTPUT_KIND) == "text/plain":
        reading = _with_plain_output(reading, attributes)
    match reading.role:
        case Role.RETRIEVAL:
            reading = _with_documents(reading, attributes, RETRIEVED)
        case Role.RERANK:
            reading = _with_documents(reading, attributes, RERANKED)
            query = question_in(attributes.get(RERANK_QUERY))
            reading = replace(
                reading,
                question=query or reading.question,
                mentioned=_flat_documents(attributes, RERANK_INPUT) or reading.mentioned,
            )
        case Role.GENERATION:
            reading = _with_messages(reading, attributes)
        case Role.EMBEDDING:
            texts = [question_in(item.get("embedding.text")) for item in attributes.indexed(EMBEDDINGS)]
            reading = replace(reading, question=texts[0] if len(texts) == 1 else reading.question)
        case _:
            pass
    metadata = parse_mapping(span.attributes.get(METADATA))
    conversation = attributes.text(SESSION) or identifier(metadata.get("session_id") or metadata.get("thread_id"))
    return noting(replace(reading, model=attributes.text(MODEL), conversation_id=conversation), attributes)


def _with_plain_output(reading: SpanReading, attributes: Attributes) -> SpanReading:
    """Take an output that is called a text as it was written: whoever asks for JSON is answered in JSON."""
    is_text = reading.role in (Role.CHAIN, Role.AGENT, Role.GENERATION) and not reading.called_tool
    text = attributes.written(OUTPUT) if is_text and not reading.mentioned else None
    return replace(reading, answer=text) if text is not None and isinstance(attributes.get(OUTPUT), dict) else reading


def _role_by_keys(attributes: Attributes) -> Role:
    if attributes.has_prefix(RERANKED):
        return Role.RERANK
    if attributes.has_prefix(RETRIEVED):
        return Role.RETRIEVAL
    return Role.GENERATION if attributes.has_prefix(INPUT_MESSAGES, OUTPUT_MESSAGES) else Role.OTHER


def _with_documents(reading: SpanReading, attributes: Attributes, prefix: str) -> SpanReading:
    """Prefer the flattened list; ids that it lacks (LangChain) stand in the output of the same length."""
    flat = _flat_documents(attributes, prefix)
    if not flat:
        return reading
    others = reading.documents or ()
    if len(others) == len(flat):
        flat = tuple(
            replace(document, id=document.id or other.id, text=document.text or other.text)
            for document, other in zip(flat, others, strict=True)
        )
    return replace(reading, documents=flat)


def _flat_documents(attributes: Attributes, prefix: str) -> tuple[Document, ...]:
    listed = attributes.get(prefix)
    items = _items(attributes, prefix) or (listed if isinstance(listed, list) else [])  # bare texts
    read = [document_in(_fields(item), rank) for rank, item in enumerate(items, start=1)]
    return ranked([document for document in read if document is not None])


def _fields(item: AttributeValue) -> AttributeValue:
    if not isinstance(item, dict):
        return item
    nested = item.get("document")
    return nested if isinstance(nested, dict) else {key.removeprefix("document."): item[key] for key in item}


def _items(attributes: Attributes, prefix: str) -> list[dict[str, AttributeValue]]:
    """Return a list's items: flattened into numbered keys by the specification, in one value where somebody did not."""
    listed = attributes.get(prefix)
    parsed = [parse(item) for item in listed] if isinstance(listed, list) else []
    whole = [item for item in parsed if isinstance(item, dict)]
    return attributes.indexed(prefix) or whole


def _with_messages(reading: SpanReading, attributes: Attributes) -> SpanReading:
    given = tuple(filter(None, map(_flat_message, _items(attributes, INPUT_MESSAGES)))) or _prompts(attributes)
    returned = _items(attributes, OUTPUT_MESSAGES)
    replies = tuple(filter(None, map(_flat_message, returned)))
    called_tool = reading.called_tool or any(
        key.startswith("message.tool_calls") and value for message in returned for key, value in message.items()
    )
    choices = [item.get("completion.text") for item in attributes.indexed(CHOICES)]
    first_choice = choices[0] if choices and isinstance(choices[0], str) else None
    messages = given or reading.messages
    answer = next((a for a in (last_text(replies, "assistant"), first_choice, reading.answer) if a is not None), None)
    return replace(
        reading,
        messages=messages,
        system_instructions=system_text(messages) or reading.system_instructions,
        answer=None if called_tool else answer,
        called_tool=called_tool,
        variables={
            name: value
            for name, value in parse_mapping(attributes.get(VARIABLES)).items()
            if isinstance(value, str) and value
        },
    )


def _flat_message(item: Mapping[str, AttributeValue]) -> Message | None:
    """Put one flattened message back together; its content is a text, or numbered parts."""
    if isinstance(item.get("message"), dict):
        return message_in(item["message"])
    fields = {key.removeprefix("message."): value for key, value in item.items()}
    parts: dict[str, dict[str, AttributeValue]] = {}
    for key, value in fields.items():
        if key.startswith("contents."):
            index, _, rest = key.removeprefix("contents.").partition(".")
            parts.setdefault(index, {})[rest.removeprefix("message_content.")] = value
    numbered = sorted((int(index), part) for index, part in parts.items() if index.isdigit())
    content = fields.get("content")
    if content is None and numbered:
        content = [part for _, part in numbered]
    return message_in({"role": fields.get("role"), "content": content})


def _prompts(attributes: Attributes) -> tuple[Message, ...]:
    """Read a completion's prompt: numbered by the specification, a plain list of texts from LlamaIndex."""
    listed = attributes.get(PROMPTS)
    texts = listed if isinstance(listed, list) else [item.get("prompt.text") for item in attributes.indexed(PROMPTS)]
    return messages_in([{"role": "user", "content": text} for text in texts if isinstance(text, str)])
