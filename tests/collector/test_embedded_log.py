"""The embedded log's own promises: crashes, retention, a full disk, damaged and locked files, one reader per group."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from ragsonde.collector.clock import Deadline
from ragsonde.collector.embedded_log import LOG_FILE, EmbeddedLogConfig, EmbeddedPublisher, EmbeddedSource, WhenFull
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.model import Signal
from ragsonde.collector.source import IgnoreRebalances, Message, TopicPartition, TopicsConfig
from ragsonde.collector.telemetry import Dropped, DropReason
from tests.contract.log_backends import next_offsets, read, started
from tests.fakes import EventRecorder, FakeClock

SPANS = TopicsConfig(traces=("spans",), logs=("logs",))
SMALL = EmbeddedLogConfig(max_bytes=1024**2, max_message_bytes=200_000)


def source(data_dir: Path, group_id: str = "readers", config: EmbeddedLogConfig | None = None) -> EmbeddedSource:
    return EmbeddedSource(config or EmbeddedLogConfig(), data_dir, SPANS, group_id)


def fill(publisher: EmbeddedPublisher, size: int = 50_000) -> int:
    """Write until the log refuses; return how many records it took."""
    for count in range(1000):
        try:
            publisher.publish("spans", b"%06d" % count + b"x" * size)
        except FullError:
            return count
    raise AssertionError("the log never became full")


def test_a_killed_writer_loses_no_acknowledged_record(tmp_path: Path) -> None:
    writer = """
import sys
from pathlib import Path
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher
publisher = EmbeddedPublisher(EmbeddedLogConfig(), Path(sys.argv[1]))
number = 0
while True:
    publisher.publish("spans", b"%d" % number)
    print(number, flush=True)
    number += 1
"""
    command = [sys.executable, "-c", writer, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": "src"}) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(200)]
        os.kill(process.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout.read().split(b"\n")[:-1]]
    with started(source(tmp_path)) as reader:
        values = [int(record.value) for record in read(reader, len(acknowledged))]
    assert values[: len(acknowledged)] == acknowledged
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)) as publisher:
        publisher.publish("spans", b"after the crash")


def test_offsets_grow_over_restarts_even_when_every_record_was_deleted(tmp_path: Path) -> None:
    clock = FakeClock()
    config = EmbeddedLogConfig(max_age_seconds=10)
    with closing(EmbeddedPublisher(config, tmp_path, clock)) as publisher:
        publisher.publish_all([Message("spans", b"old")] * 3, Deadline(9))
        clock.advance(11)
        publisher.apply_retention()
    with closing(EmbeddedPublisher(config, tmp_path, clock)) as publisher:
        publisher.publish("spans", b"new")
    with started(source(tmp_path)) as reader:
        assert [record.position.offset for record in read(reader, 1)] == [3]


def test_other_processes_and_threads_write_while_one_reads(tmp_path: Path) -> None:
    writer = """
import sys
from pathlib import Path
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher
publisher = EmbeddedPublisher(EmbeddedLogConfig(), Path(sys.argv[1]))
for number in range(50):
    publisher.publish("spans", b"process-%d" % number)
"""
    publisher = EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)
    thread = threading.Thread(target=lambda: [publisher.publish("spans", b"thread-%d" % n) for n in range(50)])
    with started(source(tmp_path)) as reader:
        thread.start()
        environment = os.environ | {"PYTHONPATH": "src"}
        with subprocess.Popen([sys.executable, "-c", writer, str(tmp_path)], env=environment) as process:
            records = read(reader, 100)
            assert process.wait(60) == 0
        thread.join()
    publisher.close()
    assert len({record.value for record in records}) == 100
    assert [record.position.offset for record in records] == list(range(100))


def test_a_second_reader_of_a_group_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    second = source(tmp_path)
    with started(source(tmp_path)):
        with pytest.raises(ConfigError, match=r"readers.*has a reader already"):
            second.start(IgnoreRebalances())
        with started(source(tmp_path, "others")):
            pass
    with started(second):
        pass


def test_a_reader_that_was_killed_leaves_the_group_free(tmp_path: Path) -> None:
    reader = """
