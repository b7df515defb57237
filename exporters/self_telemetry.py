"""Counts the sidecar's own work: listens to its events and keeps the metrics about them."""

import platform
from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Any, TypeVar

from prometheus_client import ProcessCollector

from ragsonde import __version__
from ragsonde.collector.clock import Clock
from ragsonde.collector.errors import DecodeReason
from ragsonde.collector.model import Signal
from ragsonde.collector.telemetry import (
    BreakerChanged,
    BreakerState,
    BudgetExhausted,
    BudgetKind,
    BudgetLimited,
    BudgetSpent,
    ConsumptionPaused,
    DocumentsLookedUp,
    Dropped,
    DropReason,
    Event,
    EvictionReason,
    ExportAttempted,
    IgnoreReason,
    InFlight,
    InteractionAssembled,
    InteractionCompleted,
    InteractionSampled,
    JudgeCalled,
    JudgeConcurrencyChanged,
    JudgeReplyRejected,
    OffsetsCommitted,
    PartitionReleased,
    RecordDeadLettered,
    RecordDecoded,
    RecordReceived,
    RequestReceived,
    ScorerRan,
    SourceState,
    SpanIgnored,
    TraceEvicted,
    TraceWithoutInteraction,
)
from ragsonde.exporters import metrics
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelLimit, LabelPolicy

_PARTITION_MEMORY_SECONDS = 300.0
"""A partition that nobody reported on for this long is no longer ours, and its lag is forgotten."""

E = TypeVar("E", bound=Event)


def _result(ok: bool) -> str:
    return "ok" if ok else "failed"


