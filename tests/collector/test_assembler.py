import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ragsonde.collector.assembler import Assembled, Assembler, AssemblyConfig
from ragsonde.collector.model import Span
from ragsonde.collector.telemetry import EvictionReason, IgnoreReason, SpanIgnored, TraceEvicted
from tests.builders import TRACE, log, span
from tests.fakes import EventRecorder, FakeClock

ROOT = span("aaaaaaaaaaaaaaaa")
CHILD = span("bbbbbbbbbbbbbbbb", parent_span_id="aaaaaaaaaaaaaaaa")


def assembler(clock: FakeClock, recorder: EventRecorder | None = None, **config: float) -> Assembler[int]:
    return Assembler(AssemblyConfig(**config), clock, recorder or EventRecorder())


def only(assembled: list[Assembled[int]]) -> Assembled[int]:
    assert len(assembled) == 1
    return assembled[0]


def test_a_trace_is_complete_after_its_root_ended_and_a_quiet_period() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([CHILD], [], 1)
    clock.advance(60)
    assert subject.ready() == []
    subject.add([ROOT], [], 2)
    clock.advance(4.9)
    assert subject.ready() == []
    clock.advance(0.2)
    assembled = only(subject.ready())
    assert {s.span_id for s in assembled.trace.spans} == {ROOT.span_id, CHILD.span_id}
    assert assembled.trace.complete
    assert not assembled.late
    assert assembled.handles == (1, 2)
    assert subject.ready() == []


def test_a_new_span_starts_the_quiet_period_again() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([ROOT], [], 1)
    clock.advance(4)
    subject.add([CHILD], [], 2)
    clock.advance(4)
    assert subject.ready() == []
    clock.advance(1)
    assert len(only(subject.ready()).trace.spans) == 2


def test_a_root_in_another_process_counts_as_the_root_here() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([replace(CHILD, parent_is_remote=True)], [], 1)
    clock.advance(5)
    assert only(subject.ready()).trace.complete


def test_a_trace_whose_root_never_ends_is_handed_on_incomplete_at_the_hard_age() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder)
    subject.add([CHILD], [], 1)
    clock.advance(120)
    assert not only(subject.ready()).trace.complete
    assert recorder.of(TraceEvicted) == [TraceEvicted(EvictionReason.MAX_AGE)]


def test_a_trace_that_never_falls_quiet_is_handed_on_at_the_hard_age() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([ROOT], [], 0)
    assembled: list[Assembled[int]] = []
    for number in range(1, 40):
        clock.advance(4)
        subject.add([span(f"{number:016x}", parent_span_id=ROOT.span_id)], [], number)
        assembled += subject.ready()
    assert len(assembled) == 1
    assert assembled[0].trace.complete


def test_a_span_exported_at_its_start_is_replaced_by_its_end_and_counts_once() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([replace(ROOT, end_ns=0)], [], 1)
    clock.advance(10)
    assert subject.ready() == []
    subject.add([ROOT], [], 2)
    clock.advance(5)
    assert only(subject.ready()).trace.spans == (ROOT,)


def test_a_duplicate_span_or_log_record_neither_reopens_a_trace_nor_holds_its_record() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder)
    subject.add([ROOT], [log()], 1)
    clock.advance(5)
    only(subject.ready())
    assert subject.add([ROOT], [log()], 2) == set()
    clock.advance(500)
    assert subject.ready() == []
    assert recorder.of(SpanIgnored) == [SpanIgnored(IgnoreReason.DUPLICATE)] * 2


@pytest.mark.parametrize("delay_seconds", [20, 240])
def test_a_late_span_hands_the_whole_trace_on_again_marked_late(delay_seconds: float) -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([ROOT], [], 1)
    clock.advance(5)
    only(subject.ready())
    clock.advance(delay_seconds)
    subject.add([CHILD], [], 2)
    clock.advance(5)
    assembled = only(subject.ready())
    assert assembled.late
    assert {s.span_id for s in assembled.trace.spans} == {ROOT.span_id, CHILD.span_id}
    assert assembled.handles == (2,)


def test_a_span_after_the_late_window_is_counted_and_does_not_make_half_a_trace() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder)
    subject.add([ROOT], [], 1)
    clock.advance(5)
    only(subject.ready())
    clock.advance(600)
    assert subject.ready() == []
    assert subject.size_bytes == 0
    assert subject.add([CHILD], [], 2) == set()
    assert recorder.of(SpanIgnored) == [SpanIgnored(IgnoreReason.TOO_LATE)]


