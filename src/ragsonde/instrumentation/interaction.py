"""The three recordings of a RAG interaction: the whole, its retrievals, its generations."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer
from opentelemetry.util.types import AttributeValue

from ragsonde import attributes
from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.documents import document_records
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.feedback import clamped, emit_feedback, reference_to
from ragsonde.instrumentation.messages import answer_text, chunk_text, message_records, message_text
from ragsonde.instrumentation.recording import Recording
from ragsonde.instrumentation.streams import TracedAsyncStream, TracedStream

if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")

TextOf = Callable[[Any], str | None]
"""Finds the text in one chunk or result; None where it holds none."""

MAX_ANSWER_CHARACTERS = 1_000_000
"""A streamed answer is collected up to this length; what is longer is marked as truncated, not kept in pieces."""

_CURRENT = otel_context.create_key("ragsonde-interaction")


def current_interaction() -> Interaction | None:
    """Return the interaction that the calling code runs inside of, in this task or thread; None outside."""
    found = otel_context.get_value(_CURRENT)
    return found if isinstance(found, Interaction) else None


class _Streaming(Recording):
    """A recording whose outcome may be a stream of text."""

    _parts: list[str]
    _collected = 0
    _text_of: TextOf = staticmethod(chunk_text)

    @overload
    def stream(self, chunks: AsyncIterable[T], *, text: TextOf | None = None) -> TracedAsyncStream[T]: ...
    @overload
    def stream(self, chunks: Iterable[T], *, text: TextOf | None = None) -> TracedStream[T]: ...
    def stream(self, chunks: Any, *, text: TextOf | None = None) -> TracedStream[Any] | TracedAsyncStream[Any]:
        """Pass ``chunks`` on unchanged while collecting their text; the span ends when the stream does.

        A stream that its reader closes, cancels or drops ends the span with what had been read, and
        ``ragsonde.answer.state`` says ``cancelled``. ``text`` finds the text in a chunk, for chunks that are not
        strings or those of a common client library.
        """
        if text is not None:
            self._text_of = text
        if isinstance(chunks, AsyncIterable):
            return TracedAsyncStream(self, chunks)
        return TracedStream(self, chunks)

    def collect(self, chunk: Any) -> None:
        """Add the text of ``chunk``."""
        if not self.recording:
            return
        with self._failures.guard("reading a chunk"):
            text = self._text_of(chunk)
            if text:
                self._collected += len(text)
                if self._collected <= MAX_ANSWER_CHARACTERS:
                    self._parts.append(text)

    def _collected_text(self, key: str) -> str | None:
        if self._collected > MAX_ANSWER_CHARACTERS:
            self._cut.append(key)
            return None
        return "".join(self._parts) if self._parts else None


class Interaction(_Streaming):
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
            parent=otel_context.get_current(),
            given={
                attributes.OPERATION_NAME: "invoke_workflow",
                attributes.WORKFLOW_NAME: name,
                attributes.CONVERSATION_ID: conversation_id,
            },
        )
        self._tracer = tracer
        self._parts = []
        self._answer: str | None = None
        self._generated: str | None = None
        self.context = otel_context.set_value(_CURRENT, self, self.context)
        self.resume_context = self.context
        if question is not None:
            self.question(question)

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
            found = answer_text(text)
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
        self._generated = text if text else self._generated

    def _parent_for_children(self) -> Context:
        """Return the current context where it is inside this interaction, else (another thread) this one's own."""
        return otel_context.get_current() if current_interaction() is self else self.context

    def _before_end(self, *, complete: bool) -> None:
        answer, interrupted = self._answer, False
        if answer is None:
            streamed = self._collected_text(attributes.ANSWER)
            answer = streamed if streamed is not None else self._generated
            interrupted = self._interrupted or not complete
        if answer is not None or not interrupted:
            self._write_text(attributes.ANSWER, answer)
        if answer is not None or not complete:
            self.span.set_attribute(attributes.ANSWER_STATE, "cancelled" if interrupted else "complete")


