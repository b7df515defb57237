"""What reviewers say: the latest state of each review, and every state before it."""

from typing import Any

import orjson
import sqlalchemy as sa

from ragsonde.calibration.cases import answer_votes
from ragsonde.calibration.labels import Label, LabelVerdict
from ragsonde.collector.clock import Clock
from ragsonde.review.database import Database
from ragsonde.review.desk import ReviewConflictError, UnknownItemError
from ragsonde.review.model import ItemState, Review
from ragsonde.review.rows import moment, plain
from ragsonde.review.schema import HISTORY, HOLDS, ITEMS, REVIEWS, StoredRow

STORED = sa.select(REVIEWS.c.item_id, REVIEWS.c.reviewer, REVIEWS.c.version, REVIEWS.c.body, REVIEWS.c.updated_ms)
"""What ``as_review`` reads."""
STANDING = sa.and_(sa.not_(REVIEWS.c.withdrawn), sa.not_(REVIEWS.c.skipped))
"""The reviews that say something."""


class Reviews:
    """Saves, takes back, dismisses. Each change is one transaction that holds the item's row."""

    def __init__(self, database: Database, clock: Clock, *, hold_minutes: float) -> None:
        self._database = database
        self._clock = clock
        self._hold_ms = int(hold_minutes * 60_000)

    def save(self, review: Review) -> Review:
        """Store a review; see ``ReviewDesk.save``."""
        id_, name = plain(review.item_id), plain(review.reviewer)
        with self._database.writing() as connection:
            item = _locked(connection, id_)
            stored = _stored(connection, id_, name)
            standing = Review(id_, name) if stored is None or stored.withdrawn else as_review(stored)
            if review.version != standing.version:
                raise ReviewConflictError(standing)
            version = 1 if stored is None else stored.version + 1
            body = _to_body(review)
            complete = self._write(connection, review, version, body, item.claims)
            connection.execute(
                sa.insert(HISTORY).values(
                    item_id=id_, reviewer=name, version=version, body=body, saved_ms=self._now_ms(), undone=False
                )
            )
            self._settle(connection, id_)
            if review.skipped or complete:
                mine = HOLDS.c.item_id == id_, HOLDS.c.reviewer == name
                connection.execute(sa.delete(HOLDS).where(*mine))
            return as_review(connection.execute(STORED.where(*_is(REVIEWS, id_, name))).one())

    def undo(self, item_id: str, reviewer: str) -> Review | None:
        """Take back the reviewer's last change; see ``ReviewDesk.undo``."""
        id_, name = plain(item_id), plain(reviewer)
        with self._database.writing() as connection:
            item = _locked(connection, id_)
            live = (
                sa.select(HISTORY.c.version, HISTORY.c.body)
                .where(*_is(HISTORY, id_, name), sa.not_(HISTORY.c.undone))
                .order_by(HISTORY.c.version.desc())
                .limit(2)
            )
            states = connection.execute(live).all()
            if not states:
                return None
            undone = sa.update(HISTORY).where(*_is(HISTORY, id_, name), HISTORY.c.version == states[0].version)
            connection.execute(undone.values(undone=True))
            stored = _stored(connection, id_, name)
            version = states[0].version if stored is None else stored.version
            if len(states) == 1:
                gone = {"withdrawn": True, "complete": False, "fault": None, "skipped": False, "version": version + 1}
                connection.execute(
                    sa.update(REVIEWS).where(*_is(REVIEWS, id_, name)).values(**gone, updated_ms=self._now_ms())
                )
            else:
                earlier = _from_body(id_, name, states[1].body)
                self._write(connection, earlier, version + 1, states[1].body, item.claims)
            self._settle(connection, id_)
            self._hold_again(connection, id_, name)
            row = connection.execute(STORED.where(*_is(REVIEWS, id_, name), sa.not_(REVIEWS.c.withdrawn))).first()
        return None if row is None else as_review(row)

    def last_changed(self, reviewer: str) -> str | None:
        """Return the item that the reviewer changed last; see ``ReviewDesk.last_changed``."""
        can_undo = sa.exists().where(
            HISTORY.c.item_id == REVIEWS.c.item_id, HISTORY.c.reviewer == REVIEWS.c.reviewer, sa.not_(HISTORY.c.undone)
        )
        query = (
            sa.select(REVIEWS.c.item_id)
            .where(REVIEWS.c.reviewer == plain(reviewer), can_undo)
            .order_by(REVIEWS.c.updated_ms.desc(), REVIEWS.c.item_id)
            .limit(1)
        )
        with self._database.reading() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else str(found)

    def dismiss(self, item_id: str, reviewer: str, *, dismissed: bool) -> None:
        """Take an item out of the queue, or back in; see ``ReviewDesk.dismiss``."""
        id_ = plain(item_id)
        with self._database.writing() as connection:
            item = _locked(connection, id_)
            if dismissed == (item.state == str(ItemState.DISMISSED)):
                return
            values: dict[str, Any] = {"state": str(ItemState.OPEN), "dismissed_by": None, "dismissed_ms": None}
            if dismissed:
                values = {
                    "state": str(ItemState.DISMISSED),
                    "dismissed_by": plain(reviewer),
                    "dismissed_ms": self._now_ms(),
                }
                connection.execute(sa.delete(HOLDS).where(HOLDS.c.item_id == id_))
            connection.execute(sa.update(ITEMS).where(ITEMS.c.id == id_).values(**values))
            self._settle(connection, id_)

    def _write(self, connection: sa.Connection, review: Review, version: int, body: str, claims: int) -> bool:
        """Make this the latest state of the review; return whether it is complete."""
        fault = None if review.skipped else next(iter(answer_votes(all_labels(review), claims).values()), None)
        complete = not review.skipped and (review.verdict is not None or fault is not None)
        row = {
            "item_id": plain(review.item_id),
            "reviewer": plain(review.reviewer),
            "version": version,
            "body": body,
            "complete": complete,
            "fault": fault,
            "skipped": review.skipped,
            "withdrawn": False,
            "updated_ms": self._now_ms(),
        }
        self._database.upsert(connection, REVIEWS, [row])
        return complete

    def _settle(self, connection: sa.Connection, id_: str) -> None:
        """Count the item's reviews anew, and with them its state; dismissed ones stay dismissed."""
        counted = (
            sa.select(sa.func.count()).select_from(REVIEWS).where(REVIEWS.c.item_id == id_, REVIEWS.c.complete)
        ).scalar_subquery()
        enough = sa.case((counted >= ITEMS.c.wanted_reviews, str(ItemState.DONE)), else_=str(ItemState.OPEN))
        kept = sa.case((ITEMS.c.state == str(ItemState.DISMISSED), ITEMS.c.state), else_=enough)
        connection.execute(sa.update(ITEMS).where(ITEMS.c.id == id_).values(reviews=counted, state=kept))

    def _hold_again(self, connection: sa.Connection, id_: str, name: str) -> None:
        """Who takes a review back has the item before their eyes."""
        statement = self._database.insert(HOLDS).values(
            item_id=id_, reviewer=name, until_ms=self._now_ms() + self._hold_ms
        )
        connection.execute(statement.on_conflict_do_nothing(index_elements=["item_id"]))

    def _now_ms(self) -> int:
        return int(self._clock.wall() * 1000)


