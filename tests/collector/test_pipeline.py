"""The loop over a real embedded log, with a handler that delivers when the test says so."""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragsonde.collector.assembler import Assembler, AssemblyConfig
from ragsonde.collector.clock import SystemClock
from ragsonde.collector.dead_letter import DeadLetterConfig, DeadLetterQueue, TooManyDeadLettersError
from ragsonde.collector.decoder import Decoder
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher, EmbeddedSource
from ragsonde.collector.errors import ConfigError, RetryableError
from ragsonde.collector.model import Interaction, Record, SamplingDecision, SourcePosition
from ragsonde.collector.pipeline import Pipeline, PipelineConfig
from ragsonde.collector.sampler import Sampler, SamplingConfig
from ragsonde.collector.source import DEFAULT_TRACES_TOPIC, TopicPartition, TopicsConfig
from ragsonde.collector.telemetry import (
    ConsumptionPaused,
    Dropped,
    DropReason,
    IgnoreReason,
    InteractionAssembled,
    InteractionSampled,
    RecordDeadLettered,
    RecordDecoded,
    SpanIgnored,
    TraceWithoutInteraction,
)
from tests.app.sidecars import rag_trace, wait_for
from tests.fakes import EventRecorder

SPANS = TopicPartition(DEFAULT_TRACES_TOPIC, 0)


class Handler:
    """Holds what it gets until it is told to deliver."""

    def __init__(self) -> None:
        self.taken: list[tuple[Interaction, SamplingDecision, bool]] = []
        self.pending: list[Callable[[], None]] = []
        self.delivers_at_once = True

    def __call__(
        self, interaction: Interaction, decision: SamplingDecision, late: bool, done: Callable[[], None]
    ) -> None:
        self.taken.append((interaction, decision, late))
        if self.delivers_at_once:
            done()
        else:
            self.pending.append(done)

    def deliver(self) -> None:
        while self.pending:
            self.pending.pop(0)()


class World:
    """A pipeline with all its parts, whose turns a test takes one by one."""

    def __init__(self, data_dir: Path, sampling: SamplingConfig | None = None, **config: float) -> None:
        self.data_dir = data_dir
        self.log = EmbeddedPublisher(EmbeddedLogConfig(), data_dir)
        self.handler = Handler()
        self.recorder = EventRecorder()
        self.source = EmbeddedSource(EmbeddedLogConfig(), data_dir, TopicsConfig(), "test")
        self.letters = DeadLetterQueue(self.log, DeadLetterConfig(max_consecutive=3), listener=self.recorder)
        self.pipeline = self.make(sampling or SamplingConfig(), config)

    def make(self, sampling: SamplingConfig, config: dict[str, float]) -> Pipeline:
        clock = SystemClock()
        assembler: Assembler[SourcePosition] = Assembler(AssemblyConfig(quiet_seconds=0), clock, self.recorder)
        return Pipeline(
            source=self.source,
            decoder=Decoder(),
            assembler=assembler,
            sampler=Sampler(sampling),
            handler=self.handler,
            dead_letters=self.letters,
            config=PipelineConfig(**{"poll_seconds": 0.1, "commit_seconds": 0.001, "drain_seconds": 2.0} | config),
            clock=clock,
            listener=self.recorder,
        )

    def start(self) -> None:
        self.source.start(self.pipeline)

    def send(self, count: int = 1) -> None:
        for number in range(count):
            self.log.publish(DEFAULT_TRACES_TOPIC, rag_trace(f"q {number}", [f"passage {number}"], f"answer {number}"))

    def turns(self, count: int) -> None:
        for _ in range(count):
            self.pipeline.turn()

    def committed(self) -> int:
        """The offset from which another reader of the group would start."""
        self.source.close()
        reader = EmbeddedSource(EmbeddedLogConfig(), self.data_dir, TopicsConfig(), "test")
        reader.start(self.pipeline)
        first = next((r.position.offset for r in reader.poll(0.1, 1) if r.position.topic == SPANS.topic), -1)
        reader.close()
        return first


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_an_interaction_is_handed_on_with_its_probability(world: World) -> None:
    world.start()
    world.send()
    world.turns(2)
    ((interaction, decision, late),) = world.handler.taken
    assert (interaction.question, interaction.answer) == ("q 0", "answer 0")
    assert (decision.kept, decision.probability, late) == (True, 1.0, False)


def test_nothing_is_committed_before_it_is_delivered(world: World) -> None:
    world.handler.delivers_at_once = False
    world.start()
    world.send(3)
    world.turns(3)
    assert len(world.handler.taken) == 3
    assert world.committed() == 0


def test_what_is_delivered_is_committed(world: World) -> None:
    world.start()
    world.send(3)
    world.turns(3)
    world.send()
    assert world.committed() == 3


def test_one_undelivered_interaction_holds_the_watermark_back(world: World) -> None:
    world.handler.delivers_at_once = False
    world.start()
    world.send(3)
    world.turns(3)
    world.handler.pending.pop(0)()
    world.handler.pending.pop(1)()
    world.turns(2)
    assert world.committed() == 1


