"""Reads OTLP from Kafka. The sole importer of kafka-python's consumer."""

import logging
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from kafka.consumer.subscription_state import ConsumerRebalanceListener
from kafka.errors import KafkaError, LogTruncationError, NoOffsetForPartitionError, OffsetOutOfRangeError
from kafka.structs import OffsetAndMetadata
from kafka.structs import TopicPartition as KafkaPartition
from pydantic import Field

from ragsonde.collector.assignor import CopartitionedAssignor
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, PermanentError, RetryableError
from ragsonde.collector.kafka_connection import KafkaConfig, connect, mapped
from ragsonde.collector.kafka_group import GroupConsumer
from ragsonde.collector.model import Record, SourcePosition
from ragsonde.collector.source import RebalanceListener, TopicPartition, TopicsConfig
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ignore_events

_log = logging.getLogger(__name__)


class InitialOffset(StrEnum):
    """Where a group starts that has committed nothing yet."""

    EARLIEST = "earliest"
    LATEST = "latest"


class KafkaSourceConfig(Config):
    """How Kafka is read."""

    group_instance_id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,249}$")
    """A name that this replica keeps over restarts (static membership): a quick restart then moves no partitions."""
    initial_offset: InitialOffset = InitialOffset.EARLIEST
    """Where a group without a committed offset starts. Default ``earliest``: with ``latest``, what is written before
    the group's first commit, or to a partition added later, would be skipped with no trace of it. Choose ``latest`` to
    leave an old backlog unscored. A group whose offset has expired from the topic always goes on at the oldest record
    there is, and what it missed is counted as lost."""
    max_partition_fetch_bytes: int = Field(default=4 * 1024 * 1024, ge=1024, le=1024**3)
    """Bytes fetched from one partition at a time; at least the topic's largest message. Default 4 MiB."""
    max_fetch_bytes: int = Field(default=50 * 1024 * 1024, ge=1024, le=1024**3)
    """Bytes fetched at a time in all; bounds the memory of the fetch buffer. Default 50 MiB."""
    read_uncommitted: bool = False
    """Whether to read records of open and aborted transactions as well. Default no."""
    session_timeout_seconds: float = Field(default=45.0, ge=1, le=1800)
    """How long the group waits for a silent member before it hands its partitions on. Default 45 s."""
    max_poll_interval_seconds: float = Field(default=300.0, ge=1, le=3600)
    """How long the loop may stay away from polling before the group hands its partitions on. Default 300 s."""
    rack: str = ""
    """This replica's rack, to read from the nearest broker (KIP-392). Default: none."""


