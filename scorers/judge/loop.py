"""An event loop on a thread of its own: asynchronous work for callers that wait."""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from ragsonde.collector.clock import Deadline

T = TypeVar("T")


class LoopClosedError(RuntimeError):
    """The loop has been closed and runs nothing more."""


class LoopThread:
    """Runs coroutines; started at the first one, and stopped by ``close``."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T], *, seconds: float) -> T:
        """The result of ``work``; it is cancelled and left behind when it takes longer than ``seconds``.

        Raises:
            TimeoutError: it took longer, or the loop was closed meanwhile.
            LoopClosedError: the loop had been closed before.
        """
        try:
            future = asyncio.run_coroutine_threadsafe(work, self._running())
        except BaseException:
            work.close()
            raise
        try:
            return future.result(timeout=seconds)
        except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            future.cancel()
            raise TimeoutError from None

    def close(self, deadline: Deadline) -> None:
        """Cancel what runs, stop the loop and wait for the thread until ``deadline``. May be called twice."""
        with self._lock:
            self._closed = True
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(deadline.remaining_seconds())

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                raise LoopClosedError("the judge has been closed")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
