"""Undecodable records are put aside with what is known of them, up to limits; then the consumer stops."""

import pytest

from ragsonde.collector.dead_letter import DeadLetterConfig, DeadLetterQueue, TooManyDeadLettersError
from ragsonde.collector.errors import DecodeError, DecodeReason, RetryableError
from ragsonde.collector.model import Record, SourcePosition
from ragsonde.collector.telemetry import Dropped, DropReason, RecordDeadLettered
from tests.fakes import EventRecorder, FakeClock
from tests.memory_publisher import MemoryPublisher

ERROR = DecodeError(DecodeReason.INVALID_PROTOBUF, "field 1 has wire type 7, zażółć")


def record(value: bytes = b"\xff\xff", offset: int = 7) -> Record:
    position = SourcePosition("otlp_spans", 2, offset)
    return Record(position, value, key=b"trace", headers=(("tenant", b"a"),), timestamp_ms=1_700_000_000_123)


def queue(publisher: MemoryPublisher, events: EventRecorder | None = None, **values: object) -> DeadLetterQueue:
    clock = FakeClock()
    config = DeadLetterConfig.model_validate(values)
    return DeadLetterQueue(publisher, config, clock, events or EventRecorder(), sleep=clock.advance)


def test_a_dead_letter_keeps_the_value_and_says_where_it_came_from_and_why() -> None:
    publisher, events = MemoryPublisher(), EventRecorder()
    queue(publisher, events).put(record(), ERROR)
    (message,) = publisher.messages
    assert (message.topic, message.value, message.key) == ("ragsonde.dead_letter", b"\xff\xff", b"trace")
    assert dict(message.headers) == {
        "ragsonde.topic": b"otlp_spans",
        "ragsonde.partition": b"2",
        "ragsonde.offset": b"7",
        "ragsonde.timestamp_ms": b"1700000000123",
        "ragsonde.reason": b"invalid_protobuf",
        "ragsonde.error": "field 1 has wire type 7, zażółć".encode(),
        "tenant": b"a",
    }
    assert events.events == [RecordDeadLettered("otlp_spans", DecodeReason.INVALID_PROTOBUF)]


def test_a_copy_of_a_record_that_was_partly_read_is_kept_and_is_no_undecodable_record() -> None:
    publisher, events = MemoryPublisher(), EventRecorder()
    letters = queue(publisher, events, max_consecutive=1)
    for _ in range(3):
        letters.keep_copy(record(), ERROR)
        letters.record_good()
    headers = [dict(message.headers) for message in publisher.messages]
    assert [header["ragsonde.partly_read"] for header in headers] == [b"true"] * 3
    assert headers[0]["ragsonde.error"] == str(ERROR).encode()
    assert events.events == []


def test_a_value_beyond_the_limit_is_cut_with_a_note() -> None:
    publisher = MemoryPublisher()
    queue(publisher, max_value_bytes=10).put(record(b"0123456789abcdef"), ERROR)
    assert publisher.messages[0].value == b"0123456789"
    assert dict(publisher.messages[0].headers)["ragsonde.cut_from_bytes"] == b"16"


def test_a_value_that_the_topic_refuses_goes_without_it_rather_than_not_at_all() -> None:
    publisher, events = MemoryPublisher(limit=4), EventRecorder()
    queue(publisher, events).put(record(b"0123456789"), ERROR)
    assert publisher.messages[0].value == b""
    assert dict(publisher.messages[0].headers)["ragsonde.cut_from_bytes"] == b"10"
    assert len(events.of(RecordDeadLettered)) == 1


def test_a_dead_letter_that_cannot_be_written_at_all_is_counted_as_lost() -> None:
    publisher, events = MemoryPublisher(limit=-1), EventRecorder()
    queue(publisher, events).put(record(), ERROR)
    assert events.events == [Dropped("dead_letter", DropReason.PERMANENT_ERROR)]


def test_headers_without_end_do_not_make_the_letter_too_large() -> None:
    publisher = MemoryPublisher()
    headers = tuple((f"name-{number}", b"x" * 1000) for number in range(1000))
    queue(publisher).put(Record(SourcePosition("t", 0, 0), b"", headers=headers), ERROR)
    assert sum(len(value) for _, value in publisher.messages[0].headers) < 20_000


def test_too_many_in_a_row_stop_the_consumer_and_are_not_put_aside() -> None:
    publisher = MemoryPublisher()
    letters = queue(publisher, max_consecutive=3)
    for offset in range(3):
        letters.put(record(offset=offset), ERROR)
    with pytest.raises(
        TooManyDeadLettersError, match=r"more than 3 records in a row .*otlp_spans/2 offset 3.*wire type"
    ):
        letters.put(record(offset=3), ERROR)
    assert len(publisher.messages) == 3


def test_a_good_record_starts_the_row_anew() -> None:
    publisher = MemoryPublisher()
    letters = queue(publisher, max_consecutive=2)
    for _ in range(10):
        letters.put(record(), ERROR)
        letters.put(record(), ERROR)
        letters.record_good()
    assert len(publisher.messages) == 20


def test_a_high_share_over_the_window_stops_the_consumer() -> None:
    publisher = MemoryPublisher()
    letters = queue(publisher, window_records=20, max_ratio=0.25)
    for _ in range(10):
        letters.put(record(), ERROR)
        letters.record_good()
    with pytest.raises(TooManyDeadLettersError, match="10 of the last 20 records"):
        letters.put(record(), ERROR)
    assert len(publisher.messages) == 10


def test_a_bad_start_below_the_window_is_no_ratio_yet() -> None:
    letters = queue(MemoryPublisher(), window_records=20, max_ratio=0.1)
    for _ in range(5):
        letters.put(record(), ERROR)
    for _ in range(200):
        letters.record_good()
    letters.put(record(), ERROR)


def test_the_ratio_forgets_what_left_the_window() -> None:
    letters = queue(MemoryPublisher(), window_records=10, max_ratio=0.5)
    for _ in range(100):
        for _ in range(5):
            letters.put(record(), ERROR)
        for _ in range(10):
            letters.record_good()


def test_a_publisher_that_is_away_leaves_the_limits_as_they_were() -> None:
    publisher = MemoryPublisher()
    letters = queue(publisher, max_consecutive=2)
    publisher.failure = RetryableError("the broker is away")
    for _ in range(5):
        with pytest.raises(RetryableError):
            letters.put(record(), ERROR)
    publisher.failure = None
    letters.put(record(), ERROR)
    letters.put(record(), ERROR)
    assert len(publisher.messages) == 2


def test_a_publisher_that_is_away_for_a_moment_is_waited_for() -> None:
    publisher = MemoryPublisher(failure=RetryableError("the broker is away"), failures=5)
    queue(publisher, timeout_seconds=30).put(record(), ERROR)
    assert len(publisher.messages) == 1


def test_waiting_for_a_publisher_ends() -> None:
    publisher = MemoryPublisher(failure=RetryableError("the broker is away"))
    with pytest.raises(RetryableError):
        queue(publisher, timeout_seconds=5).put(record(), ERROR)
    assert publisher.calls == 6
