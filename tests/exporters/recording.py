"""An exporter whose behaviour a test controls."""

import threading
from collections.abc import Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.score import ScoredInteraction


class RecordingExporter:
    """Keeps what it gets, by interaction id; raises the given errors first, one an attempt, and waits at the gate."""

    def __init__(self, name: str = "recording", *, required: bool = True, errors: Sequence[Exception] = ()) -> None:
        self.name = name
        self.required = required
        self.errors = list(errors)
        self.poison: dict[str, Exception] = {}
        """What it raises for a batch that holds the interaction."""
        self.delivered: dict[str, ScoredInteraction] = {}
        self.batches: list[int] = []
        self.attempts = 0
        self.calls: list[str] = []
        self.gate = threading.Event()
        self.gate.set()
        self.at_gate = threading.Event()

    def start(self) -> None:
        self.calls.append("start")

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:
        self.attempts += 1
        self.at_gate.set()
        self.gate.wait(30)
        if self.errors:
            raise self.errors.pop(0)
        for scored in batch:
            if scored.interaction.id in self.poison:
                raise self.poison[scored.interaction.id]
        self.batches.append(len(batch))
        for scored in batch:
            self.delivered[scored.interaction.id] = scored

    def flush(self, deadline: Deadline) -> None:
        self.calls.append("flush")

    def shutdown(self, deadline: Deadline) -> None:
        self.calls.append("shutdown")
