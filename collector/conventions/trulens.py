"""TruLens: ``ai.observability.*``."""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.documents import documents_in, ranked
from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes, content_text, number
from ragsonde.collector.model import AttributeValue, Document, LogRecord, Span

NAME = "trulens"
CONTENT_REMEDY = "Let TruLens record inputs and outputs of the application's methods."

PREFIX = "ai.observability."
ROLES = {
    "record_root": Role.AGENT,
    "agent": Role.AGENT,
    "workflow_step": Role.CHAIN,
    "retrieval": Role.RETRIEVAL,
    "reranking": Role.RERANK,
    "generation": Role.GENERATION,
    "embedding": Role.EMBEDDING,
    "tool": Role.TOOL,
    "mcp": Role.TOOL,
    "guardrail": Role.GUARDRAIL,
    "eval_root": Role.EVALUATION,
    "eval": Role.EVALUATION,
}
"""``ai.observability.span_type``."""


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not attributes.has_prefix(PREFIX):
        return None
    kind = attributes.name(PREFIX + "span_type")
    given = attributes.first(PREFIX + "record_root.input", PREFIX + f"{kind}.query_text")
    if given is None:
        given = dict(attributes.with_prefix(PREFIX + "call.kwargs."))
    returned = attributes.first(
        PREFIX + "record_root.output", PREFIX + "retrieval.retrieved_contexts", PREFIX + "call.return"
    )
    role = ROLES.get(kind, Role.CHAIN if kind else Role.OTHER)
    reading = read_io(NAME, role, given, returned, attributes.name(PREFIX + "call.function"))
    if (
        role is Role.RETRIEVAL
        and reading.documents is None
        and attributes.number(PREFIX + "retrieval.num_contexts") == 0
    ):
        reading = replace(reading, documents=())
    if role is Role.RERANK and (reranked := _reranked(attributes)):
        reading = replace(reading, documents=reranked)
    reading = replace(
        reading,
        declared=kind == "record_root",
        conversation_id=attributes.text(PREFIX + "conversation_id"),
        app=attributes.text(PREFIX + "app_name"),
        app_version=attributes.text(PREFIX + "app_version"),
    )
    return noting(reading, attributes)


def _reranked(attributes: Attributes) -> tuple[Document, ...]:
    """Put the input texts into the order of their output ranks; those without a rank were dropped."""
    texts = _texts(attributes.get(PREFIX + "reranking.input_context_texts"))
    ranks = attributes.get(PREFIX + "reranking.output_ranks")
    if not isinstance(ranks, list):
        return documents_in(attributes.get(PREFIX + "call.return")) or ()
    placed = sorted(
        (rank, index) for index, value in enumerate(ranks[: len(texts)]) if (rank := number(value)) is not None
    )
    top = attributes.number(PREFIX + "reranking.top_n")
    return ranked([Document(text=texts[index], rank=1) for _, index in placed][: int(top) if top else None])


def _texts(value: AttributeValue) -> list[str]:
    return [text for item in value if (text := content_text(item)) is not None] if isinstance(value, list) else []
