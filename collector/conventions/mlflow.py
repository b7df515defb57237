"""MLflow tracing: ``mlflow.span*``, every value JSON-encoded, even plain strings."""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.span_io import read_io
from ragsonde.collector.conventions.values import Attributes
from ragsonde.collector.model import LogRecord, Span

NAME = "mlflow"
CONTENT_REMEDY = "Remove the MLflow span processor or redaction that empties mlflow.spanInputs and mlflow.spanOutputs."

TYPE = "mlflow.spanType"
INPUTS = "mlflow.spanInputs"
OUTPUTS = "mlflow.spanOutputs"
ROLES = {
    "RETRIEVER": Role.RETRIEVAL,
    "RERANKER": Role.RERANK,
    "CHAT_MODEL": Role.GENERATION,
    "LLM": Role.GENERATION,
    "CHAIN": Role.CHAIN,
    "WORKFLOW": Role.CHAIN,
    "TASK": Role.CHAIN,
    "AGENT": Role.AGENT,
    "TOOL": Role.TOOL,
    "EMBEDDING": Role.EMBEDDING,
    "GUARDRAIL": Role.GUARDRAIL,
    "EVALUATOR": Role.EVALUATION,
}


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    if not attributes.has_prefix("mlflow."):
        return None
    role = ROLES.get(attributes.name(TYPE).upper(), Role.CHAIN)
    reading = read_io(NAME, role, attributes.get(INPUTS), attributes.get(OUTPUTS), span.name)
    conversation = attributes.text("mlflow.trace.session")
    model = attributes.text("mlflow.llm.model", "mlflow.chat.model")
    return noting(replace(reading, conversation_id=conversation, model=model), attributes)
