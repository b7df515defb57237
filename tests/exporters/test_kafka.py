from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher, EmbeddedSource
from ragsonde.collector.errors import PermanentError, RetryableError
from ragsonde.collector.source import IgnoreRebalances, Message, TopicsConfig
from ragsonde.exporters.exporter import PartlyRefusedError
from ragsonde.exporters.kafka import KafkaScoresExporter, ScoresTopicConfig
from ragsonde.exporters.record_reader import from_json_line
from tests.exporters.scored import scored


class RecordingPublisher:
    """Keeps messages; refuses those of the given keys for good, or all of them for now."""

    def __init__(self, refused: Sequence[bytes] = (), *, away: bool = False) -> None:
        self.messages: list[Message] = []
        self.refused = refused
        self.away = away
        self.closed = False

    def publish(
        self, topic: str, value: bytes, key: bytes | None = None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        self.messages.append(Message(topic, value, key, tuple(headers)))

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        if self.away:
            raise RetryableError("broker away")
        self.messages += [message for message in messages if message.key not in self.refused]
        return {
            index: PermanentError("too large") for index, message in enumerate(messages) if message.key in self.refused
        }

    def flush(self, deadline: Deadline) -> None:
        if self.away:
            raise RetryableError("broker away")

    def close(self) -> None:
        self.closed = True


def test_each_interaction_is_a_message_keyed_by_its_id() -> None:
    publisher = RecordingPublisher()
    exporter = KafkaScoresExporter(publisher, ScoresTopicConfig())
    batch = [scored("trace:span"), scored("żółw")]
    exporter.export(batch, Deadline(1))
    assert [message.key for message in publisher.messages] == [b"trace:span", "żółw".encode()]
    assert [from_json_line(message.value) for message in publisher.messages] == batch
    assert {message.topic for message in publisher.messages} == {"ragsonde.scores"}
    assert ("content-type", b"application/json") in publisher.messages[0].headers


def test_a_message_that_can_never_be_written_is_named_and_the_others_are_durable() -> None:
    publisher = RecordingPublisher(refused=[b"b"])
    with pytest.raises(PartlyRefusedError) as raised:
        KafkaScoresExporter(publisher, ScoresTopicConfig()).export([scored("a"), scored("b")], Deadline(1))
    assert list(raised.value.refused) == [1]
    assert [message.key for message in publisher.messages] == [b"a"]


def test_a_publisher_that_is_away_can_be_tried_again() -> None:
    exporter = KafkaScoresExporter(RecordingPublisher(away=True), ScoresTopicConfig())
    with pytest.raises(RetryableError):
        exporter.export([scored()], Deadline(1))


def test_the_publisher_stays_open_for_its_other_users() -> None:
    publisher = RecordingPublisher()
    KafkaScoresExporter(publisher, ScoresTopicConfig()).shutdown(Deadline(1))
    assert not publisher.closed


def test_records_can_be_read_back_from_the_embedded_log(tmp_path: Path) -> None:
    log = EmbeddedLogConfig()
    publisher = EmbeddedPublisher(log, tmp_path)
    batch = [scored(str(number)) for number in range(5)]
    KafkaScoresExporter(publisher, ScoresTopicConfig()).export(batch, Deadline(30))
    publisher.close()
    source = EmbeddedSource(log, tmp_path, TopicsConfig(traces=("ragsonde.scores",)), "readers")
    source.start(IgnoreRebalances())
    with closing(source):
        records = source.poll(30.0, 100)
    assert [from_json_line(record.value) for record in records] == batch
    assert [record.key for record in records] == [one.interaction.id.encode() for one in batch]
