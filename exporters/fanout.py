"""Hands every scored interaction to every exporter, and says when the required ones have it.

Each exporter has a lane of its own (``lane.py``): a bounded queue and a thread. A slow or broken exporter therefore
never holds up another one. ``done`` of an interaction is called once all required exporters have delivered it or have
refused it for good; that is what lets the collector commit its offsets.
"""

import logging
import threading
from collections.abc import Callable, Sequence

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.telemetry import EventListener, InteractionCompleted, ignore_events
from ragsonde.exporters.exporter import Exporter
from ragsonde.exporters.lane import FanoutConfig, Lane
from ragsonde.scorers.score import ScoredInteraction

_log = logging.getLogger(__name__)


class _Delivery:
    """Counts down the required exporters of one interaction. Thread-safe."""

    def __init__(self, required: int, completed: Callable[[], None]) -> None:
        self._open = required
        self._completed = completed
        self._lock = threading.Lock()

    def settle(self) -> None:
        """Note that one required exporter is through with the interaction."""
        with self._lock:
            self._open -= 1
            last = self._open == 0
        if last:
            self._completed()


def _nobody_waits() -> None:
    """Offsets do not wait for best-effort exporters."""


class Fanout:
    """A sequence of exporters behind one ``submit``; it takes what the scoring engine gives.

    A required exporter that is down holds back: its queue fills up, ``full`` turns true and ``submit`` blocks.
    A best-effort exporter that cannot keep up loses its oldest interactions, which is counted.
    """

    def __init__(
        self,
        exporters: Sequence[Exporter],
        *,
        config: FanoutConfig,
        clock: Clock,
        listener: EventListener = ignore_events,
    ) -> None:
        names = [exporter.name for exporter in exporters]
        if len(set(names)) != len(names):
            raise ConfigError(f"exporters need distinct names, not {', '.join(names)}")
        self._clock = clock
        self._listener = listener
        self._lanes = [Lane(exporter, config, clock, listener) for exporter in exporters]
        self._required = [lane for lane in self._lanes if lane.exporter.required]
        self._best_effort = [lane for lane in self._lanes if not lane.exporter.required]

    def start(self) -> None:
        """Start every exporter, then the threads that feed them. A second call does nothing.

        Raises:
            ConfigError: the settings of an exporter can never work.
        """
        for lane in self._lanes:
            lane.start()

    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        """Take a scored interaction; ``done`` is called exactly once when all required exporters have it.

        Blocks while a required exporter's queue is full, so call it from a thread that may wait. ``done`` is called
        from an exporter's thread, or from this one where no exporter is required. It is never called for what a
        shutdown leaves undelivered: its offsets stay uncommitted, and it comes again.
        """

        def completed() -> None:
            self._emit_completion(scored)
            try:
                done()
            except Exception:  # noqa: BLE001 - a caller's fault must not end an exporter's thread
                _log.exception("taking note of the delivery of interaction %s failed", scored.interaction.id)

        delivery = _Delivery(len(self._required), completed)
        for best_effort in self._best_effort:
            best_effort.put(scored, _nobody_waits)
        for required in self._required:
            required.put(scored, delivery.settle)
        if not self._required:
            completed()

    def full(self) -> bool:
        """Whether a required exporter's queue is full, so that ``submit`` would block."""
        return any(lane.full() for lane in self._required)

    def failing(self) -> Sequence[str]:
        """Return the names of required exporters whose last attempt failed: a reason not to be ready."""
        return [lane.exporter.name for lane in self._required if lane.failing]

    def flush(self, deadline: Deadline) -> bool:
        """Wait until everything submitted is delivered or refused; return whether that came before the deadline."""
        drained = [lane.drain(deadline) for lane in self._lanes]
        flushed = [lane.flush_exporter(deadline) for lane in self._lanes]
        return all(drained) and all(flushed)

    def shutdown(self, deadline: Deadline) -> None:
        """Deliver what is queued, as far as the deadline allows, and free every exporter.

        What is left in a best-effort queue is counted as dropped. What is left in a required one is not lost: it was
        never done. Safe when never started, and twice.
        """
        for lane in self._lanes:
            lane.close()
        for lane in self._lanes:
            lane.join(deadline)
        for lane in self._lanes:
            lane.shutdown_exporter(deadline)

    def _emit_completion(self, scored: ScoredInteraction) -> None:
        end_ns = scored.interaction.end_ns
        if end_ns > 0:
            seconds = max(0.0, self._clock.wall() - end_ns / 1e9)
            self._listener(InteractionCompleted(scored.interaction.app, seconds))
