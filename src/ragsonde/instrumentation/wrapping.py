"""Recording a function from outside: plain, async, generator and async generator functions alike."""

import functools
import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, TypeVar, cast

from ragsonde.instrumentation.recording import Recording
from ragsonde.instrumentation.streams import TracedAsyncStream, TracedStream

F = TypeVar("F", bound=Callable[..., Any])

Opener = Callable[[tuple[Any, ...], dict[str, Any]], Recording]
"""Opens the recording of one call from its arguments."""


def recorded(function: F, opened: Opener) -> F:
    """Return ``function`` with each call recorded by what ``opened`` returns.

    The wrapper is of the same kind as the function (a generator function stays one), so frameworks that look still
    see the right kind. Results and chunks are passed on unchanged. A plain function that returns an iterator or an
    awaitable is recorded until that one is done.
    """
    wrapper: Callable[..., Any]
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            stream = _drive_async(opened(args, kwargs), function(*args, **kwargs))
            sent = None
            try:
                while True:
                    chunk = await stream.asend(sent)
                    try:
                        sent = yield chunk
                    except GeneratorExit:
                        raise
                    except BaseException as error:
                        await stream.athrow(error)
            except StopAsyncIteration:
                return
            finally:
                await stream.aclose()

    elif inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            return (yield from _drive(opened(args, kwargs), function(*args, **kwargs)))

    elif inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def wrapper(*args: Any, **kwargs: Any) -> Any:
            with opened(args, kwargs) as recording:
                return _kept(recording, await function(*args, **kwargs))

    else:

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            with opened(args, kwargs) as recording:
                return _kept(recording, function(*args, **kwargs))

    return cast("F", wrapper)
