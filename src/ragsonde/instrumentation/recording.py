"""One span of an interaction: what it makes current, what it notes down, and how it ends."""

import asyncio
import json
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.util.types import AttributeValue

from ragsonde import attributes
from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.shapes import well_formed

_LEFT = (GeneratorExit, asyncio.CancelledError)
"""How Python says that the reader of an answer has gone: no fault of the application."""


class Step:
    """Makes a recording current for one step of a stream, and remembers where the step left off.

    Between two steps nothing of it is current, so the reader of the stream never runs inside the span. What the step
    itself had made current (a generation inside a streaming function) is current again in the next one. The previous
    context is set, not reset by token, because the next step may run in another task or thread.
    """

    __slots__ = ("_outer", "_recording")

    def __init__(self, recording: "Recording") -> None:
        self._recording = recording
        self._outer = Context()

    def __enter__(self) -> None:
        """Begin the step."""
        self._outer = otel_context.get_current()
        otel_context.attach(self._recording.resume_context)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the step; errors pass through."""
        self._recording.resume_context = otel_context.get_current()
        otel_context.attach(self._outer)


class Recording:
    """A span that the application fills in. Use it as a ``with`` (or ``async with``) block.

    Nothing here raises into the application: what goes wrong inside is logged once. The application's own exceptions
    pass through unchanged; they set the span's status to error and ``error.type``.
    """

    def __init__(
        self,
        tracer: Tracer,
        *,
        name: str,
        kind: SpanKind,
        content: Content,
        failures: FailureLog,
        parent: Context | None,
        given: Mapping[str, AttributeValue | None],
    ) -> None:
        self._content = content
        self._failures = failures
        self._ended = False
        self._held = False
        self._streams_open = 0
        self._interrupted = False
        self._cut: list[str] = []
        self.span: Span = trace.INVALID_SPAN
        parent = otel_context.get_current() if parent is None else parent
        known = {key: well_formed(value) for key, value in given.items() if value is not None}
        with failures.guard("starting a span"):
            self.span = tracer.start_span(str(well_formed(name)), context=parent, kind=kind, attributes=known)
        self.context: Context = trace.set_span_in_context(self.span, parent)
        """The OpenTelemetry context in which this span is current: pass it on to threads of your own."""
        self.resume_context: Context = self.context
        self._outer: Context = parent

    @property
    def recording(self) -> bool:
        """Whether anything is kept: False without a configured provider, when sampled out, and after the end."""
        return not self._ended and self.span.is_recording()

    def step(self) -> Step:
        """Return the block that makes this recording current for one step of a stream."""
        return Step(self)

    def __enter__(self) -> Self:
        """Make the span current."""
        self.hold()
        self._outer = otel_context.get_current()
        otel_context.attach(self.context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Restore what was current, and end the span unless a stream is still to be read."""
        otel_context.attach(self._outer)
        self.release(error)

    async def __aenter__(self) -> Self:
        """Make the span current."""
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Restore what was current, and end the span unless a stream is still to be read."""
        self.__exit__(kind, error, traceback)

    # How it ends ------------------------------------------------------------------------------------------

    def hold(self) -> None:
        """Keep the span open until `release`, whatever streams end before."""
        self._held = True

    def release(self, error: BaseException | None = None) -> None:
        """End the span, or leave that to the streams that are still to be read."""
        self._held = False
        if error is not None or not self._streams_open:
            self.finish(error)

    def stream_opened(self) -> None:
        """Put off the end until the stream has been read."""
        self._streams_open += 1

    def stream_closed(self, error: BaseException | None = None) -> None:
        """Take note that a stream ended, failed, or was left by its reader (``GeneratorExit``)."""
        self._streams_open -= 1
        self._interrupted = self._interrupted or error is not None
        if not self._held and (error is not None or not self._streams_open):
            self.finish(error)

    def finish(self, error: BaseException | None = None) -> None:
        """End the span, once; with ``error``, as failed or (when the reader has gone) as cancelled."""
        if self._ended:
            return
        with self._failures.guard("writing the end of a span"):
            self._interrupted = self._interrupted or error is not None
            self._before_end()
        if error is not None and not isinstance(error, _LEFT):
            with self._failures.guard("noting an exception"):
                self._note_error(error)
        with self._failures.guard("ending a span"):
            if self._cut:
                self.span.set_attribute(attributes.CONTENT_TRUNCATED, self._cut)
            self.span.set_attribute(attributes.CONTENT_CAPTURE, str(self._content.capture))
        self._ended = True
        with self._failures.guard("ending a span"):
            self.span.end()

    def _before_end(self) -> None:
        """Write what is only known at the end."""

    def _note_error(self, error: BaseException) -> None:
        kind = type(error)
        name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
        self.span.set_attribute("error.type", name)
        self.span.set_status(Status(StatusCode.ERROR, self._content.text(str(error))))

    # What is noted down -----------------------------------------------------------------------------------

    def take(self, result: Any) -> None:
        """Note what the recorded function gave back."""
        raise NotImplementedError

    def collect(self, chunk: Any) -> None:
        """Note one chunk of what the recorded function streams."""
        raise NotImplementedError

    def _write(self, key: str, value: AttributeValue) -> None:
        """Set an attribute; one that the SDK's length limit cut is emptied and named, never left in pieces."""
        value = well_formed(value)
        self.span.set_attribute(key, value)
        stored = getattr(self.span, "attributes", None)
        kept = stored.get(key) if isinstance(stored, Mapping) else None
        if kept is not None and kept != (tuple(value) if isinstance(value, list) else value):
            self.span.set_attribute(key, [] if isinstance(value, list) else "")
            self._cut.append(key)
            self._failures.report(
                "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT",
                f"cuts {key}, so it was left out; unset the limit to have long answers scored",
            )

    def _write_text(self, key: str, value: str | None) -> None:
        if value is not None and (sendable := self._content.text(value)) is not None:
            self._write(key, sendable)

    def _write_json(self, key: str, value: Any) -> None:
        self._write(key, json.dumps(value, ensure_ascii=False, separators=(",", ":")))
