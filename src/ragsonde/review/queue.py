"""Lists the queue, and gives each reviewer an item of their own."""

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import orjson
import sqlalchemy as sa

from ragsonde.collector.clock import Clock
from ragsonde.collector.errors import PermanentError
from ragsonde.review.database import Database
from ragsonde.review.desk import UnknownItemError
from ragsonde.review.model import FilterChoices, ItemState, QueueEntry, QueueFilter, QueuePage, SelectedBecause
from ragsonde.review.rows import milliseconds, moment, plain
from ragsonde.review.schema import HOLDS, ITEM_SCORES, ITEMS, REVIEWS, StoredRow
from ragsonde.scorers.score import MetricKey

_MAX_LIMIT = 500
_AT_ONCE = 20
"""Items that are tried one after the other, where others take them in the same moment."""
_ROUNDS = 50
_METRICS = frozenset(map(str, MetricKey))

_LISTED = [
    ITEMS.c[name]
    for name in (
        *("id", "app", "question", "language", "diagnosis", "because", "state", "answered_ms", "conversation_id"),
        *("reviews", "wanted_reviews"),
    )
]


class Queue:
    """What is to be reviewed, and who has what open."""

    def __init__(self, database: Database, clock: Clock, *, hold_minutes: float) -> None:
        self._database = database
        self._clock = clock
        self._hold_ms = int(hold_minutes * 60_000)

    def page(self, wanted: QueueFilter, *, cursor: str | None, limit: int) -> QueuePage:
        """Return a page of the queue, worst first; see ``ReviewDesk.queue``."""
        limit = max(1, min(limit, _MAX_LIMIT))
        score, rank, source = _ordered_by(wanted)
        conditions = self._conditions(wanted, score)
        held_by = _held_by(self.now_ms())
        query = sa.select(*_LISTED, score.label("shown"), rank.label("ranked"), held_by.label("held_by"))
        query = query.select_from(source).where(*conditions).order_by(rank, ITEMS.c.id).limit(limit + 1)
        if cursor is not None:
            last_rank, last_id = _read_cursor(cursor)
            query = query.where(sa.or_(rank > last_rank, sa.and_(rank == last_rank, ITEMS.c.id > last_id)))
        counting = sa.select(sa.func.count()).select_from(source).where(*conditions)
        with self._database.reading() as connection:
            total = connection.execute(counting).scalar_one()
            rows = connection.execute(query).all()
        shown = rows[:limit]
        following = _cursor(shown[-1].ranked, shown[-1].id) if len(rows) > limit else None
        return QueuePage(tuple(_entry(row) for row in shown), total, following)

    def choices(self) -> FilterChoices:
        """Return the values that filters can take, from what occurs."""
        with self._database.reading() as connection:

            def values(column: "sa.ColumnElement[str]") -> tuple[str, ...]:
                return tuple(connection.execute(sa.select(column).distinct().order_by(column)).scalars())

            return FilterChoices(
                apps=values(ITEMS.c.app),
                languages=values(ITEMS.c.language),
                diagnoses=values(ITEMS.c.diagnosis),
                metrics=tuple(map(_metric, values(ITEM_SCORES.c.metric))),
            )

    def counts(self) -> dict[tuple[str, ItemState], int]:
        """Return the number of items by app and state; 0 for a state that an app has no item in."""
        query = sa.select(ITEMS.c.app, ITEMS.c.state, sa.func.count()).group_by(ITEMS.c.app, ITEMS.c.state)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        counts = {(app, state): 0 for app, _, _ in rows for state in ItemState}
        return counts | {(app, ItemState(state)): number for app, state, number in rows}

    def take_next(self, reviewer: str, wanted: QueueFilter) -> str | None:
        """Hold and return the next item for a reviewer; see ``ReviewDesk.take_next``.

        Without a rule or metric to look at, a reviewer gets a drawn item and a picked one in turn. Drawn ones come in
        the order of their draw: were the worst of them reviewed first, the labels would no longer be a sample.
        """
        name = plain(reviewer)
        for _ in range(_ROUNDS):
            with self._database.writing() as connection:
                candidates = self._candidates(connection, name, wanted)
                for id_ in candidates:
                    if _is_open(connection, id_) and self._try_hold(connection, id_, name):
                        return id_
            if not candidates:
                return None
        return None

    def hold(self, item_id: str, reviewer: str) -> str | None:
        """Hold an item; return who else holds it, or None when it is ours. See ``ReviewDesk.hold``."""
        id_, name = plain(item_id), plain(reviewer)
        with self._database.writing() as connection:
            item = sa.select(ITEMS.c.id).where(ITEMS.c.id == id_).with_for_update()
            if connection.execute(item).first() is None:
                raise UnknownItemError(f"there is no item {item_id}: never selected, or past its retention")
            if self._try_hold(connection, id_, name):
                return None
            holder = connection.execute(sa.select(HOLDS.c.reviewer).where(HOLDS.c.item_id == id_)).scalar()
        return None if holder is None else str(holder)

    def now_ms(self) -> int:
        """The present time, as it is stored."""
        return int(self._clock.wall() * 1000)

    def _candidates(self, connection: sa.Connection, reviewer: str, wanted: QueueFilter) -> Sequence[str]:
        mine = replace(wanted, state=ItemState.OPEN, not_reviewed_by=reviewer)
        score, rank, source = _ordered_by(mine)
        query = sa.select(ITEMS.c.id).select_from(source).where(*self._conditions(mine, score)).limit(_AT_ONCE)
        if mine.because is SelectedBecause.RANDOM and mine.metric is None:
            query = query.order_by(ITEMS.c.draw, ITEMS.c.id)
        elif mine.because is not None or mine.metric is not None:
            query = query.order_by(rank, ITEMS.c.id)
        else:
            drawn = ITEMS.c.because == str(SelectedBecause.RANDOM)
            first = drawn if self._wants_drawn(connection, reviewer) else sa.not_(drawn)
            query = query.order_by(sa.case((first, 0), else_=1), sa.case((drawn, ITEMS.c.draw), else_=rank), ITEMS.c.id)
        return connection.execute(query).scalars().all()

    def _wants_drawn(self, connection: sa.Connection, reviewer: str) -> bool:
        """Whether it is a drawn item's turn: after each review of a picked one, and at first."""
        query = (
            sa.select(ITEMS.c.because)
            .join(REVIEWS, REVIEWS.c.item_id == ITEMS.c.id)
            .where(REVIEWS.c.reviewer == reviewer, sa.not_(REVIEWS.c.withdrawn))
            .order_by(REVIEWS.c.updated_ms.desc(), REVIEWS.c.item_id)
            .limit(1)
        )
        last = connection.execute(query).scalar()
        return bool(last != str(SelectedBecause.RANDOM))

    def _try_hold(self, connection: sa.Connection, id_: str, reviewer: str) -> bool:
        """Take or renew a hold; the one statement that decides where several want the same item."""
        now = self.now_ms()
        statement = self._database.insert(HOLDS).values(item_id=id_, reviewer=reviewer, until_ms=now + self._hold_ms)
        statement = statement.on_conflict_do_update(
            index_elements=["item_id"],
            set_={"reviewer": reviewer, "until_ms": now + self._hold_ms},
            where=sa.or_(HOLDS.c.reviewer == reviewer, HOLDS.c.until_ms <= now),
        )
        return connection.execute(statement.returning(HOLDS.c.item_id)).first() is not None

    def _conditions(self, wanted: QueueFilter, score: "sa.ColumnElement[float]") -> Sequence["sa.ColumnElement[bool]"]:
        found: list[sa.ColumnElement[bool]] = []
        equal = {"app": wanted.app, "diagnosis": wanted.diagnosis, "language": wanted.language}
        equal |= {"because": wanted.because, "state": wanted.state}
        found += [ITEMS.c[name] == plain(str(value)) for name, value in equal.items() if value is not None]
        if wanted.metric is not None:
            found.append(ITEM_SCORES.c.metric == plain(str(wanted.metric)))
        if wanted.score_below is not None:
            found.append(score < wanted.score_below)
        if wanted.since is not None:
            found.append(ITEMS.c.answered_ms >= milliseconds(wanted.since))
        if wanted.until is not None:
            found.append(ITEMS.c.answered_ms < milliseconds(wanted.until))
        if wanted.not_reviewed_by is not None:
            reviewer = plain(wanted.not_reviewed_by)
            seen = sa.exists().where(
                REVIEWS.c.item_id == ITEMS.c.id, REVIEWS.c.reviewer == reviewer, sa.not_(REVIEWS.c.withdrawn)
            )
            held = sa.exists().where(
                HOLDS.c.item_id == ITEMS.c.id, HOLDS.c.reviewer != reviewer, HOLDS.c.until_ms > self.now_ms()
            )
            found += [~seen, ~held]
        return found


