"""The store's figures in Prometheus: set where known, gone where not."""

from pathlib import Path

import pytest

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.clock import Deadline
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.review.config import ReviewConfig
from ragsonde.review.gauges import ReviewGauges
from ragsonde.review.model import ItemState, Review
from ragsonde.review.overview import HonestRate
from ragsonde.review.service import ReviewService
from ragsonde.review.store import ReviewStore
from ragsonde.review.upkeep import ReviewUpkeep
from tests.exporters.scored import scored
from tests.fakes import FakeClock
from tests.review.stores import open_reviews

DAY = 86_400

Series = dict[tuple[str, ...], float]


def series(instruments: Instruments, name: str) -> Series:
    return {
        tuple(sample.labels.values()): sample.value
        for family in instruments.collect()
        for sample in family.samples
        if sample.name == f"ragsonde_{name}"
    }


def rate(value: float | None, app: str = "shop", kappa: float | None = 0.5) -> HonestRate:
    spread = (None, None) if value is None else (value / 2, value * 2)
    return HonestRate(app, "judge", value, *spread, 20, 100, 0.3, None, kappa, 20)


@pytest.fixture
def instruments() -> Instruments:
    return Instruments()


def gauges(instruments: Instruments, **labels: object) -> ReviewGauges:
    return ReviewGauges(instruments, LabelPolicy(LabelsConfig.model_validate(labels)))


def test_what_is_not_known_any_more_has_no_series(instruments: Instruments) -> None:
    shown = gauges(instruments)
    shown.show_rates([rate(0.1)])
    assert series(instruments, "hallucination_rate_estimate") == {("shop", "judge"): 0.1}
    assert series(instruments, "hallucination_rate_lower") == {("shop", "judge"): 0.05}
    assert series(instruments, "hallucination_rate_upper") == {("shop", "judge"): 0.2}
    assert series(instruments, "review_agreement") == {("shop", "judge"): 0.5}
    shown.show_rates([rate(None, kappa=None)])
    for name in ("hallucination_rate_estimate", "hallucination_rate_lower", "hallucination_rate_upper"):
        assert series(instruments, name) == {}
    assert series(instruments, "review_agreement") == {}
    assert series(instruments, "review_labelled_interactions") == {("shop", "judge"): 20.0}
    shown.show_rates([])
    assert series(instruments, "review_labelled_interactions") == {}


def test_applications_without_a_label_of_their_own_add_up_in_the_queue_and_have_no_rate(
    instruments: Instruments,
) -> None:
    shown = gauges(instruments, apps=["shop"])
    shown.show_rates([rate(0.1, "a"), rate(0.9, "b"), rate(0.2)])
    assert series(instruments, "hallucination_rate_estimate") == {("shop", "judge"): 0.2}
    shown.show_queue({("a", ItemState.OPEN): 2, ("b", ItemState.OPEN): 3, ("shop", ItemState.DONE): 0})
    assert series(instruments, "review_queue_items") == {("other", "open"): 5.0, ("shop", "done"): 0.0}


def upkeep(store: ReviewStore, instruments: Instruments, clock: FakeClock) -> ReviewUpkeep:
    return ReviewUpkeep(store, ReviewConfig(), gauges(instruments), clock)


@pytest.fixture
def reviewed(tmp_path: Path) -> ReviewStore:
    """Forty answers, half of them labelled; the scorer is right of each."""
    clock = FakeClock(1_000 * DAY)
    store = open_reviews(f"sqlite:///{tmp_path}/review.sqlite3", clock)
    store.add(
        [scored(f"{n:02d}", faithfulness=float(n % 4 > 0), end_ns=int((clock.now - n * 60) * 1e9)) for n in range(40)]
    )
    for n in range(20):
        verdict = LabelVerdict.GROUNDED if n % 4 else LabelVerdict.HALLUCINATED
        store.save(Review(f"{n:02d}", "ann", verdict=verdict))
    return store


def test_rates_are_worked_out_when_due_and_age_away(reviewed: ReviewStore, instruments: Instruments) -> None:
    clock = FakeClock(1_000 * DAY)
    turning = upkeep(reviewed, instruments, clock)
    turning.turn()
    assert series(instruments, "review_queue_items") == {
        ("shop", "open"): 20.0,
        ("shop", "done"): 20.0,
        ("shop", "dismissed"): 0.0,
    }
    assert series(instruments, "hallucination_rate_estimate") == {("shop", "local"): pytest.approx(0.25)}
    assert series(instruments, "review_agreement") == {("shop", "local"): 1.0}
    reviewed.undo("00", "ann")
    turning.turn()
    assert series(instruments, "review_labelled_interactions") == {("shop", "local"): 20.0}
    clock.advance(301)
    turning.turn()
    assert series(instruments, "review_labelled_interactions") == {("shop", "local"): 19.0}
    clock.advance(8 * DAY)
    turning.turn()
    assert series(instruments, "hallucination_rate_estimate") == {}
    clock.advance(30 * DAY)
    turning.turn()
    turning.turn()
    assert series(instruments, "review_queue_items")["shop", "open"] == 0.0
    assert series(instruments, "review_queue_items")["shop", "done"] == 19.0
    reviewed.close()


def test_a_service_starts_and_stops_and_may_be_stopped_twice(tmp_path: Path, instruments: Instruments) -> None:
    service = ReviewService(
        ReviewConfig(),
        tmp_path,
        salt="salt",
        instruments=instruments,
        labels=LabelPolicy(LabelsConfig()),
        clock=FakeClock(),
    )
    service.start()
    service.start()
    service.exporter.export([scored("a")], Deadline(30))
    service.stop(Deadline(30))
    service.stop(Deadline(30))
    assert (tmp_path / "review.sqlite3").is_file()