def test_what_is_sampled_out_is_counted_and_committed(tmp_path: Path) -> None:
    world = World(tmp_path, SamplingConfig(probability=1e-12))
    world.start()
    world.send(2)
    world.turns(3)
    assert world.handler.taken == []
    assert [event.kept for event in world.recorder.events if isinstance(event, InteractionSampled)] == [False, False]
    world.send()
    assert world.committed() == 2


def test_consumption_pauses_when_too_much_is_in_flight_and_goes_on_after_delivery(tmp_path: Path) -> None:
    world = World(tmp_path, max_in_flight=2, poll_records=1)
    world.handler.delivers_at_once = False
    world.start()
    world.send(10)
    world.turns(8)
    assert 2 <= len(world.handler.taken) <= 3
    world.handler.delivers_at_once = True
    world.handler.deliver()
    world.turns(12)
    assert len(world.handler.taken) == 10
    pauses = [event.paused for event in world.recorder.events if isinstance(event, ConsumptionPaused)]
    assert pauses[:2] == [True, False]


def test_an_undecodable_record_is_put_aside_and_its_offset_committed(world: World) -> None:
    world.start()
    world.log.publish(DEFAULT_TRACES_TOPIC, b"\xff\xfe")
    world.send()
    world.turns(2)
    assert len(world.recorder.of(RecordDeadLettered)) == 1
    assert len(world.handler.taken) == 1
    world.send()
    assert world.committed() == 2


def test_a_record_with_one_malformed_span_is_scored_and_its_copy_kept_and_not_counted_as_lost(world: World) -> None:
    world.start()
    request = ExportTraceServiceRequest.FromString(rag_trace("q", ["passage"], "answer"))
    request.resource_spans[0].scope_spans[0].spans.add(trace_id=b"short", span_id=b"12345678", name="s")
    world.log.publish(DEFAULT_TRACES_TOPIC, request.SerializeToString())
    world.turns(2)
    assert [interaction.answer for interaction, _, _ in world.handler.taken] == ["answer"]
    assert len(world.recorder.of(RecordDecoded)) == 1
    assert SpanIgnored(IgnoreReason.UNREADABLE) in world.recorder.of(SpanIgnored)
    assert world.recorder.of(RecordDeadLettered) == []
    (copy,) = letters_of(world)
    headers = dict(copy.headers)
    assert headers["ragsonde.partly_read"] == b"true"
    assert b"trace_id: 16 bytes are expected, not 5" in headers["ragsonde.error"]


def letters_of(world: World) -> list[Record]:
    topics = TopicsConfig(traces=(DeadLetterConfig().topic,), logs=())
    reader = EmbeddedSource(EmbeddedLogConfig(), world.data_dir, topics, "letters")
    reader.start(world.pipeline)
    records = reader.poll(0.1, 10)
    reader.close()
    return records


def test_too_many_undecodable_records_in_a_row_stop_the_loop_rather_than_drain_the_topic(world: World) -> None:
    for _ in range(10):
        world.log.publish(DEFAULT_TRACES_TOPIC, b"\xff\xfe")
    with pytest.raises(TooManyDeadLettersError):
        world.pipeline.run()
    assert world.committed() == 3


def test_it_is_told_once_that_the_source_is_open_before_anything_is_read(world: World) -> None:
    told: list[bool] = []

    def on_started() -> None:
        with pytest.raises(ConfigError, match="has a reader already"):
            EmbeddedSource(EmbeddedLogConfig(), world.data_dir, TopicsConfig(), "test").start(world.pipeline)
        told.append(not world.handler.taken)
        world.pipeline.stop()

    world.send()
    world.pipeline.run(on_started)
    assert told == [True]
    assert world.committed() == 0


