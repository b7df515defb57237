"""A publisher that keeps what is written in memory, and fails as told."""

from collections.abc import Mapping, Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import PermanentError
from ragsonde.collector.source import Message


class MemoryPublisher:
    """Refuses values longer than ``limit``; raises ``failure`` for the first ``failures`` calls (None: for all)."""

    def __init__(
        self, limit: int = 1_000_000, *, failure: Exception | None = None, failures: int | None = None
    ) -> None:
        self.messages: list[Message] = []
        self.limit = limit
        self.failure = failure
        self.failures = failures
        self.calls = 0

    def publish(
        self, topic: str, value: bytes, key: bytes | None = None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        for refusal in self.publish_all([Message(topic, value, key, tuple(headers))], Deadline(1)).values():
            raise refusal

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        self.calls += 1
        if self.failure is not None and (self.failures is None or self.calls <= self.failures):
            raise self.failure
        refused = {
            index: PermanentError("too large for the topic")
            for index, message in enumerate(messages)
            if len(message.value) > self.limit
        }
        self.messages += [message for index, message in enumerate(messages) if index not in refused]
        return refused

    def flush(self, deadline: Deadline) -> None:
        pass

    def close(self) -> None:
        pass
