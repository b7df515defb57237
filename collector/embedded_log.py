"""A log without a broker: ``Source`` and ``Publisher`` over one SQLite file.

It keeps Kafka's meaning of topics, partitions, offsets, consumer groups and replay, so that one process, or a few on
one machine, can do without a cluster. What it does not do is share a group's partitions: a group has one reader at a
time, and a second one is refused at its start, in this process or another.
"""

import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.config import Config
from ragsonde.collector.embedded_store import LogFile, StoredRecord, errors_of
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.model import Record, SourcePosition
from ragsonde.collector.source import Message, RebalanceListener, TopicPartition, TopicsConfig
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ignore_events

_log = logging.getLogger(__name__)

LOG_FILE = "log.db"
"""Name of the log in the data directory."""

_POLL_BYTES = 16 * 1024 * 1024
"""Bytes that one poll takes from one partition, at most."""
_NAP_SECONDS = 0.02
"""How often an idle reader looks: writers may be other processes, so nothing can wake it."""
_RETENTION_EVERY_SECONDS = 30.0


class WhenFull(StrEnum):
    """What happens when the log has reached its size and holds only unread records."""

    REFUSE = "refuse"
    DROP_OLDEST = "drop_oldest"


class EmbeddedLogConfig(Config):
    """How much the log keeps. It lies in the data directory, which has to be on a local disk."""

    partitions: int = Field(default=1, ge=1, le=1024)
    """Partitions of a topic that is made. A topic keeps the number that it was made with. Default 1."""
    max_bytes: int = Field(default=1024**3, ge=1024**2)
    """Size of the file. When it is reached, the oldest records that every group has read, and those of topics that no
    group reads, make room. Default 1 GiB."""
    when_full: WhenFull = WhenFull.REFUSE
    """When only unread records are left: ``refuse`` new ones (the sender keeps them and tries again), or
    ``drop_oldest`` and count them as lost. Default ``refuse``."""
    max_age_seconds: float = Field(default=7 * 86400.0, gt=0)
    """Age at which records are deleted, read or not; unread ones are counted as lost. Default 7 days."""
    max_message_bytes: int = Field(default=16 * 1024**2, ge=1024)
    """Largest record, key and headers included. Default 16 MiB."""

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        if self.max_message_bytes * 2 > self.max_bytes:
            raise ValueError("max_bytes must be at least twice max_message_bytes")
        return self


