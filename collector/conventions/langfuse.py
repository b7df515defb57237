"""Langfuse: ``langfuse.observation.*``; arguments of functions come as ``{"args": [...], "kwargs": {...}}``."""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import LogRecord, Span

NAME = "langfuse"
CONTENT_REMEDY = (
    "Let Langfuse capture inputs and outputs (capture_input, capture_output), and remove its mask function."
)

TYPE = "langfuse.observation.type"
INPUT = "langfuse.observation.input"
OUTPUT = "langfuse.observation.output"
ROLES = {
    "span": Role.CHAIN,
    "chain": Role.CHAIN,
    "agent": Role.AGENT,
    "generation": Role.GENERATION,
    "retriever": Role.RETRIEVAL,
    "tool": Role.TOOL,
    "embedding": Role.EMBEDDING,
    "guardrail": Role.GUARDRAIL,
    "evaluator": Role.EVALUATION,
    "event": Role.OTHER,
}


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not attributes.has_prefix("langfuse."):
        return None
    role = ROLES.get(attributes.name(TYPE), Role.CHAIN)
    given = attributes.first(INPUT, "langfuse.trace.input")
    returned = attributes.first(OUTPUT, "langfuse.trace.output")
    reading = read_io(NAME, role, given, returned, span.name)
    reading = replace(
        reading,
        model=attributes.text("langfuse.observation.model.name"),
        conversation_id=attributes.text("session.id", "langfuse.session.id"),
        app_version=attributes.text("langfuse.release"),
        environment=attributes.text("langfuse.environment"),
    )
    return noting(reading, attributes)