def test_open_traces_beyond_the_bound_are_handed_on_early_oldest_first_and_counted() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder, max_traces=2)
    for number in range(3):
        subject.add([replace(CHILD, trace_id=f"{number:032x}")], [], number)
    evicted = only(subject.ready())
    assert evicted.trace.trace_id == f"{0:032x}"
    assert evicted.handles == (0,)
    assert not evicted.trace.complete
    assert recorder.of(TraceEvicted) == [TraceEvicted(EvictionReason.MAX_TRACES)]


def test_remembered_traces_give_way_before_open_ones() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder, max_traces=2)
    subject.add([ROOT], [], 0)
    clock.advance(5)
    only(subject.ready())
    for number in range(2):
        subject.add([replace(CHILD, trace_id=f"{number:032x}")], [], number)
    assert subject.ready() == []
    assert recorder.of(TraceEvicted) == []


def test_bytes_are_bounded_and_what_had_to_go_is_counted() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder, max_bytes=1_000_000)
    for number in range(3):
        subject.add([replace(CHILD, trace_id=f"{number:032x}", size_bytes=400_000)], [], number)
    assert subject.size_bytes <= 1_000_000
    assert recorder.of(TraceEvicted) == [TraceEvicted(EvictionReason.MAX_BYTES)]
    assert len(subject.ready()) == 1


def test_one_huge_trace_is_given_up_alone() -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder, max_trace_bytes=10_000)
    subject.add([replace(CHILD, trace_id="f" * 32)], [], 0)
    subject.add([replace(ROOT, size_bytes=20_000)], [], 1)
    assert only(subject.ready()).trace.trace_id == TRACE
    assert recorder.of(TraceEvicted) == [TraceEvicted(EvictionReason.TRACE_TOO_LARGE)]
    assert subject.open_traces == 1


def test_traces_of_partitions_that_were_taken_away_are_forgotten() -> None:
    clock = FakeClock()
    subject = assembler(clock)
    subject.add([ROOT], [], 1)
    subject.add([replace(ROOT, trace_id="f" * 32)], [], 2)
    subject.abandon(lambda handle: handle == 1)
    clock.advance(5)
    assert only(subject.ready()).trace.trace_id == "f" * 32


def test_a_quiet_period_longer_than_the_hard_age_is_refused() -> None:
    with pytest.raises(ValidationError, match="max_age_seconds"):
        AssemblyConfig(quiet_seconds=10, max_age_seconds=5)


@st.composite
def traffic(draw: st.DrawFn) -> list[list[Span]]:
    """Records of a few traces, with spans in any order, split anyhow, some of them twice."""
    spans = [
        span(f"{number:016x}", trace_id=f"{trace:032x}", parent_span_id=None if number == 0 else f"{0:016x}")
        for trace in range(draw(st.integers(1, 4)))
        for number in range(draw(st.integers(1, 5)))
    ]
    spans += draw(st.lists(st.sampled_from(spans), max_size=5))
    random.Random(draw(st.integers())).shuffle(spans)
    cuts = sorted(draw(st.lists(st.integers(0, len(spans)), max_size=4)))
    return [spans[a:b] for a, b in zip([0, *cuts], [*cuts, len(spans)], strict=True)]


@given(traffic())
def test_every_trace_comes_out_whole_once_and_every_record_that_gave_something_is_returned(
    records: list[list[Span]],
) -> None:
    clock = FakeClock()
    subject = assembler(clock)
    held: set[int] = set()
    for number, spans in enumerate(records):
        if subject.add(spans, [], number):
            held.add(number)
    clock.advance(5)
    assembled = subject.ready()
    expected = {(s.trace_id, s.span_id) for spans in records for s in spans}
    found = [(item.trace.trace_id, s.span_id) for item in assembled for s in item.trace.spans]
    assert sorted(found) == sorted(expected)
    assert {handle for item in assembled for handle in item.handles} == held
    assert subject.open_traces == 0


@given(traffic(), st.integers(1, 3))
def test_no_span_is_lost_under_a_tight_bound(records: list[list[Span]], max_traces: int) -> None:
    clock, recorder = FakeClock(), EventRecorder()
    subject = assembler(clock, recorder, max_traces=max_traces)
    for number, spans in enumerate(records):
        subject.add(spans, [], number)
    found = {(item.trace.trace_id, s.span_id) for item in subject.drain() for s in item.trace.spans}
    missing = {(s.trace_id, s.span_id) for spans in records for s in spans} - found
    assert len(missing) <= sum(event.count for event in recorder.events if isinstance(event, SpanIgnored))
    assert subject.open_traces == 0
