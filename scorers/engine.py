"""Scores in the background: a bounded queue, worker threads that take batches, and a sink that gets the results."""

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Protocol

from pydantic import Field

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, InFlight, ignore_events
from ragsonde.scorers.score import ScoredInteraction
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest

_log = logging.getLogger(__name__)


class EngineConfig(Config):
    """How interactions are scored in the background."""

    workers: Annotated[int, Field(ge=1, le=64)] = 1
    """Worker threads. Local models use the CPU, so more workers than cores gain nothing. Default 1."""
    batch_size: Annotated[int, Field(ge=1, le=1024)] = 16
    """Interactions that a scorer gets at once, at most. Default 16."""
    timeout_seconds: Annotated[float, Field(gt=0.0, le=3600.0)] = 60.0
    """Seconds that the scoring of a batch may take. Default 60."""


class ScoredSink(Protocol):
    """What takes the scored interactions on."""

    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        """Take a scored interaction; call ``done`` once it has been delivered, from any thread."""
        ...


@dataclass(frozen=True, slots=True)
class _Job:
    request: ScoringRequest
    done: Callable[[], None]


class ScoringEngine:
    """Worker threads between the collector's loop and the exporters.

    ``submit`` never blocks: the collector bounds what is in flight. ``done`` of a job is called exactly once: by the
    sink after delivery, or here when the job is dropped by a fault (which is counted).
    """

    def __init__(
        self,
        scorers: ScorerSet,
        sink: ScoredSink,
        *,
        config: EngineConfig,
        clock: Clock,
        listener: EventListener = ignore_events,
    ) -> None:
        self._scorers = scorers
        self._sink = sink
        self._config = config
        self._clock = clock
        self._listener = listener
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start the workers. A second call does nothing."""
        if self._threads:
            return
        for number in range(self._config.workers):
            thread = threading.Thread(target=self._work, name=f"ragsonde-scoring-{number}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def submit(self, request: ScoringRequest, done: Callable[[], None]) -> None:
        """Queue an interaction; ``done`` is called from a worker or exporter thread when it has been dealt with."""
        self._jobs.put(_Job(request, done))

    def shutdown(self, deadline: Deadline) -> None:
        """End the workers after what is queued, or at the deadline. Safe when never started, and twice."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join(deadline.remaining_seconds())
        self._threads.clear()

    def _work(self) -> None:
        while True:
            batch = self._next_batch()
            if batch:
                self._score(batch)
            else:
                return

    def _next_batch(self) -> list[_Job]:
        """Wait for a job, then take what else is there; an empty batch is the sign to stop."""
        batch: list[_Job] = []
        while len(batch) < self._config.batch_size:
            try:
                job = self._jobs.get(block=not batch)
            except queue.Empty:
                break
            if job is None:
                if batch:
                    self._jobs.put(None)  # finish this batch first; the sign is found again
                break
            batch.append(job)
        self._listener(InFlight("scoring", self._jobs.qsize() + len(batch), 0))
        return batch

    def _score(self, batch: list[_Job]) -> None:
        try:
            deadline = Deadline(self._config.timeout_seconds, self._clock)
            results = self._scorers.score([job.request for job in batch], deadline)
        except Exception:  # noqa: BLE001 - a worker must not die; counted and logged
            _log.exception("scoring a batch of %d interactions failed", len(batch))
            self._drop(batch)
            return
        for job, scored in zip(batch, results, strict=True):
            try:
                self._sink.submit(scored, job.done)
            except Exception:  # noqa: BLE001 - as above
                _log.exception("handing on interaction %s failed", job.request.interaction.id)
                self._drop([job])

    def _drop(self, batch: list[_Job]) -> None:
        self._listener(Dropped("scoring", DropReason.INTERNAL_ERROR, len(batch)))
        for job in batch:
            job.done()
