"""What is Kafka's own about publishing: limits of the topic, a bounded buffer, a broker that is away, partitioning."""

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.consumer import KafkaSource
from ragsonde.collector.errors import FullError, PermanentError, RetryableError
from ragsonde.collector.kafka_connection import KafkaConfig
from ragsonde.collector.producer import Compression, KafkaPublisher, KafkaPublisherConfig
from ragsonde.collector.source import Message, TopicsConfig
from ragsonde.collector.telemetry import Dropped, DropReason
from tests.contract.log_backends import new_group, new_topic, read, started, wait_until
from tests.fakes import EventRecorder

pytestmark = pytest.mark.kafka


def publisher(address: str, events: EventRecorder | None = None, **settings: object) -> KafkaPublisher:
    config = KafkaPublisherConfig.model_validate(settings)
    return KafkaPublisher(KafkaConfig(bootstrap_servers=(address,)), config, events or EventRecorder())


def source(address: str, topic: str) -> KafkaSource:
    return KafkaSource(KafkaConfig(bootstrap_servers=(address,)), TopicsConfig(traces=(topic,), logs=()), new_group())


@pytest.mark.parametrize("compression", list(Compression))
def test_every_compression_can_be_read_back(kafka: str, compression: Compression) -> None:
    topic = new_topic(kafka)
    writer = publisher(kafka, compression=compression)
    writer.publish_all([Message(topic, b"a long and repetitive text " * 100)] * 3, Deadline(30))
    writer.close()
    with started(source(kafka, topic)) as reader:
        assert {record.value for record in read(reader, 3)} == {b"a long and repetitive text " * 100}


def test_a_message_beyond_the_topics_own_limit_is_refused_for_good(kafka: str) -> None:
    topic = new_topic(kafka, **{"max.message.bytes": "20000"})
    writer = publisher(kafka, compression=Compression.NONE)
    small, large = Message(topic, b"small"), Message(topic, b"x" * 50_000)
    refused = writer.publish_all([small, large, small], Deadline(30))
    writer.close()
    assert list(refused) == [1]
    assert "max.message.bytes" in str(refused[1])
    with started(source(kafka, topic)) as reader:
        assert [record.value for record in read(reader, 2)] == [b"small", b"small"]


def test_a_message_given_up_later_is_counted_as_lost(kafka: str) -> None:
    topic = new_topic(kafka, **{"max.message.bytes": "20000"})
    events = EventRecorder()
    writer = publisher(kafka, events, compression=Compression.NONE)
    writer.publish(topic, b"x" * 50_000)
    writer.flush(Deadline(30))
    wait_until(lambda: events.events)
    writer.publish_all([Message(topic, b"the publisher goes on")], Deadline(30))
    writer.close()
    assert events.events == [Dropped("publisher", DropReason.PERMANENT_ERROR)]


def test_a_full_buffer_refuses_and_has_room_again_once_it_is_written(kafka: str) -> None:
    topic = new_topic(kafka)
    writer = publisher(kafka, max_buffered_bytes=100_000, linger_seconds=10)
    for _ in range(3):
        writer.publish(topic, b"x" * 30_000)
    with pytest.raises(FullError):
        writer.publish(topic, b"x" * 30_000)
    writer.flush(Deadline(30))
    wait_until(lambda: writer._buffered_bytes == 0)
    writer.publish(topic, b"x" * 30_000)
    writer.flush(Deadline(30))
    writer.close()


def test_a_topic_that_does_not_exist_is_retryable(kafka: str) -> None:
    writer = publisher(kafka, max_block_seconds=1)
    with pytest.raises(RetryableError):
        writer.publish("no-such-topic", b"x")
    with pytest.raises(RetryableError):
        writer.publish_all([Message("no-such-topic", b"x")], Deadline(30))
    assert writer._buffered_bytes == 0
    writer.close()


def test_a_topic_name_that_is_not_allowed_is_permanent(kafka: str) -> None:
    writer = publisher(kafka, max_block_seconds=1)
    with pytest.raises(PermanentError, match="not a topic!"):
        writer.publish("not a topic!", b"x")
    assert writer._buffered_bytes == 0
    writer.close()


# From Kafka's own UtilsTest.testMurmur2.
MURMUR2 = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"abc": 479470107,
}


def test_a_key_lands_where_kafkas_java_clients_put_it(kafka: str) -> None:
    topic = new_topic(kafka, 5)
    writer = publisher(kafka)
    writer.publish_all([Message(topic, b"x", key) for key in MURMUR2], Deadline(30))
    writer.close()
    with started(source(kafka, topic)) as reader:
        records = read(reader, len(MURMUR2))
    assert {record.key: record.position.partition for record in records} == {
        key: (value & 0x7FFFFFFF) % 5 for key, value in MURMUR2.items()
    }


def test_nothing_can_be_handed_over_after_closing(kafka: str) -> None:
    writer = publisher(kafka)
    writer.close()
    with pytest.raises(PermanentError):
        writer.publish("spans", b"x")
