"""Agreement figures are those of well-known libraries, and what is not defined is not a number."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from ragsonde.calibration.agreement import agreement
from ragsonde.calibration.cases import Case
from ragsonde.calibration.reliability import reliability


def case(number: int, predicted: bool, fault: bool, score: float | None = None, weight: float = 1.0) -> Case:
    return Case(f"i{number}", predicted, float(predicted) if score is None else score, {"ana": fault}, weight)


pairs = st.lists(st.tuples(st.booleans(), st.booleans(), st.floats(0, 1)), min_size=1, max_size=40)


@given(pairs)
def test_figures_are_scikit_learns(given: list[tuple[bool, bool, float]]) -> None:
    cases = [case(number, *values) for number, values in enumerate(given)]
    found = agreement(cases, np.random.default_rng(0))
    truth, predicted = [fault for _, fault, _ in given], [seen for seen, _, _ in given]
    if found.precision is not None:
        assert found.precision.value == pytest.approx(metrics.precision_score(truth, predicted))
    assert (found.precision is None) == (not any(predicted))
    if found.recall is not None:
        assert found.recall.value == pytest.approx(metrics.recall_score(truth, predicted))
    assert (found.recall is None) == (not any(truth))
    if found.kappa is not None:
        assert found.kappa.value == pytest.approx(metrics.cohen_kappa_score(truth, predicted), abs=1e-9)
    for figure in (found.precision, found.recall, found.f1, found.kappa, found.bias):
        if figure is not None and figure.low is not None and figure.high is not None:
            assert figure.low < figure.high
    calibrated = reliability(cases, np.random.default_rng(0))
    assert calibrated is not None
    assert calibrated.brier == pytest.approx(np.mean([(score - fault) ** 2 for _, fault, score in given]), abs=1e-9)
    assert 0.0 <= calibrated.ece <= 1.0
    assert sum(part.count for part in calibrated.bins) == len(given)


def test_perfect_agreement_on_few_cases_is_no_certainty() -> None:
    found = agreement([case(n, n < 5, n < 5) for n in range(20)], np.random.default_rng(0))
    assert found.precision is not None
    assert found.precision.low is not None
    assert found.precision.low < 0.7  # of five
    assert found.kappa is not None
    assert (found.kappa.value, found.kappa.low) == (1.0, None)


def test_no_cases_and_cases_that_are_all_alike_give_no_number() -> None:
    for cases in ([], [case(n, predicted=False, fault=False) for n in range(5)]):
        found = agreement(cases, np.random.default_rng(0))
        assert (found.precision, found.recall, found.kappa, found.spearman, found.alpha) == (None,) * 5
    assert reliability([], np.random.default_rng(0)) is None


def test_claims_of_one_answer_count_as_one_observation() -> None:
    values = [(True, True), (True, False), (False, False), (False, True)] * 5
    apart = agreement([case(n, *value) for n, value in enumerate(values)], np.random.default_rng(0))
    together = agreement([case(n // 5, *value) for n, value in enumerate(sorted(values))], np.random.default_rng(0))
    assert (apart.answers, together.answers) == (20, 4)
    assert apart.bias is not None
    assert together.bias is not None
    assert apart.bias.high is not None
    assert together.bias.high is not None
    assert together.bias.high - together.bias.value > apart.bias.high - apart.bias.value


def test_weights_undo_a_draw_that_favoured_what_looked_bad() -> None:
    cases = [case(n, predicted=True, fault=n % 2 == 0, weight=1.0) for n in range(10)]
    cases += [case(n, predicted=False, fault=n % 10 == 0, weight=10.0) for n in range(10, 20)]
    found = agreement(cases, np.random.default_rng(0))
    assert found.recall is not None
    assert found.recall.value == pytest.approx(5 / (5 + 10))
    assert (found.confusion.both, found.confusion.people_only) == (5, 1)


def test_reviewers_among_themselves() -> None:
    votes = [{"ana": True, "ben": True}, {"ana": False, "ben": False}, {"ana": True, "ben": False}, {"ana": False}]
    cases = [Case(f"i{n}", predicted=True, score=0.9, votes=vote, weight=1.0) for n, vote in enumerate(votes)]
    found = agreement(cases, np.random.default_rng(0))
    assert found.alpha_of_people == pytest.approx(0.444, abs=0.001)  # 1 - 5 · 2 / (2 · 3 · 3), by hand


def test_reviewers_who_differ_lower_their_agreement_although_the_scorer_is_not_held_to_them() -> None:
    alike = [case(n, predicted=True, fault=n % 2 == 0) for n in range(8)]
    pairs = [replace(one, votes={"ana": one.fault, "ben": one.fault}) for one in alike]
    ties = [replace(pairs[0], id="tie", votes={"ana": True, "ben": False})]
    with_ties = agreement(pairs, np.random.default_rng(0), ties)
    assert agreement(pairs, np.random.default_rng(0)).alpha_of_people == 1.0
    assert with_ties.alpha_of_people is not None
    assert with_ties.alpha_of_people < 0.9
    assert with_ties.cases == 8


def test_the_threshold_separates_and_its_interval_is_wide_where_any_would_do() -> None:
    cases = [case(n, predicted=True, fault=n >= 20, score=0.1 if n < 20 else 0.9) for n in range(40)]
    found = reliability(cases, np.random.default_rng(0))
    assert found is not None
    assert found.threshold is not None
    assert 0.1 < found.threshold.value < 0.9
    assert found.threshold.f1 == 1.0
