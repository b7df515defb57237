"""Whether a scorer's probabilities mean what they say, and from which one on to call a fault."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ragsonde.calibration.agreement import cluster_sums, percentiles, resampled
from ragsonde.calibration.cases import Case

Floats = NDArray[np.float64]

_BINS = 10
_THRESHOLDS = 99
_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases whose score lies within a tenth."""

    start: float
    end: float
    count: int
    mean_score: float
    fault_rate: float
    """Share of them that people call a fault."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The score from which on to call a fault."""

    value: float
    f1: float
    """At this threshold."""
    low: float | None
    """95 % interval of the threshold over bootstrap draws: a wide one says that any value within it will do."""
    high: float | None


@dataclass(frozen=True, slots=True)
class Reliability:
    """How a scorer's probabilities compare with what happened."""

    bins: tuple[Bin, ...]
    """Without empty ones."""
    ece: float
    """Expected calibration error: mean distance of score and fault rate over the bins, by weight (Guo et al., "On
    Calibration of Modern Neural Networks", ICML 2017)."""
    brier: float
    """Mean squared distance of score and label (Brier, Monthly Weather Review 78, 1950)."""
    threshold: Threshold | None
    """None where the labels are all alike."""


def reliability(cases: Sequence[Case], chance: Generator, scores: Sequence[float] | None = None) -> Reliability | None:
    """Compare scores (the cases' own, or calibrated ones) with labels; None without cases."""
    if not cases:
        return None
    given = np.array([case.score for case in cases] if scores is None else scores, dtype=np.float64)
    truth = np.array([case.fault for case in cases], dtype=np.float64)
    weights = np.array([case.weight for case in cases], dtype=np.float64)
    weights /= weights.sum()
    number = np.minimum(_BINS - 1, (given * _BINS + 1e-9).astype(int))
    bins, error = [], 0.0
    for index in range(_BINS):
        inside = number == index
        share = float(weights[inside].sum())
        if share > 0.0:
            score = float(np.average(given[inside], weights=weights[inside]))
            rate = float(np.average(truth[inside], weights=weights[inside]))
            bins.append(Bin(index / _BINS, (index + 1) / _BINS, int(inside.sum()), score, rate))
            error += share * abs(score - rate)
    return Reliability(
        tuple(bins), error, float(weights @ (given - truth) ** 2), _threshold(cases, given, truth, weights, chance)
    )


def _threshold(
    cases: Sequence[Case], scores: Floats, truth: Floats, weights: Floats, chance: Generator
) -> Threshold | None:
    """The threshold of the largest F1; of several the middle one."""
    if truth.min() == truth.max():
        return None
    limits = np.arange(1, _THRESHOLDS + 1) / (_THRESHOLDS + 1)
    called = scores[:, None] >= limits[None, :]
    hits = called * (truth * weights)[:, None]
    columns = np.concatenate([hits, called * weights[:, None], (truth * weights)[:, None]], axis=1)
    clusters = cluster_sums(cases, columns)
    best = _best(clusters.sum(axis=0)[None, :])[0]
    low, high = percentiles(limits[_best(resampled(clusters, chance, _DRAWS))])
    return Threshold(float(limits[best]), float(_f1(clusters.sum(axis=0)[None, :])[0, best]), low, high)


def _f1(sums: Floats) -> Floats:
    """F1 at each threshold, one row a draw; 0 where nothing is called a fault and none is one."""
    hits, called, faults = sums[:, :_THRESHOLDS], sums[:, _THRESHOLDS:-1], sums[:, -1:]
    below = called + faults
    return np.divide(2 * hits, below, out=np.zeros_like(hits), where=below > 0)


def _best(sums: Floats) -> NDArray[np.intp]:
    """The middle of the first run of thresholds with the largest F1."""
    values = _f1(sums)
    top = values >= values.max(axis=1, keepdims=True) - 1e-12
    first = top.argmax(axis=1)
    after = ~top & (np.arange(values.shape[1]) > first[:, None])
    last = np.where(after.any(axis=1), after.argmax(axis=1), values.shape[1]) - 1
    return np.asarray((first + last) // 2)
