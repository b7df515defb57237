"""What may be committed: a low watermark per partition over the records that are still being worked on.

Pure bookkeeping, no I/O. A record is open from ``track`` until every reference to it has been released. One record may
hold spans of many traces and one trace may span many records, so positions are reference-counted. The watermark of a
partition is the offset of its lowest open record, or the next offset to read when none is open: everything below it has
been dealt with, so a commit of it can lose nothing (at-least-once).
"""

import heapq
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ragsonde.collector.model import SourcePosition
from ragsonde.collector.source import TopicPartition, partition_of


@dataclass(slots=True)
class _Partition:
    """The open records of one assignment of one partition."""

    epoch: int
    next_offset: int
    committed_offset: int
    references: dict[int, int] = field(default_factory=dict)
    """Open offset -> number of references."""
    ordered: list[int] = field(default_factory=list)
    """A heap of offsets; those no longer open are dropped when they surface."""

    def watermark(self) -> int:
        while self.ordered and self.ordered[0] not in self.references:
            heapq.heappop(self.ordered)
        lowest_open = self.ordered[0] if self.ordered else self.next_offset
        return min(lowest_open, self.next_offset)


class OffsetTracker:
    """Tracks open records and tells which offsets may be committed. Safe to call from several threads.

    Offsets may have gaps and, after the source has gone back (a truncated log), may be tracked again; the watermark
    then goes back too. Positions of an assignment that has ended are ignored, whether it was ended by ``forget`` or by
    a position with a higher epoch. Every operation is O(log n) amortised.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._partitions: dict[TopicPartition, _Partition] = {}

    def track(self, position: SourcePosition) -> None:
        """Open a record that was just read, with one reference, which the caller has to ``release``."""
        with self._lock:
            key = partition_of(position)
            state = self._partitions.get(key)
            if state is not None and position.epoch < state.epoch:
                return
            if state is None or position.epoch > state.epoch:
                state = _Partition(position.epoch, next_offset=position.offset, committed_offset=position.offset)
                self._partitions[key] = state
            state.next_offset = position.offset + 1
            if position.offset not in state.references:
                heapq.heappush(state.ordered, position.offset)
            state.references[position.offset] = state.references.get(position.offset, 0) + 1

    def hold(self, position: SourcePosition) -> None:
        """Add a reference to an open record.

        Raises:
            ValueError: the record is not open, so its offset may have been committed already.
        """
        with self._lock:
            state = self._current(position)
            if state is None:
                return
            if position.offset not in state.references:
                raise ValueError(f"cannot hold {position}: it is not open")
            state.references[position.offset] += 1

    def release(self, position: SourcePosition) -> None:
        """Give one reference back; the record is done when none is left.

        Raises:
            ValueError: the record is not open: it was released more often than tracked and held.
        """
        with self._lock:
            state = self._current(position)
            if state is None:
                return
            if position.offset not in state.references:
                raise ValueError(f"cannot release {position}: it is not open")
            state.references[position.offset] -= 1
            if not state.references[position.offset]:
                del state.references[position.offset]

    def watermarks(self) -> Mapping[TopicPartition, int]:
        """Return the next offset to commit of each partition where it differs from the one last committed."""
        with self._lock:
            moved = {key: (state.watermark(), state) for key, state in self._partitions.items()}
            return {key: mark for key, (mark, state) in moved.items() if mark != state.committed_offset}

    def committed(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Note that these offsets were committed. Partitions that are not tracked are ignored."""
        with self._lock:
            for key, offset in offsets.items():
                if (state := self._partitions.get(key)) is not None:
                    state.committed_offset = offset

    def forget(self, partitions: Iterable[TopicPartition]) -> None:
        """Drop all that is known of these partitions, after they were revoked or lost. Later releases are ignored."""
        with self._lock:
            for key in partitions:
                self._partitions.pop(key, None)

    def outstanding(self, partition: TopicPartition) -> int:
        """Return the number of open records of a partition."""
        with self._lock:
            state = self._partitions.get(partition)
            return len(state.references) if state else 0

    def watermark_lag(self, partition: TopicPartition) -> int:
        """Return how many offsets lie between the last commit and the reader: what a crash would replay."""
        with self._lock:
            state = self._partitions.get(partition)
            return max(0, state.next_offset - state.committed_offset) if state else 0

    def _current(self, position: SourcePosition) -> _Partition | None:
        state = self._partitions.get(partition_of(position))
        return state if state is not None and state.epoch == position.epoch else None
