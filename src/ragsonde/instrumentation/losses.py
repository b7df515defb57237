"""Counting the spans that did not reach Kafka, and saying so without flooding the application's log."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum

from opentelemetry import metrics
from opentelemetry.metrics import MeterProvider

_LOGGER = logging.getLogger("ragsonde.instrumentation")
_LOG_INTERVAL_SECONDS = 60.0


class LossReason(StrEnum):
    """Why spans were dropped. Closed, so that it can be a label value."""

    QUEUE_FULL = "queue_full"
    """Kafka could not be reached, or was too slow, for longer than the queue lasts."""
    TOO_LARGE = "too_large"
    """A single span is larger than a message may be."""
    DELIVERY_FAILED = "delivery_failed"
    """The broker refused the message, or did not acknowledge it in time."""
    UNENCODABLE = "unencodable"
    """The spans could not be serialised."""
    SHUTDOWN = "shutdown"
    """The process ended before they could be sent."""


class Losses:
    """Counts dropped spans by reason: in here, in an OpenTelemetry counter, and in the log once a minute."""

    def __init__(
        self, meter_provider: MeterProvider | None = None, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        meter = metrics.get_meter("ragsonde.instrumentation", meter_provider=meter_provider)
        self._counter = meter.create_counter(
            "ragsonde.exporter.dropped_spans", unit="{span}", description="Spans that did not reach Kafka"
        )
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._spans: Counter[LossReason] = Counter()
        self._logged_at: dict[str, float] = {}

    @property
    def by_reason(self) -> Mapping[LossReason, int]:
        """Spans dropped so far, by reason."""
        with self._lock:
            return dict(self._spans)

    def add(self, reason: LossReason, spans: int, detail: str = "") -> None:
        """Count ``spans`` as lost; ``detail`` says more in the log and must not quote content."""
        with self._lock:
            self._spans[reason] += spans
            total = self._spans[reason]
        self._counter.add(spans, {"reason": str(reason)})
        self.warn(reason, f"{total} spans dropped so far, reason {reason}{': ' if detail else ''}{detail}")

    def after_fork(self) -> None:
        """Begin anew in a forked child: whoever held the lock there may not have survived the fork."""
        self._lock = threading.Lock()
        self._spans.clear()

    def warn(self, kind: str, message: str) -> None:
        """Log a warning, at most once a minute for each ``kind``."""
        now = self._monotonic()
        with self._lock:
            last = self._logged_at.get(kind)
            if last is not None and now - last < _LOG_INTERVAL_SECONDS:
                return
            self._logged_at[kind] = now
        _LOGGER.warning("ragsonde: kafka: %s", message)
