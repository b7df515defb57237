"""The collector's loop. Read this first: everything else in the collector is a step of it.

poll -> decode -> assemble -> extract -> resolve -> redact -> sample -> hand on -> commit the low watermark.
"""

import contextlib
import logging
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Set
from functools import partial
from typing import Annotated, Protocol

from pydantic import Field

from ragsonde.collector.assembler import Assembled, Assembler
from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.dead_letter import DeadLetterQueue
from ragsonde.collector.decoder import Decoder
from ragsonde.collector.errors import DecodeError, RagsondeError, RetryableError
from ragsonde.collector.extraction import extract
from ragsonde.collector.identity import InteractionLedger
from ragsonde.collector.in_flight import InteractionsInFlight
from ragsonde.collector.model import Interaction, Record, SamplingDecision, SourcePosition, Trace
from ragsonde.collector.offsets import OffsetTracker
from ragsonde.collector.remedies import RemedyLog
from ragsonde.collector.sampler import Sampler
from ragsonde.collector.source import Source, TopicPartition, partition_of
from ragsonde.collector.span_tree import log_ignore_reason
from ragsonde.collector.telemetry import (
    ConsumptionPaused,
    Dropped,
    DropReason,
    EventListener,
    InFlight,
    InteractionAssembled,
    InteractionSampled,
    OffsetsCommitted,
    PartitionReleased,
    RecordDecoded,
    RecordReceived,
    SourceState,
    SpanIgnored,
    TraceWithoutInteraction,
    ignore_events,
)

_log = logging.getLogger(__name__)

_LAST_COMMIT_SECONDS = 10.0


class PipelineConfig(Config):
    """How much is in flight, and how often offsets are committed."""

    max_in_flight: Annotated[int, Field(ge=1)] = 1000
    """Interactions handed to the scorers and not yet delivered; above it consumption pauses. Default 1000."""
    max_in_flight_bytes: Annotated[int, Field(ge=100_000)] = 128_000_000
    """Bytes of text of those interactions. Default 128 MB."""
    poll_seconds: Annotated[float, Field(ge=0.1, le=10.0)] = 0.2
    """Longest wait for records in one turn of the loop. Default 0.2."""
    poll_records: Annotated[int, Field(ge=1, le=100_000)] = 500
    """Records taken in one turn of the loop, at most. Default 500."""
    commit_seconds: Annotated[float, Field(gt=0.0, le=3600.0)] = 2.0
    """Seconds between two commits of the low watermark. Default 2."""
    drain_seconds: Annotated[float, Field(ge=0.0, le=3600.0)] = 20.0
    """Seconds that a shutdown waits for open traces and for scores under way. Default 20."""
    revoke_seconds: Annotated[float, Field(ge=0.0, le=240.0)] = 10.0
    """Seconds that a rebalance waits for scores under way on the partitions that go. Default 10."""


class InteractionHandler(Protocol):
    """What takes the interactions on: the scorers."""

    def __call__(
        self, interaction: Interaction, decision: SamplingDecision, late: bool, done: Callable[[], None]
    ) -> None:
        """Take an interaction; must not block. ``done`` is called once, from any thread, when it was delivered."""
        ...


