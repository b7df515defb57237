"""How well a suspicion separates faulty from faultless, and how sure the figure is.

A suspicion lies in [0, 1]; the positive class is the fault. Point values are scikit-learn's. Intervals come from a
bootstrap over groups, since several answers share one source: all draws are computed at once, from weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_CHUNK = 100
"""Draws worked on at once; bounds memory at about this many times the rows."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with the interval that holds it in 95 % of the draws; the value is None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


UNDEFINED = Estimate(None)


class GroupBootstrap:
    """Draws whole groups with replacement (Davison and Hinkley, 1997, section 3.8). Seeded: the draws are the same."""

    def __init__(self, groups: Sequence[str], *, draws: int, seed: int) -> None:
        names, self._codes = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
        self._draws, self._seed, self._groups = draws, seed, len(names)

    def weights(self) -> Floats:
        """How often each row was drawn: ``[draws, rows]``."""
        if self._groups == 0:
            return np.zeros((self._draws, 0))
        chance = np.random.default_rng(self._seed)
        counts = chance.multinomial(self._groups, np.full(self._groups, 1 / self._groups), size=self._draws)
        return counts[:, self._codes].astype(np.float64)


def ranking_parts(suspicion: Floats, faulty: Flags, weights: Floats) -> tuple[Floats, Floats]:
    """Weighted pairs (faulty, faultless) that are in the right order, ties half, and all pairs: ``[draws]`` each.

    Their ratio is the AUROC (Mann and Whitney, 1947); summed over strata first, it is the AUROC within strata.
    """
    right, pairs = np.zeros(len(weights)), np.zeros(len(weights))
    if not len(suspicion):
        return right, pairs
    order = np.argsort(suspicion, kind="stable")
    _, starts = np.unique(suspicion[order], return_index=True)
    marked = faulty[order].astype(np.float64)
    for at in range(0, len(weights), _CHUNK):
        mine = weights[at : at + _CHUNK][:, order]
        bad = np.add.reduceat(mine * marked, starts, axis=1)
        good = np.add.reduceat(mine * (1 - marked), starts, axis=1)
        below = np.cumsum(good, axis=1) - good
        right[at : at + _CHUNK] = (bad * (below + good / 2)).sum(axis=1)
        pairs[at : at + _CHUNK] = bad.sum(axis=1) * good.sum(axis=1)
    return right, pairs


def weighted_average_precision(suspicion: Floats, faulty: Flags, weights: Floats) -> Floats:
    """Average precision of each draw, as scikit-learn defines it; NaN for a draw without a faulty row."""
    found = np.full(len(weights), np.nan)
    if not len(suspicion):
        return found
    order = np.argsort(-suspicion, kind="stable")
    _, starts = np.unique(-suspicion[order], return_index=True)
    marked = faulty[order].astype(np.float64)
    for at in range(0, len(weights), _CHUNK):
        mine = weights[at : at + _CHUNK][:, order]
        bad = np.add.reduceat(mine * marked, starts, axis=1)
        flagged = np.cumsum(np.add.reduceat(mine, starts, axis=1), axis=1)
        precision = np.divide(np.cumsum(bad, axis=1), flagged, out=np.zeros_like(bad), where=flagged > 0)
        found[at : at + _CHUNK] = _ratio((precision * bad).sum(axis=1), bad.sum(axis=1))
    return found


def auroc(suspicion: Floats, faulty: Flags, weights: Floats) -> Estimate:
    """Area under the ROC curve; undefined where only one class is there."""
    if not _both(faulty):
        return UNDEFINED
    return estimate(float(roc_auc_score(faulty, suspicion)), _ratio(*ranking_parts(suspicion, faulty, weights)))


def auroc_draws(suspicion: Floats, faulty: Flags, weights: Floats) -> Floats:
    """AUROC of each draw; NaN where a draw holds only one class."""
    return _ratio(*ranking_parts(suspicion, faulty, weights))


def auroc_within(suspicion: Floats, faulty: Flags, strata: Sequence[str], weights: Floats) -> Estimate:
    """AUROC over the pairs that lie in one stratum: what is left when the strata themselves tell nothing."""
    names = np.asarray(strata, dtype=str)
    rows = np.vstack([np.ones(len(suspicion)), weights])
    right, pairs = np.zeros(len(rows)), np.zeros(len(rows))
    for name in np.unique(names):
        mine = names == name
        more_right, more_pairs = ranking_parts(suspicion[mine], faulty[mine], rows[:, mine])
        right += more_right
        pairs += more_pairs
    return _first(_ratio(right, pairs))


def average_precision(suspicion: Floats, faulty: Flags, weights: Floats) -> Estimate:
    """Average precision of finding the faults; undefined where there is none."""
    if not _both(faulty):
        return UNDEFINED
    value = float(average_precision_score(faulty, suspicion))
    return estimate(value, weighted_average_precision(suspicion, faulty, weights))


@dataclass(frozen=True, slots=True)
class Flagging:
    """What flagging gives: each in [0, 1]."""

    f1: Estimate
    precision: Estimate
    recall: Estimate
    balanced_accuracy: Estimate


def flagging(flagged: Flags, faulty: Flags, weights: Floats) -> Flagging:
    """F1, precision and recall of the flags, and their balanced accuracy. No flags at all give an F1 of 0."""
    if not _both(faulty):
        return Flagging(UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED)
    rows = np.vstack([np.ones(len(faulty)), weights])
    hit, alarm = rows @ (flagged & faulty), rows @ flagged
    bad, good = rows @ faulty, rows @ ~faulty
    recall = _ratio(hit, bad)
    specificity = _ratio(good - (alarm - hit), good)
    return Flagging(
        f1=_first(_ratio(2 * hit, alarm + bad)),
        precision=_first(_ratio(hit, alarm)),
        recall=_first(recall),
        balanced_accuracy=_first((recall + specificity) / 2),
    )


def brier(suspicion: Floats, faulty: Flags) -> float | None:
    """Mean squared distance between suspicion and label (Brier, 1950); None without rows."""
    return float(brier_score_loss(faulty, suspicion)) if len(suspicion) else None


def calibration_error(suspicion: Floats, faulty: Flags, *, bins: int = 10) -> float | None:
    """Expected calibration error over bins of equal mass (Nixon et al., 2019, arXiv 1904.01685).

    Rows of one suspicion share their mean label, so that it does not matter in which order ties fall into bins.
    """
    if not len(suspicion):
        return None
    _, codes, counts = np.unique(suspicion, return_inverse=True, return_counts=True)
    shared = (np.bincount(codes, weights=faulty) / counts)[codes]
    order = np.argsort(suspicion, kind="stable")
    error = 0.0
    for rows in np.array_split(order, bins):
        if len(rows):
            error += len(rows) * abs(suspicion[rows].mean() - shared[rows].mean())
    return float(error / len(suspicion))


def estimate(value: float, draws: Floats) -> Estimate:
    """A value with its percentile interval; without one where too few draws define it."""
    known = draws[~np.isnan(draws)]
    if len(known) * 2 < len(draws) or not len(known):
        return Estimate(value)
    low, high = np.quantile(known, (0.025, 0.975))
    return Estimate(value, float(low), float(high))


def _first(values: Floats) -> Estimate:
    """The point value stands first, the draws after it."""
    return UNDEFINED if np.isnan(values[0]) else estimate(float(values[0]), values[1:])


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio: Floats = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return ratio


def _both(faulty: Flags) -> bool:
    return bool(faulty.any() and not faulty.all())
