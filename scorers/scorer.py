"""The contract of a scorer."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Outcome


class Scorer(Protocol):
    """Gives outcomes for the metrics it names.

    A scorer gets a batch, so that a model can work on many texts at once. It must return exactly one mapping per
    reading, in order, each with exactly the keys of ``keys``. What applies to one interaction and not to another is
    said by ``NotApplicable``; what went wrong for one by ``Failed``. An exception fails the whole batch as
    ``Failed(internal_error)`` and is a fault of the scorer. ``score`` may be called from several threads at once.
    """

    @property
    def name(self) -> str:
        """Short name, unique among the scorers in use; safe as a label value."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same input may give another outcome."""
        ...

    @property
    def keys(self) -> tuple[MetricKey, ...]:
        """The metrics that it gives outcomes for."""
        ...

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Score a batch."""
        ...
