"""Writes to Kafka. The sole importer of kafka-python's producer in the collector."""

import threading
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from kafka import KafkaProducer
from kafka.errors import KafkaError
from pydantic import Field

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import FullError, PermanentError, RagsondeError, RetryableError
from ragsonde.collector.kafka_connection import KafkaConfig, connect, mapped
from ragsonde.collector.source import Message
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ignore_events

_BATCH_BYTES = 256 * 1024
"""Traces are kilobytes each and requests go out one at a time: kafka-python's 16 KiB would make them crawl."""
_OVERHEAD_BYTES = 512
"""What kafka-python keeps for a waiting message besides its content, roughly."""


class Compression(StrEnum):
    """How batches are compressed."""

    NONE = "none"
    GZIP = "gzip"
    LZ4 = "lz4"
    ZSTD = "zstd"


class KafkaPublisherConfig(Config):
    """How messages are written to Kafka."""

    compression: Compression = Compression.LZ4
    """``none``, ``gzip``, ``lz4`` or ``zstd``. Default ``lz4``."""
    max_message_bytes: int = Field(default=1_000_000, ge=1024, le=1024**3)
    """Largest message before compression; not above the topic's ``max.message.bytes``. Default 1 000 000, as the
    OpenTelemetry Collector's."""
    max_buffered_bytes: int = Field(default=32 * 1024 * 1024, ge=1024)
    """Bytes waiting for the broker; above it ``publish`` refuses. Default 32 MiB."""
    linger_seconds: float = Field(default=0.005, ge=0, le=10)
    """How long a message waits for others to share a batch with. Default 5 ms."""
    delivery_timeout_seconds: float = Field(default=60.0, ge=2, le=3600)
    """How long a message is tried before it is given up and counted as lost. Default 60 s."""
    max_block_seconds: float = Field(default=5.0, gt=0, le=60)
    """How long ``publish`` may wait to learn a topic's partitions. Default 5 s."""


class KafkaPublisher:
    """A ``Publisher`` with ``acks=all``: a message is durable once every in-sync replica has it. Any thread may use it.

    A message that is handed to ``publish`` and then given up is counted by a ``Dropped`` event of stage ``publisher``.
    """

    def __init__(
        self,
        connection: KafkaConfig,
        config: KafkaPublisherConfig | None = None,
        listener: EventListener = ignore_events,
    ) -> None:
        """Connect.

        Raises:
            ConfigError: credentials, certificate or settings are refused.
            RetryableError: no broker answered in time.
        """
        config = config or KafkaPublisherConfig()
        self._max_buffered_bytes = config.max_buffered_bytes
        self._listener = listener
        self._lock = threading.Lock()
        self._buffered_bytes = 0
        self._producer: Any = connect(
            KafkaProducer,
            connection,
            # Kafka wants the time for one request to fit into that for the whole delivery.
            request_timeout_ms=int(min(connection.request_timeout_seconds, config.delivery_timeout_seconds / 2) * 1000),
            acks="all",
            # kafka-python 3.0 puts an idempotent producer out of action for good as soon as a broker refuses one
            # message (one too large for its topic, say) and fails all others along with it. Without idempotence a
            # message whose acknowledgement got lost may be written twice, which readers have to take anyway: delivery
            # is at least once. One request at a time keeps the order of a key over retries.
            enable_idempotence=False,
            max_in_flight_requests_per_connection=1,
            compression_type=None if config.compression is Compression.NONE else config.compression.value,
            max_request_size=config.max_message_bytes,
            batch_size=_BATCH_BYTES,
            linger_ms=int(config.linger_seconds * 1000),
            delivery_timeout_ms=int(config.delivery_timeout_seconds * 1000),
            max_block_ms=int(config.max_block_seconds * 1000),
        )

    def publish(
        self, topic: str, value: bytes, key: bytes | None = None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        """Hand one message over; see ``Publisher.publish``."""
        message = Message(topic, value, key, tuple(headers))
        self._reserve(_size(message))
        self._hand_over(message).add_errback(self._give_up)

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        """Write messages and wait until they are durable; see ``Publisher.publish_all``."""
        self._reserve(sum(map(_size, messages)))
        refused: dict[int, PermanentError] = {}
        futures: dict[int, Any] = {}
        for index, message in enumerate(messages):
            try:
                futures[index] = self._hand_over(message)
            except PermanentError as error:
                refused[index] = error
            except RetryableError:
                self._release(sum(map(_size, messages[index + 1 :])))
                raise
        for index, future in futures.items():
            try:
                future.get(timeout=deadline.remaining_seconds())
            except KafkaError as error:
                failure = mapped(error)
                if not isinstance(failure, PermanentError):
                    raise failure from error
                refused[index] = failure
        return refused

    def flush(self, deadline: Deadline) -> None:
        """Wait until everything handed over is durable or given up; see ``Publisher.flush``."""
        try:
            self._producer.flush(timeout=deadline.remaining_seconds())
        except KafkaError as error:
            raise mapped(error) from error

    def close(self) -> None:
        """Free everything, waiting a few seconds for messages under way. Idempotent."""
        self._producer.close(timeout=5)

    def _hand_over(self, message: Message) -> Any:
        """Give kafka-python a message whose room is reserved; the room is free again when it is through with it."""
        size = _size(message)
        try:
            future = self._send(message)
        except RagsondeError:
            self._release(size)
            raise
        future.add_both(lambda _: self._release(size))
        return future

    def _send(self, message: Message) -> Any:
        try:
            future = self._producer.send(
                message.topic, message.value, key=message.key, headers=list(message.headers) or None
            )
        except KafkaError as error:
            raise mapped(error) from error
        except (ValueError, TypeError) as error:
            raise PermanentError(f"Kafka: {error}") from error
        if future.failed():
            raise mapped(future.exception) from future.exception
        return future

    def _reserve(self, size: int) -> None:
        with self._lock:
            # One message larger than the whole buffer may pass when it is alone: else it never could.
            if self._buffered_bytes and self._buffered_bytes + size > self._max_buffered_bytes:
                raise FullError(
                    f"{self._buffered_bytes} bytes wait for the Kafka broker (limit {self._max_buffered_bytes})"
                )
            self._buffered_bytes += size

    def _release(self, size: int) -> None:
        with self._lock:
            self._buffered_bytes -= size

    def _give_up(self, error: Exception) -> None:
        retryable = isinstance(mapped(error), RetryableError)
        reason = DropReason.RETRIES_EXHAUSTED if retryable else DropReason.PERMANENT_ERROR
        self._listener(Dropped("publisher", reason))


def _size(message: Message) -> int:
    headers = sum(len(name) + len(value) for name, value in message.headers)
    return len(message.value) + len(message.key or b"") + headers + _OVERHEAD_BYTES
