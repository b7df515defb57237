"""What every publisher promises, checked over the embedded log and a real Kafka."""

import threading

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import PermanentError, RetryableError
from ragsonde.collector.source import Message
from tests.contract.log_backends import LogBackend, new_group, read, started


def test_a_flushed_message_can_be_read_with_key_and_headers(backend: LogBackend) -> None:
    publisher = backend.publisher()
    headers = [("traceparent", b"00-ab-cd-01"), ("again", b"1"), ("again", b"\xff\x00")]
    publisher.publish(backend.topic, b"value", key=b"key", headers=headers)
    publisher.flush(Deadline(30))
    with started(backend.source(new_group())) as source:
        (record,) = read(source, 1)
    publisher.close()
    assert (record.value, record.key, record.headers) == (b"value", b"key", tuple(headers))


def test_one_key_stays_on_one_partition_in_order(backend: LogBackend) -> None:
    publisher = backend.publisher()
    keys = [f"{number:032x}".encode() for number in range(12)]
    publisher.publish_all(
        [Message(backend.topic, b"%d" % turn, key) for turn in range(3) for key in keys], Deadline(30)
    )
    publisher.close()
    with started(backend.source(new_group())) as source:
        records = read(source, 36)
    for key in keys:
        of_key = [record for record in records if record.key == key]
        assert len({record.position.partition for record in of_key}) == 1
        assert [record.value for record in sorted(of_key, key=lambda record: record.position)] == [b"0", b"1", b"2"]
    assert len({record.position.partition for record in records}) > 1


def test_messages_without_a_key_are_taken(backend: LogBackend) -> None:
    publisher = backend.publisher()
    publisher.publish_all([Message(backend.topic, b"x")] * 5, Deadline(30))
    publisher.close()
    with started(backend.source(new_group())) as source:
        assert [record.key for record in read(source, 5)] == [None] * 5


def test_a_message_that_is_too_large_is_refused_for_good(backend: LogBackend) -> None:
    publisher = backend.publisher()
    with pytest.raises(PermanentError):
        publisher.publish(backend.topic, b"x" * (backend.max_message_bytes + 1))
    publisher.close()


def test_publish_all_names_the_refused_and_writes_the_others(backend: LogBackend) -> None:
    publisher = backend.publisher()
    large = Message(backend.topic, b"x" * (backend.max_message_bytes + 1))
    small = Message(backend.topic, b"small")
    refused = publisher.publish_all([small, large, small], Deadline(30))
    publisher.close()
    assert list(refused) == [1]
    assert isinstance(refused[1], PermanentError)
    with started(backend.source(new_group())) as source:
        assert [record.value for record in read(source, 2)] == [b"small", b"small"]


def test_publish_all_of_nothing_does_nothing(backend: LogBackend) -> None:
    publisher = backend.publisher()
    assert publisher.publish_all([], Deadline(30)) == {}
    publisher.close()


def test_an_expired_deadline_is_retryable(backend: LogBackend) -> None:
    publisher = backend.publisher()
    with pytest.raises(RetryableError):
        publisher.publish_all([Message(backend.topic, b"x")], Deadline(0))
    publisher.close()


def test_threads_may_share_a_publisher(backend: LogBackend) -> None:
    publisher = backend.publisher()

    def write(name: int) -> None:
        for number in range(10):
            publisher.publish(backend.topic, f"{name}-{number}".encode(), key=str(name).encode())

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    publisher.flush(Deadline(30))
    publisher.close()
    with started(backend.source(new_group())) as source:
        records = read(source, 40)
    assert len({record.value for record in records}) == 40


def test_closing_is_idempotent(backend: LogBackend) -> None:
    publisher = backend.publisher()
    publisher.close()
    publisher.close()
