"""Two runs over the same items: which metrics have really changed.

Each metric is compared on the items that both runs have scored, pair by pair. The test is Wilcoxon's signed-rank test
with zero differences kept in the ranking (Pratt, 1959); the p-values of all metrics are adjusted together (Holm, 1979),
so that of many metrics not one is called worse by chance more often than the chosen probability. The interval of the
mean difference is a bias-corrected bootstrap over pairs (Efron, 1987).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from ragsonde.scorers.score import MetricKey

Values = Mapping[str, Mapping[MetricKey, float]]
"""The scored values of each item, by its id."""

_DRAWS = 4000
_FEWEST_PAIRS = 6
"""With fewer, no signed-rank test can reach 0.05."""


class ChangeResult(StrEnum):
    """What can be said of a metric's change."""

    WORSE = "worse"
    BETTER = "better"
    NOT_SHOWN = "not_shown"
    """A difference, if there is one, is too small to be told from chance."""
    TOO_FEW = "too_few"
    """Too few items are scored in both runs to tell anything."""


@dataclass(frozen=True, slots=True)
class Change:
    """How one metric has changed."""

    key: MetricKey
    result: ChangeResult
    pairs: int
    """Items that both runs have scored."""
    before: float | None = None
    """Mean over the pairs; None without any."""
    after: float | None = None
    low: float | None = None
    """95 % interval of the mean difference; None where there are too few pairs."""
    high: float | None = None
    p_value: float | None = None
    """Of Wilcoxon's test; None where there are too few pairs."""
    adjusted: float | None = None
    """The p-value after Holm's correction."""

    @property
    def difference(self) -> float | None:
        """After - before."""
        return None if self.before is None or self.after is None else self.after - self.before


def compare(before: Values, after: Values, chance: Generator, significance: float = 0.05) -> list[Change]:
    """Compare two runs, metric by metric. Worse is below: higher is better in all of them."""
    common = [id_ for id_ in before if id_ in after]
    changes = [_change(key, *_pairs(key, common, before, after), chance) for key in MetricKey]
    tested = [change for change in changes if change.pairs]
    adjusted = holm([change.p_value for change in tested if change.p_value is not None])
    return [_judged(change, adjusted, significance) for change in tested]


def _pairs(
    key: MetricKey, common: Sequence[str], before: Values, after: Values
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    both = [(before[id_][key], after[id_][key]) for id_ in common if key in before[id_] and key in after[id_]]
    pairs = np.array(both, dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _change(key: MetricKey, old: NDArray[np.float64], new: NDArray[np.float64], chance: Generator) -> Change:
    if not len(old):
        return Change(key, ChangeResult.TOO_FEW, 0)
    means = float(old.mean()), float(new.mean())
    if len(old) < _FEWEST_PAIRS:
        return Change(key, ChangeResult.TOO_FEW, len(old), *means)
    differences = new - old
    if np.ptp(differences) == 0.0:  # all alike: nothing to rank or to resample
        if differences[0] == 0.0:
            return Change(key, ChangeResult.NOT_SHOWN, len(old), *means, 0.0, 0.0, 1.0)
        low = high = float(differences[0])
    else:
        low, high = _interval(differences, chance)
    p_value = float(stats.wilcoxon(differences, zero_method="pratt").pvalue)
    return Change(key, ChangeResult.NOT_SHOWN, len(old), *means, low, high, p_value)


def _interval(differences: NDArray[np.float64], chance: Generator) -> tuple[float, float]:
    """The BCa interval; the plain percentile one where BCa is not defined."""
    for method in ("BCa", "percentile"):
        with np.errstate(all="ignore"):
            found = stats.bootstrap(
                (differences,), np.mean, n_resamples=_DRAWS, method=method, rng=chance, vectorized=True
            ).confidence_interval
        if np.isfinite(found.low) and np.isfinite(found.high):
            return float(found.low), float(found.high)
    return float(differences.min()), float(differences.max())


def holm(p_values: Sequence[float]) -> dict[float, float]:
    """Holm's step-down adjustment: each p-value with its adjusted one."""
    adjusted: dict[float, float] = {}
    highest = 0.0
    for rank, p_value in enumerate(sorted(p_values)):
        highest = max(highest, min(1.0, p_value * (len(p_values) - rank)))
        adjusted.setdefault(p_value, highest)
    return adjusted


def _judged(change: Change, adjusted: Mapping[float, float], significance: float) -> Change:
    if change.p_value is None or change.difference is None:
        return change
    value = adjusted[change.p_value]
    result = ChangeResult.NOT_SHOWN
    if value < significance and change.difference:
        result = ChangeResult.WORSE if change.difference < 0 else ChangeResult.BETTER
    return Change(
        change.key, result, change.pairs, change.before, change.after, change.low, change.high, change.p_value, value
    )
