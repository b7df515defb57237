"""The simulation evaluates the same algebra as the estimator and Prometheus do, and finds what is plainly there."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.alerting.evaluation import Evaluator, firing
from bench.alerting.policies import fired, policies
from bench.alerting.traffic import MINUTES_PER_DAY, Scenario, simulate
from ragsonde.exporters.alerting.tunables import Tunables
from ragsonde.exporters.estimate import WeightedSums, estimate
from ragsonde.exporters.promql import recipes


def evaluator(**increments: list[float]) -> Evaluator:
    return Evaluator({name: np.array([values], dtype=float) for name, values in increments.items()})


def values(found: np.ndarray) -> list[float | None]:  # type: ignore[type-arg]
    return [None if np.isnan(value) else float(value) for value in found[0]]


counts = st.lists(
    st.integers(1, 40).flatmap(lambda judged: st.tuples(st.integers(0, judged), st.just(judged), st.floats(1, 50))),
    min_size=1,
    max_size=12,
)


@given(counts)
def test_bounds_are_those_of_the_estimator(minutes: list[tuple[int, int, float]]) -> None:
    prefix = "ragsonde_hallucination"
    simulated = evaluator(
        **{
            f"{prefix}_weighted_sum_total": [bad * weight for bad, _, weight in minutes],
            f"{prefix}_weights_total": [judged * weight for _, judged, weight in minutes],
            f"{prefix}_squared_weights_total": [judged * weight * weight for _, judged, weight in minutes],
        }
    )
    for recipe in recipes("1h", "1h"):
        if recipe.name.startswith("app:"):
            simulated.record(recipe.name, recipe.expression)
    sums = WeightedSums()
    for bad, judged, weight in minutes:
        sums += WeightedSums(judged, judged * weight, judged * weight**2, bad * weight, bad * weight)
    expected = estimate(sums)
    assert expected is not None
    for part, value in (("rate", expected.mean), ("lower", expected.low), ("upper", expected.high)):
        assert simulated(f"app:{prefix}:{part}1h")[0, -1] == pytest.approx(value, abs=1e-4)


def test_operators_are_prometheus_own() -> None:
    simulated = evaluator(a_total=[1, 2, 3, 4], b_total=[4, 3, 2, 1])
    assert values(simulated("increase(a_total[2m])")) == [1, 3, 5, 7]
    assert values(simulated("increase(a_total[1m] offset 1m)")) == [None, 1, 2, 3]
    assert values(simulated("increase(a_total[1m]) > increase(b_total[1m])")) == [None, None, 3, 4]
    assert values(simulated("increase(a_total[1m]) > 1 and increase(b_total[1m]) > 1")) == [None, 2, 3, None]
    assert values(simulated("increase(a_total[1m]) unless increase(b_total[1m]) > 1")) == [None, None, None, 4]
    assert values(simulated("increase(a_total[1m]) > 3 or vector(9)")) == [9, 9, 9, 4]


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(KeyError):
        evaluator(a_total=[1])("b")
    with pytest.raises(NotImplementedError):
        evaluator(a_total=[1])("absent(a_total)")


def test_an_alert_fires_after_its_hold_and_goes_on_for_its_keep() -> None:
    nothing = float("nan")
    condition = np.array([[1, 1, nothing, 1, 1, 1, nothing, nothing, nothing]])
    assert firing(condition, hold=2, keep=0)[0].tolist() == [False] * 5 + [True] + [False] * 3
    assert firing(condition, hold=2, keep=2)[0].tolist() == [False] * 5 + [True] * 3 + [False]
    assert firing(condition, hold=0, keep=0)[0].tolist() == [True, True, False, True, True, True, False, False, False]


def test_a_great_spike_pages_soon_and_quiet_traffic_never() -> None:
    tunables = Tunables()
    page = policies(tunables)[0].name
    bad = simulate(Scenario(20_000, 0.04, 0.7), replications=3, days=2, spike_day=1, seed=1)
    firing_then = fired(tunables, bad)[page]
    for replication, start in zip(firing_then, bad.spike_minutes.astype(int), strict=True):
        assert not replication[:start].any()
        assert replication[start : start + 120].any()
    quiet = simulate(Scenario(20_000, 0.04), replications=3, days=2, spike_day=0, seed=1)
    assert not fired(tunables, quiet)[page].any()
    assert quiet.increments["ragsonde_hallucination_weights_total"].sum() == pytest.approx(3 * 2 * 20_000, rel=0.05)
    assert bad.spike_minutes.min() >= MINUTES_PER_DAY
