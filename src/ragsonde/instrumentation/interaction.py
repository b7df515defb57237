"""The recording of a whole RAG interaction: one question and its answer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer

from ragsonde import attributes
from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.feedback import clamped, emit_feedback, reference_to
from ragsonde.instrumentation.generation import Generation
from ragsonde.instrumentation.retrieval import Retrieval
from ragsonde.instrumentation.streaming import StreamingRecording

_CURRENT = otel_context.create_key("ragsonde-interaction")


def current_interaction() -> Interaction | None:
    """Return the interaction that the calling code runs inside of, in this task or thread; None outside."""
    found = otel_context.get_value(_CURRENT)
    return found if isinstance(found, Interaction) else None


class Interaction(StreamingRecording):
    """One question and its answer: the root span ``invoke_workflow <name>``."""

    def __init__(
        self,
        tracer: Tracer,
        *,
        name: str,
        question: str | None,
        conversation_id: str | None,
        content: Content,
        failures: FailureLog,
    ) -> None:
        super().__init__(
            tracer,
            name=f"invoke_workflow {name}",
            kind=SpanKind.INTERNAL,
            content=content,
            failures=failures,
            parent=None,
            given={
                attributes.OPERATION_NAME: "invoke_workflow",
                attributes.WORKFLOW_NAME: name,
                attributes.CONVERSATION_ID: conversation_id,
            },
        )
        self._tracer = tracer
        self._answer: str | None = None
        self._generated: str | None = None
        self.context = otel_context.set_value(_CURRENT, self, self.context)
        self.resume_context = self.context
        if question is not None:
            self.question(question)

    @property
    def content(self) -> Content:
        """The gate that every text of this interaction passes through."""
        return self._content

    @property
    def reference(self) -> str | None:
        """Names this interaction outside the process (a W3C ``traceparent``); None when it is not recorded.

        Send it to the page that shows the answer, and give it to `RagTracer.feedback` when the user has judged.
        """
        return reference_to(self.span)

    def question(self, text: str) -> None:
        """Note the user's question, as the user put it."""
        if self.recording:
            with self._failures.guard("noting the question"):
                self._write_text(attributes.QUESTION, text)

    def answer(self, text: Any) -> None:
        """Note the answer that the user gets: a string, or a result that holds one. The last call wins."""
        if not self.recording:
            return
        with self._failures.guard("noting the answer"):
            found = self._result_text(text)
            if found is None:
                self._failures.report("answer", f"found no text in a {type(text).__name__}; pass a string")
            self._answer = found

    def cite(self, document_ids: Iterable[Any]) -> None:
        """Note the ids of the documents that the application itself reports as cited."""
        if self.recording:
            with self._failures.guard("noting citations"):
                self._write(attributes.CITED_IDS, [str(identity) for identity in document_ids])

    def feedback(self, value: float) -> None:
        """Note the user's feedback, -1 (bad) to 1 (good); after the end, it is sent as a span of its own."""
        with self._failures.guard("noting feedback"):
            if self.recording:
                self._write(attributes.FEEDBACK, clamped(value))
            else:
                emit_feedback(self._tracer, self.reference, value)

    def retrieval(
        self, query: str | None = None, *, data_source: str | None = None, top_k: int | None = None
    ) -> Retrieval:
        """Open the span of a search; ``query`` is what was searched for, which may differ from the question."""
        return Retrieval(
            self._tracer,
            query=query,
            data_source=data_source,
            top_k=top_k,
            content=self._content,
            failures=self._failures,
            parent=self._parent_for_children(),
        )

    def generation(
        self,
        model: str | None = None,
        *,
        provider: str | None = None,
        messages: str | Iterable[Any] | None = None,
        system: str | None = None,
    ) -> Generation:
        """Open the span of a model call; ``messages`` is the prompt and ``system`` the system instructions."""
        return Generation(
            self._tracer,
            interaction=self,
            model=model,
            provider=provider,
            messages=messages,
            system=system,
            content=self._content,
            failures=self._failures,
            parent=self._parent_for_children(),
        )

    def take(self, result: Any) -> None:
        """Note the answer in what the recorded function gave back."""
        self.answer(result)

    def generated(self, text: str | None) -> None:
        """Take the text of a generation: it is the answer unless the application names another."""
        self._generated = text or self._generated

    def _parent_for_children(self) -> Context:
        """Return the current context where it is inside this interaction, else (another thread) this one's own."""
        return otel_context.get_current() if current_interaction() is self else self.context

    def _before_end(self) -> None:
        answer = self._answer
        if answer is None:
            streamed = self._collected_text(attributes.ANSWER)
            answer = self._generated if streamed is None else streamed
            state = "cancelled" if self._interrupted else "complete"
        else:
            state = "complete"
        self._write_text(attributes.ANSWER, answer)
        if answer is not None or self._interrupted:
            self.span.set_attribute(attributes.ANSWER_STATE, state)
