"""Noise is not called a regression, and a regression is not called noise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.evaluation.comparison import ChangeResult, compare, holm
from ragsonde.scorers.score import MetricKey

KEY = MetricKey.FAITHFULNESS


def runs(differences: list[float], key: MetricKey = KEY) -> tuple[dict[str, dict[MetricKey, float]], ...]:
    before = {f"i{number}": {key: 0.5} for number in range(len(differences))}
    after = {f"i{number}": {key: 0.5 + difference} for number, difference in enumerate(differences)}
    return before, after


def test_a_real_loss_is_worse_and_a_real_gain_better() -> None:
    chance = np.random.default_rng(1)
    lower = list(chance.normal(-0.1, 0.1, 60).clip(-0.5, 0.5))
    (change,) = compare(*runs(lower), np.random.default_rng(0))
    assert change.result is ChangeResult.WORSE
    assert change.high is not None
    assert change.high < 0
    (change,) = compare(*runs([-difference for difference in lower]), np.random.default_rng(0))
    assert change.result is ChangeResult.BETTER


def test_of_many_metrics_without_a_change_hardly_any_run_calls_one_worse() -> None:
    chance = np.random.default_rng(2)
    alarms = 0
    for _ in range(12):
        before: dict[str, dict[MetricKey, float]] = {}
        after: dict[str, dict[MetricKey, float]] = {}
        for number in range(20):
            before[f"i{number}"] = {key: float(value) for key, value in zip(MetricKey, chance.random(16), strict=True)}
            after[f"i{number}"] = {key: float(value) for key, value in zip(MetricKey, chance.random(16), strict=True)}
        changes = compare(before, after, chance)
        alarms += any(change.result is not ChangeResult.NOT_SHOWN for change in changes)
    assert alarms <= 3  # 5 % of 12 is 0.6; more than 3 would be chance twice in a thousand


def test_runs_that_are_the_same_show_nothing_and_few_items_say_nothing() -> None:
    (same,) = compare(*runs([0.0] * 20), np.random.default_rng(0))
    assert (same.result, same.low, same.high, same.adjusted) == (ChangeResult.NOT_SHOWN, 0.0, 0.0, 1.0)
    (few,) = compare(*runs([-0.5] * 5), np.random.default_rng(0))
    assert (few.result, few.p_value, few.difference) == (ChangeResult.TOO_FEW, None, -0.5)
    (all_lower,) = compare(*runs([-0.5] * 8), np.random.default_rng(0))
    assert all_lower.result is ChangeResult.WORSE


def test_only_items_of_both_runs_are_compared() -> None:
    before, after = runs([-0.2, -0.1, -0.3, -0.2, -0.1, -0.3, -0.2])
    after["new"] = {KEY: 0.0}
    del after["i0"]
    after["i1"] = {}
    (change,) = compare(before, after, np.random.default_rng(0))
    assert change.pairs == 5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_holm_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p_value <= adjusted[p_value] <= 1.0 for p_value in p_values)
    ordered = [adjusted[p_value] for p_value in sorted(p_values)]
    assert ordered == sorted(ordered)


def test_holm_is_the_textbooks() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx({0.01: 0.03, 0.03: 0.06, 0.04: 0.06})
