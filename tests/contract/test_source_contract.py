"""What every source promises, checked over the embedded log and a real Kafka."""

import threading

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import PermanentError
from ragsonde.collector.model import Signal
from ragsonde.collector.source import Message, TopicPartition
from tests.contract.log_backends import (
    PARTITIONS,
    LogBackend,
    RecordingListener,
    new_group,
    next_offsets,
    read,
    read_all,
    started,
)


def write(backend: LogBackend, count: int, *, first: int = 0, keys: int = 7) -> None:
    publisher = backend.publisher()
    messages = [
        Message(backend.topic, f"value-{number}".encode(), f"key-{number % keys}".encode())
        for number in range(first, first + count)
    ]
    assert publisher.publish_all(messages, Deadline(30)) == {}
    publisher.close()


def test_every_record_comes_once_and_in_offset_order_within_its_partition(backend: LogBackend) -> None:
    write(backend, 50)
    with started(backend.source(new_group())) as source:
        records = read(source, 50)
    assert sorted(record.value for record in records) == sorted(f"value-{n}".encode() for n in range(50))
    for partition in range(PARTITIONS):
        offsets = [record.position.offset for record in records if record.position.partition == partition]
        assert offsets == list(range(len(offsets)))


def test_a_record_carries_its_key_signal_and_time(backend: LogBackend) -> None:
    write(backend, 1)
    with started(backend.source(new_group())) as source:
        (record,) = read(source, 1)
    assert (record.key, record.signal, record.position.topic) == (b"key-0", Signal.TRACES, backend.topic)
    assert record.timestamp_ms > 1_700_000_000_000


def test_a_new_reader_of_the_group_resumes_at_the_commit(backend: LogBackend) -> None:
    group = new_group()
    write(backend, 20)
    with started(backend.source(group)) as source:
        source.commit(next_offsets(read(source, 20)))
    write(backend, 5, first=20)
    with started(backend.source(group)) as source:
        records = read_all(source)
    assert sorted(record.value for record in records) == [f"value-{n}".encode() for n in range(20, 25)]


def test_what_was_read_but_not_committed_is_read_again(backend: LogBackend) -> None:
    group = new_group()
    write(backend, 10)
    with started(backend.source(group)) as source:
        read(source, 10)
    with started(backend.source(group)) as source:
        assert len(read(source, 10)) == 10


def test_a_commit_below_the_position_is_where_the_next_reader_starts(backend: LogBackend) -> None:
    group = new_group()
    write(backend, 10, keys=1)
    with started(backend.source(group)) as source:
        position = read(source, 10)[0].position
        source.commit({TopicPartition(position.topic, position.partition): 4})
    with started(backend.source(group)) as source:
        assert [record.position.offset for record in read(source, 6)] == [4, 5, 6, 7, 8, 9]


def test_groups_read_independently(backend: LogBackend) -> None:
    write(backend, 4)
    with started(backend.source(new_group())) as one, started(backend.source(new_group())) as other:
        one.commit(next_offsets(read(one, 4)))
        assert len(read(other, 4)) == 4


def test_a_paused_source_returns_nothing_and_goes_on_where_it_stopped(backend: LogBackend) -> None:
    listener = RecordingListener()
    write(backend, 6)
    with started(backend.source(new_group()), listener) as source:
        source.pause()
        assert [source.poll(0.3, 100) for _ in range(5)] == [[]] * 5
        source.resume()
        first = read(source, 6)
        source.pause()
        source.pause()
        write(backend, 3, first=6)
        assert source.poll(0.5, 100) == []
        source.resume()
        second = read(source, 3)
    assert sorted(record.value for record in first + second) == [f"value-{n}".encode() for n in range(9)]
    assert [kind for kind, _ in listener.calls] == ["assigned"]


def test_poll_returns_no_more_than_asked_and_loses_none(backend: LogBackend) -> None:
    write(backend, 25)
    with started(backend.source(new_group())) as source:
        records = []
        while len(records) < 25:
            batch = source.poll(0.2, 4)
            assert len(batch) <= 4
            records += batch
        assert source.poll(0.2, 4) == []
    assert len({record.position for record in records}) == 25


def test_every_partition_is_assigned_and_reported(backend: LogBackend) -> None:
    listener = RecordingListener()
    write(backend, 1)
    with started(backend.source(new_group()), listener) as source:
        read(source, 1)
        assert listener.assigned == {TopicPartition(backend.topic, number) for number in range(PARTITIONS)}


def test_closing_calls_neither_the_listener_nor_commit(backend: LogBackend) -> None:
    listener = RecordingListener()
    write(backend, 1)
    with started(backend.source(new_group()), listener) as source:
        read(source, 1)
    assert [kind for kind, _ in listener.calls] == ["assigned"]


def test_lag_counts_what_is_left(backend: LogBackend) -> None:
    write(backend, 9, keys=1)
    with started(backend.source(new_group())) as source:
        records = []
        while not records:
            records = source.poll(0.2, 4)
        while len(records) < 4:
            records += source.poll(0.2, 4 - len(records))
        position = records[0].position
        assert source.lag()[TopicPartition(position.topic, position.partition)] == 5
        read_all(source)
        assert set(source.lag().values()) == {0}


def test_a_later_assignment_has_a_higher_epoch(backend: LogBackend) -> None:
    write(backend, 1)
    source = backend.source(new_group())
    epochs = []
    for _ in range(2):
        with started(source):
            epochs.append(read(source, 1)[0].position.epoch)
    assert epochs[0] < epochs[1]


def test_closing_is_idempotent_and_needs_no_start(backend: LogBackend) -> None:
    source = backend.source(new_group())
    source.close()
    source.close()
    with pytest.raises(PermanentError):
        source.poll(0.1, 1)


def test_records_written_while_it_waits_are_returned(backend: LogBackend) -> None:
    with started(backend.source(new_group())) as source:
        writer = threading.Thread(target=write, args=(backend, 2))
        writer.start()
        assert len(read(source, 2)) == 2
        writer.join()