def all_labels(review: Review) -> list[Label]:
    """The review's verdict on the answer, where there is one, and those on claims, in their order."""
    given: list[tuple[int | None, LabelVerdict]] = [*sorted(review.claims.items())]
    if review.verdict is not None:
        given.insert(0, (None, review.verdict))
    return [
        Label(id=review.item_id, claim=claim, verdict=verdict, reviewer=review.reviewer) for claim, verdict in given
    ]


def as_review(row: StoredRow) -> Review:
    """A stored review with its version and time."""
    return _from_body(row.item_id, row.reviewer, row.body, version=row.version, updated_at=moment(row.updated_ms))


def _to_body(review: Review) -> str:
    body = {
        "verdict": None if review.verdict is None else str(review.verdict),
        "claims": {str(index): str(verdict) for index, verdict in sorted(review.claims.items())},
        "rubrics": {plain(name): plain(label) for name, label in review.rubrics.items()},
        "corrected_answer": None if review.corrected_answer is None else plain(review.corrected_answer),
        "answer_is_right": review.answer_is_right,
        "unanswerable": review.unanswerable,
        "key_facts": [plain(fact) for fact in review.key_facts],
        "note": None if review.note is None else plain(review.note),
        "skipped": review.skipped,
    }
    return orjson.dumps({key: value for key, value in body.items() if value not in (None, False, {}, [])}).decode()


def _from_body(item_id: str, reviewer: str, body: str, **stored: Any) -> Review:
    """A review as ``_to_body`` wrote it: what is missing has its default."""
    values = orjson.loads(body)
    if "verdict" in values:
        values["verdict"] = LabelVerdict(values["verdict"])
    values["claims"] = {int(index): LabelVerdict(verdict) for index, verdict in values.get("claims", {}).items()}
    values["key_facts"] = tuple(values.get("key_facts", ()))
    return Review(item_id, reviewer, **values, **stored)


def _locked(connection: sa.Connection, id_: str) -> StoredRow:
    """The item, kept from other changes until the end of the transaction."""
    query = sa.select(ITEMS.c.claims, ITEMS.c.state).where(ITEMS.c.id == id_).with_for_update()
    row = connection.execute(query).first()
    if row is None:
        raise UnknownItemError(f"there is no item {id_}: never selected, or past its retention")
    return row


def _stored(connection: sa.Connection, id_: str, name: str) -> StoredRow | None:
    query = STORED.add_columns(REVIEWS.c.withdrawn).where(*_is(REVIEWS, id_, name))
    return connection.execute(query).first()


def _is(table: sa.Table, id_: str, name: str) -> tuple["sa.ColumnElement[bool]", "sa.ColumnElement[bool]"]:
    return table.c.item_id == id_, table.c.reviewer == name
