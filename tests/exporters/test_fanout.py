import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import pytest

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.telemetry import Dropped, DropReason, Event, ExportAttempted, InFlight, InteractionCompleted
from ragsonde.exporters.exporter import Exporter, PartlyRefusedError
from ragsonde.exporters.fanout import Fanout
from ragsonde.exporters.lane import FanoutConfig
from tests.exporters.recording import RecordingExporter
from tests.exporters.scored import scored
from tests.fakes import EventRecorder

E = TypeVar("E", bound=Event)
QUICK = {"backoff_initial_seconds": 0.001, "backoff_max_seconds": 0.002}
LONG = 30.0


class Done:
    """Counts how often each interaction was done."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}

    def of(self, identifier: str) -> None:
        self.counts[identifier] = self.counts.get(identifier, 0) + 1


class Setup:
    def __init__(self, *exporters: Exporter, **config: object) -> None:
        self.events = EventRecorder()
        self.done = Done()
        self.fanout = Fanout(
            exporters, config=FanoutConfig(**QUICK | config), clock=SystemClock(), listener=self.events
        )

    def submit(self, *ids: str) -> None:
        for identifier in ids:
            self.fanout.submit(scored(identifier), partial(self.done.of, identifier))

    def dropped(self) -> list[tuple[str, DropReason, int]]:
        return [(event.stage, event.reason, event.count) for event in self.of(Dropped)]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events.events if isinstance(event, kind)]


@contextmanager
def running(*exporters: Exporter, **config: object) -> Iterator[Setup]:
    setup = Setup(*exporters, **config)
    setup.fanout.start()
    try:
        yield setup
    finally:
        for exporter in exporters:
            if isinstance(exporter, RecordingExporter):
                exporter.gate.set()
        setup.fanout.shutdown(Deadline(LONG))


def test_every_exporter_gets_every_interaction_and_each_is_done_once() -> None:
    first, second, third = RecordingExporter("a"), RecordingExporter("b"), RecordingExporter("c", required=False)
    with running(first, second, third) as setup:
        ids = [str(number) for number in range(250)]
        setup.submit(*ids)
        assert setup.fanout.flush(Deadline(LONG))
        assert list(first.delivered) == list(second.delivered) == list(third.delivered) == ids
        assert setup.done.counts == dict.fromkeys(ids, 1)
        assert max(first.batches) <= 100
    last = {event.stage: event.items for event in setup.of(InFlight)}
    assert last == {"a": 0, "b": 0, "c": 0}


def test_an_interaction_is_done_only_when_the_slowest_required_exporter_has_it() -> None:
    quick, slow = RecordingExporter("quick"), RecordingExporter("slow")
    slow.gate.clear()
    with running(quick, slow) as setup:
        setup.submit("x")
        assert slow.at_gate.wait(LONG)
        assert setup.done.counts == {}
        slow.gate.set()
        assert setup.fanout.flush(Deadline(LONG))
        assert setup.done.counts == {"x": 1}


def test_a_transient_error_then_success_delivers_and_drops_nothing() -> None:
    exporter = RecordingExporter(errors=[RetryableError("store locked"), RetryableError("store locked")])
    with running(exporter) as setup:
        setup.submit("x")
        assert setup.fanout.flush(Deadline(LONG))
        assert list(exporter.delivered) == ["x"]
        assert setup.done.counts == {"x": 1}
        assert setup.dropped() == []
        assert [event.ok for event in setup.of(ExportAttempted)] == [False, False, True]
        assert not setup.fanout.failing()


def test_what_can_never_be_delivered_is_counted_and_the_rest_of_its_batch_is_delivered() -> None:
    exporter = RecordingExporter()
    exporter.poison = {"2": PermanentError("too large")}
    exporter.gate.clear()
    with running(exporter) as setup:
        setup.submit("1")
        assert exporter.at_gate.wait(LONG)
        setup.submit("2", "3", "4")
        exporter.gate.set()
        assert setup.fanout.flush(Deadline(LONG))
        assert list(exporter.delivered) == ["1", "3", "4"]
        assert setup.done.counts == dict.fromkeys(["1", "2", "3", "4"], 1)
        assert setup.dropped() == [("recording", DropReason.PERMANENT_ERROR, 1)]


def test_an_exporter_that_names_what_it_refuses_keeps_the_rest_without_a_second_attempt() -> None:
    exporter = RecordingExporter(errors=[PartlyRefusedError({0: PermanentError("too large")})])
    with running(exporter) as setup:
        setup.submit("x")
        assert setup.fanout.flush(Deadline(LONG))
        assert exporter.attempts == 1
        assert setup.done.counts == {"x": 1}
        assert setup.dropped() == [("recording", DropReason.PERMANENT_ERROR, 1)]


def test_a_fault_in_an_exporter_stops_neither_it_nor_the_others() -> None:
    broken, sound = RecordingExporter("broken"), RecordingExporter("sound")
    broken.poison = {"1": ZeroDivisionError("a bug")}
    with running(broken, sound) as setup:
        setup.submit("1", "2")
        assert setup.fanout.flush(Deadline(LONG))
        assert list(broken.delivered) == ["2"]
        assert list(sound.delivered) == ["1", "2"]
        assert setup.done.counts == {"1": 1, "2": 1}
        assert setup.dropped() == [("broken", DropReason.INTERNAL_ERROR, 1)]


def test_a_best_effort_exporter_gives_a_batch_up_after_its_attempts() -> None:
    exporter = RecordingExporter(required=False, errors=[RetryableError("away")] * 3)
    with running(exporter, best_effort_attempts=3) as setup:
        setup.submit("x")
        assert setup.fanout.flush(Deadline(LONG))
        assert exporter.attempts == 3
        assert setup.dropped() == [("recording", DropReason.RETRIES_EXHAUSTED, 1)]
        setup.submit("y")
        assert setup.fanout.flush(Deadline(LONG))
        assert list(exporter.delivered) == ["y"]


def test_a_best_effort_exporter_that_cannot_keep_up_loses_the_oldest_and_holds_nothing_back() -> None:
    exporter = RecordingExporter(required=False)
    exporter.gate.clear()
    with running(exporter, queue_size=3) as setup:
        setup.submit("in hand")
        assert exporter.at_gate.wait(LONG)
        setup.submit("1", "2", "3", "4")
        assert not setup.fanout.full()
        assert setup.done.counts == dict.fromkeys(["in hand", "1", "2", "3", "4"], 1)
        exporter.gate.set()
        assert setup.fanout.flush(Deadline(LONG))
        assert list(exporter.delivered) == ["in hand", "3", "4"]
        assert sum(count for _, reason, count in setup.dropped() if reason is DropReason.QUEUE_FULL) == 2


def test_a_required_exporter_that_is_down_holds_back_and_loses_nothing() -> None:
    exporter = RecordingExporter()
    exporter.gate.clear()
    with running(exporter, queue_size=2) as setup:
        setup.submit("1", "2")
        assert setup.fanout.full()
        third = threading.Thread(target=setup.submit, args=("3",))
        third.start()
        exporter.gate.set()
        third.join(LONG)
        assert not third.is_alive()
        assert setup.fanout.flush(Deadline(LONG))
        assert not setup.fanout.full()
        assert setup.done.counts == {"1": 1, "2": 1, "3": 1}
        assert setup.dropped() == []


def test_a_shutdown_delivers_what_is_queued() -> None:
    exporter = RecordingExporter(errors=[RetryableError("away")])
    with running(exporter) as setup:
        setup.submit(*map(str, range(150)))
    assert len(exporter.delivered) == 150
    assert set(setup.done.counts.values()) == {1}


def test_a_shutdown_interrupts_retries_and_leaves_undelivered_what_was_not_done() -> None:
    failing = [RetryableError("away")] * 10_000
    required = RecordingExporter("required", errors=failing)
    best_effort = RecordingExporter("best_effort", required=False, errors=failing)
    setup = Setup(required, best_effort, backoff_initial_seconds=60.0, backoff_max_seconds=600.0)
    setup.fanout.start()
    setup.submit("x")
    assert required.at_gate.wait(LONG)
    assert best_effort.at_gate.wait(LONG)
    setup.fanout.shutdown(Deadline(0.05))
    assert setup.done.counts == {}  # its offset stays uncommitted: it comes again
    assert setup.dropped() == [("best_effort", DropReason.SHUTDOWN, 1)]
    assert required.calls[-1] == best_effort.calls[-1] == "shutdown"


def test_a_shutdown_wakes_a_submit_that_waits_for_room() -> None:
    exporter = RecordingExporter(errors=[RetryableError("away")] * 10_000)
    setup = Setup(exporter, queue_size=1, backoff_initial_seconds=60.0, backoff_max_seconds=600.0)
    setup.fanout.start()
    setup.submit("1")
    waiting = threading.Thread(target=setup.submit, args=("2",))
    waiting.start()
    setup.fanout.shutdown(Deadline(0.05))
    waiting.join(LONG)
    assert not waiting.is_alive()
    assert setup.done.counts == {}


def test_shutdown_is_safe_when_never_started_and_twice() -> None:
    setup = Setup(RecordingExporter())
    setup.fanout.shutdown(Deadline(1))
    setup.fanout.shutdown(Deadline(1))
    assert setup.dropped() == []


def test_start_twice_starts_an_exporter_once() -> None:
    exporter = RecordingExporter()
    with running(exporter) as setup:
        setup.fanout.start()
        assert exporter.calls.count("start") == 1


def test_flush_tells_that_it_did_not_get_everything_out() -> None:
    exporter = RecordingExporter()
    exporter.gate.clear()
    with running(exporter) as setup:
        setup.submit("x")
        assert not setup.fanout.flush(Deadline(0.01))
        exporter.gate.set()
        assert setup.fanout.flush(Deadline(LONG))


def test_a_failing_required_exporter_is_named_until_it_recovers() -> None:
    exporter = RecordingExporter(errors=[RetryableError("away")] * 10_000)
    with running(exporter) as setup:
        setup.submit("x")
        while not setup.fanout.failing():
            assert exporter.at_gate.wait(LONG)
        assert setup.fanout.failing() == ["recording"]
        exporter.errors.clear()
        assert setup.fanout.flush(Deadline(LONG))
        assert setup.fanout.failing() == []


def test_a_sink_that_asks_for_time_gets_it_but_not_more_than_the_limit() -> None:
    exporter = RecordingExporter(errors=[FullError("full", retry_after_seconds=3600.0)])
    with running(exporter) as setup:
        setup.submit("x")
        assert setup.fanout.flush(Deadline(LONG))
        assert setup.done.counts == {"x": 1}


def test_completion_tells_the_time_since_the_answer_and_nothing_where_that_is_not_known() -> None:
    with running(RecordingExporter()) as setup:
        setup.fanout.submit(scored("known", end_ns=1_000_000_000), lambda: None)
        setup.fanout.submit(scored("unknown", end_ns=0), lambda: None)
        assert setup.fanout.flush(Deadline(LONG))
        completed = setup.of(InteractionCompleted)
        assert len(completed) == 1
        assert completed[0].seconds > 0


def test_a_fault_in_done_does_not_stop_the_exporter() -> None:
    exporter = RecordingExporter()
    with running(exporter) as setup:
        setup.fanout.submit(scored("x"), lambda: 1 / 0)
        setup.submit("y")
        assert setup.fanout.flush(Deadline(LONG))
        assert list(exporter.delivered) == ["x", "y"]
        assert setup.done.counts == {"y": 1}


def test_two_exporters_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="distinct names"):
        Setup(RecordingExporter("a"), RecordingExporter("a"))
