"""A bounded memory of what was exported, for sinks that cannot look it up themselves."""

from collections import OrderedDict

from ragsonde.scorers.score import ScoredInteraction

DEFAULT_RECENT_IDS = 100_000
"""Ids kept: some ten megabytes, and far more than a rebalance or a retry brings again."""


class RecentIds:
    """Tells a first export of an interaction from a repeated one. Not thread-safe: an exporter has one thread.

    A re-scoring under the same id is a first export of its own, told apart by its time.
    """

    def __init__(self, capacity: int = DEFAULT_RECENT_IDS) -> None:
        self._capacity = capacity
        self._keys: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, scored: ScoredInteraction) -> bool:
        return self.key(scored) in self._keys

    @staticmethod
    def key(scored: ScoredInteraction) -> str:
        """Return what makes an export the same as another."""
        identifier = scored.interaction.id
        return f"{identifier}@{scored.scored_at!r}" if scored.rescored else identifier

    def add(self, scored: ScoredInteraction) -> bool:
        """Remember an interaction; return whether it is new. The least recently seen one is forgotten when full."""
        return self.add_key(self.key(scored))

    def add_key(self, key: str) -> bool:
        """Remember a key as ``key`` makes them; return whether it is new."""
        new = key not in self._keys
        self._keys[key] = None
        self._keys.move_to_end(key)
        if len(self._keys) > self._capacity:
            self._keys.popitem(last=False)
        return new
