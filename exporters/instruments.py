"""Makes the catalogue's metrics on a registry of our own. Together with ``prometheus`` the only user of the client."""

import threading
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics_core import Metric as Family

from ragsonde.exporters.metrics import Metric, MetricKind


class Instruments:
    """The metrics of one process, made at first use from the catalogue. Thread-safe.

    Nothing is registered globally: two instances in one process do not meet.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._made: dict[str, Counter | Gauge | Histogram] = {}
        self._lock = threading.Lock()

    def add(self, metric: Metric, amount: float, *labels: str) -> None:
        """Raise a counter; labels in the catalogue's order. An amount of 0 makes the series."""
        counter = self._instrument(metric)
        if not isinstance(counter, Counter):
            raise TypeError(f"{metric.name} is a {metric.kind}, not a counter")
        (counter.labels(*labels) if labels else counter).inc(amount)

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """Set a gauge; labels in the catalogue's order."""
        gauge = self._instrument(metric)
        if not isinstance(gauge, Gauge):
            raise TypeError(f"{metric.name} is a {metric.kind}, not a gauge")
        (gauge.labels(*labels) if labels else gauge).set(value)

    def remove(self, metric: Metric, *labels: str) -> None:
        """Forget a series; nothing happens where there is none."""
        self._instrument(metric).remove_by_labels(dict(zip(metric.labels, labels, strict=True)))

    def observe(self, metric: Metric, value: float, *labels: str, trace_id: str = "") -> None:
        """Add to a histogram, with the trace as its exemplar where one is given."""
        histogram = self._instrument(metric)
        if not isinstance(histogram, Histogram):
            raise TypeError(f"{metric.name} is a {metric.kind}, not a histogram")
        exemplar = {"trace_id": trace_id} if trace_id else None
        (histogram.labels(*labels) if labels else histogram).observe(value, exemplar)

    def collect(self) -> Iterator[Family]:
        """Yield what the registry holds, less the ``_created`` samples."""
        for family in self.registry.collect():
            family.samples = [sample for sample in family.samples if not sample.name.endswith("_created")]
            yield family

    def _instrument(self, metric: Metric) -> Counter | Gauge | Histogram:
        made = self._made.get(metric.name)
        if made is None:
            with self._lock:
                made = self._made.get(metric.name) or self._make(metric)
                self._made[metric.name] = made
        return made

    def _make(self, metric: Metric) -> Counter | Gauge | Histogram:
        if metric.kind is MetricKind.COUNTER:
            return Counter(metric.name, metric.help, metric.labels, registry=self.registry)
        if metric.kind is MetricKind.GAUGE:
            return Gauge(metric.name, metric.help, metric.labels, unit=metric.unit, registry=self.registry)
        return Histogram(
            metric.name, metric.help, metric.labels, unit=metric.unit, buckets=metric.buckets, registry=self.registry
        )
