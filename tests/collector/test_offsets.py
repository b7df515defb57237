"""The low watermark: what may be committed while records are being worked on."""

import threading

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ragsonde.collector.model import SourcePosition
from ragsonde.collector.offsets import OffsetTracker
from ragsonde.collector.source import TopicPartition

KEY = TopicPartition("spans", 0)


def at(offset: int, partition: int = 0, epoch: int = 0) -> SourcePosition:
    return SourcePosition("spans", partition, offset, epoch)


def tracking(*offsets: int) -> OffsetTracker:
    tracker = OffsetTracker()
    for offset in offsets:
        tracker.track(at(offset))
    return tracker


def test_an_open_record_holds_the_watermark() -> None:
    tracker = tracking(10, 11, 12)
    tracker.release(at(11))
    tracker.release(at(12))
    assert tracker.watermarks() == {}
    tracker.release(at(10))
    assert tracker.watermarks() == {KEY: 13}


def test_the_watermark_passes_gaps() -> None:
    tracker = tracking(10, 15, 40)
    tracker.release(at(10))
    assert tracker.watermarks() == {KEY: 15}
    tracker.release(at(15))
    tracker.release(at(40))
    assert tracker.watermarks() == {KEY: 41}


def test_a_record_is_done_when_every_reference_is_back() -> None:
    tracker = tracking(5)
    tracker.hold(at(5))
    tracker.hold(at(5))
    tracker.release(at(5))
    tracker.release(at(5))
    assert tracker.outstanding(KEY) == 1
    assert tracker.watermarks() == {}
    tracker.release(at(5))
    assert tracker.outstanding(KEY) == 0
    assert tracker.watermarks() == {KEY: 6}


def test_only_partitions_that_moved_since_the_commit_are_named() -> None:
    tracker = tracking(1)
    tracker.track(at(7, partition=1))
    tracker.release(at(1))
    tracker.release(at(7, partition=1))
    tracker.committed({KEY: 2})
    assert tracker.watermarks() == {TopicPartition("spans", 1): 8}
    tracker.committed(tracker.watermarks())
    assert tracker.watermarks() == {}


def test_a_commit_that_failed_is_named_again() -> None:
    tracker = tracking(1)
    tracker.release(at(1))
    assert tracker.watermarks() == tracker.watermarks() == {KEY: 2}


def test_forgotten_partitions_are_not_committed_and_late_releases_are_ignored() -> None:
    tracker = tracking(1, 2)
    tracker.forget([KEY])
    tracker.release(at(1))
    tracker.hold(at(2))
    assert tracker.watermarks() == {}
    assert tracker.outstanding(KEY) == 0


def test_a_release_left_over_from_an_earlier_assignment_closes_nothing_in_the_new_one() -> None:
    tracker = OffsetTracker()
    tracker.track(at(5, epoch=1))
    tracker.forget([KEY])
    tracker.track(at(5, epoch=2))
    tracker.release(at(5, epoch=1))
    assert tracker.outstanding(KEY) == 1
    tracker.release(at(5, epoch=2))
    assert tracker.watermarks() == {KEY: 6}


def test_a_new_assignment_replaces_an_old_one_that_nobody_forgot() -> None:
    tracker = OffsetTracker()
    tracker.track(at(50, epoch=1))
    tracker.track(at(20, epoch=2))
    tracker.track(at(51, epoch=1))
    tracker.release(at(20, epoch=2))
    assert tracker.watermarks() == {KEY: 21}


def test_a_source_that_goes_back_takes_the_watermark_along() -> None:
    tracker = tracking(10, 11)
    tracker.release(at(10))
    tracker.release(at(11))
    tracker.committed({KEY: 12})
    tracker.track(at(8))
    assert tracker.watermarks() == {KEY: 8}
    tracker.release(at(8))
    assert tracker.watermarks() == {KEY: 9}