class Pipeline:
    """Runs the loop on one thread. ``stop`` may be called from any thread or signal handler."""

    def __init__(
        self,
        *,
        source: Source,
        decoder: Decoder,
        assembler: Assembler[SourcePosition],
        sampler: Sampler,
        handler: InteractionHandler,
        dead_letters: DeadLetterQueue,
        config: PipelineConfig,
        clock: Clock,
        resolve: Callable[[Interaction], Interaction] = lambda interaction: interaction,
        redact: Callable[[Interaction], Interaction] = lambda interaction: interaction,
        max_known_traces: int = 100_000,
        listener: EventListener = ignore_events,
    ) -> None:
        self._source = source
        self._decoder = decoder
        self._assembler = assembler
        self._sampler = sampler
        self._handler = handler
        self._dead_letters = dead_letters
        self._config = config
        self._clock = clock
        self._resolve = resolve
        self._redact = redact
        self._listener = listener
        self._tracker = OffsetTracker()
        self._ledger = InteractionLedger(max_known_traces)
        self._remedies = RemedyLog(clock)
        self._in_flight = InteractionsInFlight(self._tracker.release)
        self._paused = False
        self._stopping = threading.Event()
        self._draining: Deadline | None = None
        self.source_trouble: str | None = None
        """Why the source could not be read at the last turn; None where it could."""
        self._last_commit = clock.monotonic()
        self._last_turn = clock.monotonic()

    def run(self, on_started: Callable[[], None] = lambda: None) -> None:
        """Start the source, call ``on_started``, and loop until ``stop``; then drain, commit and close.

        Raises:
            ConfigError: the source cannot be started as configured.
            PermanentError: the source cannot go on, or too many records in a row could not be decoded.
        """
        self._source.start(self)
        on_started()
        try:
            while not self._stopping.is_set():
                self.turn()
            self._drain(Deadline(self._config.drain_seconds, self._clock))
        finally:
            self._commit_at_last(Deadline(_LAST_COMMIT_SECONDS, self._clock))
            self._source.close()

    def stop(self) -> None:
        """Ask the loop to end. Returns at once."""
        self._stopping.set()

    def seconds_since_turn(self) -> float:
        """Seconds since the loop last came round: what a liveness probe looks at."""
        return self._clock.monotonic() - self._last_turn

    def turn(self) -> None:
        """Do one round of the loop."""
        self._last_turn = self._clock.monotonic()
        self._apply_back_pressure()
        try:
            records = self._source.poll(self._config.poll_seconds, self._config.poll_records)
            self.source_trouble = None
        except RetryableError as error:
            if self.source_trouble is None:
                _log.warning("the source is away, trying until it is back: %s", error)
            self.source_trouble = str(error)
            self._stopping.wait(min(1.0, 5 * self._config.poll_seconds))
            records = []
        for record in records:
            self._take(record)
        self._hand_on_ready()
        self._in_flight.settle()
        self._listener(InFlight("delivery", len(self._in_flight), self._in_flight.size_bytes))
        if self._clock.monotonic() - self._last_commit >= self._config.commit_seconds:
            self._commit()

    # Steps of a turn, in order ------------------------------------------------------------------------------

    def _apply_back_pressure(self) -> None:
        high = (
            len(self._in_flight) >= self._config.max_in_flight
            or self._in_flight.size_bytes >= self._config.max_in_flight_bytes
        )
        low = (
            len(self._in_flight) <= self._config.max_in_flight // 2
            and self._in_flight.size_bytes <= self._config.max_in_flight_bytes // 2
        )
        if high and not self._paused:
            self._source.pause()
        elif low and self._paused:
            self._source.resume()
        else:
            return
        self._paused = high
        self._listener(ConsumptionPaused(self._paused))

    def _take(self, record: Record) -> None:
        position = record.position
        self._listener(RecordReceived(position.topic, position.partition, len(record.value)))
        self._tracker.track(position)
        started = self._clock.monotonic()
        try:
            decoded = self._decoder.decode(record)
        except DecodeError as error:
            if not self._put_aside(partial(self._dead_letters.put, record, error)):
                return  # still open, so it is read again after the restart
        else:
            seconds = self._clock.monotonic() - started
            fault = decoded.fault
            if fault and not self._put_aside(partial(self._dead_letters.keep_copy, record, fault)):
                return
            self._dead_letters.record_good()
            self._listener(RecordDecoded(record.signal, len(decoded.spans) + len(decoded.logs), seconds))
            for reason, count in decoded.ignored.items():
                self._listener(SpanIgnored(reason, count))
            reasons = [log_ignore_reason(log) for log in decoded.logs]
            for log_reason, count in Counter(filter(None, reasons)).items():
                self._listener(SpanIgnored(log_reason, count))
            content = [log for log, reason in zip(decoded.logs, reasons, strict=True) if reason is None]
            for _ in self._assembler.add(decoded.spans, content, position):
                self._tracker.hold(position)
        self._tracker.release(position)

    def _put_aside(self, put: Callable[[], None]) -> bool:
        """Put a record with the dead letters, however long that takes; False when told to stop first."""
        while not self._stopping.is_set():
            self._last_turn = self._clock.monotonic()
            try:
                put()
            except RetryableError as trouble:
                _log.warning("dead letters cannot be written, trying until they can: %s", trouble)
                self.source_trouble = f"dead letters cannot be written: {trouble}"
                self._source.pause()
                self._stay_in_group(self._config.poll_seconds)
                self._paused = True
            else:
                return True
        return False

    def _hand_on_ready(self) -> None:
        for assembled in self._assembler.ready():
            self._hand_on(assembled)

    def _hand_on(self, assembled: Assembled[SourcePosition]) -> None:
        handed_on = [
            (interaction, decision, late)
            for interaction, late in self._interactions(assembled)
            if (decision := self._decide(interaction)).kept
        ]
        # Each interaction holds every record of its trace until it has been delivered; the trace's own hold ends here.
        for interaction, decision, late in handed_on:
            for position in assembled.handles:
                self._tracker.hold(position)
            self._handler(interaction, decision, late, self._in_flight.add(interaction, assembled.handles))
        for position in assembled.handles:
            self._tracker.release(position)

    def _interactions(self, assembled: Assembled[SourcePosition]) -> list[tuple[Interaction, bool]]:
        found = self._ledger.recognise(self._extract(assembled.trace))
        for interaction, late in found:
            self._listener(InteractionAssembled(interaction.app, interaction.convention, interaction.capture, late))
            self._remedies.note(interaction)
        return found

    def _extract(self, trace: Trace) -> list[Interaction]:
        try:
            extraction = extract(trace)
            for reason, count in extraction.ignored.items():
                self._listener(SpanIgnored(reason, count))
            interactions = [self._redact(self._resolve(interaction)) for interaction in extraction.interactions]
        except Exception:  # noqa: BLE001 - whatever a trace holds, the loop goes on; counted and logged
            _log.exception("trace %s could not be read", trace.trace_id)
            self._listener(Dropped("extraction", DropReason.INTERNAL_ERROR))
            return []
        if not interactions:
            self._listener(TraceWithoutInteraction())
        return interactions

    def _decide(self, interaction: Interaction) -> SamplingDecision:
        decision = self._sampler.decide(interaction)
        self._listener(InteractionSampled(interaction.app, decision.stratum, decision.kept))
        return decision

    def _commit(self) -> None:
        self._last_commit = self._clock.monotonic()
        offsets = self._tracker.watermarks()
        if offsets:
            try:
                self._source.commit(offsets)
            except RetryableError as error:
                _log.warning("offsets were not committed, the next commit covers them: %s", error)
                self._listener(OffsetsCommitted(len(offsets), ok=False))
            else:
                self._tracker.committed(offsets)
                self._listener(OffsetsCommitted(len(offsets), ok=True))
        for partition, lag in self._source.lag().items():
            watermark_lag = self._tracker.watermark_lag(partition)
            self._listener(SourceState(partition.topic, partition.partition, lag, watermark_lag))

    def _commit_at_last(self, deadline: Deadline) -> None:
        """Commit before leaving; a rebalance under way refuses that, so go on polling until it is over."""
        self._commit()
        with contextlib.suppress(RagsondeError):
            while self._tracker.watermarks() and not deadline.expired():
                self._source.pause()
                self._source.poll(self._config.poll_seconds, 1)
                self._commit()

    def _stay_in_group(self, seconds: float) -> None:
        """Poll while paused: that keeps the place in the group, and holds up no rebalance of the others."""
        try:
            self._source.poll(seconds, 1)
        except RetryableError as error:
            self.source_trouble = str(error)
            self._stopping.wait(seconds)

    # Shutdown and rebalance ---------------------------------------------------------------------------------

    def _drain(self, deadline: Deadline) -> None:
        """Take nothing more; let what is open become quiet and what is under way be delivered, up to the deadline.

        Traces that are still open then are read again after the restart: their records were not committed.
        """
        self._draining = deadline
        self._source.pause()
        while (self._assembler.open_traces or self._in_flight) and not deadline.expired():
            self._last_turn = self._clock.monotonic()
            self._stay_in_group(0.0)
            self._hand_on_ready()
            self._in_flight.wait(min(0.1, deadline.remaining_seconds()))

    def on_assigned(self, partitions: Set[TopicPartition]) -> None:
        """Take note of new partitions; their records are tracked as they come."""
        _log.info("reading from %s", ", ".join(sorted(f"{p.topic}/{p.partition}" for p in partitions)) or "nothing")

    def on_revoked(self, partitions: Set[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Wait a bounded time for scores under way on these partitions, and return what may be committed for them."""
        left = self._draining.remaining_seconds() if self._draining else self._config.revoke_seconds
        deadline = Deadline(min(left, self._config.revoke_seconds), self._clock)
        self._assembler.abandon(lambda position: partition_of(position) in partitions)
        while self._in_flight.touches(partitions) and not deadline.expired():
            self._in_flight.wait(min(0.1, deadline.remaining_seconds()))
        offsets = {tp: offset for tp, offset in self._tracker.watermarks().items() if tp in partitions}
        self._forget(partitions)
        return offsets

    def on_lost(self, partitions: Set[TopicPartition]) -> None:
        """Forget these partitions; another consumer owns them."""
        self._assembler.abandon(lambda position: partition_of(position) in partitions)
        self._forget(partitions)

    def _forget(self, partitions: Set[TopicPartition]) -> None:
        self._tracker.forget(partitions)
        for partition in partitions:
            self._listener(PartitionReleased(partition.topic, partition.partition))
