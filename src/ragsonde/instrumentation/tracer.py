"""The entry point of the instrumentation: what a RAG application holds on to."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from opentelemetry import trace
from opentelemetry.trace import Tracer, TracerProvider

import ragsonde
from ragsonde.instrumentation.arguments import Arguments
from ragsonde.instrumentation.content import Content, ContentPolicy, Redact, SessionRedactor, content_policy
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.feedback import emit_feedback
from ragsonde.instrumentation.generation import Generation
from ragsonde.instrumentation.interaction import Interaction, current_interaction
from ragsonde.instrumentation.recording import Recording
from ragsonde.instrumentation.retrieval import Retrieval
from ragsonde.instrumentation.streaming import TextOf
from ragsonde.instrumentation.wrapping import recorded

F = TypeVar("F", bound=Callable[..., Any])

SCOPE_NAME = "ragsonde.instrumentation"
_POLICY_ATTRIBUTE = "ragsonde_content_policy"
"""`configure` leaves its content policy on the provider, so that it holds for every tracer made from that provider
and there is no process-wide state of our own beside OpenTelemetry's."""


class RagTracer:
    """Records RAG interactions as OpenTelemetry GenAI spans.

    Args:
        name: of the application or chain; becomes ``gen_ai.workflow.name``, so keep it to a few values.
        capture: ``full``, ``redacted`` or ``off``; default: what `configure` was given, then the environment variable
            ``RAGSONDE_CAPTURE_CONTENT``, then ``full``. With ``off``, ids, scores, tokens and times are still sent.
        redact: takes a text and returns it redacted, or an object with ``session()`` such as
            `ragsonde.redaction.Redactor`; implies ``redacted``. ``capture="redacted"`` alone uses that `Redactor`.
        tracer_provider: default: the global one, looked up at each interaction; without any, nothing is recorded.

    Nothing that goes wrong in here reaches the application, save for these at construction:

    Raises:
        ValueError: ``capture`` is none of the three.
        RedactionUnavailableError: the built-in redactor was asked for and its packages are not installed.
    """

    def __init__(
        self,
        name: str = "rag",
        *,
        capture: str | None = None,
        redact: Redact | SessionRedactor | None = None,
        tracer_provider: TracerProvider | None = None,
    ) -> None:
        self._name = name
        self._provider = tracer_provider
        self._failures = FailureLog()
        self._given = capture is not None or redact is not None
        self._policy = content_policy(capture, redact, self._failures)

    # Spans ------------------------------------------------------------------------------------------------

    def interaction(
        self, question: str | None = None, *, conversation_id: str | None = None, name: str | None = None
    ) -> Interaction:
        """Open the recording of one question and its answer; use it as a ``with`` block.

        Without a ``with`` block it lasts until `Interaction.finish`, or the end of `Interaction.stream`.
        """
        return Interaction(
            self._tracer(),
            name=name or self._name,
            question=question,
            conversation_id=conversation_id,
            content=self._content(),
            failures=self._failures,
        )

    def retrieval(
        self, query: str | None = None, *, data_source: str | None = None, top_k: int | None = None
    ) -> Retrieval:
        """Open the recording of a search, in the interaction that the calling code runs in, if any."""
        return Retrieval(
            self._tracer(),
            query=query,
            data_source=data_source,
            top_k=top_k,
            content=self._shared_content(),
            failures=self._failures,
        )

    def generation(
        self,
        model: str | None = None,
        *,
        provider: str | None = None,
        messages: str | Iterable[Any] | None = None,
        system: str | None = None,
    ) -> Generation:
        """Open the recording of a model call, in the interaction that the calling code runs in, if any."""
        return Generation(
            self._tracer(),
            interaction=current_interaction(),
            model=model,
            provider=provider,
            messages=messages,
            system=system,
            content=self._shared_content(),
            failures=self._failures,
        )

    def feedback(self, reference: str, value: float) -> None:
        """Send the user's feedback, -1 (bad) to 1 (good), on the interaction whose `reference` this is."""
        with self._failures.guard("sending feedback"):
            emit_feedback(self._tracer(), reference, value)

    # Decorators -------------------------------------------------------------------------------------------

    def trace_answer(
        self,
        function: F | None = None,
        *,
        question: str | None = None,
        conversation_id: str | None = None,
        name: str | None = None,
        text: TextOf | None = None,
    ) -> Any:
        """Record each call of a function as an interaction. Works as ``@trace_answer`` and ``@trace_answer(...)``.

        The function may be plain, async, a generator or an async generator; a stream's text is collected on its way.

        Args:
            function: the function to record.
            question: the parameter that holds the question; default: ``question``, ``query``, ``prompt`` and the
                like, then the first string argument.
            conversation_id: the parameter that holds the conversation's id.
            name: of the workflow, instead of the tracer's.
            text: finds the answer in the result, or the text in a chunk, where that is not plain.

        Raises:
            ValueError: at decoration, when the function has no such parameter.
        """

        def decorate(target: F) -> F:
            arguments = Arguments(target)
            arguments.check(question, conversation_id)

            def opened(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recording:
                asked, talk = None, None
                with self._failures.guard("reading the arguments"):
                    asked = arguments.question(question, args, kwargs)
                    talk = arguments.value(conversation_id, args, kwargs)
                interaction = self.interaction(asked, conversation_id=None if talk is None else str(talk), name=name)
                return interaction.reading(text)

            return recorded(target, opened)

        return decorate if function is None else decorate(function)

    def trace_retrieval(
        self, function: F | None = None, *, query: str | None = None, data_source: str | None = None
    ) -> Any:
        """Record each call of a search function: its query, and the documents that it returns or yields.

        ``query`` names the parameter; the default is found as for `trace_answer`.
        """

        def decorate(target: F) -> F:
            arguments = Arguments(target)
            arguments.check(query)

            def opened(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recording:
                asked = None
                with self._failures.guard("reading the arguments"):
                    asked = arguments.question(query, args, kwargs)
                return self.retrieval(asked, data_source=data_source)

            return recorded(target, opened)

        return decorate if function is None else decorate(function)

    def trace_generation(
        self,
        function: F | None = None,
        *,
        messages: str | None = None,
        model: str | None = None,
        provider: str | None = None,
        text: TextOf | None = None,
    ) -> Any:
        """Record each call of a function that asks the model: its prompt, and the text it returns or streams.

        ``messages`` names the parameter with the prompt; the default is the first of ``messages``, ``prompt`` and the
        names that `trace_answer` knows. ``text`` is as there.
        """

        def decorate(target: F) -> F:
            arguments = Arguments(target)
            arguments.check(messages)

            def opened(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Recording:
                prompt = None
                with self._failures.guard("reading the arguments"):
                    prompt = arguments.value(messages or "messages", args, kwargs)
                    if prompt is None:
                        prompt = arguments.question(messages, args, kwargs)
                return self.generation(model, provider=provider, messages=prompt).reading(text)

            return recorded(target, opened)

        return decorate if function is None else decorate(function)

    # Where spans and text go ------------------------------------------------------------------------------

    def flush(self, timeout_seconds: float = 5.0) -> bool:
        """Send what has been recorded so far; False when that could not be done in time."""
        flush = getattr(self._provider or trace.get_tracer_provider(), "force_flush", None)
        if not callable(flush):
            return True
        with self._failures.guard("flushing"):
            return bool(flush(int(timeout_seconds * 1000)))
        return False

    def _tracer(self) -> Tracer:
        with self._failures.guard("making a tracer"):
            return trace.get_tracer(SCOPE_NAME, ragsonde.__version__, tracer_provider=self._provider)
        return trace.NoOpTracer()

    def _content(self) -> Content:
        policy = self._policy
        if not self._given:
            left = getattr(self._provider or trace.get_tracer_provider(), _POLICY_ATTRIBUTE, None)
            policy = left if isinstance(left, ContentPolicy) else policy
        return policy.content(self._failures)

    def _shared_content(self) -> Content:
        """Return the gate of the interaction around, so that its placeholders are shared; else a new one."""
        around = current_interaction()
        return self._content() if around is None else around.content


def leave_policy(provider: object, policy: ContentPolicy) -> None:
    """Make ``policy`` the default of every `RagTracer` that uses ``provider``."""
    setattr(provider, _POLICY_ATTRIBUTE, policy)


def has_policy(provider: object) -> bool:
    """Whether `leave_policy` has been called for ``provider``."""
    return hasattr(provider, _POLICY_ATTRIBUTE)
