import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.exporters.estimate import WeightedSums, estimate

observations = st.lists(st.tuples(st.floats(0, 1), st.floats(1, 1000)), min_size=1, max_size=60)


def sums_of(pairs: list[tuple[float, float]]) -> WeightedSums:
    return sum((WeightedSums.of(value, weight) for value, weight in pairs), WeightedSums())


def test_nothing_observed_is_no_estimate() -> None:
    assert estimate(WeightedSums()) is None


@given(observations)
def test_mean_and_effective_size_agree_with_numpy(pairs: list[tuple[float, float]]) -> None:
    values, weights = np.array(pairs).T
    found = estimate(sums_of(pairs))
    assert found is not None
    assert found.mean == pytest.approx(np.average(values, weights=weights), abs=1e-9)
    assert found.effective_size == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.count == len(pairs)
    assert found.effective_size <= len(pairs) * (1 + 1e-9)


@given(observations)
def test_the_interval_holds_the_mean_and_stays_in_range(pairs: list[tuple[float, float]]) -> None:
    found = estimate(sums_of(pairs))
    assert found is not None
    assert 0.0 <= found.low <= found.mean <= found.high <= 1.0
    assert found.high > found.low  # however equal the values are, a sample is never certain


@given(observations, observations)
def test_sums_of_two_replicas_add_up_to_the_sums_of_both(
    first: list[tuple[float, float]], second: list[tuple[float, float]]
) -> None:
    together, added = estimate(sums_of(first + second)), estimate(sums_of(first) + sums_of(second))
    assert together is not None
    assert added is not None
    for name in ("mean", "low", "high", "effective_size"):
        assert getattr(added, name) == pytest.approx(getattr(together, name), abs=1e-6)


@given(observations, st.floats(1, 100))
def test_a_common_factor_of_the_weights_changes_nothing(pairs: list[tuple[float, float]], factor: float) -> None:
    plain = estimate(sums_of(pairs))
    scaled = estimate(sums_of([(value, weight * factor) for value, weight in pairs]))
    assert plain is not None
    assert scaled is not None
    assert scaled.low == pytest.approx(plain.low, abs=1e-6)
    assert scaled.high == pytest.approx(plain.high, abs=1e-6)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_yes_or_no_values_give_wilson_s_interval(successes: int, trials: int, low: float, high: float) -> None:
    found = estimate(sums_of([(1.0, 1.0)] * successes + [(0.0, 1.0)] * (trials - successes)))
    assert found is not None
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


def test_two_bad_answers_out_of_three_prove_little() -> None:
    found = estimate(sums_of([(1.0, 1.0), (1.0, 1.0), (0.0, 1.0)]))
    assert found is not None
    assert found.low < 0.25


def test_many_equal_graded_scores_make_a_narrow_interval() -> None:
    few, many = estimate(sums_of([(0.7, 1.0)] * 3)), estimate(sums_of([(0.7, 1.0)] * 400))
    assert few is not None
    assert many is not None
    assert few.high - few.low > 0.3
    assert many.high - many.low < 0.02


@pytest.mark.parametrize("size", [5, 30, 200])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (8.0, 2.0), (0.4, 8.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_covers_the_true_mean_as_often_as_it_says(size: int, a: float, b: float, weighted: bool) -> None:
    random = np.random.default_rng(20240607)
    covered, rounds = 0, 600
    for _ in range(rounds):
        values = random.beta(a, b, size)
        weights = random.choice([1.0, 10.0], size) if weighted else np.ones(size)
        found = estimate(sums_of(list(zip(values.tolist(), weights.tolist(), strict=True))))
        assert found is not None
        covered += found.low <= a / (a + b) <= found.high
    # 0.95 nominal; three standard errors of the simulation, and what a skewed distribution costs a small sample
    assert covered / rounds > 0.95 - 3 * math.sqrt(0.95 * 0.05 / rounds) - 0.02
