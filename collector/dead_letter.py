"""Where records go that cannot be decoded, and when to stop instead.

A record that nobody can read must not block its partition, so it is put aside, unchanged, with what is known about it.
So is one of which a part cannot be read; the rest of it is scored, and it counts as decoded.
But a topic full of such records means a wrong topic, encoding or version: putting all of it aside would only move the
problem, so past a limit the consumer stops (as arroyo's dead-letter limits do).
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from pydantic import Field

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.config import Config
from ragsonde.collector.errors import DecodeError, PermanentError, RetryableError
from ragsonde.collector.model import Record
from ragsonde.collector.source import Message, Publisher
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, RecordDeadLettered, ignore_events

_RETRY_SECONDS = 1.0
_MAX_ERROR_CHARACTERS = 1000
_MAX_HEADER_BYTES = 16 * 1024
"""The record's own headers are kept up to this; they count towards the topic's limit as well."""


class TooManyDeadLettersError(PermanentError):
    """So many records cannot be decoded that something is wrong with the topic, not with a record."""


class DeadLetterConfig(Config):
    """Where undecodable records go, and how many are taken."""

    topic: str = Field(default="ragsonde.dead_letter", min_length=1, max_length=249)
    """Topic for undecodable records."""
    max_value_bytes: int = Field(default=900_000, ge=0)
    """A longer value is cut to this, with a header that says so. Keep it below the topic's ``max.message.bytes``.
    Default 900 000."""
    max_consecutive: int = Field(default=100, ge=1)
    """Undecodable records in a row; one more stops the consumer. Default 100."""
    max_ratio: float = Field(default=0.5, gt=0, le=1)
    """Share of undecodable records among the last ``window_records``; above it the consumer stops. Default 0.5."""
    window_records: int = Field(default=1000, ge=10, le=1_000_000)
    """Records that ``max_ratio`` looks back on; it is not applied before so many were seen. Default 1000."""
    timeout_seconds: float = Field(default=30.0, gt=0, le=300)
    """How long writing one dead letter is tried, which the loop waits for. Default 30 s."""


class DeadLetterQueue:
    """Puts undecodable records aside over any ``Publisher``. Used from the loop's thread only."""

    def __init__(
        self,
        publisher: Publisher,
        config: DeadLetterConfig,
        clock: Clock | None = None,
        listener: EventListener = ignore_events,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._publisher = publisher
        self._config = config
        self._clock = clock or SystemClock()
        self._listener = listener
        self._sleep = sleep
        self._consecutive = 0
        self._window: deque[bool] = deque(maxlen=config.window_records)
        self._bad_in_window = 0

    def record_good(self) -> None:
        """Note a record that could be decoded."""
        self._consecutive = 0
        self._note(bad=False)

    def put(self, record: Record, error: DecodeError) -> None:
        """Put a record aside; it is durable when this returns, so its position may be committed.

        Raises:
            TooManyDeadLettersError: a limit is passed; the record was not put aside.
            RetryableError: the publisher stayed away for ``timeout_seconds``; nothing was noted, so the same call may
                be made again.
        """
        self._check_limits(record, error)
        if self._write(record, error):
            self._listener(RecordDeadLettered(record.position.topic, error.reason))
        self._consecutive += 1
        self._note(bad=True)

    def keep_copy(self, record: Record, fault: DecodeError) -> None:
        """Put a copy of a record aside that was decoded but for a part of it; it is durable when this returns.

        Raises:
            RetryableError: the publisher stayed away for ``timeout_seconds``; the same call may be made again.
        """
        self._write(record, fault, {"ragsonde.partly_read": "true"})

    def _check_limits(self, record: Record, error: DecodeError) -> None:
        config, position = self._config, record.position
        where = f"last {position.topic}/{position.partition} offset {position.offset}: {error}"
        remedy = "check that the topic holds OTLP traces or log records as protobuf or JSON"
        if self._consecutive >= config.max_consecutive:
            raise TooManyDeadLettersError(
                f"more than {config.max_consecutive} records in a row cannot be decoded ({where}); {remedy}"
            )
        full = len(self._window) == config.window_records
        if full and self._bad_in_window > config.max_ratio * config.window_records:
            raise TooManyDeadLettersError(
                f"{self._bad_in_window} of the last {config.window_records} records cannot be decoded ({where});"
                f" {remedy}"
            )

    def _write(self, record: Record, error: DecodeError, more: Mapping[str, str] = MappingProxyType({})) -> bool:
        sizes = [len(record.value)] if len(record.value) <= self._config.max_value_bytes else []
        sizes += [min(self._config.max_value_bytes, len(record.value)), 0]
        deadline = Deadline(self._config.timeout_seconds, self._clock)
        for size in dict.fromkeys(sizes):
            message = Message(self._config.topic, record.value[:size], record.key, _headers(record, error, size, more))
            if self._publish(message, deadline):
                return True
        self._listener(Dropped("dead_letter", DropReason.PERMANENT_ERROR))
        return False

    def _publish(self, message: Message, deadline: Deadline) -> bool:
        """Write a message, trying again until the deadline; return whether it was taken rather than refused."""
        while True:
            try:
                return not self._publisher.publish_all([message], deadline)
            except RetryableError:
                if deadline.expired():
                    raise
                self._sleep(min(_RETRY_SECONDS, deadline.remaining_seconds()))

    def _note(self, *, bad: bool) -> None:
        if len(self._window) == self._window.maxlen:
            self._bad_in_window -= self._window[0]
        self._window.append(bad)
        self._bad_in_window += bad


def _headers(record: Record, error: DecodeError, size: int, more: Mapping[str, str]) -> tuple[tuple[str, bytes], ...]:
    position = record.position
    facts = {
        "ragsonde.topic": position.topic,
        "ragsonde.partition": str(position.partition),
        "ragsonde.offset": str(position.offset),
        "ragsonde.timestamp_ms": str(record.timestamp_ms),
        "ragsonde.reason": error.reason.value,
        "ragsonde.error": str(error)[:_MAX_ERROR_CHARACTERS],
        **more,
    }
    if size < len(record.value):
        facts["ragsonde.cut_from_bytes"] = str(len(record.value))
    return tuple((name, value.encode("utf-8", "replace")) for name, value in facts.items()) + _kept(record.headers)


def _kept(headers: Iterable[tuple[str, bytes]]) -> tuple[tuple[str, bytes], ...]:
    kept, size = [], 0
    for name, value in headers:
        size += len(name) + len(value)
        if size > _MAX_HEADER_BYTES:
            break
        kept.append((name, value))
    return tuple(kept)
