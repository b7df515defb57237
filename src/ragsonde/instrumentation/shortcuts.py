"""The instrumentation without a tracer to hold on to: the global provider, and the policy that `configure` left."""

from ragsonde.instrumentation.interaction import Interaction
from ragsonde.instrumentation.tracer import RagTracer


def rag_interaction(
    question: str | None = None, *, conversation_id: str | None = None, name: str = "rag"
) -> Interaction:
    """Open the recording of one question and its answer; see `RagTracer.interaction`."""
    return _DEFAULT.interaction(question, conversation_id=conversation_id, name=name)


_DEFAULT = RagTracer()

trace_answer = _DEFAULT.trace_answer
trace_retrieval = _DEFAULT.trace_retrieval
trace_generation = _DEFAULT.trace_generation