class SelfTelemetry:
    """An ``EventListener``. Thread-safe, quick, and it does not raise on an event that it does not know."""

    def __init__(self, instruments: Instruments, labels: LabelPolicy, clock: Clock, *, stages: Collection[str]) -> None:
        self._instruments = instruments
        self._app = labels.app
        self._convention = LabelLimit(None, 30)
        self._judge = LabelLimit(None, 10)
        self._clock = clock
        self._partitions: dict[tuple[str, str], float] = {}
        self._weighed_stages: set[str] = set()
        """Stages that know the size of what they hold; of the others no bytes are shown, rather than 0."""
        self._handlers: dict[type[Event], Callable[[Any], None]] = {}
        self._map_receiver_and_source()
        self._map_assembly()
        self._map_scoring_and_export()
        self._map_judge()
        self._declare(stages)
        ProcessCollector(registry=instruments.registry)
        instruments.set(metrics.BUILD_INFO, 1.0, __version__, platform.python_version())

    def __call__(self, event: Event) -> None:
        """Take note of an event."""
        handler = self._handlers.get(type(event))
        if handler is None:
            self._instruments.add(metrics.UNMAPPED_EVENTS, 1.0)
        else:
            handler(event)

    @property
    def events(self) -> Collection[type[Event]]:
        """The events that are mapped to metrics."""
        return self._handlers.keys()

    def _on(self, event: type[E], handler: Callable[[E], None]) -> None:
        self._handlers[event] = handler

    # What each event does -------------------------------------------------------------------------------------

    def _map_receiver_and_source(self) -> None:
        add, set_, observe = self._instruments.add, self._instruments.set, self._instruments.observe

        def request(event: RequestReceived) -> None:
            status = str(event.status) if 100 <= event.status < 600 else "unknown"
            add(metrics.RECEIVER_REQUESTS, 1, event.signal, status)
            add(metrics.RECEIVER_BYTES, event.size_bytes, event.signal)
            add(metrics.RECEIVER_ITEMS, event.items, event.signal, "accepted")
            add(metrics.RECEIVER_ITEMS, event.rejected, event.signal, "rejected")
            observe(metrics.RECEIVER_SECONDS, event.seconds, event.signal)

        def received(event: RecordReceived) -> None:
            add(metrics.RECORDS, 1, event.topic)
            add(metrics.RECORD_BYTES, event.size_bytes, event.topic)

        def decoded(event: RecordDecoded) -> None:
            add(metrics.DECODED_ITEMS, event.items, event.signal)
            observe(metrics.DECODE_SECONDS, event.seconds, event.signal)

        def paused(event: ConsumptionPaused) -> None:
            set_(metrics.PAUSED, 1 if event.paused else 0)
            add(metrics.PAUSES, 1 if event.paused else 0)

        self._on(RequestReceived, request)
        self._on(RecordReceived, received)
        self._on(RecordDecoded, decoded)
        self._on(RecordDeadLettered, lambda event: add(metrics.DEAD_LETTERS, 1, event.reason))
        self._on(SpanIgnored, lambda event: add(metrics.IGNORED_SPANS, event.count, event.reason))
        self._on(SourceState, self._source_state)
        self._on(PartitionReleased, lambda event: self._forget_partition(event.topic, str(event.partition)))
        self._on(OffsetsCommitted, lambda event: add(metrics.COMMITS, 1, _result(event.ok)))
        self._on(ConsumptionPaused, paused)

    def _source_state(self, event: SourceState) -> None:
        now = self._clock.monotonic()
        place = (event.topic, str(event.partition))
        self._partitions[place] = now
        self._instruments.set(metrics.WATERMARK_LAG, event.watermark_lag, *place)
        if event.lag is None:
            self._instruments.remove(metrics.LAG, *place)
        else:
            self._instruments.set(metrics.LAG, event.lag, *place)
        for other, seen in list(self._partitions.items()):
            if now - seen > _PARTITION_MEMORY_SECONDS:
                self._forget_partition(*other)

    def _forget_partition(self, topic: str, partition: str) -> None:
        self._partitions.pop((topic, partition), None)
        self._instruments.remove(metrics.LAG, topic, partition)
        self._instruments.remove(metrics.WATERMARK_LAG, topic, partition)

    def _map_assembly(self) -> None:
        add = self._instruments.add

        def assembled(event: InteractionAssembled) -> None:
            app = self._app(event.app)
            if event.late:
                add(metrics.LATE, 1, app)
            else:
                add(metrics.ASSEMBLED, 1, app, self._convention(event.convention), event.capture)

        def sampled(event: InteractionSampled) -> None:
            decision = "kept" if event.kept else "sampled_out"
            add(metrics.SAMPLED, 1, self._app(event.app), event.stratum, decision)

        def looked_up(event: DocumentsLookedUp) -> None:
            for result, count in (("found", event.found), ("missing", event.missing), ("failed", event.failed)):
                add(metrics.DOCUMENT_LOOKUPS, count, result)

        self._on(DocumentsLookedUp, looked_up)
        self._on(TraceEvicted, lambda event: add(metrics.EVICTED_TRACES, 1, event.reason))
        self._on(TraceWithoutInteraction, lambda _: add(metrics.TRACES_WITHOUT_INTERACTION, 1))
        self._on(InteractionAssembled, assembled)
        self._on(InteractionSampled, sampled)

    def _map_scoring_and_export(self) -> None:
        add, set_, observe = self._instruments.add, self._instruments.set, self._instruments.observe

        def in_flight(event: InFlight) -> None:
            set_(metrics.IN_FLIGHT_ITEMS, event.items, event.stage)
            if event.size_bytes > 0:
                self._weighed_stages.add(event.stage)
            if event.stage in self._weighed_stages:
                set_(metrics.IN_FLIGHT_BYTES, event.size_bytes, event.stage)

        def ran(event: ScorerRan) -> None:
            observe(metrics.SCORER_SECONDS, event.seconds, event.scorer)
            add(metrics.SCORER_INTERACTIONS, event.interactions, event.scorer)

        def exported(event: ExportAttempted) -> None:
            observe(metrics.EXPORT_SECONDS, event.seconds, event.exporter)
            add(metrics.EXPORTS, 1, event.exporter, _result(event.ok))
            add(metrics.EXPORTED, event.interactions, event.exporter, _result(event.ok))

        self._on(InFlight, in_flight)
        self._on(ScorerRan, ran)
        self._on(ExportAttempted, exported)
        self._on(
            InteractionCompleted, lambda event: observe(metrics.END_TO_END_SECONDS, event.seconds, self._app(event.app))
        )
        self._on(Dropped, lambda event: add(metrics.DROPPED, event.count, event.stage, event.reason))

    def _map_judge(self) -> None:
        add, set_ = self._instruments.add, self._instruments.set

        def breaker(event: BreakerChanged) -> None:
            for state in BreakerState:
                set_(metrics.JUDGE_BREAKER, 1 if state is event.state else 0, self._judge(event.model), state)

        def spent(event: BudgetSpent) -> None:
            model = self._judge(event.model)
            set_(metrics.JUDGE_BUDGET_SPENT, event.calls, model, BudgetKind.CALLS)
            set_(metrics.JUDGE_BUDGET_SPENT, event.tokens, model, BudgetKind.TOKENS)
            if event.money is not None:
                set_(metrics.JUDGE_BUDGET_SPENT, event.money, model, BudgetKind.MONEY)

        def rejected(event: JudgeReplyRejected) -> None:
            outcome = "given_up" if event.final else "retried"
            add(metrics.JUDGE_REJECTED, 1, self._judge(event.model), event.prompt, event.status, outcome)

        self._on(JudgeCalled, self._judge_called)
        self._on(JudgeReplyRejected, rejected)
        self._on(BreakerChanged, breaker)
        self._on(BudgetSpent, spent)
        self._on(
            BudgetLimited,
            lambda event: set_(metrics.JUDGE_BUDGET_LIMIT, event.limit, self._judge(event.model), event.kind),
        )
        self._on(
            JudgeConcurrencyChanged,
            lambda event: set_(metrics.JUDGE_CONCURRENCY, event.limit, self._judge(event.model)),
        )
        self._on(
            BudgetExhausted, lambda event: add(metrics.JUDGE_BUDGET_REFUSALS, 1, self._judge(event.model), event.kind)
        )

    def _judge_called(self, event: JudgeCalled) -> None:
        model = self._judge(event.model)
        self._instruments.add(metrics.JUDGE_CALLS, 1, model, event.prompt, event.status)
        if not event.cached:
            self._instruments.observe(metrics.JUDGE_SECONDS, event.seconds, model)
        for direction, tokens in (("input", event.input_tokens), ("output", event.output_tokens)):
            if tokens is not None:
                self._instruments.add(metrics.JUDGE_TOKENS, tokens, model, direction)
        if event.cost is not None:
            self._instruments.add(metrics.JUDGE_COST, event.cost, model)

    def _declare(self, stages: Collection[str]) -> None:
        """Make the series of closed label sets, so that alerts see a 0 before they see a 1."""
        instruments = self._instruments
        for metric in metrics.CATALOGUE:
            if metric.kind is metrics.MetricKind.COUNTER and not metric.labels:
                instruments.add(metric, 0)
        closed: dict[metrics.Metric, type[StrEnum]] = {
            metrics.DEAD_LETTERS: DecodeReason,
            metrics.IGNORED_SPANS: IgnoreReason,
            metrics.EVICTED_TRACES: EvictionReason,
            metrics.DECODED_ITEMS: Signal,
            metrics.RECEIVER_BYTES: Signal,
        }
        for metric, values in closed.items():
            for value in values:
                instruments.add(metric, 0, value)
        for result in ("ok", "failed"):
            instruments.add(metrics.COMMITS, 0, result)
        for stage in stages:
            for reason in DropReason:
                instruments.add(metrics.DROPPED, 0, stage, reason)
        instruments.set(metrics.PAUSED, 0)