def _is_open(connection: sa.Connection, id_: str) -> bool:
    """Whether an item is open, and nobody changes it in this moment; it then stays so until the transaction ends."""
    query = sa.select(ITEMS.c.id).where(ITEMS.c.id == id_, ITEMS.c.state == str(ItemState.OPEN))
    return connection.execute(query.with_for_update(skip_locked=True)).first() is not None


def _ordered_by(
    wanted: QueueFilter,
) -> tuple["sa.ColumnElement[float]", "sa.ColumnElement[float]", "sa.FromClause"]:
    """The score that is shown, the one that the order goes by, and the tables they stand in."""
    if wanted.metric is None:
        return ITEMS.c.score, ITEMS.c.rank, ITEMS
    value = ITEM_SCORES.c.value
    return value, value, ITEMS.join(ITEM_SCORES, ITEM_SCORES.c.item_id == ITEMS.c.id)


def _held_by(now_ms: int) -> "sa.ScalarSelect[str]":
    query = sa.select(HOLDS.c.reviewer).where(HOLDS.c.item_id == ITEMS.c.id, HOLDS.c.until_ms > now_ms)
    return query.correlate(ITEMS).scalar_subquery()


def _entry(row: StoredRow) -> QueueEntry:
    return QueueEntry(
        id=row.id,
        app=row.app,
        question=row.question,
        language=row.language,
        diagnosis=row.diagnosis,
        because=SelectedBecause(row.because),
        state=ItemState(row.state),
        score=row.shown,
        answered_at=moment(row.answered_ms),
        conversation_id=row.conversation_id,
        reviews=row.reviews,
        wanted_reviews=row.wanted_reviews,
        held_by=row.held_by,
    )


def _metric(name: str) -> MetricKey:
    """A metric, or the name of an operator's rubric, which stands where a metric does."""
    return MetricKey(name) if name in _METRICS else cast("MetricKey", name)


def _cursor(rank: float, id_: str) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([rank, id_])).decode().rstrip("=")


def _read_cursor(cursor: str) -> tuple[float, str]:
    try:
        rank, id_ = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        return float(rank), plain(str(id_))
    except (ValueError, TypeError) as error:
        raise PermanentError("the cursor is none of this store; start from the first page") from error
