"""Haystack's own spans: ``haystack.pipeline.run`` and ``haystack.component.run``, told apart by component type."""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import LogRecord, Span

NAME = "haystack"
CONTENT_REMEDY = "Set HAYSTACK_CONTENT_TRACING_ENABLED=true in the application."

COMPONENT_TYPE = "haystack.component.type"
COMPONENT_NAME = "haystack.component.name"
INPUTS = ("haystack.component.input", "haystack.pipeline.input_data", "haystack.agent.input")
OUTPUTS = ("haystack.component.output", "haystack.pipeline.output_data", "haystack.agent.output")
ROLES_BY_TYPE_ENDING = (
    ("Retriever", Role.RETRIEVAL),
    ("Ranker", Role.RERANK),
    ("Joiner", Role.RERANK),
    ("Generator", Role.GENERATION),
    ("Embedder", Role.EMBEDDING),
    ("ToolInvoker", Role.TOOL),
    ("Agent", Role.AGENT),
    ("Evaluator", Role.EVALUATION),
)


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not attributes.has_prefix("haystack."):
        return None
    reading = read_io(
        NAME, _role(attributes), attributes.first(*INPUTS), attributes.first(*OUTPUTS), attributes.name(COMPONENT_NAME)
    )
    return noting(replace(reading, model=_model(attributes)), attributes)


def _role(attributes: Attributes) -> Role:
    component = attributes.name(COMPONENT_TYPE)
    if not component:
        return Role.AGENT if attributes.has_prefix("haystack.agent.") else Role.CHAIN
    return next((role for ending, role in ROLES_BY_TYPE_ENDING if component.endswith(ending)), Role.OTHER)


def _model(attributes: Attributes) -> str | None:
    """Find the model in the metadata of the first reply."""
    output = attributes.get("haystack.component.output")
    replies = output.get("replies") if isinstance(output, dict) else None
    meta = replies[0].get("meta") if isinstance(replies, list) and replies and isinstance(replies[0], dict) else None
    model = meta.get("model") if isinstance(meta, dict) else None
    return model if isinstance(model, str) else None
