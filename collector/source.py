"""The two ends of a log, as the pipeline and the receiver see them: a ``Source`` to read, a ``Publisher`` to write.

Kafka (``consumer.py``, ``producer.py``) and the embedded log (``embedded_log.py``) stand behind both and pass one
contract suite (``tests/contract``). Nothing above this module knows which of them it talks to.

Offsets have Kafka's meaning everywhere: a record's own offset is its place in its partition, and what is committed is
the offset of the *next* record to read. Offsets grow strictly within a partition but may have gaps (compaction,
transactions, retention).
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import model_validator

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import PermanentError
from ragsonde.collector.model import Record, Signal, SourcePosition

DEFAULT_TRACES_TOPIC = "otlp_spans"
"""Where the OpenTelemetry Collector's Kafka exporter writes traces unless told otherwise."""
DEFAULT_LOGS_TOPIC = "otlp_logs"
"""Where the OpenTelemetry Collector's Kafka exporter writes log records unless told otherwise."""


class TopicsConfig(Config):
    """Which topics hold which OTLP signal."""

    traces: tuple[str, ...] = (DEFAULT_TRACES_TOPIC,)
    """Topics that hold traces; at least one. Default ``otlp_spans``, as the OpenTelemetry Collector's."""
    logs: tuple[str, ...] = (DEFAULT_LOGS_TOPIC,)
    """Topics that hold log records, as which some conventions send message content. Default ``otlp_logs``."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.traces:
            raise ValueError("traces is empty: name at least one topic")
        if both := set(self.traces) & set(self.logs):
            raise ValueError(f"{', '.join(sorted(both))} stands in both traces and logs: a topic has one signal")
        return self

    def signals(self) -> Mapping[str, Signal]:
        """Return the signal of each topic."""
        return dict.fromkeys(self.traces, Signal.TRACES) | dict.fromkeys(self.logs, Signal.LOGS)


@dataclass(frozen=True, slots=True, order=True)
class TopicPartition:
    """One partition of one topic."""

    topic: str
    partition: int


def partition_of(position: SourcePosition) -> TopicPartition:
    """Return the partition that a position lies in."""
    return TopicPartition(position.topic, position.partition)


class RebalanceListener(Protocol):
    """Told when partitions come and go. Every call happens inside ``Source.poll`` or ``Source.close``, on their thread.

    A listener must not call the source.
    """

    def on_assigned(self, partitions: Set[TopicPartition]) -> None:
        """Take note of partitions that this source reads from now on. May be called with partitions to *add*."""
        ...

    def on_revoked(self, partitions: Set[TopicPartition]) -> Mapping[TopicPartition, int]:
        """Finish or drop the work on these partitions, and return the offsets to commit for them.

        Called before they are given up, so a commit still counts; another member may read from the returned offsets at
        once. The listener may block, but has to end well within the group's rebalance timeout (``max_poll_interval``).
        """
        ...

    def on_lost(self, partitions: Set[TopicPartition]) -> None:
        """Forget these partitions: another member may own them already, so nothing may be committed for them."""
        ...


class IgnoreRebalances:
    """A listener for a reader that keeps no work in flight; it commits nothing on a revoke."""

    def on_assigned(self, partitions: Set[TopicPartition]) -> None:
        """Do nothing."""

    def on_revoked(self, partitions: Set[TopicPartition]) -> Mapping[TopicPartition, int]:  # noqa: ARG002 - protocol
        """Commit nothing."""
        return {}

    def on_lost(self, partitions: Set[TopicPartition]) -> None:
        """Do nothing."""


class Source(Protocol):
    """Reads records at least once, as a member of a consumer group. Used from one thread only.

    Every assignment of a partition carries a higher ``SourcePosition.epoch`` than the one before, so that work left
    over from an earlier assignment can be told apart.
    """

    def start(self, listener: RebalanceListener) -> None:
        """Connect and join the group. Blocks for a bounded time.

        Raises:
            ConfigError: an address, credential, certificate or topic is wrong; retrying cannot help.
            RetryableError: the backend did not answer in time.
        """
        ...

    def poll(self, timeout_seconds: float, max_records: int) -> list[Record]:
        """Return up to ``max_records`` records, fairly over the partitions, in offset order within each.

        Returns as soon as there is any record, and never later than ``timeout_seconds`` (plus what the listener takes).
        Has to be called regularly even while paused: it keeps the group membership and runs the listener. Never
        returns a record of a partition after ``on_revoked`` or ``on_lost`` has named it.

        Raises:
            RetryableError: the backend is away; nothing was lost, poll again later.
            PermanentError: this member cannot go on (credentials revoked, topic deleted).
        """
        ...

    def pause(self) -> None:
        """Make ``poll`` return nothing until ``resume``; the group membership is kept. Idempotent; does not block."""
        ...

    def resume(self) -> None:
        """Let ``poll`` return records again, from where it stopped. Idempotent; does not block."""
        ...

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Store the offsets of the next records to read. Blocks for a bounded time until they are durable.

        Raises:
            RetryableError: not stored (backend away, or a rebalance took the partition away). The records may be read
                again; a later commit may succeed.
        """
        ...

    def lag(self) -> Mapping[TopicPartition, int | None]:
        """Return, for each assigned partition, how many offsets lie between the reader and the end.

        None where that is not known. Does not block on the network.
        """
        ...

    def close(self) -> None:
        """Leave the group and free everything, within a bounded time.

        Idempotent, also when never started. Commits nothing by itself and does not call the listener: who closes a
        source has drained its work and committed before.
        """
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """What is to be written."""

    topic: str
    value: bytes
    key: bytes | None = None
    """Messages with one key go to one partition, in order. Without a key any partition may be chosen."""
    headers: tuple[tuple[str, bytes], ...] = ()


class Publisher(Protocol):
    """Writes messages. May be used from any thread."""

    def publish(
        self,
        topic: str,
        value: bytes,
        key: bytes | None = None,
        headers: Sequence[tuple[str, bytes]] = (),
    ) -> None:
        """Hand one message over; it is durable once ``flush`` has returned. Blocks only briefly.

        A message that is later given up is reported as a ``Dropped`` event by the publisher.

        Raises:
            FullError: the bounded buffer or log is full; carries ``retry_after_seconds``.
            RetryableError: the backend is away.
            PermanentError: the message can never be written (too large, topic refused).
        """
        ...

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        """Write messages and wait until they are durable. Blocks until the deadline at most.

        Returns the messages that can never be written (too large, for one), by index; all others are durable.

        Raises:
            FullError: the bounded buffer or log is full.
            RetryableError: the backend is away or the deadline has passed. Some messages may have been written all the
                same: a caller that tries again writes those twice.
        """
        ...

    def flush(self, deadline: Deadline) -> None:
        """Wait until everything handed over is durable or given up.

        Raises:
            RetryableError: the deadline passed first, or the backend is away.
        """
        ...

    def close(self) -> None:
        """Free everything, waiting a bounded time for messages under way. Idempotent."""
        ...
