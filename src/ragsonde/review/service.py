"""The review store as a part of the sidecar: opened, filled, looked after and closed."""

from pathlib import Path

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy
from ragsonde.review.config import ReviewConfig
from ragsonde.review.exporter import ReviewExporter
from ragsonde.review.gauges import ReviewGauges
from ragsonde.review.store import open_store
from ragsonde.review.upkeep import ReviewUpkeep


class ReviewService:
    """Opens the store at once; ``start`` begins its upkeep.

    Raises:
        ConfigError: the store's address cannot work, or a newer program has made it.
    """

    def __init__(
        self,
        config: ReviewConfig,
        data_dir: Path,
        *,
        salt: str,
        instruments: Instruments,
        labels: LabelPolicy,
        clock: Clock,
    ) -> None:
        self.store = open_store(config, data_dir, salt=salt, clock=clock)
        self.exporter = ReviewExporter(self.store, required=config.required)
        self._upkeep = ReviewUpkeep(self.store, config, ReviewGauges(instruments, labels), clock)

    def start(self) -> None:
        """Begin the upkeep. A second call does nothing."""
        self._upkeep.start()

    def stop(self, deadline: Deadline) -> None:
        """End the upkeep and close the store. Safe when never started, and twice."""
        self._upkeep.stop(deadline)
        self.store.close()