def test_dead_letters_that_cannot_be_written_are_tried_until_they_can(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, tries = world.letters.put, []

    def put(*arguments: object) -> None:
        tries.append(1)
        if len(tries) < 3:
            raise RetryableError("the broker is away")
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(world.letters, "put", put)
    world.start()
    world.log.publish(DEFAULT_TRACES_TOPIC, b"\xff\xfe")
    world.send()
    world.turns(3)
    assert len(tries) == 3
    assert len(world.recorder.of(RecordDeadLettered)) == 1
    assert len(world.handler.taken) == 1


def test_a_trace_that_cannot_be_read_is_counted_and_the_loop_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(interaction: Interaction) -> Interaction:
        if interaction.question == "q 0":
            raise RuntimeError("a fault in redaction")
        return interaction

    monkeypatch.setattr(world.pipeline, "_redact", broken)
    world.start()
    world.send(2)
    world.turns(3)
    assert [interaction.question for interaction, _, _ in world.handler.taken] == ["q 1"]
    assert world.recorder.of(Dropped) == [Dropped("extraction", DropReason.INTERNAL_ERROR)]


def test_a_trace_without_an_answer_is_counted_and_committed(world: World) -> None:
    from tests.app.trace_files import trace_files

    (lone,) = [file for file in trace_files() if file.name == "otel-genai-llamaindex"]
    world.start()
    world.log.publish(DEFAULT_TRACES_TOPIC, lone.spans("bin"))
    world.turns(3)
    assert world.handler.taken == []
    assert len(world.recorder.of(TraceWithoutInteraction)) == 1


def test_a_late_span_replaces_and_does_not_add(world: World) -> None:
    whole = rag_trace("q", ["passage"], "answer")
    world.start()
    root, rest = halves(whole)
    world.log.publish(DEFAULT_TRACES_TOPIC, root)
    world.turns(3)
    world.log.publish(DEFAULT_TRACES_TOPIC, rest)
    world.turns(3)
    assert [late for _, _, late in world.handler.taken] == [False, True]
    assert len({interaction.id for interaction, _, _ in world.handler.taken}) == 1
    assert world.handler.taken[0][0].contexts is None
    assert [d.text for d in world.handler.taken[1][0].contexts or ()] == ["passage"]
    events = [event for event in world.recorder.events if isinstance(event, InteractionAssembled)]
    assert [event.late for event in events] == [False, True]


def halves(request: bytes) -> tuple[bytes, bytes]:
    """A request without its retrieval span, and one with nothing else."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    parts = []
    for keeps_retrieval in (False, True):
        parsed = ExportTraceServiceRequest.FromString(request)
        for scope in parsed.resource_spans[0].scope_spans:
            kept = [span for span in scope.spans if span.name.startswith("retrieval") is keeps_retrieval]
            del scope.spans[:]
            scope.spans.extend(kept)
        parts.append(parsed.SerializeToString())
    return parts[0], parts[1]


def test_a_shutdown_waits_for_what_is_in_flight_and_commits_it(world: World) -> None:
    world.handler.delivers_at_once = False
    loop = threading.Thread(target=world.pipeline.run)
    world.send(2)
    loop.start()
    wait_for(lambda: len(world.handler.pending) == 2, "both to be in flight")
    world.pipeline.stop()
    world.handler.deliver()
    loop.join(20)
    assert not loop.is_alive()
    world.send()
    assert world.committed() == 2


def test_a_shutdown_that_waits_keeps_its_place_in_the_group_and_takes_nothing_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    poll, polls = world.source.poll, []

    def counted(*arguments: Any) -> list[Record]:
        records = poll(*arguments)
        polls.append(len(records))
        if len(polls) % 2:
            raise RetryableError("the broker is away")
        return records

    world.handler.delivers_at_once = False
    loop = threading.Thread(target=world.pipeline.run)
    world.send(1)
    loop.start()
    wait_for(lambda: len(world.handler.pending) == 1, "it to be in flight")
    monkeypatch.setattr(world.source, "poll", counted)
    world.pipeline.stop()
    wait_for(lambda: len(polls) > 2, "the source to be polled while the loop waits")
    world.send(1)
    before = len(polls)
    wait_for(lambda: len(polls) > before + 2, "the source to be polled again")
    world.handler.deliver()
    loop.join(20)
    assert not loop.is_alive()
    assert not any(polls)
    assert len(world.handler.taken) == 1


def test_a_revoke_in_a_shutdown_waits_no_longer_than_the_shutdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, drain_seconds=1.0, revoke_seconds=240.0)
    revoked: list[Mapping[TopicPartition, int]] = []

    def revoking(*_: Any) -> list[Record]:
        revoked.append(world.pipeline.on_revoked({SPANS}))
        return []

    world.handler.delivers_at_once = False
    loop = threading.Thread(target=world.pipeline.run)
    world.send(1)
    loop.start()
    wait_for(lambda: len(world.handler.pending) == 1, "it to be in flight")
    world.pipeline.stop()
    monkeypatch.setattr(world.source, "poll", revoking)
    loop.join(60)
    assert not loop.is_alive()
    assert revoked[0] == {}


def test_a_shutdown_that_runs_out_of_time_commits_nothing_that_was_not_delivered(tmp_path: Path) -> None:
    world = World(tmp_path, drain_seconds=0.2)
    world.handler.delivers_at_once = False
    loop = threading.Thread(target=world.pipeline.run)
    world.send(2)
    loop.start()
    wait_for(lambda: len(world.handler.pending) == 2, "both to be in flight")
    world.pipeline.stop()
    loop.join(20)
    assert world.committed() == 0


def test_a_revoke_waits_for_the_partitions_work_and_returns_what_may_be_committed(world: World) -> None:
    world.handler.delivers_at_once = False
    world.start()
    world.send(2)
    world.turns(2)
    threading.Timer(0.2, world.handler.deliver).start()
    assert world.pipeline.on_revoked({SPANS}) == {SPANS: 2}
    world.turns(1)


def test_lost_partitions_are_forgotten_and_a_late_delivery_for_them_changes_nothing(world: World) -> None:
    world.handler.delivers_at_once = False
    world.start()
    world.send(2)
    world.turns(2)
    world.pipeline.on_lost({SPANS})
    world.handler.deliver()
    world.turns(2)
    assert world.committed() == 0
