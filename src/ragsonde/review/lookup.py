"""Reads what is in the store: one item, a conversation, all labels, all reviewed items."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from ragsonde.calibration.agreement import alpha_of_votes
from ragsonde.calibration.labels import Label
from ragsonde.exporters.quality import claims
from ragsonde.golden.exporting import ReviewedItem
from ragsonde.review.database import Database
from ragsonde.review.desk import UnknownItemError
from ragsonde.review.model import Agreement, ItemState, Review, ReviewItem, SelectedBecause, Selection, Turn
from ragsonde.review.reviews import STANDING, STORED, all_labels, as_review
from ragsonde.review.rows import moment, plain, read_record
from ragsonde.review.schema import INTERACTIONS, ITEMS, RECORDS, REVIEWS, StoredRow
from ragsonde.scorers.score import ScoredInteraction

_TURNS = 200
_AT_ONCE = 200
"""Records that are in memory at once when all are read."""


class Lookup:
    """What the pages and commands read. Changes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def item(self, item_id: str) -> ReviewItem:
        """Return an item; see ``ReviewDesk.item``."""
        id_ = plain(item_id)
        with self._database.reading() as connection:
            found = sa.select(ITEMS, RECORDS.c.record).join(RECORDS, RECORDS.c.item_id == ITEMS.c.id)
            row = connection.execute(found.where(ITEMS.c.id == id_)).first()
            if row is None:
                raise UnknownItemError(f"there is no item {item_id}: never selected, or past its retention")
            query = STORED.where(REVIEWS.c.item_id == id_, sa.not_(REVIEWS.c.withdrawn))
            reviews = connection.execute(query.order_by(REVIEWS.c.updated_ms, REVIEWS.c.reviewer)).all()
        return ReviewItem(
            scored=read_record(row.record),
            selection=Selection(SelectedBecause(row.because), row.share, row.wanted_reviews),
            state=ItemState(row.state),
            reviews=tuple(map(as_review, reviews)),
            answered_at=moment(row.answered_ms),
        )

    def conversation(self, conversation_id: str, app: str) -> Sequence[Turn]:
        """Return the known turns of a conversation, oldest first, the latest 200 of them."""
        in_queue = sa.exists().where(ITEMS.c.id == INTERACTIONS.c.id)
        query = (
            sa.select(INTERACTIONS, in_queue.label("in_queue"))
            .where(INTERACTIONS.c.conversation_id == plain(conversation_id), INTERACTIONS.c.app == plain(app))
            .order_by(INTERACTIONS.c.answered_ms.desc(), INTERACTIONS.c.id)
            .limit(_TURNS)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query).all()[::-1]
            ids = [row.id for row in rows]
            reviews = connection.execute(STORED.where(REVIEWS.c.item_id.in_(ids), STANDING)).all()
        latest = {review.item_id: review for review in sorted(map(as_review, reviews), key=_age)}
        return [
            Turn(
                id=row.id,
                question=row.question or "",
                answer=row.answer or "",
                answered_at=moment(row.answered_ms),
                verdict=latest[row.id].verdict if row.id in latest else None,
                faithfulness=row.faithfulness,
                in_queue=row.in_queue,
            )
            for row in rows
        ]

    def scored(self) -> Iterator[ScoredInteraction]:
        """Yield the score records of all items."""
        for row in self._items(reviewed=False):
            yield read_record(row.record)

    def labels(self) -> Iterator[Label]:
        """Yield all verdicts, each with what the reviewer saw and with which probability it was drawn."""
        for row, reviews in self._reviewed():
            record = read_record(row.record)
            texts = [claim.text for claim in claims(record)]
            chances = {
                "probability": row.share,
                "inclusion": None if row.share is None else row.share * row.probability,
                "scorer_versions": record.scorer_versions,
            }
            for review in reviews:
                for label in all_labels(review):
                    if label.claim is None or label.claim < len(texts):
                        text = None if label.claim is None else texts[label.claim]
                        yield label.model_copy(update={**chances, "claim_text": text})

    def reviewed_items(self) -> Iterator[ReviewedItem]:
        """Yield each item of which a review says what is right, by the latest review that does."""
        for row, reviews in self._reviewed():
            settled = [review for review in reviews if _says_what_is_right(review)]
            if not settled:
                continue
            latest = max(settled, key=_age)
            yield ReviewedItem(
                id=row.id,
                reviewer=latest.reviewer,
                reviewed_at=latest.updated_at,
                reference=latest.corrected_answer,
                answer_is_right=latest.answer_is_right,
                key_facts=latest.key_facts,
                unanswerable=latest.unanswerable,
            )

    def agreement(self) -> Agreement:
        """Return how far reviewers agree on what at least two of them labelled."""
        several = sa.select(REVIEWS.c.item_id).where(STANDING).group_by(REVIEWS.c.item_id).having(sa.func.count() > 1)
        query = STORED.add_columns(REVIEWS.c.fault).where(STANDING, REVIEWS.c.item_id.in_(several))
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        answers: dict[str, dict[str, bool]] = {}
        by_claim: dict[tuple[str, int], dict[str, bool]] = {}
        for row in rows:
            if row.fault is not None:
                answers.setdefault(row.item_id, {})[row.reviewer] = row.fault
            for index, verdict in as_review(row).claims.items():
                if verdict.fault is not None:
                    by_claim.setdefault((row.item_id, index), {})[row.reviewer] = verdict.fault
        return Agreement(
            items=sum(len(votes) > 1 for votes in answers.values()),
            answer_kappa=alpha_of_votes(list(answers.values())),
            claim_kappa=alpha_of_votes(list(by_claim.values())),
        )

    def _reviewed(self) -> Iterator[tuple[StoredRow, list[Review]]]:
        for row in self._items(reviewed=True):
            query = STORED.where(REVIEWS.c.item_id == row.id, STANDING).order_by(REVIEWS.c.reviewer)
            with self._database.reading() as connection:
                reviews = [as_review(found) for found in connection.execute(query)]
            if reviews:
                yield row, reviews

    def _items(self, *, reviewed: bool) -> Iterator[StoredRow]:
        """All items by id, a few at a time: a transaction stays open no longer than it takes to read those."""
        query = (
            sa.select(ITEMS.c.id, RECORDS.c.record, ITEMS.c.share, INTERACTIONS.c.probability)
            .join(RECORDS, RECORDS.c.item_id == ITEMS.c.id)
            .join(INTERACTIONS, INTERACTIONS.c.id == ITEMS.c.id)
            .order_by(ITEMS.c.id)
            .limit(_AT_ONCE)
        )
        if reviewed:
            query = query.where(sa.exists().where(REVIEWS.c.item_id == ITEMS.c.id, STANDING))
        last: str | None = None
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(query if last is None else query.where(ITEMS.c.id > last)).all()
            yield from rows
            if len(rows) < _AT_ONCE:
                return
            last = rows[-1].id


def _says_what_is_right(review: Review) -> bool:
    return bool(review.corrected_answer or review.answer_is_right or review.key_facts or review.unanswerable)


def _age(review: Review) -> tuple[float, str]:
    return review.updated_at.timestamp() if review.updated_at is not None else 0.0, review.reviewer
