"""Bounded concurrency that follows what the judge can take: additive increase, multiplicative decrease."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from ragsonde.collector.clock import Clock
from ragsonde.scorers.judge.config import ConcurrencyConfig

T = TypeVar("T")


class AdaptiveLimiter:
    """Calls in flight (AIMD; Chiu and Jain, 1989): plus one per round of successes, halved on overload.

    Overloads of calls that began before the last halving count as the same overload. An overload may also pause
    all calls for the time that the server asks for. Belongs to one event loop.
    """

    def __init__(
        self,
        config: ConcurrencyConfig,
        *,
        clock: Clock,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        on_change: Callable[[int], None] = lambda _limit: None,
    ) -> None:
        self._maximum = config.maximum
        self._limit = float(config.initial)
        self._clock = clock
        self._sleep = sleep
        self._on_change = on_change
        self._in_flight = 0
        self._halved_at = float("-inf")
        self._resume_at = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be in flight now; at least 1."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Wait for a place and hold it; gives the moment at which the call began."""
        await self._enter()
        try:
            while (pause := self._resume_at - self._clock.monotonic()) > 0:
                await self._sleep(pause)
            yield self._clock.monotonic()
        finally:
            self._in_flight -= 1
            self._wake()

    def succeeded(self) -> None:
        """A call went through."""
        self._set(min(float(self._maximum), self._limit + 1.0 / self._limit))

    def overloaded(self, began: float, pause_seconds: float | None) -> None:
        """A call that began at ``began`` was refused for load; wait ``pause_seconds`` before any other."""
        now = self._clock.monotonic()
        if began >= self._halved_at:
            self._halved_at = now
            self._set(max(1.0, self._limit / 2))
        if pause_seconds:
            self._resume_at = max(self._resume_at, now + pause_seconds)

    async def _enter(self) -> None:
        while self._in_flight >= self.limit:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._wake()  # its turn had come: pass it on
                raise
        self._in_flight += 1

    def _wake(self) -> None:
        """Let as many wait no longer as there are places."""
        places = self.limit - self._in_flight
        while self._waiting and places > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                places -= 1

    def _set(self, limit: float) -> None:
        before = self.limit
        self._limit = limit
        if self.limit != before:
            self._on_change(self.limit)
            self._wake()


async def all_of(calls: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Results of all calls, made at once; the first error ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]