import sys, time
from pathlib import Path
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedSource
from ragsonde.collector.source import IgnoreRebalances, TopicsConfig
topics = TopicsConfig(traces=("spans",), logs=("logs",))
source = EmbeddedSource(EmbeddedLogConfig(), Path(sys.argv[1]), topics, "readers")
source.start(IgnoreRebalances())
print("started", flush=True)
time.sleep(600)
"""
    command = [sys.executable, "-c", reader, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": "src"}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        with pytest.raises(ConfigError, match="has a reader already"):
            source(tmp_path).start(IgnoreRebalances())
        os.kill(process.pid, signal.SIGKILL)
    with started(source(tmp_path)):
        pass


def test_groups_whose_names_look_alike_are_told_apart(tmp_path: Path) -> None:
    with started(source(tmp_path, "team/a")), started(source(tmp_path, "team_a")):
        pass


def test_a_full_log_of_unread_records_refuses_and_takes_more_once_they_are_read(tmp_path: Path) -> None:
    events = EventRecorder()
    with closing(EmbeddedPublisher(SMALL, tmp_path, listener=events)) as publisher, started(source(tmp_path)) as reader:
        assert reader.poll(0, 1) == []
        count = fill(publisher)
        with pytest.raises(FullError, match="full of unread records") as raised:
            publisher.publish("spans", b"x" * 50_000)
        assert raised.value.retry_after_seconds > 0
        reader.commit(next_offsets(read(reader, count)))
        publisher.publish("spans", b"there is room again" * 2000)
        assert len(read(reader, 1)) == 1
    assert events.of(Dropped) == []


def test_records_that_one_of_two_groups_has_not_read_are_kept(tmp_path: Path) -> None:
    with (
        closing(EmbeddedPublisher(SMALL, tmp_path)) as publisher,
        started(source(tmp_path, "fast")) as fast,
        started(source(tmp_path, "slow")) as slow,
    ):
        fast.poll(0, 1)
        slow.poll(0, 1)
        count = fill(publisher)
        fast.commit(next_offsets(read(fast, count)))
        with pytest.raises(FullError):
            publisher.publish("spans", b"x" * 50_000)
        assert len(read(slow, count)) == count


def test_a_log_told_to_drop_counts_every_unread_record_that_it_drops(tmp_path: Path) -> None:
    events = EventRecorder()
    config = SMALL.model_copy(update={"when_full": WhenFull.DROP_OLDEST})
    with (
        closing(EmbeddedPublisher(config, tmp_path, listener=events)) as publisher,
        started(source(tmp_path)) as reader,
    ):
        reader.poll(0, 1)
        for number in range(60):
            publisher.publish("spans", b"%06d" % number + b"x" * 50_000)
        left = []
        while batch := reader.poll(0.1, 1000):
            left += batch
    lost = sum(event.count for event in events.events if isinstance(event, Dropped))
    assert lost > 0
    assert lost + len(left) == 60
    assert left[-1].value.startswith(b"000059")


def test_a_topic_that_no_group_reads_makes_room_without_being_counted_as_lost(tmp_path: Path) -> None:
    events = EventRecorder()
    with closing(EmbeddedPublisher(SMALL, tmp_path, listener=events)) as publisher, started(source(tmp_path)) as reader:
        reader.poll(0, 1)
        for _ in range(60):
            publisher.publish("ragsonde.dead_letter", b"x" * 50_000)
        publisher.publish("spans", b"kept")
        assert [record.value for record in read(reader, 1)] == [b"kept"]
    assert events.of(Dropped) == []


def test_old_records_are_deleted_and_the_unread_ones_counted(tmp_path: Path) -> None:
    clock, events = FakeClock(), EventRecorder()
    config = EmbeddedLogConfig(max_age_seconds=3600)
    with closing(EmbeddedPublisher(config, tmp_path, clock, events)) as publisher, started(source(tmp_path)) as reader:
        publisher.publish_all([Message("spans", b"%d" % number) for number in range(1200)], Deadline(9))
        records = []
        while len(records) < 300:
            records += reader.poll(1, 300 - len(records))
        reader.commit(next_offsets(records))
        clock.advance(3601)
        publisher.publish("spans", b"new")
        assert [record.value for record in read(reader, 1)] == [b"new"]
    assert events.of(Dropped) == [Dropped("source", DropReason.RETENTION, 900)]


def test_the_file_stays_within_its_size_while_records_are_read(tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(SMALL, tmp_path)) as publisher, started(source(tmp_path)) as reader:
        reader.poll(0, 1)
        for _ in range(200):
            publisher.publish("spans", b"x" * 50_000)
            reader.commit(next_offsets(read(reader, 1)))
        assert (tmp_path / LOG_FILE).stat().st_size <= SMALL.max_bytes


def test_a_full_disk_is_full_and_loses_nothing_that_was_taken(tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)) as publisher:
        publisher.publish("spans", b"first")
        # SQLite reports a file that may not grow exactly as it reports a full disk.
        publisher._file._connection.execute("PRAGMA max_page_count = 20")
        with pytest.raises(FullError, match="disk"):
            publisher.publish("spans", b"x" * 200_000)
        publisher._file._connection.execute("PRAGMA max_page_count = 100000")
        publisher.publish("spans", b"second")
    with started(source(tmp_path)) as reader:
        assert [record.value for record in read(reader, 2)] == [b"first", b"second"]


def test_a_file_locked_by_another_process_is_retryable(tmp_path: Path) -> None:
    publisher = EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)
    publisher._file._connection.execute("PRAGMA busy_timeout = 50")
    with closing(sqlite3.connect(tmp_path / LOG_FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RetryableError, match="locked"):
            publisher.publish("spans", b"x")
        other.execute("ROLLBACK")
    publisher.publish("spans", b"x")
    publisher.close()


def test_a_file_that_is_no_log_is_refused_with_a_remedy(tmp_path: Path) -> None:
    (tmp_path / LOG_FILE).write_bytes(b"this is no database " * 500)
    with pytest.raises(ConfigError, match="move it away"):
        EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)


def test_damage_found_while_reading_is_permanent(tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)) as publisher:
        publisher.publish_all([Message("spans", b"x" * 5000)] * 50, Deadline(9))
    with (tmp_path / LOG_FILE).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096 * 6)
        file.write(b"\xff" * (size - 4096 * 6))
    with pytest.raises((PermanentError, ConfigError), match="damaged"), started(source(tmp_path)) as reader:
        reader.poll(1, 100)


def test_a_log_of_a_later_version_is_refused(tmp_path: Path) -> None:
    EmbeddedPublisher(EmbeddedLogConfig(), tmp_path).close()
    with closing(sqlite3.connect(tmp_path / LOG_FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ConfigError, match="format 99"):
        EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigError, match=LOG_FILE):
        EmbeddedPublisher(EmbeddedLogConfig(), tmp_path / "file" / "data")


def test_a_topic_keeps_the_partitions_that_it_was_made_with(tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(EmbeddedLogConfig(partitions=2), tmp_path)) as publisher:
        publisher.publish("spans", b"x", b"key")
    with closing(EmbeddedPublisher(EmbeddedLogConfig(partitions=8), tmp_path)) as publisher:
        publisher.publish("spans", b"y", b"key")
    with started(source(tmp_path)) as reader:
        records = read(reader, 2)
    assert len({record.position.partition for record in records}) == 1


def test_spans_and_logs_keep_their_signal(tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)) as publisher:
        publisher.publish("spans", b"s")
        publisher.publish("logs", b"l")
    with started(source(tmp_path)) as reader:
        assert {record.value: record.signal for record in read(reader, 2)} == {b"s": Signal.TRACES, b"l": Signal.LOGS}


def test_one_busy_partition_does_not_starve_the_others(tmp_path: Path) -> None:
    config = EmbeddedLogConfig(partitions=2)
    with closing(EmbeddedPublisher(config, tmp_path)) as publisher:
        publisher.publish_all([Message("spans", b"busy", b"0")] * 500, Deadline(9))
        other = next(key for key in map(str.encode, map(str, range(50))) if zlib.crc32(key) % 2 != zlib.crc32(b"0") % 2)
        publisher.publish("spans", b"quiet", other)
    with started(source(tmp_path, config=config)) as reader:
        first = reader.poll(1, 10) + reader.poll(1, 10)
    assert b"quiet" in {record.value for record in first}


def test_a_commit_for_a_partition_that_is_not_there_changes_nothing(tmp_path: Path) -> None:
    with started(source(tmp_path)) as reader:
        reader.poll(0, 1)
        reader.commit({TopicPartition("nowhere", 3): 7})
        assert set(reader.lag()) == {TopicPartition("spans", 0), TopicPartition("logs", 0)}


def test_sizes_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValidationError, match="at least twice"):
        EmbeddedLogConfig(max_bytes=2 * 1024**2, max_message_bytes=2 * 1024**2)


@settings(max_examples=25)
@given(
    messages=st.lists(
        st.builds(
            Message,
            topic=st.just("spans"),
            value=st.binary(max_size=200),
            key=st.none() | st.binary(max_size=40),
            headers=st.lists(st.tuples(st.text(max_size=20), st.binary(max_size=20)), max_size=3).map(tuple),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_any_message_comes_back_as_it_was(messages: list[Message], tmp_path_factory: pytest.TempPathFactory) -> None:
    data_dir = tmp_path_factory.mktemp("log")
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), data_dir)) as publisher:
        publisher.publish_all(messages, Deadline(9))
    with started(source(data_dir)) as reader:
        records = read(reader, len(messages))
    assert [(one.value, one.key, one.headers) for one in records] == [
        (one.value, one.key, one.headers) for one in messages
    ]
