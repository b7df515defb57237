"""A fitted map rises, is calibrated on its data, and is found again for the same versions only."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.calibration.cases import Case, Level
from ragsonde.calibration.mapping import MapMethod, find_map, fit_map, save_map
from ragsonde.calibration.reliability import reliability
from ragsonde.collector.errors import ConfigError


def overconfident(count: int, seed: int = 3) -> list[Case]:
    """Scores whose square is the true probability of a fault."""
    chance = np.random.default_rng(seed)
    scores = chance.random(count)
    faults = chance.random(count) < scores**2
    return [
        Case(f"i{n}", bool(score > 0.5), float(score), {"ana": bool(fault)}, 1.0)
        for n, (score, fault) in enumerate(zip(scores, faults, strict=True))
    ]


@pytest.mark.parametrize("method", MapMethod)
def test_a_map_brings_scores_to_what_people_see(method: MapMethod) -> None:
    fitted = fit_map(overconfident(1500), Level.ANSWER, None, {"judge": "1"}, method)
    grid = np.linspace(0.0, 1.0, 101)
    assert np.abs(np.array(fitted.apply(list(grid))) - grid**2).mean() < 0.05
    fresh = overconfident(1500, seed=4)
    plain = reliability(fresh, np.random.default_rng(0))
    mapped = reliability(fresh, np.random.default_rng(0), fitted.apply([case.score for case in fresh]))
    assert plain is not None
    assert mapped is not None
    assert mapped.brier < plain.brier
    assert mapped.ece < plain.ece / 2


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=30, max_size=60), st.sampled_from(MapMethod))
def test_a_map_never_falls_and_stays_a_probability(given: list[tuple[float, bool]], method: MapMethod) -> None:
    cases = [Case(f"i{n}", score > 0.5, score, {"ana": fault}, 1.0) for n, (score, fault) in enumerate(given)]
    if len({fault for _, fault in given}) < 2:
        with pytest.raises(ConfigError, match="no map can be fitted"):
            fit_map(cases, Level.CLAIM, None, {}, method)
        return
    mapped = fit_map(cases, Level.CLAIM, None, {}, method).apply([number / 50 for number in range(51)])
    assert all(0.0 <= value <= 1.0 for value in mapped)
    assert all(after >= before - 1e-9 for before, after in pairwise(mapped))


def test_the_method_suits_the_number_of_cases() -> None:
    assert fit_map(overconfident(100), Level.ANSWER, None, {}).method is MapMethod.PLATT
    assert fit_map(overconfident(300), Level.ANSWER, None, {}).method is MapMethod.ISOTONIC


def test_a_map_is_kept_by_scorer_level_and_version(tmp_path: Path) -> None:
    fitted = fit_map(overconfident(100), Level.ANSWER, "judge", {"judge": "merged.3:gpt"})
    path = save_map(tmp_path / "maps", fitted)
    assert find_map(tmp_path / "maps", "judge", Level.ANSWER, {"judge": "merged.3:gpt"}) == fitted
    assert find_map(tmp_path / "maps", "judge", Level.ANSWER, {"judge": "merged.4:gpt"}) is None
    assert find_map(tmp_path / "maps", "judge", Level.CLAIM, {"judge": "merged.3:gpt"}) is None
    path.write_text("{}")
    with pytest.raises(ConfigError, match="is no calibration map"):
        find_map(tmp_path / "maps", "judge", Level.ANSWER, {"judge": "merged.3:gpt"})
