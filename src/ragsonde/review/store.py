"""The review store: one place that the exporter fills, the pages show and the commands read."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ragsonde.calibration.labels import Label
from ragsonde.collector.clock import Clock, SystemClock
from ragsonde.golden.exporting import ReviewedItem
from ragsonde.review.config import ReviewConfig
from ragsonde.review.database import Database
from ragsonde.review.figures import overview
from ragsonde.review.intake import Intake
from ragsonde.review.lookup import Lookup
from ragsonde.review.model import (
    Agreement,
    FilterChoices,
    ItemState,
    QueueFilter,
    QueuePage,
    Review,
    ReviewItem,
    Turn,
)
from ragsonde.review.overview import Overview
from ragsonde.review.queue import Queue
from ragsonde.review.reviews import Reviews
from ragsonde.review.selection import SelectionPolicy
from ragsonde.scorers.score import ScoredInteraction


class ReviewStore:
    """Implements ``ReviewDesk`` and ``OverviewSource``, and takes what the exporter brings. Thread-safe.

    Each method may raise RetryableError where the database is away or busy, and PermanentError where it refuses.
    """

    def __init__(self, database: Database, config: ReviewConfig, *, salt: str, clock: Clock) -> None:
        """Put the parts together; ``salt`` is the sampler's."""
        self.database = database
        self._clock = clock
        self._retention_days = config.retention_days
        self._intake = Intake(database, SelectionPolicy(config.selection, salt), clock)
        self._queue = Queue(database, clock, hold_minutes=config.hold_minutes)
        self._reviews = Reviews(database, clock, hold_minutes=config.hold_minutes)
        self._lookup = Lookup(database)

    def add(self, batch: Sequence[ScoredInteraction]) -> None:
        """Add scored interactions, and select among them; see ``Intake.add``."""
        self._intake.add(batch)

    def queue(self, wanted: QueueFilter, *, cursor: str | None = None, limit: int = 50) -> QueuePage:
        """Return a page of the queue, worst first.

        Raises:
            PermanentError: the cursor is none of this store.
        """
        return self._queue.page(wanted, cursor=cursor, limit=limit)

    def choices(self) -> FilterChoices:
        """Return the values that filters can take."""
        return self._queue.choices()

    def take_next(self, reviewer: str, wanted: QueueFilter) -> str | None:
        """Hold and return the next item for this reviewer; None when there is none."""
        return self._queue.take_next(reviewer, wanted)

    def hold(self, item_id: str, reviewer: str) -> str | None:
        """Hold an item; return who else holds it, or None when it is now ours.

        Raises:
            UnknownItemError: there is no such item.
        """
        return self._queue.hold(item_id, reviewer)

    def item(self, item_id: str) -> ReviewItem:
        """Return an item.

        Raises:
            UnknownItemError: there is no such item.
        """
        return self._lookup.item(item_id)

    def conversation(self, conversation_id: str, app: str) -> Sequence[Turn]:
        """Return the known turns of a conversation, oldest first."""
        return self._lookup.conversation(conversation_id, app)

    def save(self, review: Review) -> Review:
        """Store a review and return it with its new version.

        Raises:
            UnknownItemError: there is no such item.
            ReviewConflictError: ``review.version`` is not the stored one.
        """
        return self._reviews.save(review)

    def undo(self, item_id: str, reviewer: str) -> Review | None:
        """Take back this reviewer's last change to an item; return what then stands, None when nothing does.

        Raises:
            UnknownItemError: there is no such item.
        """
        return self._reviews.undo(item_id, reviewer)

    def last_changed(self, reviewer: str) -> str | None:
        """Return the item that this reviewer changed last."""
        return self._reviews.last_changed(reviewer)

    def dismiss(self, item_id: str, reviewer: str, *, dismissed: bool = True) -> None:
        """Take an item out of the queue for good, or back in.

        Raises:
            UnknownItemError: there is no such item.
        """
        self._reviews.dismiss(item_id, reviewer, dismissed=dismissed)

    def agreement(self) -> Agreement:
        """Return how far reviewers agree on what two of them labelled."""
        return self._lookup.agreement()

    def counts(self) -> dict[tuple[str, ItemState], int]:
        """Return the number of items by app and state."""
        return self._queue.counts()

    def labels(self) -> Iterator[Label]:
        """Yield the verdicts of all reviewers, with the probabilities that a rate needs."""
        return self._lookup.labels()

    def reviewed_items(self) -> Iterator[ReviewedItem]:
        """Yield each item of which a review says what is right, as golden sets take it."""
        return self._lookup.reviewed_items()

    def scored(self) -> Iterator[ScoredInteraction]:
        """Yield the score records of all items in the store."""
        return self._lookup.scored()

    def overview(self, since: datetime, until: datetime, *, app: str | None = None) -> Overview:
        """Return the overview of ``[since, until)``, as far back as all interactions are kept."""
        counts, agreement = self.counts(), self.agreement()
        earliest = datetime.fromtimestamp(self._clock.wall(), UTC) - timedelta(days=self._retention_days)
        with self.database.reading() as connection:
            return overview(connection, since, until, app, earliest=earliest, queue=counts, agreement=agreement)

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self.database.close()


def open_store(
    config: ReviewConfig, data_dir: Path, *, salt: str = "ragsonde", clock: Clock | None = None
) -> ReviewStore:
    """Open the store that the configuration names; SQLite files are made where there is none.

    Raises:
        ConfigError: the address is malformed, its driver is missing, or its file cannot be used.
    """
    database = Database(config.address(data_dir), timeout_seconds=config.timeout_seconds)
    return ReviewStore(database, config, salt=salt, clock=clock or SystemClock())
