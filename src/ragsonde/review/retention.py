"""Removes what is past its time, a little at a time, so that nobody waits long for the store."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from ragsonde.review.config import ReviewConfig
from ragsonde.review.database import Database
from ragsonde.review.intake import delete_items
from ragsonde.review.reviews import STANDING
from ragsonde.review.schema import HISTORY, INTERACTIONS, OUTCOMES, REVIEWS, SEEN, VERDICTS

_AT_ONCE = 500
_DAY_MS = 86_400_000


def remove_expired(
    database: Database, config: ReviewConfig, now_ms: int, *, go_on: Callable[[], bool] = lambda: True
) -> int:
    """Remove interactions by the age of their answer; return how many.

    Reviewed ones stay longer, with their record and what was said of them; they leave the overview with the others.
    Ids that were in the queue stay known as long as reviewed interactions are kept, so that none comes back. ``go_on``
    is asked between two transactions.

    Raises:
        RetryableError: the database is away or busy; what was removed until then stays so.
    """
    reviewed_before = now_ms - int(config.reviewed_retention_days * _DAY_MS)
    others_before = now_ms - int(config.retention_days * _DAY_MS)
    is_reviewed = sa.exists().where(REVIEWS.c.item_id == INTERACTIONS.c.id, STANDING)
    expired = sa.or_(
        INTERACTIONS.c.answered_ms < reviewed_before,
        sa.and_(INTERACTIONS.c.answered_ms < others_before, ~is_reviewed),
    )
    query = sa.select(INTERACTIONS.c.id).where(expired).order_by(INTERACTIONS.c.answered_ms).limit(_AT_ONCE)
    removed = 0
    while go_on():
        with database.writing() as connection:
            ids = connection.execute(query).scalars().all()
            _remove(connection, ids)
        removed += len(ids)
        if len(ids) < _AT_ONCE:
            break
    with database.writing() as connection:
        for table in (OUTCOMES, VERDICTS):  # left of reviewed ones only, which alone would stand for all traffic
            connection.execute(sa.delete(table).where(table.c.answered_ms < others_before))
        connection.execute(sa.delete(SEEN).where(SEEN.c.selected_ms < reviewed_before))
    return removed


def _remove(connection: sa.Connection, ids: Sequence[str]) -> None:
    if not ids:
        return
    delete_items(connection, ids)
    of_item = (REVIEWS.c.item_id, HISTORY.c.item_id, OUTCOMES.c.interaction_id, VERDICTS.c.interaction_id)
    for column in (*of_item, INTERACTIONS.c.id):
        connection.execute(sa.delete(column.table).where(column.in_(ids)))
