"""Tells the operator how content that was not captured can be had."""

import logging

from ragsonde.collector.clock import Clock
from ragsonde.collector.model import Capture, Interaction

_log = logging.getLogger(__name__)

_EVERY_SECONDS = 600.0
_MAX_APPS = 10_000


class RemedyLog:
    """Logs the remedy once in a while for each application, rather than for each interaction."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._said: dict[tuple[str, Capture], float] = {}

    def note(self, interaction: Interaction) -> None:
        """Log the interaction's remedy, unless it was said lately or there is none."""
        if interaction.capture is Capture.CAPTURED or interaction.remedy is None:
            return
        key = (interaction.app[:100], interaction.capture)
        now = self._clock.monotonic()
        if now - self._said.get(key, float("-inf")) < _EVERY_SECONDS or len(self._said) > _MAX_APPS:
            return
        self._said[key] = now
        _log.warning("app %r: %s. %s", interaction.app, interaction.capture.value, interaction.remedy)
