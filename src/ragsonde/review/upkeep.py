"""What the store needs from time to time: figures for Prometheus, and the removal of what is past its time."""

import logging
import threading

import sqlalchemy as sa

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.errors import RagsondeError
from ragsonde.review.config import ReviewConfig
from ragsonde.review.gauges import ReviewGauges
from ragsonde.review.honest_rates import honest_rates
from ragsonde.review.retention import remove_expired
from ragsonde.review.schema import INTERACTIONS, REVIEWS
from ragsonde.review.store import ReviewStore

_log = logging.getLogger(__name__)

_QUEUE_SECONDS = 30.0
_RETENTION_SECONDS = 3600.0
_DAY_MS = 86_400_000


class ReviewUpkeep:
    """Runs on a thread of its own. Every replica does: their figures are the same, and removing twice does no harm."""

    def __init__(self, store: ReviewStore, config: ReviewConfig, gauges: ReviewGauges, clock: Clock) -> None:
        self._store = store
        self._config = config
        self._gauges = gauges
        self._clock = clock
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._seen: tuple[object, ...] | None = None
        self._next_rates = clock.monotonic()
        self._next_removal = clock.monotonic()

    def start(self) -> None:
        """Start the thread. A second call does nothing."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="ragsonde-review", daemon=True)
            self._thread.start()

    def stop(self, deadline: Deadline) -> None:
        """End the thread. Safe when never started, and twice."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(deadline.remaining_seconds())

    def turn(self) -> None:
        """Do what is due once.

        Raises:
            RetryableError: the database is away or busy.
        """
        self._gauges.show_queue(self._store.counts())
        if self._clock.monotonic() >= self._next_rates:
            self._show_rates()
            self._next_rates = self._clock.monotonic() + self._config.rate_every_seconds
        if self._clock.monotonic() >= self._next_removal:
            self._remove_expired()
            self._next_removal = self._clock.monotonic() + _RETENTION_SECONDS

    def _remove_expired(self) -> None:
        now_ms = int(self._clock.wall() * 1000)
        removed = remove_expired(self._store.database, self._config, now_ms, go_on=lambda: not self._stop.is_set())
        if removed:
            _log.info("%d interactions past their retention were removed from the review store", removed)

    def _show_rates(self) -> None:
        """Work the rates out where something has changed since."""
        until = int(self._clock.wall() * 1000) + 1
        since = until - int(self._config.rate_window_days * _DAY_MS)
        interactions = sa.select(sa.func.count(), sa.func.min(INTERACTIONS.c.answered_ms)).where(
            INTERACTIONS.c.answered_ms >= since, INTERACTIONS.c.answered_ms < until
        )
        rescored = sa.select(sa.func.max(INTERACTIONS.c.scored_ms))
        reviews = sa.select(sa.func.count(), sa.func.max(REVIEWS.c.updated_ms), sa.func.sum(REVIEWS.c.version))
        with self._store.database.reading() as connection:
            state = tuple(
                value for query in (interactions, rescored, reviews) for value in connection.execute(query).one()
            )
            if state != self._seen:
                self._gauges.show_rates(honest_rates(connection, since, until))
        self._seen = state

    def _run(self) -> None:
        while True:
            try:
                self.turn()
            except RagsondeError as error:
                _log.warning("figures of the review store could not be worked out: %s", error)
            except Exception:  # noqa: BLE001 - a fault here must not end the upkeep for good
                _log.exception("the upkeep of the review store failed")
            if self._stop.wait(min(_QUEUE_SECONDS, self._config.rate_every_seconds)):
                return