def test_releasing_more_often_than_tracked_is_refused() -> None:
    tracker = tracking(1, 2)
    tracker.release(at(1))
    with pytest.raises(ValueError, match="not open"):
        tracker.release(at(1))
    with pytest.raises(ValueError, match="not open"):
        tracker.hold(at(1))


def test_watermark_lag_is_what_a_crash_would_replay() -> None:
    tracker = tracking(100, 101, 102)
    assert tracker.watermark_lag(KEY) == 3
    tracker.release(at(100))
    tracker.committed(tracker.watermarks())
    assert tracker.watermark_lag(KEY) == 2
    assert tracker.watermark_lag(TopicPartition("other", 0)) == 0


def test_releases_may_come_from_many_threads() -> None:
    tracker = tracking(*range(2000))
    threads = [
        threading.Thread(target=lambda start: [tracker.release(at(n)) for n in range(start, 2000, 4)], args=(start,))
        for start in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tracker.watermarks() == {KEY: 2000}


class WatermarkMachine(RuleBasedStateMachine):
    """Any order of tracking, holding, releasing, committing and losing partitions, against a plain model."""

    def __init__(self) -> None:
        super().__init__()
        self.tracker = OffsetTracker()
        self.next_offset = dict.fromkeys(range(3), 0)
        self.epoch = dict.fromkeys(range(3), 0)
        self.seen: dict[int, int] = {}
        """Partition -> the next offset after the last tracked one, of the present assignment."""
        self.open: dict[SourcePosition, int] = {}
        self.stale: list[SourcePosition] = []
        self.committed: dict[int, int] = {}

    @rule(partition=st.integers(0, 2), gap=st.integers(0, 3))
    def track(self, partition: int, gap: int) -> None:
        offset = self.next_offset[partition] + gap
        position = at(offset, partition, self.epoch[partition])
        self.tracker.track(position)
        self.next_offset[partition] = offset + 1
        self.committed.setdefault(partition, offset)
        self.seen[partition] = offset + 1
        self.open[position] = 1

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def hold(self, data: st.DataObject) -> None:
        position = data.draw(st.sampled_from(sorted(self.open)))
        self.tracker.hold(position)
        self.open[position] += 1

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def release(self, data: st.DataObject) -> None:
        position = data.draw(st.sampled_from(sorted(self.open)))
        self.tracker.release(position)
        self.open[position] -= 1
        if not self.open[position]:
            del self.open[position]

    @rule(partition=st.integers(0, 2), back=st.integers(0, 5))
    def lose_and_assign_again(self, partition: int, back: int) -> None:
        self.tracker.forget([TopicPartition("spans", partition)])
        self.stale += [position for position in self.open if position.partition == partition]
        self.open = {position: count for position, count in self.open.items() if position.partition != partition}
        self.seen.pop(partition, None)
        self.committed.pop(partition, None)
        self.epoch[partition] += 1
        self.next_offset[partition] = max(0, self.next_offset[partition] - back)

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def release_what_is_left_over(self, data: st.DataObject) -> None:
        self.tracker.release(data.draw(st.sampled_from(self.stale)))

    @rule()
    def commit(self) -> None:
        marks = self.tracker.watermarks()
        self.tracker.committed(marks)
        self.committed |= {key.partition: offset for key, offset in marks.items()}
        assert self.tracker.watermarks() == {}

    @invariant()
    def the_watermark_is_the_lowest_open_offset_or_the_end(self) -> None:
        expected = {}
        for partition, end in self.seen.items():
            mark = min([end, *(position.offset for position in self.open if position.partition == partition)])
            if mark != self.committed[partition]:
                expected[TopicPartition("spans", partition)] = mark
        assert self.tracker.watermarks() == expected

    @invariant()
    def outstanding_counts_the_open_records(self) -> None:
        for partition in range(3):
            open_here = sum(position.partition == partition for position in self.open)
            assert self.tracker.outstanding(TopicPartition("spans", partition)) == open_here


TestWatermark = WatermarkMachine.TestCase
