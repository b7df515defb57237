"""Recording a function from outside: plain, async, generator and async generator functions alike."""

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator
from typing import Any, TypeVar, cast

from ragsonde.instrumentation.recording import Recording
from ragsonde.instrumentation.streams import TracedAsyncStream, TracedStream

F = TypeVar("F", bound=Callable[..., Any])

Opener = Callable[[tuple[Any, ...], dict[str, Any]], Recording]
"""Opens the recording of one call from its arguments."""


def recorded(function: F, opened: Opener) -> F:
    """Return ``function`` with each call recorded by what ``opened`` returns.

    The wrapper is of the same kind as the function (a generator function stays one), so frameworks that look still
    see the right kind. Results, chunks and exceptions are passed on unchanged. What a plain function returns is
    recorded to its end too: an iterator until it is read, a coroutine until it is awaited.
    """
    if inspect.isasyncgenfunction(function):
        wrapper = _async_generator_function(function, opened)
    elif inspect.isgeneratorfunction(function):
        wrapper = _generator_function(function, opened)
    elif inspect.iscoroutinefunction(function):
        wrapper = _async_function(function, opened)
    else:
        wrapper = _plain_function(function, opened)
    return cast("F", functools.wraps(function)(wrapper))


def _plain_function(function: Callable[..., Any], opened: Opener) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        with opened(args, kwargs) as recording:
            return _noted(recording, function(*args, **kwargs))

    return call


def _async_function(function: Callable[..., Any], opened: Opener) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        with opened(args, kwargs) as recording:
            return _noted(recording, await function(*args, **kwargs))

    return call


def _generator_function(function: Callable[..., Any], opened: Opener) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        recording = opened(args, kwargs)
        recording.hold()
        try:
            stream = function(*args, **kwargs)
            with recording.step():
                chunk = next(stream)
            while True:
                recording.collect(chunk)
                try:
                    sent = yield chunk
                except GeneratorExit:
                    with recording.step():
                        stream.close()
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the function, whose business it is
                    with recording.step():
                        chunk = stream.throw(thrown)
                else:
                    with recording.step():
                        chunk = stream.send(sent)
        except StopIteration as end:
            recording.release()
            return end.value
        except BaseException as error:
            recording.release(error)
            raise

    return call


def _async_generator_function(function: Callable[..., Any], opened: Opener) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        recording = opened(args, kwargs)
        recording.hold()
        try:
            stream = function(*args, **kwargs)
            with recording.step():
                chunk = await anext(stream)
            while True:
                recording.collect(chunk)
                try:
                    sent = yield chunk
                except GeneratorExit:
                    with recording.step():
                        await stream.aclose()
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the function, whose business it is
                    with recording.step():
                        chunk = await stream.athrow(thrown)
                else:
                    with recording.step():
                        chunk = await stream.asend(sent)
        except StopAsyncIteration:
            recording.release()
        except BaseException as error:
            recording.release(error)
            raise

    return call


def _noted(recording: Recording, result: Any) -> Any:
    """Note ``result`` in the recording and return it, wrapped where it is still to be read."""
    if not recording.recording:
        return result
    if isinstance(result, AsyncIterator):
        return TracedAsyncStream(recording, result)
    if isinstance(result, Iterator):
        return TracedStream(recording, result)
    if inspect.iscoroutine(result):
        recording.stream_opened()
        return _awaited(recording, result)
    recording.take(result)
    return result


async def _awaited(recording: Recording, outcome: Coroutine[Any, Any, Any]) -> Any:
    try:
        with recording.step():
            result = await outcome
    except BaseException as error:
        recording.stream_closed(error)
        raise
    recording.take(result)
    recording.stream_closed()
    return result
