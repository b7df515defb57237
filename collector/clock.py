"""Time as a dependency: a clock that tests can move, and a deadline that a whole shutdown shares."""

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings of time; only differences of ``monotonic`` measure durations."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary origin; never goes back."""
        ...

    def wall(self) -> float:
        """Seconds since the Unix epoch."""
        ...


class SystemClock:
    """The machine's own clock."""

    def monotonic(self) -> float:
        """Seconds from an arbitrary origin; never goes back."""
        return time.monotonic()

    def wall(self) -> float:
        """Seconds since the Unix epoch."""
        return time.time()


class Deadline:
    """One budget of time that several steps share."""

    def __init__(self, seconds: float, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._end = self._clock.monotonic() + seconds

    def remaining_seconds(self) -> float:
        """Seconds left; 0.0 once the deadline has passed."""
        return max(0.0, self._end - self._clock.monotonic())

    def expired(self) -> bool:
        """Whether no time is left."""
        return self.remaining_seconds() <= 0.0
