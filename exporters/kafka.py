"""Scored interactions as messages of a topic: Kafka's, or the embedded log's."""

from collections.abc import Sequence

from pydantic import Field

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.source import Message, Publisher
from ragsonde.exporters.exporter import PartlyRefusedError
from ragsonde.exporters.record import SCHEMA_VERSION, to_json_line
from ragsonde.scorers.score import ScoredInteraction

_HEADERS = (("content-type", b"application/json"), ("ragsonde-schema-version", str(SCHEMA_VERSION).encode()))


class ScoresTopicConfig(Config):
    """The exporter to the scores topic."""

    topic: str = Field(default="ragsonde.scores", pattern=r"^[A-Za-z0-9._-]{1,249}$")
    """The topic that records are written to. Default ``ragsonde.scores``."""
    required: bool = True
    """Whether offsets wait for this topic. Default true."""


class KafkaScoresExporter:
    """Writes one message per interaction, with the interaction's id as its key.

    Delivered means durable at the publisher. A message may be written twice after an error; readers and compaction
    take the last one of a key.
    """

    name = "scores_topic"

    def __init__(self, publisher: Publisher, config: ScoresTopicConfig) -> None:
        """Take a publisher, which stays the caller's: it may be shared, and is not closed here."""
        self.required = config.required
        self._publisher = publisher
        self._topic = config.topic

    def start(self) -> None:
        """Do nothing: the publisher connects by itself."""

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:
        """Write a batch and wait until it is durable.

        Raises:
            RetryableError: the backend is away, or the deadline passed.
            PartlyRefusedError: some messages can never be written (too large, for one); the others are durable.
        """
        refused = self._publisher.publish_all([self._message(scored) for scored in batch], deadline)
        if refused:
            raise PartlyRefusedError(refused)

    def flush(self, deadline: Deadline) -> None:
        """Wait until everything handed to the publisher is durable.

        Raises:
            RetryableError: the deadline passed first, or the backend is away.
        """
        self._publisher.flush(deadline)

    def shutdown(self, deadline: Deadline) -> None:
        """Do nothing: whatever was exported is durable, and the publisher is the caller's."""

    def _message(self, scored: ScoredInteraction) -> Message:
        key = scored.interaction.id.encode(errors="replace")
        return Message(self._topic, to_json_line(scored).rstrip(b"\n"), key, _HEADERS)
