"""Streams that pass their chunks on unchanged and tell a recording what went by."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from ragsonde.instrumentation.recording import Recording

T = TypeVar("T")


class _Reported:
    """Tells the recording once how the stream ended; a stream that nobody reads to its end counts as left."""

    def __init__(self, recording: "Recording", chunks: Any) -> None:
        self._recording = recording
        self._chunks = chunks
        self._open = True
        recording.stream_opened()

    def _ended(self, error: BaseException | None = None) -> None:
        if self._open:
            self._open = False
            self._recording.stream_closed(error)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._chunks, name)

    def __del__(self) -> None:
        # At interpreter shutdown parts of the SDK may be gone already; there is nobody left to tell.
        with suppress(Exception):
            self._ended(GeneratorExit())


class TracedStream(_Reported, Generic[T]):
    """An iterator over ``chunks``; other attributes are those of ``chunks`` itself."""

    def __init__(self, recording: "Recording", chunks: Iterable[T]) -> None:
        super().__init__(recording, chunks)
        self._iterator: Iterator[T] | None = None

    def __iter__(self) -> Iterator[T]:
        """Return the stream itself."""
        return self

    def __next__(self) -> T:
        """Return the next chunk, read inside the recording's span."""
        try:
            with self._recording.step():
                if self._iterator is None:
                    self._iterator = iter(self._chunks)
                chunk = next(self._iterator)
        except StopIteration:
            self._ended()
            raise
        except BaseException as error:
            self._ended(error)
            raise
        self._recording.collect(chunk)
        return chunk

    def close(self) -> None:
        """Leave the stream: the span ends with what has been read."""
        try:
            close = getattr(self._chunks, "close", None)
            if callable(close):
                close()
        finally:
            self._ended(GeneratorExit())

    def __enter__(self) -> Self:
        """Return the stream; leaving the block closes it."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the stream."""
        self.close()


class TracedAsyncStream(_Reported, Generic[T]):
    """An async iterator over ``chunks``; other attributes are those of ``chunks`` itself."""

    def __init__(self, recording: "Recording", chunks: AsyncIterable[T]) -> None:
        super().__init__(recording, chunks)
        self._iterator: AsyncIterator[T] | None = None

    def __aiter__(self) -> AsyncIterator[T]:
        """Return the stream itself."""
        return self

    async def __anext__(self) -> T:
        """Return the next chunk, read inside the recording's span."""
        try:
            with self._recording.step():
                if self._iterator is None:
                    self._iterator = aiter(self._chunks)
                chunk = await anext(self._iterator)
        except StopAsyncIteration:
            self._ended()
            raise
        except BaseException as error:
            self._ended(error)
            raise
        self._recording.collect(chunk)
        return chunk

    async def aclose(self) -> None:
        """Leave the stream: the span ends with what has been read."""
        try:
            close = getattr(self._chunks, "aclose", None) or getattr(self._chunks, "close", None)
            if callable(close):
                outcome = close()
                if hasattr(outcome, "__await__"):
                    await outcome
        finally:
            self._ended(GeneratorExit())

    async def __aenter__(self) -> Self:
        """Return the stream; leaving the block closes it."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the stream."""
        await self.aclose()
