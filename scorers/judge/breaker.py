"""Stops asking a judge that cannot answer, and finds out with one call at a time when it can again."""

from collections.abc import Callable

from ragsonde.collector.clock import Clock
from ragsonde.collector.telemetry import BreakerState
from ragsonde.scorers.judge.config import BreakerConfig
from ragsonde.scorers.judge.errors import JudgeUnavailableError


class CircuitBreaker:
    """Closed, open, half-open. Belongs to one event loop."""

    def __init__(
        self, config: BreakerConfig, *, clock: Clock, on_change: Callable[[BreakerState], None] = lambda _state: None
    ) -> None:
        self._config = config
        self._clock = clock
        self._on_change = on_change
        self._state = BreakerState.CLOSED
        self._failures = 0
        self._opened_at = 0.0
        self._why = ""
        self._probing = False

    @property
    def state(self) -> BreakerState:
        """The state as of the last call."""
        return self._state

    def admit(self) -> bool:
        """Let a call through; True where it is the probe.

        Raises:
            JudgeUnavailableError: the breaker is open; the message says why and for how long.
        """
        if self._state is BreakerState.CLOSED:
            return False
        left = self._opened_at + self._config.cooldown_seconds - self._clock.monotonic()
        if left > 0 or self._probing:
            raise JudgeUnavailableError(f"not asked, since {self._why}; next probe in {max(0.0, left):.0f} s")
        self._probing = True
        self._change(BreakerState.HALF_OPEN)
        return True

    def succeeded(self) -> None:
        """The judge replied, whatever the reply."""
        self._failures = 0
        self._probing = False
        self._change(BreakerState.CLOSED)

    def failed(self, why: str, *, permanent: bool, probe: bool) -> None:
        """A call ended without a reply; ``probe`` is what ``admit`` gave for it."""
        self._failures += 1
        if permanent or probe or self._failures >= self._config.failures:
            self._why = why
            self._opened_at = self._clock.monotonic()
            self._change(BreakerState.OPEN)
        if probe:
            self._probing = False

    def abandoned(self, *, probe: bool) -> None:
        """A call ended without telling anything of the judge: after a probe, the next call probes again."""
        if probe:
            self._probing = False

    def _change(self, state: BreakerState) -> None:
        if state is not self._state:
            self._state = state
            self._on_change(state)
