"""The figures agree with known cases, with scikit-learn, and with what a bootstrap over groups must do."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, roc_auc_score

from bench.accuracy import metrics
from bench.accuracy.metrics import GroupBootstrap
from bench.accuracy.signals import result_of, unsupported
from bench.accuracy.spans import SpanCounts, count, span_scores
from ragsonde.scorers.score import Claim, Scored, Verdict


def rows_of_both_classes() -> st.SearchStrategy[tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]]:
    row = st.tuples(st.integers(0, 4).map(lambda n: n / 4), st.booleans(), st.integers(0, 3))
    return (
        st.lists(row, min_size=4, max_size=30)
        .filter(lambda rows: len({faulty for _, faulty, weight in rows if weight}) == 2)
        .map(lambda rows: tuple(np.array(column) for column in zip(*rows, strict=True)))  # type: ignore[arg-type, return-value]
    )


@given(rows_of_both_classes())
def test_weighted_auroc_and_average_precision_are_those_of_repeated_rows(
    rows: tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]],
) -> None:
    suspicion, faulty, times = rows
    weights = times[np.newaxis, :].astype(np.float64)
    repeated, labels = np.repeat(suspicion, times), np.repeat(faulty, times)
    assert metrics.auroc_draws(suspicion, faulty, weights)[0] == pytest.approx(roc_auc_score(labels, repeated))
    precision = metrics.weighted_average_precision(suspicion, faulty, weights)[0]
    assert precision == pytest.approx(average_precision_score(labels, repeated))


@given(rows_of_both_classes(), st.floats(0, 1))
def test_flagging_agrees_with_scikit_learn(
    rows: tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]], level: float
) -> None:
    suspicion, faulty, _ = rows
    flagged = suspicion >= level
    found = metrics.flagging(flagged, faulty, np.ones((2, len(faulty))))
    assert found.f1.value == pytest.approx(f1_score(faulty, flagged, zero_division=0))
    assert found.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(faulty, flagged))


def test_a_perfect_order_has_an_auroc_of_one_and_a_constant_of_a_half() -> None:
    faulty = np.array([True, True, False, False])
    weights = np.ones((200, 4))
    assert metrics.auroc(np.array([0.9, 0.8, 0.2, 0.1]), faulty, weights).value == 1.0
    assert metrics.auroc(np.full(4, 0.5), faulty, weights).value == 0.5


def test_with_one_class_only_nothing_is_claimed() -> None:
    faulty = np.array([True, True])
    weights = np.ones((10, 2))
    assert metrics.auroc(np.array([0.1, 0.9]), faulty, weights).value is None
    assert metrics.average_precision(np.array([0.1, 0.9]), faulty, weights).value is None
    assert metrics.flagging(faulty, faulty, weights).f1.value is None


def test_without_rows_nothing_is_claimed() -> None:
    nothing = np.empty(0)
    assert metrics.auroc(nothing, nothing.astype(bool), np.ones((10, 0))).value is None
    assert metrics.brier(nothing, nothing.astype(bool)) is None
    assert metrics.calibration_error(nothing, nothing.astype(bool)) is None


def test_auroc_within_strata_does_not_reward_knowing_the_stratum() -> None:
    strata = ["bad writer"] * 4 + ["good writer"] * 4
    faulty = np.array([True, True, True, False, True, False, False, False])
    suspicion = np.array([0.9] * 4 + [0.1] * 4)  # the writer and nothing else
    weights = np.ones((100, 8))
    assert metrics.auroc(suspicion, faulty, weights).value == 0.75
    assert metrics.auroc_within(suspicion, faulty, strata, weights).value == 0.5


def test_auroc_within_one_stratum_is_the_auroc() -> None:
    faulty = np.array([True, False, True, False])
    suspicion = np.array([0.9, 0.3, 0.2, 0.1])
    weights = np.ones((100, 4))
    within = metrics.auroc_within(suspicion, faulty, ["same"] * 4, weights)
    assert within.value == metrics.auroc(suspicion, faulty, weights).value == 0.75


def test_calibration_error_of_true_probabilities_is_nothing_and_of_overconfidence_its_excess() -> None:
    faulty = np.array([True] * 25 + [False] * 75)
    assert metrics.calibration_error(np.full(100, 0.25), faulty) == pytest.approx(0.0)
    assert metrics.calibration_error(np.full(100, 0.85), faulty) == pytest.approx(0.6)


@given(
    st.lists(st.tuples(st.integers(0, 4).map(lambda n: n / 4), st.booleans()), min_size=1, max_size=40), st.randoms()
)
def test_calibration_error_does_not_depend_on_the_order_of_rows(
    rows: list[tuple[float, bool]],
    chance: random.Random,
) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)
    errors = [
        metrics.calibration_error(np.array([s for s, _ in some]), np.array([f for _, f in some], dtype=bool))
        for some in (rows, shuffled)
    ]
    assert errors[0] is not None
    assert errors[0] == pytest.approx(errors[1])
    assert 0.0 <= errors[0] <= 1.0


def test_bins_hold_equally_many_rows() -> None:
    suspicion = np.concatenate([np.full(90, 0.1), np.linspace(0.91, 1.0, 10)])
    faulty = np.concatenate([np.zeros(90, bool), np.ones(10, bool)])
    # nine bins are off by 0.1, the tenth by the mean distance of the last rows from 1
    assert metrics.calibration_error(suspicion, faulty) == pytest.approx(0.9 * 0.1 + 0.1 * 0.045)


def test_whole_groups_are_drawn_and_the_same_ones_for_the_same_seed() -> None:
    groups = ["a", "a", "b", "c", "c", "c"]
    weights = GroupBootstrap(groups, draws=300, seed=7).weights()
    assert weights.shape == (300, 6)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[:, 0] + weights[:, 2] + weights[:, 3] == 3).all()
    assert (weights == GroupBootstrap(groups, draws=300, seed=7).weights()).all()
    assert (weights != GroupBootstrap(groups, draws=300, seed=8).weights()).any()


def test_dependent_rows_widen_the_interval() -> None:
    chance = np.random.default_rng(3)
    sources = 20
    faulty = np.repeat(chance.random(sources) < 0.5, 10)
    suspicion = np.repeat(chance.random(sources), 10) * 0.5 + faulty * 0.2
    one_by_one = GroupBootstrap([str(n) for n in range(200)], draws=400, seed=1).weights()
    by_source = GroupBootstrap([str(n // 10) for n in range(200)], draws=400, seed=1).weights()
    widths = []
    for weights in (one_by_one, by_source):
        found = metrics.auroc(suspicion, faulty, weights)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= (found.value or 0) <= found.high
        widths.append(found.high - found.low)
    assert widths[1] > 2 * widths[0]


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Independent groups of one normal score each; the true AUROC of N(1,1) against N(0,1) is 0.7602."""
    chance = np.random.default_rng(5)
    hits = 0
    for trial in range(100):
        faulty = np.arange(120) % 2 == 0
        suspicion = chance.normal(size=120) + faulty
        weights = GroupBootstrap([str(n) for n in range(120)], draws=200, seed=trial).weights()
        found = metrics.auroc(suspicion, faulty, weights)
        hits += (found.low or 0) <= 0.7602 <= (found.high or 1)
    assert 85 <= hits <= 100