class KafkaSource:
    """A ``Source`` over a consumer group. Not thread-safe: one thread uses it.

    Replicas with the same ``group_id`` share the partitions; one partition number of every topic goes to one replica.
    """

    def __init__(
        self,
        connection: KafkaConfig,
        topics: TopicsConfig,
        group_id: str,
        config: KafkaSourceConfig | None = None,
        listener: EventListener = ignore_events,
    ) -> None:
        self._connection = connection
        self._group_id = group_id
        self._config = config or KafkaSourceConfig()
        self._listener = listener
        self._signals = topics.signals()
        self._consumer: Any = None
        self._rebalances: _Rebalances | None = None
        self._rebalance_listener: RebalanceListener | None = None
        self._paused = False
        self._epochs: dict[TopicPartition, int] = {}
        self._assigned: set[TopicPartition] = set()

    def start(self, listener: RebalanceListener) -> None:
        """Connect and subscribe; the group is joined by the first polls. See ``Source.start``."""
        if self._consumer is not None:
            raise ConfigError("a Kafka source is started once")
        config = self._config
        consumer: Any = connect(
            GroupConsumer,
            self._connection,
            group_id=self._group_id,
            group_instance_id=config.group_instance_id,
            enable_auto_commit=False,
            # No silent jumps: _reposition decides, and counts what is lost.
            auto_offset_reset="none",
            allow_auto_create_topics=False,
            partition_assignment_strategy=(CopartitionedAssignor,),
            isolation_level="read_uncommitted" if config.read_uncommitted else "read_committed",
            max_partition_fetch_bytes=config.max_partition_fetch_bytes,
            fetch_max_bytes=config.max_fetch_bytes,
            session_timeout_ms=int(config.session_timeout_seconds * 1000),
            heartbeat_interval_ms=int(config.session_timeout_seconds * 1000 / 15),
            max_poll_interval_ms=int(config.max_poll_interval_seconds * 1000),
            # A topic or partition that is added shows up within this time; the library's five minutes are long.
            metadata_max_age_ms=30_000,
            client_rack=config.rack,
        )
        self._consumer = consumer
        self._rebalance_listener = listener
        self._rebalances = _Rebalances()
        logging.getLogger("kafka.coordinator.consumer").addFilter(_drop_hand_over)
        try:
            self._check_topics()
            consumer.subscribe(topics=sorted(self._signals), listener=self._rebalances)
        except KafkaError as error:
            self.close()
            raise mapped(error) from error
        except RetryableError:
            self.close()
            raise

    def poll(self, timeout_seconds: float, max_records: int) -> list[Record]:
        """Return records; see ``Source.poll``."""
        end = time.monotonic() + timeout_seconds
        while True:
            batches = self._poll_once(max(0.0, end - time.monotonic()), max_records)
            self._tell_rebalances()
            if self._paused:
                self._put_back(batches)
            elif batches:
                return [self._record(record) for batch in batches.values() for record in batch]
            if time.monotonic() >= end:
                return []

    def pause(self) -> None:
        """Make ``poll`` return nothing; see ``Source.pause``."""
        self._paused = True
        self._open().pause(*self._open().assignment())

    def resume(self) -> None:
        """Let ``poll`` return records again; see ``Source.resume``."""
        self._paused = False
        self._open().resume(*self._open().paused())

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Store the offsets of the next records to read; see ``Source.commit``."""
        if not offsets:
            return
        native = {_native(key): OffsetAndMetadata(offset, "", -1) for key, offset in offsets.items()}
        try:
            self._open().commit(native, timeout_ms=int(self._connection.request_timeout_seconds * 1000))
        except KafkaError as error:
            raise mapped(error) from error

    def lag(self) -> Mapping[TopicPartition, int | None]:
        """Return the lag of each assigned partition; see ``Source.lag``."""
        return {key: self._lag_of(_native(key)) for key in sorted(self._assigned)}

    def close(self) -> None:
        """Leave the group; see ``Source.close``."""
        consumer, self._consumer = self._consumer, None
        if consumer is None:
            return
        if self._rebalances:
            self._rebalances.closing = True
        self._assigned.clear()
        try:
            consumer.close(autocommit=False, timeout_ms=5000)
        except KafkaError as error:
            _log.warning("the Kafka consumer did not close cleanly: %s", error)

    def _check_topics(self) -> None:
        """Refuse to wait in silence for topics that nobody writes to."""
        existing = set(self._consumer.topics())
        missing = sorted(set(self._signals) - existing)
        if len(missing) == len(self._signals):
            raise RetryableError(
                f"none of the topics {', '.join(missing)} exists on the Kafka cluster (or this user may not see them):"
                " create them, or name others in topics"
            )
        if missing:
            _log.warning("topics that do not exist yet are read once they do: %s", ", ".join(missing))

    def _poll_once(self, timeout_seconds: float, max_records: int) -> dict[KafkaPartition, list[Any]]:
        try:
            batches: dict[KafkaPartition, list[Any]] = self._open().poll(
                timeout_ms=int(timeout_seconds * 1000), max_records=max_records
            )
        except (NoOffsetForPartitionError, OffsetOutOfRangeError, LogTruncationError) as error:
            self._reposition(error)
            return {}
        except KafkaError as error:
            if isinstance(error.__cause__, _HandOverError):
                return {}
            raise mapped(error) from error
        return batches

    def _put_back(self, batches: dict[KafkaPartition, list[Any]]) -> None:
        """Read these records again after ``resume``: a partition was assigned, and fetched, while we were paused."""
        for partition, batch in batches.items():
            self._consumer.seek(partition, batch[0].offset)

    def _open(self) -> Any:
        if self._consumer is None:
            raise PermanentError("the Kafka source is not started, or closed")
        return self._consumer

    def _record(self, record: Any) -> Record:
        key = TopicPartition(record.topic, record.partition)
        return Record(
            position=SourcePosition(record.topic, record.partition, record.offset, self._epochs.get(key, 0)),
            # A tombstone has no value; the decoder calls it empty.
            value=record.value or b"",
            signal=self._signals[record.topic],
            key=record.key,
            headers=tuple((name, value or b"") for name, value in record.headers),
            timestamp_ms=max(0, record.timestamp),
        )

    def _tell_rebalances(self) -> None:
        """Run the listener for all that happened during the last poll, on this thread."""
        if self._rebalances is None or self._rebalance_listener is None:
            return
        for kind, partitions in self._rebalances.take():
            if kind == "assigned":
                self._assigned |= partitions
                for key in partitions:
                    self._epochs[key] = self._epochs.get(key, 0) + 1
                if self._paused:
                    self._consumer.pause(*self._consumer.assignment())
                self._rebalance_listener.on_assigned(partitions)
            elif kind == "revoked":
                self._assigned -= partitions
                self._commit_last(self._rebalance_listener.on_revoked(partitions))
            else:
                self._assigned -= partitions
                self._rebalance_listener.on_lost(partitions)

    def _commit_last(self, offsets: Mapping[TopicPartition, int]) -> None:
        try:
            self.commit(offsets)
        except RetryableError as error:
            _log.warning("offsets of revoked partitions were not committed, their records are read again: %s", error)

    def _reposition(self, error: KafkaError) -> None:
        """Set the read position of partitions that have none, or whose position is gone from the log."""
        consumer = self._consumer
        if isinstance(error, LogTruncationError):
            for partition, place in error.divergent_offsets.items():
                _log.warning("%s was cut back by its brokers; reading on from there", partition)
                consumer.seek(partition, place.offset) if place else consumer.seek_to_beginning(partition)
        elif isinstance(error, OffsetOutOfRangeError):
            for partition, offset in error.args[0].items():
                self._count_expired(partition, offset)
                consumer.seek_to_beginning(partition)
        elif self._config.initial_offset is InitialOffset.EARLIEST:
            consumer.seek_to_beginning(*error.args[0])
        else:
            consumer.seek_to_end(*error.args[0])

    def _count_expired(self, partition: KafkaPartition, offset: int) -> None:
        try:
            first = self._consumer.beginning_offsets([partition])[partition]
        except KafkaError as error:
            raise mapped(error) from error
        if first > offset:
            _log.error("%s: %d records expired before they were read", partition, first - offset)
            self._listener(Dropped("source", DropReason.RETENTION, first - offset))

    def _lag_of(self, partition: KafkaPartition) -> int | None:
        try:
            end, position = self._consumer.highwater(partition), self._consumer.position(partition, timeout_ms=0)
        except KafkaError:
            return None
        return None if end is None or position is None else max(0, end - position)


class _HandOverError(Exception):
    """Makes kafka-python's poll return to us between the two phases of a cooperative rebalance."""


