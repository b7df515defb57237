"""The two logs, Kafka and the embedded one, behind the few steps that the contract suites need."""

import itertools
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from kafka.admin import KafkaAdminClient, NewTopic

from ragsonde.collector.consumer import KafkaSource
from ragsonde.collector.embedded_log import (
    EmbeddedLogConfig,
    EmbeddedPublisher,
    EmbeddedSource,
)
from ragsonde.collector.kafka_connection import KafkaConfig
from ragsonde.collector.model import Record
from ragsonde.collector.producer import KafkaPublisher, KafkaPublisherConfig
from ragsonde.collector.source import (
    IgnoreRebalances,
    Publisher,
    RebalanceListener,
    Source,
    TopicPartition,
    TopicsConfig,
)

PARTITIONS = 3
PATIENCE_SECONDS = 60.0
"""How long a test waits for what has to happen; only a failing test takes so long."""


class LogBackend(Protocol):
    """A log with one topic of ``PARTITIONS`` partitions."""

    topic: str
    max_message_bytes: int

    def source(self, group_id: str) -> Source: ...

    def publisher(self) -> Publisher: ...


class EmbeddedBackend:
    max_message_bytes = 100_000

    def __init__(self, data_dir: Path) -> None:
        self.topic = "spans"
        self._data_dir = data_dir
        self._config = EmbeddedLogConfig(partitions=PARTITIONS, max_message_bytes=self.max_message_bytes)

    def source(self, group_id: str) -> Source:
        return EmbeddedSource(self._config, self._data_dir, TopicsConfig(traces=(self.topic,), logs=()), group_id)

    def publisher(self) -> Publisher:
        return EmbeddedPublisher(self._config, self._data_dir)


class KafkaBackend:
    max_message_bytes = 100_000

    def __init__(self, address: str, partitions: int = PARTITIONS) -> None:
        self.topic = new_topic(address, partitions)
        self._connection = KafkaConfig(bootstrap_servers=(address,))

    def source(self, group_id: str) -> Source:
        return KafkaSource(self._connection, TopicsConfig(traces=(self.topic,), logs=()), group_id)

    def publisher(self) -> Publisher:
        return KafkaPublisher(self._connection, KafkaPublisherConfig(max_message_bytes=self.max_message_bytes))


def new_topic(address: str, partitions: int = 1, **settings: str) -> str:
    """Make a topic of its own name and wait until the brokers know it."""
    topic = f"test-{uuid.uuid4().hex[:12]}"
    admin = KafkaAdminClient(bootstrap_servers=address)
    try:
        admin.create_topics([NewTopic(topic, partitions, 1, topic_configs=settings)])
        wait_until(lambda: topic in admin.list_topics())
    finally:
        admin.close()
    return topic


def wait_until(condition: Callable[[], object]) -> None:
    """Wait until something holds, for as long as patience lasts."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"did not come true within {PATIENCE_SECONDS:g} s")
        time.sleep(0.02)


class RecordingListener(IgnoreRebalances):
    """Notes what happens to the partitions; ``on_revoked`` returns the offsets that it was given."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, frozenset[TopicPartition]]] = []
        self.offsets: dict[TopicPartition, int] = {}

    @property
    def assigned(self) -> set[TopicPartition]:
        held: set[TopicPartition] = set()
        for kind, partitions in self.calls:
            held = held | partitions if kind == "assigned" else held - partitions
        return held

    def on_assigned(self, partitions: Set[TopicPartition]) -> None:
        self.calls.append(("assigned", frozenset(partitions)))

    def on_revoked(self, partitions: Set[TopicPartition]) -> Mapping[TopicPartition, int]:
        self.calls.append(("revoked", frozenset(partitions)))
        return {key: self.offsets[key] for key in partitions if key in self.offsets}

    def on_lost(self, partitions: Set[TopicPartition]) -> None:
        self.calls.append(("lost", frozenset(partitions)))


@contextmanager
def started(source: Source, listener: RebalanceListener | None = None) -> Iterator[Source]:
    source.start(listener or IgnoreRebalances())
    try:
        yield source
    finally:
        source.close()


def read(source: Source, count: int) -> list[Record]:
    """Poll until ``count`` records have come."""
    records: list[Record] = []
    end = time.monotonic() + PATIENCE_SECONDS
    while len(records) < count:
        if time.monotonic() > end:
            raise AssertionError(f"{len(records)} of {count} records came within {PATIENCE_SECONDS:g} s")
        records += source.poll(0.2, 1000)
    return records


def read_all(source: Source) -> list[Record]:
    """Poll until the source has reached the end of every partition."""
    records: list[Record] = []
    end = time.monotonic() + PATIENCE_SECONDS
    while True:
        records += source.poll(0.2, 1000)
        lag = source.lag()
        if lag and not any(value != 0 for value in lag.values()):
            return records
        if time.monotonic() > end:
            raise AssertionError(f"the end was not reached: {lag}")


def next_offsets(records: list[Record]) -> dict[TopicPartition, int]:
    offsets: dict[TopicPartition, int] = {}
    for record in records:
        key = TopicPartition(record.position.topic, record.position.partition)
        offsets[key] = max(offsets.get(key, 0), record.position.offset + 1)
    return offsets


_numbers = itertools.count()


def new_group() -> str:
    return f"group-{uuid.uuid4().hex[:8]}-{next(_numbers)}"
