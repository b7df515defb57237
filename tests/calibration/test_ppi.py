"""The corrected rate is right whatever the predictions are worth, and says when it knows nothing."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bench.estimator.study import ALARMED, EXTREME, Labelling, Scenario, study
from ragsonde.calibration.ppi import NoRate, NoRateReason, Rate, estimate_rate

unit = st.floats(0, 1)
chances = st.floats(1e-6, 1)


@st.composite
def samples(draw: st.DrawFn) -> tuple[Any, ...]:
    size = draw(st.integers(1, 30))
    predictions = draw(arrays.arrays(float, size, elements=unit))
    probabilities = draw(arrays.arrays(float, size, elements=chances))
    labelled = draw(st.lists(st.integers(0, size - 1), max_size=size, unique=True))
    labels = draw(arrays.arrays(float, len(labelled), elements=st.sampled_from([0.0, 0.5, 1.0])))
    drawn = draw(arrays.arrays(float, len(labelled), elements=chances))
    return predictions, probabilities, labelled, labels, drawn


@given(samples())
def test_every_sample_gives_an_ordered_interval_or_a_reason(sample: tuple[Any, ...]) -> None:
    found = estimate_rate(*sample)
    if isinstance(found, NoRate):
        assert len(sample[2]) < 2
        return
    for interval in (found.estimate, found.labels_alone, found.predictions_alone):
        assert 0.0 <= interval.low <= interval.rate <= interval.high <= 1.0
        assert interval.high > interval.low
    assert 0.0 <= found.reliance <= 1.0
    assert -1.0 <= found.bias <= 1.0
    assert 1.0 <= found.effective_labels <= len(sample[2]) + 1e-9
    assert all(map(math.isfinite, (found.bias, found.effective_labels)))


@given(samples(), st.randoms(use_true_random=False))
def test_the_order_of_interactions_does_not_matter(sample: tuple[Any, ...], chance: Any) -> None:
    predictions, probabilities, labelled, labels, drawn = sample
    order = list(range(len(predictions)))
    chance.shuffle(order)
    moved = [order.index(position) for position in labelled]
    found = estimate_rate(*sample)
    again = estimate_rate(predictions[order], probabilities[order], moved, labels, drawn)
    if isinstance(found, Rate):
        assert isinstance(again, Rate)
        assert again.estimate.rate == pytest.approx(found.estimate.rate, abs=1e-6)
        assert again.estimate.high == pytest.approx(found.estimate.high, abs=1e-6)
    else:
        assert again == found


@pytest.mark.parametrize(
    ("predictions", "labelled", "reason"),
    [
        ([], [], NoRateReason.NOTHING_SCORED),
        ([0.5, 0.5], [], NoRateReason.NO_LABELS),
        ([0.5, 0.5], [1], NoRateReason.TOO_FEW_LABELS),
    ],
)
def test_what_is_not_known_is_said(predictions: list[float], labelled: list[int], reason: NoRateReason) -> None:
    ones = [1.0] * len(labelled)
    found = estimate_rate(predictions, [1.0] * len(predictions), labelled, ones, ones)
    assert isinstance(found, NoRate)
    assert found.reason is reason


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_labels_that_are_all_alike_are_no_certainty(label: float) -> None:
    found = estimate_rate([label] * 200, [1.0] * 200, range(20), [label] * 20, [0.1] * 20)
    assert isinstance(found, Rate)
    assert found.estimate.rate == label
    assert found.estimate.width > 0.1  # of 20 cases without a fault, one says: at most 3/20


def test_a_census_with_a_perfect_scorer_is_its_own_mean() -> None:
    truth = [1.0] * 30 + [0.0] * 70
    found = estimate_rate(truth, [1.0] * 100, range(100), truth, [1.0] * 100)
    assert isinstance(found, Rate)
    assert found.estimate.rate == pytest.approx(0.3)
    assert found.bias == 0.0
    assert found.estimate.width < 0.1  # nothing was left to chance; people may still err


@pytest.mark.parametrize("predictions", [[0.0] * 50 + [1.0] * 50, [n / 100 for n in range(100)]])
def test_predictions_of_a_kind_that_nobody_has_labelled_stand_with_their_neighbours(predictions: list[float]) -> None:
    labelled, labels = range(40), [float(n % 4 == 0) for n in range(40)]
    found = estimate_rate(predictions, [1.0] * 100, labelled, labels, [0.4] * 40)
    assert isinstance(found, Rate)
    assert found.estimate.low < found.estimate.rate < found.estimate.high
    assert abs(found.estimate.rate - 0.25) < 0.15


def test_more_labels_of_the_same_kind_narrow_the_interval() -> None:
    def width(labels: int) -> float:
        predictions = [float(n % 5 == 0) for n in range(10_000)]
        faults = [float(n % 10 == 0) for n in range(labels)]
        found = estimate_rate(predictions, [1.0] * 10_000, range(labels), faults, [labels / 10_000] * labels)
        assert isinstance(found, Rate)
        return found.estimate.width

    widths = [width(labels) for labels in (20, 100, 500, 2500)]
    assert widths == sorted(widths, reverse=True)


def test_a_useless_scorer_is_not_relied_upon() -> None:
    chance = np.random.default_rng(1)
    predictions, truth = chance.random(2000), (chance.random(2000) < 0.3).astype(float)
    labelled = np.arange(400)
    found = estimate_rate(predictions, np.ones(2000), labelled, truth[:400], np.full(400, 0.2))
    assert isinstance(found, Rate)
    assert found.reliance < 0.15
    assert found.estimate.width == pytest.approx(found.labels_alone.width, rel=0.05)


def test_a_good_scorer_narrows_the_interval_and_weights_undo_the_sampling() -> None:
    chance = np.random.default_rng(2)
    bad_stratum = chance.random(20_000) < 0.1
    truth = chance.random(20_000) < np.where(bad_stratum, 0.6, 0.05)
    kept = chance.random(20_000) < np.where(bad_stratum, 1.0, 0.05)
    probabilities = np.where(bad_stratum, 1.0, 0.05)[kept]
    predictions = np.where(chance.random(kept.sum()) < 0.95, truth[kept], ~truth[kept]).astype(float)
    drawn = np.minimum(1.0, 0.01 / probabilities)
    labelled = np.flatnonzero(chance.random(len(drawn)) < drawn)
    found = estimate_rate(predictions, probabilities, labelled, truth[kept][labelled], drawn[labelled])
    assert isinstance(found, Rate)
    assert found.estimate.low < truth.mean() < found.estimate.high
    assert found.estimate.width < 0.75 * found.labels_alone.width
    assert truth[kept].mean() > 2 * truth.mean()  # unweighted, the sample would say twice as much


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"predictions": [0.5, 1.2]}, "predictions"),
        ({"probabilities": [0.5]}, "probabilities"),
        ({"probabilities": [0.5, 0.0]}, "above 0"),
        ({"labelled_at": [0, 5]}, "outside"),
        ({"labelled_at": [0, 0]}, "twice"),
        ({"labels": [math.nan, 1.0]}, "labels"),
        ({"label_probabilities": [1.0]}, "one length"),
    ],
)
def test_input_that_makes_no_sense_is_refused(change: dict[str, Any], words: str) -> None:
    given: dict[str, Any] = {
        "predictions": [0.5, 0.5],
        "probabilities": [1.0, 1.0],
        "labelled_at": [0, 1],
        "labels": [0.0, 1.0],
        "label_probabilities": [1.0, 1.0],
    }
    with pytest.raises(ValueError, match=words):
        estimate_rate(**given | change)


def test_the_interval_covers_where_the_scorer_alone_never_does() -> None:
    scenario = Scenario(*EXTREME, ALARMED, Labelling.EVEN, 150)
    found = study(scenario, 300, np.random.default_rng(7))
    assert 0.92 <= found.corrected.coverage <= 0.99  # 95 % within three standard errors of 300 replications
    assert found.judge_alone.coverage < 0.5
    assert found.corrected.width < found.labels_alone.width
    assert abs(found.corrected.bias) < 0.01
