"""One exporter's bounded queue, thread and retries."""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, stop_when_event_set
from tenacity.nap import sleep_using_event
from tenacity.stop import stop_base
from tenacity.wait import wait_exponential, wait_random

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import FullError, PermanentError, RetryableError
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ExportAttempted, InFlight
from ragsonde.exporters.exporter import Exporter, PartlyRefusedError
from ragsonde.scorers.score import ScoredInteraction

_log = logging.getLogger(__name__)

_INTERRUPT_SECONDS = 1.0
"""How long a thread that was told to stop may take to notice."""


class FanoutConfig(Config):
    """How scored interactions are queued and retried, for each exporter alike."""

    queue_size: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    """Interactions that wait for an exporter, at most. Default 1000."""
    batch_size: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Interactions that an exporter gets at once, at most. Default 100."""
    timeout_seconds: Annotated[float, Field(gt=0.0, le=600.0)] = 30.0
    """Seconds that one attempt at a batch may take. Default 30."""
    backoff_initial_seconds: Annotated[float, Field(gt=0.0, le=60.0)] = 0.5
    """Seconds before the first retry; each further wait is twice as long. Default 0.5."""
    backoff_max_seconds: Annotated[float, Field(gt=0.0, le=600.0)] = 30.0
    """Seconds between retries at most. Default 30."""
    best_effort_attempts: Annotated[int, Field(ge=1, le=100)] = 5
    """Attempts at a batch before a best-effort exporter loses it; a required one never gives up. Default 5."""


@dataclass(frozen=True, slots=True)
class _Item:
    scored: ScoredInteraction
    settle: Callable[[], None]


class Lane:
    """Feeds one exporter from a queue, one batch at a time, on a thread of its own.

    For a required exporter nothing is given up: ``put`` waits for room, retries go on until the lane is shut down, and
    what is left then was never settled. A best-effort exporter loses its oldest interactions when it cannot keep up,
    and a batch after some attempts; both are counted.
    """

    def __init__(self, exporter: Exporter, config: FanoutConfig, clock: Clock, listener: EventListener) -> None:
        self.exporter = exporter
        self.failing = False
        """Whether the last attempt failed."""
        self._required = exporter.required
        self._config = config
        self._clock = clock
        self._listener = listener
        self._items: deque[_Item] = deque()
        self._in_hand = 0
        self._changed = threading.Condition()
        self._closing = False
        self._interrupt = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the exporter and the thread. A second call does nothing."""
        if self._thread is not None:
            return
        self.exporter.start()
        self._thread = threading.Thread(target=self._work, name=f"ragsonde-export-{self.exporter.name}", daemon=True)
        self._thread.start()

    def put(self, scored: ScoredInteraction, settle: Callable[[], None]) -> None:
        """Queue an interaction; ``settle`` is called once it is delivered or refused for good."""
        lost: DropReason | None = None
        with self._changed:
            if self._required:
                self._changed.wait_for(lambda: not self.full() or self._closing)
            if self._closing:
                lost = DropReason.SHUTDOWN
            else:
                if self.full() and self._items:
                    self._items.popleft()
                    lost = DropReason.QUEUE_FULL
                self._items.append(_Item(scored, settle))
                self._changed.notify_all()
        if lost is not None:
            self._count_lost(1, lost)

    def full(self) -> bool:
        """Whether the queue holds, with the batch in hand, as much as it may."""
        return self._held >= self._config.queue_size

    def drain(self, deadline: Deadline) -> bool:
        """Wait until nothing is queued or in hand; return whether that came before the deadline."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._held, deadline.remaining_seconds())

    def close(self) -> None:
        """Take nothing more; the thread ends once the queue is empty."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def join(self, deadline: Deadline) -> None:
        """Wait for the thread until the deadline, then interrupt its retries and give up what is left."""
        if self._thread is not None:
            self._thread.join(deadline.remaining_seconds())
        self._interrupt.set()
        if self._thread is not None:
            self._thread.join(_INTERRUPT_SECONDS)
            if self._thread.is_alive():
                _log.warning("exporter %s did not return in time", self.exporter.name)
        with self._changed:
            left = len(self._items)
            self._items.clear()
            self._changed.notify_all()
        if left:
            self._count_lost(left, DropReason.SHUTDOWN)

    def flush_exporter(self, deadline: Deadline) -> bool:
        """Flush the exporter itself; return whether it could."""
        try:
            self.exporter.flush(deadline)
        except Exception as error:  # noqa: BLE001 - one exporter's fault must not keep the others from their flush
            _log.warning("flushing exporter %s failed: %s", self.exporter.name, error)
            return False
        return True

    def shutdown_exporter(self, deadline: Deadline) -> None:
        """Shut the exporter down, whatever it does."""
        try:
            self.exporter.shutdown(deadline)
        except Exception:  # noqa: BLE001 - the other exporters are still to be shut down
            _log.exception("shutting down exporter %s failed", self.exporter.name)

    @property
    def _held(self) -> int:
        return len(self._items) + self._in_hand

    def _count_lost(self, count: int, reason: DropReason) -> None:
        """Note that interactions leave undelivered. Those of a required exporter come again, so they are not lost."""
        if self._required:
            _log.info("%d interactions come again: exporter %s: %s", count, self.exporter.name, reason)
        else:
            self._listener(Dropped(self.exporter.name, reason, count))

    def _work(self) -> None:
        while batch := self._take():
            try:
                self._deliver(batch)
            finally:
                with self._changed:
                    self._in_hand = 0
                    self._changed.notify_all()
                self._report_held()

    def _take(self) -> list[_Item]:
        """Wait for items and take up to a batch; nothing once the lane is closed and empty, or interrupted."""
        with self._changed:
            self._changed.wait_for(lambda: self._items or self._closing)
            if self._interrupt.is_set():
                return []
            batch = [self._items.popleft() for _ in range(min(len(self._items), self._config.batch_size))]
            self._in_hand = len(batch)
        self._report_held()
        return batch

    def _report_held(self) -> None:
        self._listener(InFlight(self.exporter.name, self._held, 0))

    def _deliver(self, batch: Sequence[_Item]) -> None:
        try:
            self._export_with_retries([item.scored for item in batch])
        except PartlyRefusedError as error:
            for index, item in enumerate(batch):
                if index in error.refused:
                    self._refuse(item, error.refused[index])
                else:
                    item.settle()
        except RetryableError as error:
            reason = DropReason.SHUTDOWN if self._interrupt.is_set() else DropReason.RETRIES_EXHAUSTED
            _log.warning("exporter %s gave up %d interactions: %s", self.exporter.name, len(batch), error)
            self._count_lost(len(batch), reason)
        except Exception as error:  # noqa: BLE001 - a fault of one exporter must not end its thread
            if len(batch) == 1:
                self._refuse(batch[0], error)
            else:  # find the one that cannot be delivered, and keep the rest
                for item in batch:
                    self._deliver([item])
        else:
            for item in batch:
                item.settle()

    def _refuse(self, item: _Item, error: Exception) -> None:
        permanent = isinstance(error, PermanentError)
        _log.error(
            "exporter %s can never take interaction %s: %s",
            self.exporter.name,
            item.scored.interaction.id,
            error,
            exc_info=None if permanent else error,
        )
        self._listener(
            Dropped(self.exporter.name, DropReason.PERMANENT_ERROR if permanent else DropReason.INTERNAL_ERROR)
        )
        item.settle()

    def _export_with_retries(self, batch: Sequence[ScoredInteraction]) -> None:
        stop: stop_base = stop_when_event_set(self._interrupt)
        if not self._required:
            stop = stop | stop_after_attempt(self._config.best_effort_attempts)
        retrying = Retrying(
            retry=retry_if_exception_type(RetryableError),
            wait=self._wait_seconds,
            stop=stop,
            sleep=sleep_using_event(self._interrupt),
            reraise=True,
        )
        retrying(self._attempt, batch)

    def _wait_seconds(self, state: RetryCallState) -> float:
        """Return the back-off, or what the sink asked for where that is longer."""
        initial, longest = self._config.backoff_initial_seconds, self._config.backoff_max_seconds
        wait = wait_exponential(multiplier=initial, max=longest) + wait_random(0.0, initial)
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after_seconds if isinstance(error, FullError) else 0.0
        return max(wait(state), min(asked, longest))

    def _attempt(self, batch: Sequence[ScoredInteraction]) -> None:
        started = self._clock.monotonic()
        ok = False
        try:
            self.exporter.export(batch, Deadline(self._config.timeout_seconds, self._clock))
            ok = True
        except PartlyRefusedError:
            ok = True  # the sink works; what it refused is counted on its own
            raise
        except RetryableError as error:
            if not self.failing:
                _log.warning("exporter %s is failing, trying again: %s", self.exporter.name, error)
            self.failing = True
            raise
        finally:
            if ok:
                self.failing = False
            seconds = self._clock.monotonic() - started
            self._listener(ExportAttempted(self.exporter.name, len(batch), ok, seconds))