def test_spans_are_counted_by_character_and_overlaps_once() -> None:
    assert count([(0, 5), (3, 8)], [(4, 6), (20, 22)]) == SpanCounts(overlap=2, predicted=8, labelled=4)


def test_span_scores_are_those_of_all_answers_together() -> None:
    found = span_scores([SpanCounts(5, 10, 5), SpanCounts(0, 0, 15)], np.ones((10, 2)))
    assert found.precision.value == 0.5
    assert found.recall.value == 0.25
    assert found.f1.value == pytest.approx(1 / 3)


def test_without_predicted_spans_there_is_no_precision() -> None:
    found = span_scores([SpanCounts(0, 0, 3)], np.ones((10, 1)))
    assert found.precision.value is None
    assert found.recall.value == 0.0
    assert found.f1.value == 0.0


# Parts of claims -----------------------------------------------------------------------------------------------


def test_parts_of_a_claim_are_counted_where_they_are_pointed_at_and_whole_claims_where_they_never_are() -> None:
    outcome = Scored(
        0.0,
        claims=(
            Claim("abcdefghij", 0, 10, Verdict.NOT_FOUND, 0.1, stretches=((2, 4), (6, 9))),
            Claim("klm", 11, 14, Verdict.NOT_FOUND, 0.4, stretches=()),
            Claim("nop", 15, 18, Verdict.CONTRADICTED, 0.2),
            Claim("qrs", 19, 22, Verdict.SUPPORTED, 0.9, stretches=()),
        ),
    )
    assert list(unsupported(result_of(outcome).marks)) == [(2, 4), (6, 9), (15, 18)]
