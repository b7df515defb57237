"""Instrumentation for RAG applications: OpenTelemetry GenAI spans for question, documents and answer.

This is all that the bare install holds. It needs the OpenTelemetry SDK and kafka-python, and loads the latter only
when spans go to Kafka. Start with `configure` and `RagTracer`; docs/instrumenting.md shows the rest.
"""

from typing import TYPE_CHECKING, Any

from ragsonde.instrumentation.generation import Generation
from ragsonde.instrumentation.interaction import Interaction, current_interaction
from ragsonde.instrumentation.retrieval import Retrieval
from ragsonde.instrumentation.setup import configure
from ragsonde.instrumentation.tracer import RagTracer

if TYPE_CHECKING:
    from ragsonde.instrumentation.kafka_exporter import KafkaSpanExporter

__all__ = [
    "Generation",
    "Interaction",
    "KafkaSpanExporter",
    "RagTracer",
    "Retrieval",
    "configure",
    "current_interaction",
]


def __getattr__(name: str) -> Any:
    """Load the Kafka exporter, and kafka-python with it, when it is first asked for."""
    if name == "KafkaSpanExporter":
        from ragsonde.instrumentation.kafka_exporter import KafkaSpanExporter  # noqa: PLC0415

        return KafkaSpanExporter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
