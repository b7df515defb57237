"""What the review pages need of a store."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from ragsonde.calibration.labels import Label
from ragsonde.collector.errors import RagsondeError
from ragsonde.golden.exporting import ReviewedItem
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
from ragsonde.scorers.score import ScoredInteraction


class UnknownItemError(RagsondeError):
    """There is no item with this id: never selected, or past its retention."""


class ReviewConflictError(RagsondeError):
    """Somebody saved the same review since it was read; ``latest`` is what they saved."""

    def __init__(self, latest: Review) -> None:
        super().__init__(f"the review of {latest.item_id} by {latest.reviewer} was changed meanwhile; look at it again")
        self.latest = latest


class ReviewDesk(Protocol):
    """The queue and the reviews. Every method may block on the database and is safe to call from any thread."""

    def queue(self, wanted: QueueFilter, *, cursor: str | None = None, limit: int = 50) -> QueuePage:
        """Return a page of the queue, worst first."""
        ...

    def choices(self) -> FilterChoices:
        """Return the values that filters can take."""
        ...

    def take_next(self, reviewer: str, wanted: QueueFilter) -> str | None:
        """Hold and return the next item for this reviewer; None when there is none.

        A hold keeps others from getting the same item and ends by itself after some minutes. An item that is to be
        labelled twice goes to two different reviewers.
        """
        ...

    def hold(self, item_id: str, reviewer: str) -> str | None:
        """Hold an item that was opened from the list; return who else holds it, or None when it is now ours.

        Raises:
            UnknownItemError: there is no such item.
        """
        ...

    def item(self, item_id: str) -> ReviewItem:
        """Return an item.

        Raises:
            UnknownItemError: there is no such item.
        """
        ...

    def conversation(self, conversation_id: str, app: str) -> Sequence[Turn]:
        """Return the known turns of a conversation, oldest first."""
        ...

    def save(self, review: Review) -> Review:
        """Store a review and return it with its new version; the earlier state goes to the history.

        Raises:
            UnknownItemError: there is no such item.
            ReviewConflictError: ``review.version`` is not the stored one.
        """
        ...

    def undo(self, item_id: str, reviewer: str) -> Review | None:
        """Take back this reviewer's last change to an item; return what then stands, None when nothing does.

        Raises:
            UnknownItemError: there is no such item.
        """
        ...

    def last_changed(self, reviewer: str) -> str | None:
        """Return the item that this reviewer changed last: what an undo from the queue takes back."""
        ...

    def dismiss(self, item_id: str, reviewer: str, *, dismissed: bool = True) -> None:
        """Take an item out of the queue for good, or (``dismissed`` false) back in.

        Raises:
            UnknownItemError: there is no such item.
        """
        ...

    def agreement(self) -> Agreement:
        """Return how far reviewers agree on what two of them labelled."""
        ...

    def counts(self) -> dict[tuple[str, ItemState], int]:
        """Return the number of items by app and state."""
        ...

    def labels(self) -> Iterator[Label]:
        """Yield the verdicts of all reviewers, with the probabilities that a rate needs."""
        ...

    def reviewed_items(self) -> Iterator[ReviewedItem]:
        """Yield each reviewed item once, as golden sets take it."""
        ...

    def scored(self) -> Iterator[ScoredInteraction]:
        """Yield the score records of all items in the store."""
        ...
