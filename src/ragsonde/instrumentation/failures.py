"""Errors of the instrumentation itself: reported once, never raised into the application."""

import logging
from types import TracebackType

_LOGGER = logging.getLogger("ragsonde.instrumentation")


class FailureLog:
    """Swallows the instrumentation's own errors and logs each place once.

    The log line names the place and the class of the error only: a message may quote the text being recorded.
    The traceback is logged at DEBUG.
    """

    def __init__(self) -> None:
        self._reported: set[str] = set()

    def guard(self, place: str) -> "Guard":
        """Return a ``with`` block inside which an ``Exception`` ends the block and is logged, not raised."""
        return Guard(self, place)

    def report(self, place: str, problem: str, error: BaseException | None = None) -> None:
        """Log ``problem`` at ``place``, unless that place has been reported before."""
        if place in self._reported:
            return
        self._reported.add(place)
        _LOGGER.error("ragsonde: %s: %s (reported once; the application is not affected)", place, problem)
        if error is not None:
            _LOGGER.debug("ragsonde: %s", place, exc_info=error)


class Guard:
    """One guarded block; see `FailureLog.guard`."""

    __slots__ = ("_failures", "_place")

    def __init__(self, failures: FailureLog, place: str) -> None:
        self._failures = failures
        self._place = place

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        """Swallow and report an ``Exception``; let ``KeyboardInterrupt``, cancellation and the like through."""
        if not isinstance(error, Exception):
            return False
        self._failures.report(self._place, type(error).__name__, error)
        return True