class _Rebalances(ConsumerRebalanceListener):
    """Notes what happens to the partitions, for ``KafkaSource.poll`` to act on.

    kafka-python calls it on its I/O thread, where blocking stops the heartbeats and where nothing can be committed. So
    it only takes notes. After a cooperative revoke it raises: that ends ``KafkaConsumer.poll`` after the first phase of
    the rebalance, with the member still in the group. The partitions go to another member only when the next poll joins
    the second phase, and until then the work can be finished and committed at leisure, heartbeats running.
    """

    def __init__(self) -> None:
        self.closing = False
        self._noted: list[tuple[str, frozenset[TopicPartition]]] = []

    def take(self) -> list[tuple[str, frozenset[TopicPartition]]]:
        """Return what was noted since the last call. Called while the I/O thread is at rest, between polls."""
        noted, self._noted = self._noted, []
        return noted

    def on_partitions_assigned(self, assigned: Any) -> None:
        """Note an assignment."""
        self._note("assigned", assigned)

    def on_partitions_revoked(self, revoked: Any) -> None:
        """Note a revoke and end the poll under way."""
        if self._note("revoked", revoked):
            raise _HandOverError

    def on_partitions_lost(self, lost: Any) -> None:
        """Note a loss."""
        self._note("lost", lost)

    def _note(self, kind: str, partitions: Any) -> bool:
        if self.closing or not partitions:
            return False
        self._noted.append((kind, frozenset(TopicPartition(one.topic, one.partition) for one in partitions)))
        return True


def _drop_hand_over(record: logging.LogRecord) -> bool:
    """Keep kafka-python from logging the hand-over, which is no fault, with a stack trace."""
    return not (record.exc_info and isinstance(record.exc_info[1], _HandOverError))


def _native(key: TopicPartition) -> KafkaPartition:
    return KafkaPartition(key.topic, key.partition)
