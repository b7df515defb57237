"""Messages on their way to Kafka, bounded by the bytes they take."""

import threading
from collections import deque

from ragsonde.instrumentation.kafka_messages import Message


class Outbox:
    """A queue whose memory has a bound, including what has been handed on and is not acknowledged yet.

    When it is full the oldest waiting message goes: what happens now is worth more than what happened before an
    outage. Every method may be called from any thread; only `take` and `wait_empty` block, both with a timeout.
    """

    def __init__(self, *, max_bytes: int, max_in_flight_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._max_in_flight_bytes = max_in_flight_bytes
        self._waiting: deque[Message] = deque()
        self._waiting_bytes = 0
        self._in_flight = 0
        self._in_flight_bytes = 0
        self._changed = threading.Condition()
        self._abandoned = False

    def put(self, message: Message) -> list[Message]:
        """Add a message; return those that had to go, which may be that message itself."""
        dropped = []
        with self._changed:
            if self._abandoned or self._in_flight_bytes + message.size_bytes > self._max_bytes:
                return [message]
            while self._bytes() + message.size_bytes > self._max_bytes:
                oldest = self._waiting.popleft()
                self._waiting_bytes -= oldest.size_bytes
                dropped.append(oldest)
            self._waiting.append(message)
            self._waiting_bytes += message.size_bytes
            self._changed.notify_all()
        return dropped

    def take(self, timeout_seconds: float) -> Message | None:
        """Hand out the oldest message, which counts as in flight until `done` or `put_back`; None after the timeout."""
        with self._changed:
            self._changed.wait_for(lambda: self._abandoned or self._may_take(), timeout_seconds)
            if self._abandoned or not self._may_take():
                return None
            message = self._waiting.popleft()
            self._waiting_bytes -= message.size_bytes
            self._in_flight += 1
            self._in_flight_bytes += message.size_bytes
            return message

    def put_back(self, message: Message) -> bool:
        """Return a message that was taken, to be taken next; False after `abandon`, when it is gone for good."""
        with self._changed:
            self._land(message)
            if not self._abandoned:
                self._waiting.appendleft(message)
                self._waiting_bytes += message.size_bytes
            self._changed.notify_all()
            return not self._abandoned

    def done(self, message: Message) -> None:
        """Forget a message that was taken: it was acknowledged, or given up."""
        with self._changed:
            self._land(message)
            self._changed.notify_all()

    def wait_empty(self, timeout_seconds: float) -> bool:
        """Wait until nothing waits and nothing is in flight; False when that takes longer."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._waiting and not self._in_flight, timeout_seconds)

    def abandon(self) -> list[Message]:
        """Refuse everything from now on; return what was still waiting."""
        with self._changed:
            self._abandoned = True
            left = list(self._waiting)
            self._waiting.clear()
            self._waiting_bytes = 0
            self._changed.notify_all()
            return left

    @property
    def abandoned(self) -> bool:
        """Whether `abandon` has been called."""
        return self._abandoned

    def _may_take(self) -> bool:
        return bool(self._waiting) and (
            not self._in_flight or self._in_flight_bytes + self._waiting[0].size_bytes <= self._max_in_flight_bytes
        )

    def _land(self, message: Message) -> None:
        self._in_flight -= 1
        self._in_flight_bytes -= message.size_bytes

    def _bytes(self) -> int:
        return self._waiting_bytes + self._in_flight_bytes
