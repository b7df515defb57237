"""The contract of an exporter."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import PermanentError
from ragsonde.scorers.score import ScoredInteraction


class PartlyRefusedError(PermanentError):
    """Some interactions of a batch can never be delivered; all the others of the batch have been."""

    def __init__(self, refused: Mapping[int, PermanentError]) -> None:
        first = next(iter(refused.values()))
        super().__init__(f"{len(refused)} interactions refused, the first one with: {first}")
        self.refused = refused
        """What is wrong with each refused interaction, by its index in the batch."""


class Exporter(Protocol):
    """Takes scored interactions to one place.

    The fan-out calls an exporter from one thread of its own. ``start`` and ``shutdown`` may be called twice, and
    ``shutdown`` also where ``start`` never was. ``export`` is idempotent by interaction id: a batch that is exported
    again, after an error or a restart, must not count twice, as far as the sink can tell (each exporter documents how
    far that is). An interaction with ``rescored`` set replaces what was exported under its id before.
    """

    @property
    def name(self) -> str:
        """Short name, unique among the exporters in use; safe as a label value."""
        ...

    @property
    def required(self) -> bool:
        """Whether offsets may only be committed once this exporter has delivered."""
        ...

    def start(self) -> None:
        """Make ready.

        Raises:
            ConfigError: the settings can never work (no such folder, no permission).
        """
        ...

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:
        """Deliver a batch; on return it is as durable as the exporter promises.

        Raises:
            RetryableError: not delivered, or not wholly; the same batch may be exported again.
            PartlyRefusedError: delivered, except for some interactions that never can be.
            PermanentError: the batch can never be delivered as it is.
        """
        ...

    def flush(self, deadline: Deadline) -> None:
        """Make durable what was exported before.

        Raises:
            RetryableError: the deadline passed first, or the sink is away.
        """
        ...

    def shutdown(self, deadline: Deadline) -> None:
        """Flush as far as the deadline allows, then free everything. Does not raise."""
        ...
