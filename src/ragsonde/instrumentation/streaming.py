"""A recording whose outcome may arrive as a stream of text."""

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import Any, Self, TypeVar, overload

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer
from opentelemetry.util.types import AttributeValue

from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.messages import answer_text, chunk_text
from ragsonde.instrumentation.recording import Recording
from ragsonde.instrumentation.streams import TracedAsyncStream, TracedStream

T = TypeVar("T")

TextOf = Callable[[Any], str | None]
"""Finds the text in one chunk or result; None where it holds none."""

MAX_ANSWER_CHARACTERS = 1_000_000
"""A streamed answer is collected up to this length; a longer one is marked as truncated, not kept in part."""


class StreamingRecording(Recording):
    """A recording whose outcome may be a stream of text."""

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
        super().__init__(tracer, name=name, kind=kind, content=content, failures=failures, parent=parent, given=given)
        self._parts: list[str] = []
        self._characters = 0
        self._text_of: TextOf | None = None

    def reading(self, text: TextOf | None) -> Self:
        """Use ``text`` to find the text in results and chunks; None keeps the default. Returns the recording."""
        if text is not None:
            self._text_of = text
        return self

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
        self.reading(text)
        if isinstance(chunks, AsyncIterable):
            return TracedAsyncStream(self, chunks)
        return TracedStream(self, chunks)

    def collect(self, chunk: Any) -> None:
        """Add the text of ``chunk``."""
        if not self.recording:
            return
        with self._failures.guard("reading a chunk"):
            text = (self._text_of or chunk_text)(chunk)
            if text:
                self._characters += len(text)
                if self._characters <= MAX_ANSWER_CHARACTERS:
                    self._parts.append(text)

    def _result_text(self, result: Any) -> str | None:
        return (self._text_of or answer_text)(result)

    def _collected_text(self, key: str) -> str | None:
        if self._characters > MAX_ANSWER_CHARACTERS:
            self._cut.append(key)
            return None
        return "".join(self._parts) if self._parts else None
