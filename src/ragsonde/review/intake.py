"""Puts scored interactions into the store: compact rows of all, and items of those that people are to look at."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from ragsonde.collector.clock import Clock
from ragsonde.review.database import Database
from ragsonde.review.model import ItemState, SelectedBecause
from ragsonde.review.reviews import STANDING
from ragsonde.review.rows import (
    changing_columns,
    interaction_row,
    item_row,
    item_score_rows,
    outcome_rows,
    plain,
    record_row,
    verdict_rows,
)
from ragsonde.review.schema import (
    HOLDS,
    INTERACTIONS,
    ITEM_SCORES,
    ITEMS,
    OUTCOMES,
    RECORDS,
    REVIEWS,
    SEEN,
    VERDICTS,
)
from ragsonde.review.selection import Candidate, SelectionPolicy
from ragsonde.scorers.score import ScoredInteraction


class Intake:
    """Adds batches, each in one transaction. Idempotent by interaction id."""

    def __init__(self, database: Database, policy: SelectionPolicy, clock: Clock) -> None:
        self._database = database
        self._policy = policy
        self._clock = clock

    def add(self, batch: Sequence[ScoredInteraction]) -> None:
        """Add what is new, and replace what was scored anew.

        An item that somebody reviews or has reviewed keeps the record that they saw; its newer scores only go to the
        compact rows.

        Raises:
            RetryableError: the database is away, busy or full; nothing of the batch is in the store.
            PermanentError: it refuses the batch.
        """
        if not batch:
            return
        with self._database.writing(exporting=True) as connection:
            fresh = self._fresh(connection, batch)
            self._write_compact(connection, fresh)
            self._select(connection, fresh)

    def _fresh(self, connection: sa.Connection, batch: Sequence[ScoredInteraction]) -> list[ScoredInteraction]:
        """The last of each id that is not in the store already, or was scored anew since."""
        latest: dict[str, ScoredInteraction] = {}
        for scored in batch:
            id_ = plain(scored.interaction.id)
            if scored.rescored or id_ not in latest:
                latest[id_] = scored
        query = sa.select(INTERACTIONS.c.id, INTERACTIONS.c.scored_ms).where(INTERACTIONS.c.id.in_(list(latest)))
        stored = {row.id: row.scored_ms for row in connection.execute(query)}
        return [
            scored
            for id_, scored in sorted(latest.items())
            if id_ not in stored or (scored.rescored and int(scored.scored_at * 1000) >= stored[id_])
        ]

    def _write_compact(self, connection: sa.Connection, fresh: Sequence[ScoredInteraction]) -> None:
        ids = [plain(scored.interaction.id) for scored in fresh]
        for table in (OUTCOMES, VERDICTS):
            connection.execute(sa.delete(table).where(table.c.interaction_id.in_(ids)))
        upsert = self._database.upsert
        upsert(connection, INTERACTIONS, map(interaction_row, fresh))
        upsert(connection, OUTCOMES, (row for scored in fresh for row in outcome_rows(scored)))
        upsert(connection, VERDICTS, (row for scored in fresh for row in verdict_rows(scored)))

    # Selection -------------------------------------------------------------------------------------------------

    def _select(self, connection: sa.Connection, fresh: Sequence[ScoredInteraction]) -> None:
        ids = [plain(scored.interaction.id) for scored in fresh]
        items = set(connection.execute(sa.select(ITEMS.c.id).where(ITEMS.c.id.in_(ids))).scalars())
        seen = set(connection.execute(sa.select(SEEN.c.id).where(SEEN.c.id.in_(ids))).scalars())
        day = datetime.fromtimestamp(self._clock.wall(), UTC).date().isoformat()
        for id_, scored in zip(ids, fresh, strict=True):
            candidate = self._policy.candidate(scored)
            if id_ in items:
                self._renew(connection, id_, scored, candidate)
            elif candidate is not None and id_ not in seen and self._has_room(connection, scored, candidate, day):
                connection.execute(sa.insert(ITEMS).values(item_row(scored, candidate, day)))
                self._write_record(connection, scored)
                connection.execute(sa.insert(SEEN).values(id=id_, selected_ms=self._now_ms()))

    def _renew(
        self, connection: sa.Connection, id_: str, scored: ScoredInteraction, candidate: Candidate | None
    ) -> None:
        """Replace the record of an item that was scored anew, unless somebody has seen it."""
        connection.execute(
            sa.select(ITEMS.c.id).where(ITEMS.c.id == id_).with_for_update()
        )  # nobody takes it meanwhile
        changed: dict[str, Any] = {}
        if candidate is not None and candidate.selection.because is SelectedBecause.RANDOM:
            selection = candidate.selection
            changed = {
                "because": str(selection.because),
                "share": selection.probability,
                "wanted_reviews": selection.wanted_reviews,
            }
        if not self._is_in_hand(connection, id_):
            changed |= changing_columns(scored)
            connection.execute(sa.delete(ITEM_SCORES).where(ITEM_SCORES.c.item_id == id_))
            self._write_record(connection, scored)
        if changed:
            connection.execute(sa.update(ITEMS).where(ITEMS.c.id == id_).values(changed))

    def _write_record(self, connection: sa.Connection, scored: ScoredInteraction) -> None:
        self._database.upsert(connection, RECORDS, [record_row(scored)])
        self._database.upsert(connection, ITEM_SCORES, item_score_rows(scored))

    def _is_in_hand(self, connection: sa.Connection, id_: str) -> bool:
        """Whether somebody has the item open, or has said something of it."""
        held = sa.exists().where(HOLDS.c.item_id == id_, HOLDS.c.until_ms > self._now_ms())
        reviewed = sa.exists().where(REVIEWS.c.item_id == id_, STANDING)
        return bool(connection.execute(sa.select(sa.or_(held, reviewed))).scalar())

    def _has_room(self, connection: sa.Connection, scored: ScoredInteraction, candidate: Candidate, day: str) -> bool:
        """Whether the day's cap lets the item in: with room, or in the place of a less urgent one."""
        because = candidate.selection.because
        cap = self._policy.cap(because)
        if cap is None:
            return True
        group = (
            ITEMS.c.picked_on == day,
            ITEMS.c.app == plain(scored.interaction.app),
            ITEMS.c.because == str(because),
        )
        taken = connection.execute(sa.select(sa.func.count()).select_from(ITEMS).where(*group)).scalar_one()
        if taken < cap:
            return True
        untouched = (
            ITEMS.c.state == str(ItemState.OPEN),
            ~sa.exists().where(REVIEWS.c.item_id == ITEMS.c.id),
            ~sa.exists().where(HOLDS.c.item_id == ITEMS.c.id, HOLDS.c.until_ms > self._now_ms()),
        )
        least = connection.execute(
            sa.select(ITEMS.c.id, ITEMS.c.urgency)
            .where(*group, *untouched)
            .order_by(ITEMS.c.urgency, ITEMS.c.id)
            .limit(1)
            .with_for_update(skip_locked=True)
        ).first()
        if least is None or least.urgency >= candidate.urgency:
            return False
        delete_items(connection, [least.id])
        return True

    def _now_ms(self) -> int:
        return int(self._clock.wall() * 1000)


def delete_items(connection: sa.Connection, ids: Sequence[str]) -> None:
    """Remove items with all that hangs on them; their ids stay known."""
    for column in (RECORDS.c.item_id, ITEM_SCORES.c.item_id, HOLDS.c.item_id):
        connection.execute(sa.delete(column.table).where(column.in_(ids)))
    connection.execute(sa.delete(ITEMS).where(ITEMS.c.id.in_(ids)))
