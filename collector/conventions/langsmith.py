"""LangSmith in OpenTelemetry mode: ``langsmith.span.kind``, and JSON in ``gen_ai.prompt`` and ``gen_ai.completion``.

Its ``gen_ai.operation.name`` is no guide: it says ``embeddings`` on retrievers.
"""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes, identifier, parse_mapping
from ragsonde.collector.model import LogRecord, Span

NAME = "langsmith"
CONTENT_REMEDY = "Unset LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS in the application."

KIND = "langsmith.span.kind"
INPUT = "gen_ai.prompt"
OUTPUT = "gen_ai.completion"
ROLES = {
    "chain": Role.CHAIN,
    "llm": Role.GENERATION,
    "retriever": Role.RETRIEVAL,
    "tool": Role.TOOL,
    "embedding": Role.EMBEDDING,
    "prompt": Role.OTHER,
    "parser": Role.OTHER,
}


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not attributes.has_prefix("langsmith."):
        return None
    role = ROLES.get(attributes.name(KIND), Role.CHAIN)
    reading = read_io(NAME, role, attributes.get(INPUT), attributes.get(OUTPUT), span.name)
    metadata = "langsmith.metadata."
    session = attributes.text(metadata + "session_id", metadata + "thread_id", metadata + "conversation_id")
    bundled = parse_mapping(span.attributes.get("langsmith.metadata"))
    reading = replace(
        reading,
        model=attributes.text(metadata + "ls_model_name", "gen_ai.response.model", "gen_ai.request.model"),
        conversation_id=session or identifier(bundled.get("session_id")),
    )
    return noting(reading, attributes)
