"""Texts of documents by id, for traces that carry only ids.

A lookup never holds the pipeline up for long (timeouts, one deadline for an interaction, a pause after repeated
failures) and never fails an interaction: what cannot be found stays ``contexts_not_captured`` and is counted.
"""

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.document_stores import DocumentStore, ResolverConfig, build_store
from ragsonde.collector.errors import RetryableError
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.collector.telemetry import DocumentsLookedUp, EventListener, ignore_events

__all__ = ["Resolver", "ResolverConfig", "build_resolver"]


class Resolver:
    """Completes interactions whose documents have ids and no texts. Not thread-safe: one loop owns it."""

    def __init__(
        self,
        store: DocumentStore,
        config: ResolverConfig,
        clock: Clock | None = None,
        listener: EventListener = ignore_events,
    ) -> None:
        self._store = store
        self._config = config
        self._clock = clock or SystemClock()
        self._listener = listener
        self._cache = _TextCache(config.cache_entries, config.cache_characters, config.cache_seconds, self._clock)
        self._failures_in_row = 0
        self._paused_until = float("-inf")

    def resolve(self, interaction: Interaction) -> Interaction:
        """Return the interaction with the texts that were found; captured only if no text is missing any more."""
        if interaction.capture is not Capture.CONTEXTS_NOT_CAPTURED or not interaction.contexts:
            return interaction
        deadline = Deadline(self._config.total_seconds, self._clock)
        tally = _Tally()
        contexts = tuple(self._completed(document, deadline, tally) for document in interaction.contexts)
        self._listener(DocumentsLookedUp(tally.found, tally.missing, tally.failed))
        if any(document.text is None for document in contexts):
            return replace(interaction, contexts=contexts)
        return replace(interaction, contexts=contexts, capture=Capture.CAPTURED, remedy=None)

    def close(self) -> None:
        """Release the store's connections."""
        self._store.close()

    def _completed(self, document: Document, deadline: Deadline, tally: "_Tally") -> Document:
        if document.text is not None or document.id is None:
            return document
        text = self._cache.get(document.id)
        if text is None:
            text = self._looked_up(document.id, deadline, tally)
        if text is None:
            return document
        tally.found += 1
        return replace(document, text=text)

    def _looked_up(self, document_id: str, deadline: Deadline, tally: "_Tally") -> str | None:
        if deadline.expired() or self._clock.monotonic() < self._paused_until:
            tally.failed += 1
            return None
        try:
            text = self._store.text(document_id)
        except RetryableError:
            tally.failed += 1
            self._failures_in_row += 1
            if self._failures_in_row >= self._config.failures_before_pause:
                self._failures_in_row = 0
                self._paused_until = self._clock.monotonic() + self._config.pause_seconds
            return None
        self._failures_in_row = 0
        if not text:
            tally.missing += 1
            return None
        self._cache.put(document_id, text)
        return text


def build_resolver(
    config: ResolverConfig,
    *,
    clock: Clock | None = None,
    listener: EventListener = ignore_events,
    environ: Mapping[str, str] = os.environ,
) -> Resolver:
    """Make a resolver as configured.

    Raises:
        ConfigError: a variable is not set, a driver or function cannot be imported, or a value is malformed.
    """
    return Resolver(build_store(config, environ), config, clock, listener)


# Book-keeping -----------------------------------------------------------------------------------------------


class _Tally:
    __slots__ = ("failed", "found", "missing")

    def __init__(self) -> None:
        self.found = self.missing = self.failed = 0


class _TextCache:
    """Least recently used out first; bounded by entries, characters and age."""

    def __init__(self, max_entries: int, max_characters: int, max_age_seconds: float, clock: Clock) -> None:
        self._max_entries = max_entries
        self._max_characters = max_characters
        self._max_age_seconds = max_age_seconds
        self._clock = clock
        self._texts: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._characters = 0

    def get(self, document_id: str) -> str | None:
        held = self._texts.get(document_id)
        if held is None:
            return None
        since, text = held
        if self._clock.monotonic() - since > self._max_age_seconds:
            self._drop(document_id)
            return None
        self._texts.move_to_end(document_id)
        return text

    def put(self, document_id: str, text: str) -> None:
        self._drop(document_id)
        self._texts[document_id] = (self._clock.monotonic(), text)
        self._characters += len(text)
        while self._texts and (len(self._texts) > self._max_entries or self._characters > self._max_characters):
            self._drop(next(iter(self._texts)))

    def _drop(self, document_id: str) -> None:
        held = self._texts.pop(document_id, None)
        if held is not None:
            self._characters -= len(held[1])