class Retrieval(Recording):
    """One search: the span ``retrieval <data source>``."""

    def __init__(
        self,
        tracer: Tracer,
        *,
        query: str | None,
        data_source: str | None,
        top_k: int | None,
        content: Content,
        failures: FailureLog,
        parent: Context,
    ) -> None:
        given: Mapping[str, AttributeValue | None] = {
            attributes.OPERATION_NAME: "retrieval",
            attributes.DATA_SOURCE_ID: data_source,
            attributes.RETRIEVAL_TOP_K: top_k,
        }
        name = f"retrieval {data_source}" if data_source else "retrieval"
        super().__init__(
            tracer, name=name, kind=SpanKind.CLIENT, content=content, failures=failures, parent=parent, given=given
        )
        self._collected: list[Any] = []
        if query is not None and self.recording:
            with self._failures.guard("noting the query"):
                self._write_text(attributes.RETRIEVAL_QUERY_TEXT, query)

    def documents(self, documents: Collection[Any]) -> None:
        """Note what was found, best first: strings, mappings, or the documents of a common library.

        Call it with an empty list when nothing was found: an answer without documents is then known to be
        ungrounded, where otherwise the documents are only unknown. The last call wins.
        """
        if not self.recording:
            return
        with self._failures.guard("noting documents"):
            if not isinstance(documents, Collection):
                self._failures.report("documents", f"pass a list: reading a {type(documents).__name__} would use it up")
                return
            self._write_json(attributes.RETRIEVAL_DOCUMENTS, document_records(documents, self._content))

    def take(self, result: Any) -> None:
        """Note the documents that the recorded function gave back."""
        self.documents(result)

    def collect(self, chunk: Any) -> None:
        """Note one document of a function that yields them."""
        self._collected.append(chunk)

    def _before_end(self, *, complete: bool) -> None:
        if self._collected:
            self.documents(self._collected)


class Generation(_Streaming):
    """One model call: the span ``chat <model>``."""

    def __init__(
        self,
        tracer: Tracer,
        *,
        interaction: Interaction | None,
        model: str | None,
        provider: str | None,
        messages: str | Iterable[Any] | None,
        system: str | None,
        content: Content,
        failures: FailureLog,
        parent: Context,
    ) -> None:
        super().__init__(
            tracer,
            name=f"chat {model}" if model else "chat",
            kind=SpanKind.CLIENT,
            content=content,
            failures=failures,
            parent=parent,
            given={
                attributes.OPERATION_NAME: "chat",
                attributes.REQUEST_MODEL: model,
                attributes.PROVIDER_NAME: provider,
            },
        )
        self._interaction = interaction
        self._parts = []
        self._output: str | Iterable[Any] | None = None
        if messages is not None:
            self.input(messages)
        if system is not None and self.recording:
            with self._failures.guard("noting system instructions"):
                sendable = self._content.text(system)
                if sendable is not None:
                    self._write_json(attributes.SYSTEM_INSTRUCTIONS, [{"type": "text", "content": sendable}])

    def input(self, messages: str | Iterable[Any]) -> None:
        """Note the prompt: a string, or messages with ``role`` and ``content``."""
        if self.recording:
            with self._failures.guard("noting the prompt"):
                self._write_messages(attributes.INPUT_MESSAGES, messages, "user")

    def output(self, messages: Any) -> None:
        """Note what the model said: a string, messages, or a result that holds the text."""
        if not self.recording:
            return
        with self._failures.guard("noting the output"):
            text = answer_text(messages)
            self._output = messages if text is None else text
            if self._interaction is not None:
                self._interaction.generated(message_text(self._output))

    def usage(self, *, input_tokens: int | None = None, output_tokens: int | None = None) -> None:
        """Note the tokens that the call took."""
        if not self.recording:
            return
        with self._failures.guard("noting usage"):
            if input_tokens is not None:
                self._write(attributes.USAGE_INPUT_TOKENS, input_tokens)
            if output_tokens is not None:
                self._write(attributes.USAGE_OUTPUT_TOKENS, output_tokens)

    def response(
        self, *, model: str | None = None, response_id: str | None = None, finish_reason: str | None = None
    ) -> None:
        """Note what the provider said about its reply."""
        if not self.recording:
            return
        with self._failures.guard("noting the response"):
            if model is not None:
                self._write(attributes.RESPONSE_MODEL, model)
            if response_id is not None:
                self._write(attributes.RESPONSE_ID, response_id)
            if finish_reason is not None:
                self._write(attributes.RESPONSE_FINISH_REASONS, [finish_reason])

    def take(self, result: Any) -> None:
        """Note what the recorded function gave back."""
        self.output(result)

    def stream_opened(self) -> None:
        """Put off the end, and that of the interaction, until the stream has been read."""
        super().stream_opened()
        if self._interaction is not None:
            self._interaction.stream_opened()

    def stream_closed(self, error: BaseException | None = None) -> None:
        """Take note of the end of the stream, and let the interaction know."""
        if self._interaction is not None:
            self._interaction.generated("".join(self._parts))
        super().stream_closed(error)
        if self._interaction is not None:
            self._interaction.stream_closed(error)

    def _write_messages(self, key: str, messages: str | Iterable[Any], role: str) -> None:
        if self._content.captured:
            self._write_json(key, message_records(messages, role, self._content))

    def _before_end(self, *, complete: bool) -> None:
        output = self._output
        if output is None:
            output = self._collected_text(attributes.OUTPUT_MESSAGES)
        if output is not None:
            self._write_messages(attributes.OUTPUT_MESSAGES, output, "assistant")
