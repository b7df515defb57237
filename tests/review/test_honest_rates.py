"""The rate of all traffic, from a store in which everything about the truth is known."""

from pathlib import Path

import numpy as np
import pytest

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.review.honest_rates import MINIMUM_LABELS, honest_rates
from ragsonde.review.model import QueueFilter, Review
from ragsonde.review.overview import HonestRate
from ragsonde.review.store import ReviewStore
from tests.exporters.scored import scored
from tests.review.conftest import Opener
from tests.review.stores import NO_PICKS
from tests.review.traffic import Traffic, review_all

TRAFFIC = Traffic(count=1_500)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """An SQLite file: the statistics are the same over PostgreSQL, where ``test_overview`` looks at a rate."""
    return f"sqlite:///{tmp_path}/review.sqlite3"


def rates(store: ReviewStore, app: str | None = None) -> dict[str, HonestRate]:
    with store.database.reading() as connection:
        return {rate.scorer: rate for rate in honest_rates(connection, 0, 10**15, app)}


@pytest.fixture
def filled(open_store: Opener) -> ReviewStore:
    store = open_store(selection={"random_share": 0.25, "double_share": 0.0, "caps": NO_PICKS})
    every = list(TRAFFIC.scored())
    for start in range(0, len(every), 500):
        store.add(every[start : start + 500])
    return store


def test_both_scorers_are_set_right_by_the_same_labels(filled: ReviewStore) -> None:
    truth = TRAFFIC.truth()
    labelled = review_all(filled, truth)
    assert labelled > 250
    found = rates(filled)
    actual = sum(truth.values()) / len(truth)
    for scorer, population in (("local", 0.8), ("judge", 0.4)):
        rate = found[scorer]
        assert rate.rate is not None
        assert rate.low is not None
        assert rate.high is not None
        assert rate.low < actual < rate.high
        assert rate.labelled == labelled  # what is drawn for review the judge has seen as well
        assert rate.population == pytest.approx(population * TRAFFIC.count, rel=0.1)
        assert rate.reason is None
        assert rate.kappa is not None
    local, judge = found["local"], found["judge"]
    assert local.uncorrected is not None
    assert local.high is not None
    assert local.uncorrected > local.high  # the scorer alone is far off
    assert judge.kappa > local.kappa  # type: ignore[operator]
    assert judge.high - judge.low < local.high - local.low  # type: ignore[operator]


def test_reviewers_who_take_the_worst_first_do_not_bend_the_rate(filled: ReviewStore) -> None:
    truth = TRAFFIC.truth()
    chance = np.random.default_rng(1)
    said = {one.interaction.id: one.local_scores or {} for one in TRAFFIC.scored()}

    def wanted(id_: str) -> bool:
        (outcome,) = said[id_].values()
        return outcome.value == 0.0 or chance.random() < 0.25  # type: ignore[union-attr]

    review_all(filled, truth, only=wanted)
    actual = sum(truth.values()) / len(truth)
    rate = rates(filled)["local"]
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low < actual < rate.high


def test_without_labels_of_what_seems_fine_there_is_no_rate(filled: ReviewStore) -> None:
    truth = TRAFFIC.truth()
    said = {one.interaction.id: one.scores for one in TRAFFIC.scored()}
    review_all(filled, truth, only=lambda id_: next(iter(said[id_].values())).value == 0.0)  # type: ignore[union-attr]
    rate = rates(filled)["judge"]
    assert (rate.rate, rate.low, rate.high) == (None, None, None)
    assert rate.reason is not None
    assert "calls grounded" in rate.reason
    assert rate.uncorrected is not None


def test_too_few_labels_are_said_and_no_number_is_given(filled: ReviewStore) -> None:
    review_all(filled, TRAFFIC.truth(), limit=MINIMUM_LABELS - 1)
    rate = rates(filled)["local"]
    assert (rate.rate, rate.labelled) == (None, MINIMUM_LABELS - 1)
    assert rate.reason is not None
    assert f"at least {MINIMUM_LABELS}" in rate.reason


def test_picked_items_say_how_scorer_and_people_agree_but_nothing_of_all_traffic(open_store: Opener) -> None:
    store = open_store(selection={"random_share": 1e-9, "caps": {"low_score": 1000}})
    store.add([scored(f"{number}", faithfulness=0.0) for number in range(40)])
    while (id_ := store.take_next("ann", QueueFilter())) is not None:
        verdict = LabelVerdict.GROUNDED if int(id_) % 2 else LabelVerdict.HALLUCINATED
        store.save(Review(id_, "ann", verdict=verdict))
    rate = rates(store)["local"]
    assert (rate.rate, rate.labelled, rate.compared) == (None, 0, 40)
    assert rate.kappa == 0.0


def test_an_app_and_a_time_without_traffic_has_no_row(filled: ReviewStore) -> None:
    assert rates(filled, "bank") == {}
    with filled.database.reading() as connection:
        assert honest_rates(connection, 0, 1) == []
