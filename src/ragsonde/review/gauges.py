"""What people say, as Prometheus series. What is not known has no series."""

from collections import Counter
from collections.abc import Iterable, Mapping

from ragsonde.exporters import metrics
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import OTHER, LabelPolicy
from ragsonde.exporters.metrics import Metric
from ragsonde.review.model import ItemState
from ragsonde.review.overview import HonestRate


class ReviewGauges:
    """Sets the gauges of the review store, and forgets series that nothing is known of any more."""

    def __init__(self, instruments: Instruments, labels: LabelPolicy) -> None:
        self._instruments = instruments
        self._labels = labels
        self._set: dict[str, set[tuple[str, ...]]] = {}

    def show_queue(self, counts: Mapping[tuple[str, ItemState], int]) -> None:
        """Set how many items each application has in each state."""
        sums: Counter[tuple[str, ...]] = Counter()
        for (app, state), number in counts.items():
            sums[self._labels.app(app), str(state)] += number
        self._replace(metrics.REVIEW_QUEUE_ITEMS, sums)

    def show_rates(self, rates: Iterable[HonestRate]) -> None:
        """Set corrected rates and agreement. Applications without a label of their own have none: rates do not add."""
        by_scorer = {(app, rate.scorer): rate for rate in rates if (app := self._labels.app(rate.app)) != OTHER}
        values: Mapping[Metric, Mapping[tuple[str, ...], float | None]] = {
            metrics.REVIEW_LABELLED_INTERACTIONS: {key: rate.compared for key, rate in by_scorer.items()},
            metrics.REVIEW_AGREEMENT: {key: rate.kappa for key, rate in by_scorer.items()},
            metrics.HALLUCINATION_RATE_ESTIMATE: {key: rate.rate for key, rate in by_scorer.items()},
            metrics.HALLUCINATION_RATE_LOWER: {key: rate.low for key, rate in by_scorer.items()},
            metrics.HALLUCINATION_RATE_UPPER: {key: rate.high for key, rate in by_scorer.items()},
        }
        for metric, series in values.items():
            self._replace(metric, series)

    def _replace(self, metric: Metric, series: Mapping[tuple[str, ...], float | None]) -> None:
        known = {labels: value for labels, value in series.items() if value is not None}
        for labels in self._set.get(metric.name, set()) - known.keys():
            self._instruments.remove(metric, *labels)
        for labels, value in known.items():
            self._instruments.set(metric, value, *labels)
        self._set[metric.name] = set(known)
