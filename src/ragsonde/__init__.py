"""Ragsonde watches a live RAG application and says how far its answers can be trusted.

To instrument an application::

    import ragsonde

    rag = ragsonde.configure("shop-assistant", kafka="localhost:9092")

    @rag.trace_answer
    def answer(question: str) -> str: ...

The names below are loaded when they are first used, so that importing one part of Ragsonde does not load another.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragsonde.instrumentation import KafkaSpanExporter, RagTracer, configure, current_interaction
    from ragsonde.instrumentation.shortcuts import rag_interaction, trace_answer, trace_generation, trace_retrieval
    from ragsonde.redaction import Redactor

__version__ = "0.1.0"

__all__ = [
    "KafkaSpanExporter",
    "RagTracer",
    "Redactor",
    "configure",
    "current_interaction",
    "rag_interaction",
    "trace_answer",
    "trace_generation",
    "trace_retrieval",
]

_SHORTCUTS = "ragsonde.instrumentation.shortcuts"
_HOME = {
    "KafkaSpanExporter": "ragsonde.instrumentation",
    "RagTracer": "ragsonde.instrumentation",
    "Redactor": "ragsonde.redaction",
    "configure": "ragsonde.instrumentation",
    "current_interaction": "ragsonde.instrumentation",
    "rag_interaction": _SHORTCUTS,
    "trace_answer": _SHORTCUTS,
    "trace_generation": _SHORTCUTS,
    "trace_retrieval": _SHORTCUTS,
}


def __getattr__(name: str) -> Any:
    """Load a public name from its module."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *__all__})
