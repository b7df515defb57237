"""What is past its time goes, what people worked on stays longer, and nothing comes back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.review.config import ReviewConfig
from ragsonde.review.model import QueueFilter, Review
from ragsonde.review.retention import remove_expired
from ragsonde.review.schema import METADATA, PREFIX
from ragsonde.review.store import ReviewStore
from tests.exporters.scored import scored
from tests.fakes import FakeClock
from tests.review.conftest import Opener

DAY = 86_400
CONFIG = ReviewConfig(retention_days=30, reviewed_retention_days=100)
NOW = 200 * DAY


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(NOW)


def aged(id_: str, days: float, **values: Any) -> Any:
    return scored(id_, end_ns=int((NOW - days * DAY) * 1e9), **values)


def ids(store: ReviewStore) -> set[str]:
    return {entry.id for entry in store.queue(QueueFilter(state=None)).entries}


def rows(store: ReviewStore) -> dict[str, int]:
    with store.database.reading() as connection:
        return {
            name.removeprefix(PREFIX): connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for name, table in METADATA.tables.items()
        }


def test_unreviewed_ones_go_first_and_reviewed_ones_later(store: ReviewStore) -> None:
    store.add([aged("new", 29), aged("old", 31), aged("reviewed", 31), aged("skipped", 31), aged("ancient", 101)])
    store.save(Review("reviewed", "ann", verdict=LabelVerdict.GROUNDED))
    store.save(Review("ancient", "ann", verdict=LabelVerdict.GROUNDED))
    store.save(Review("skipped", "ann", skipped=True))
    store.hold("old", "bob")
    assert remove_expired(store.database, CONFIG, NOW * 1000) == 3
    assert ids(store) == {"new", "reviewed"}
    left = rows(store)
    assert left.pop("seen") == 5
    assert left.pop("holds") == 0
    assert left.pop("reviews") == left.pop("history") == left.pop("schema") == 1
    assert left.pop("outcomes") == left.pop("verdicts") == 1
    assert set(left.values()) == {2}


def test_what_is_kept_for_its_review_alone_does_not_stand_for_all_traffic(open_store: Opener) -> None:
    store = open_store(retention_days=30)
    store.add([aged("new", 1), aged("old", 31, faithfulness=0.0)])
    store.save(Review("old", "ann", verdict=LabelVerdict.HALLUCINATED))
    remove_expired(store.database, CONFIG, NOW * 1000)
    until = datetime.fromtimestamp(NOW, UTC)
    found = store.overview(until - timedelta(days=90), until)
    assert (found.interactions, found.since) == ({"shop": 1}, until - timedelta(days=30))
    assert [series.overall.mean for series in found.rates] == [1.0]
    assert [label.id for label in store.labels()] == ["old"]


def test_what_has_gone_does_not_come_back(store: ReviewStore) -> None:
    store.add([aged("old", 31)])
    remove_expired(store.database, CONFIG, NOW * 1000)
    store.add([aged("old", 31), aged("old", 31, rescored=True)])
    assert ids(store) == set()


def test_more_than_one_batch_is_removed_and_a_stop_is_heard(open_store: Opener) -> None:
    store = open_store(selection={"random_share": 1e-9})
    store.add([aged(f"{number:04d}", 40) for number in range(1100)])
    turns = iter([True, False])
    assert remove_expired(store.database, CONFIG, NOW * 1000, go_on=lambda: next(turns)) == 500
    assert remove_expired(store.database, CONFIG, NOW * 1000) == 600
    assert rows(store)["interactions"] == 0
