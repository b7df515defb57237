"""What has been handed on and not delivered yet: bounded by number and bytes, and tied to the records it came from."""

import contextlib
import queue
from collections.abc import Callable, Set
from dataclasses import dataclass

from ragsonde.collector.model import Interaction, SourcePosition
from ragsonde.collector.source import TopicPartition, partition_of


@dataclass(frozen=True, slots=True, eq=False)
class _Item:
    size_bytes: int
    positions: tuple[SourcePosition, ...]


class InteractionsInFlight:
    """Interactions between the loop and their delivery.

    ``add`` and the settling methods belong to the loop's thread; the callback that ``add`` returns may be called from
    any thread, and may be called more than once.
    """

    def __init__(self, release: Callable[[SourcePosition], None]) -> None:
        self._release = release
        self._items: dict[int, _Item] = {}
        self._delivered: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self.size_bytes = 0
        """Approximate bytes of text of all that is in flight."""

    def __len__(self) -> int:
        return len(self._items)

    def add(self, interaction: Interaction, positions: tuple[SourcePosition, ...]) -> Callable[[], None]:
        """Take note of an interaction; return what is to be called at its delivery."""
        item = _Item(_text_bytes(interaction), positions)
        self._items[id(item)] = item
        self.size_bytes += item.size_bytes
        return lambda: self._delivered.put(item)

    def settle(self) -> None:
        """Release the records of all that was delivered since the last call."""
        with contextlib.suppress(queue.Empty):
            while True:
                self._settle(self._delivered.get_nowait())

    def wait(self, seconds: float) -> None:
        """Wait for a delivery, then settle."""
        with contextlib.suppress(queue.Empty):
            self._settle(self._delivered.get(timeout=max(seconds, 0.001)))
        self.settle()

    def touches(self, partitions: Set[TopicPartition]) -> bool:
        """Whether something in flight came from one of these partitions."""
        return any(partition_of(position) in partitions for item in self._items.values() for position in item.positions)

    def _settle(self, item: _Item) -> None:
        if self._items.pop(id(item), None) is not None:
            self.size_bytes -= item.size_bytes
            for position in item.positions:
                self._release(position)


def _text_bytes(interaction: Interaction) -> int:
    """Approximate bytes of an interaction in memory."""
    texts = [interaction.question, interaction.answer, interaction.system_instructions]
    texts += [document.text for document in interaction.contexts or ()]
    return 1000 + 2 * sum(len(text) for text in texts if text)