class EmbeddedPublisher:
    """A ``Publisher`` that writes to the file at once: what it has taken is durable. Any thread may use it."""

    def __init__(
        self,
        config: EmbeddedLogConfig,
        data_dir: Path,
        clock: Clock | None = None,
        listener: EventListener = ignore_events,
    ) -> None:
        """Open the log.

        Raises:
            ConfigError: the file cannot be opened, or is not a log.
        """
        self._config = config
        self._clock = clock or SystemClock()
        self._listener = listener
        self._file = LogFile(data_dir / LOG_FILE, config.partitions)
        self._retention_at = -float("inf")
        self._room_lock = threading.Lock()

    def publish(
        self, topic: str, value: bytes, key: bytes | None = None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        """Write one message; see ``Publisher.publish``."""
        message = Message(topic, value, key, tuple(headers))
        if refusal := self._refusal(message):
            raise refusal
        self._append([message])

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        """Write messages in one transaction; see ``Publisher.publish_all``."""
        if deadline.expired():
            raise RetryableError("the deadline passed before the messages were written")
        refused = {index: refusal for index, one in enumerate(messages) if (refusal := self._refusal(one))}
        self._append([message for index, message in enumerate(messages) if index not in refused])
        return refused

    def flush(self, deadline: Deadline) -> None:
        """Do nothing: every message is durable when ``publish`` returns."""

    def close(self) -> None:
        """Close the file. Idempotent."""
        self._file.close()

    def apply_retention(self) -> None:
        """Delete what has expired by age. Runs by itself while messages come in."""
        cutoff_ms = int((self._clock.wall() - self._config.max_age_seconds) * 1000)
        self._count_lost(self._file.delete_older(cutoff_ms), "max_age_seconds")

    def _append(self, messages: list[Message]) -> None:
        if not messages:
            return
        if self._clock.monotonic() >= self._retention_at:
            self._retention_at = self._clock.monotonic() + _RETENTION_EVERY_SECONDS
            self.apply_retention()
        self._make_room(sum(_size(message) for message in messages))
        self._file.append(messages, timestamp_ms=int(self._clock.wall() * 1000))

    def _make_room(self, needed: int) -> None:
        """Delete until ``needed`` bytes fit.

        Raises:
            FullError: only unread records are left, and they are to be kept.
        """
        with self._room_lock:
            while self._file.used_bytes() + needed > self._config.max_bytes:
                if self._file.delete_oldest_read():
                    continue
                if self._config.when_full is WhenFull.REFUSE:
                    raise FullError(
                        f"the embedded log {self._file.path} is full of unread records"
                        f" (max_bytes {self._config.max_bytes})",
                        retry_after_seconds=5.0,
                    )
                lost = self._file.delete_oldest()
                if not lost:
                    raise FullError(f"the embedded log {self._file.path} has no room for {needed} bytes")
                self._count_lost(lost, "max_bytes")

    def _count_lost(self, lost: int, setting: str) -> None:
        if lost:
            _log.error("the embedded log deleted %d unread records (%s)", lost, setting)
            self._listener(Dropped("source", DropReason.RETENTION, lost))

    def _refusal(self, message: Message) -> PermanentError | None:
        if (size := _size(message)) <= self._config.max_message_bytes:
            return None
        return PermanentError(
            f"a record of {size} bytes for {message.topic} is larger than max_message_bytes"
            f" {self._config.max_message_bytes} of the embedded log"
        )


class EmbeddedSource:
    """A ``Source`` over the embedded log. It is assigned every partition; they are never revoked nor lost.

    A new group starts at the oldest record. Topics that are missing are made.
    """

    def __init__(self, config: EmbeddedLogConfig, data_dir: Path, topics: TopicsConfig, group_id: str) -> None:
        self._path = data_dir / LOG_FILE
        self._partitions = config.partitions
        self._group_id = group_id
        self._signals = topics.signals()
        self._file: LogFile | None = None
        self._claim: _GroupClaim | None = None
        self._rebalance_listener: RebalanceListener | None = None
        self._positions: dict[TopicPartition, int] = {}
        self._first = 0
        self._paused = False
        self._epoch = 0

    def start(self, listener: RebalanceListener) -> None:
        """Open the log and claim the group; see ``Source.start``.

        Raises:
            ConfigError: also where the group has a reader already.
        """
        if self._file is not None:
            raise ConfigError("an embedded source is started once")
        file = LogFile(self._path, self._partitions)
        try:
            self._claim = _GroupClaim(self._path, self._group_id)
            for topic in self._signals:
                file.create_topic(topic)
        except BaseException:
            file.close()
            self.close()
            raise
        self._file, self._rebalance_listener = file, listener
        self._epoch += 1

    def poll(self, timeout_seconds: float, max_records: int) -> list[Record]:
        """Return records; see ``Source.poll``."""
        end = time.monotonic() + timeout_seconds
        self._assign()
        while True:
            records = [] if self._paused else self._read(max_records)
            left = end - time.monotonic()
            if records or left <= 0:
                return records
            time.sleep(min(left, _NAP_SECONDS))

    def pause(self) -> None:
        """Make ``poll`` return nothing; see ``Source.pause``."""
        self._paused = True

    def resume(self) -> None:
        """Let ``poll`` return records again; see ``Source.resume``."""
        self._paused = False

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Store the offsets of the next records to read; see ``Source.commit``."""
        if offsets:
            self._open().commit(self._group_id, offsets)

    def lag(self) -> Mapping[TopicPartition, int | None]:
        """Return the lag of each partition; see ``Source.lag``."""
        if self._file is None:
            return {}
        ends = self._file.ends(tuple(self._signals))
        return {key: max(0, ends[key] - position) for key, position in self._positions.items()}

    def close(self) -> None:
        """Give the group up and close the file; see ``Source.close``."""
        file, self._file = self._file, None
        claim, self._claim = self._claim, None
        self._positions.clear()
        if file:
            file.close()
        if claim:
            claim.release()

    def _assign(self) -> None:
        file = self._open()
        if self._positions:  # the topics were made at the start and keep their partitions
            return
        for key in sorted(file.ends(tuple(self._signals))):
            self._positions[key] = file.join(self._group_id, key)
        if self._rebalance_listener:
            self._rebalance_listener.on_assigned(frozenset(self._positions))

    def _read(self, max_records: int) -> list[Record]:
        """Read a share from each partition, starting with another one each time."""
        file = self._open()
        keys = list(self._positions)
        self._first = (self._first + 1) % len(keys)
        records: list[Record] = []
        for waiting, key in zip(range(len(keys), 0, -1), keys[self._first :] + keys[: self._first], strict=True):
            share = -(-(max_records - len(records)) // waiting)
            if share <= 0:
                break
            stored = file.read(key, self._positions[key], share, _POLL_BYTES)
            if stored:
                self._positions[key] = stored[-1].offset + 1
                records += [self._record(one) for one in stored]
        return records

    def _record(self, stored: StoredRecord) -> Record:
        return Record(
            position=SourcePosition(stored.key.topic, stored.key.partition, stored.offset, self._epoch),
            value=stored.value,
            signal=self._signals[stored.key.topic],
            key=stored.message_key,
            headers=stored.headers,
            timestamp_ms=stored.timestamp_ms,
        )

    def _open(self) -> LogFile:
        if self._file is None:
            raise PermanentError("the embedded source is not started, or closed")
        return self._file


class _GroupClaim:
    """Keeps a consumer group to one reader, over processes; the system frees it when its process ends.

    SQLite's own file locks do it: they work on every platform and between connections of one process.
    """

    def __init__(self, log: Path, group_id: str) -> None:
        path = log.with_name(f"{log.name}.{hashlib.sha256(group_id.encode()).hexdigest()[:16]}.lock")
        with errors_of(path, opening=True):
            self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            with errors_of(path, opening=True):
                self._connection.execute("BEGIN EXCLUSIVE")
        except RetryableError as error:
            self._connection.close()
            raise ConfigError(
                f"consumer group {group_id} of {log} has a reader already: stop the other process,"
                " or give this one a group_id of its own"
            ) from error
        except BaseException:
            self._connection.close()
            raise

    def release(self) -> None:
        """Let another reader have the group."""
        self._connection.close()


def _size(message: Message) -> int:
    headers = sum(len(name) + len(value) for name, value in message.headers)
    return len(message.value) + len(message.key or b"") + headers
