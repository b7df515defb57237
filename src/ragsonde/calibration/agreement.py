"""How far a scorer agrees with people, and people with each other. The positive case is a fault.

Intervals are 95 % percentile bootstrap intervals over whole interactions: claims of one answer are not independent
(Field and Welsh, "Bootstrapping clustered data", JRSS B 69, 2007). Where no draw differs (no error among twenty cases)
the bootstrap would call the figure certain: precision and recall then take the score interval of
``exporters.estimate``, and the others have none. What is not defined (the precision of a scorer that sees no fault at
all) is None, never a number.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import krippendorff
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats

from ragsonde.calibration.cases import Case
from ragsonde.exporters.estimate import WeightedSums, estimate

Floats = NDArray[np.float64]

DRAWS = 2000
_MOST_UNDEFINED = 0.5
"""Share of bootstrap draws without a value from which no interval is given."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its 95 % interval; the ends are None where the bootstrap gives none."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of cases by what the scorer and people say; unweighted."""

    both: int
    """The scorer and people see the fault."""
    scorer_only: int
    """False alarms."""
    people_only: int
    """Missed faults."""
    neither: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a scorer agrees with people."""

    cases: int
    answers: int
    """Interactions that the cases are from."""
    faults: int
    """Cases that people call a fault."""
    confusion: Confusion
    precision: Figure | None
    """Faults ÷ what the scorer calls one."""
    recall: Figure | None
    """What the scorer calls a fault ÷ faults."""
    f1: Figure | None
    kappa: Figure | None
    """Cohen's kappa (Educational and Psychological Measurement 20, 1960)."""
    bias: Figure | None
    """Rate of faults by the scorer - by people."""
    spearman: float | None
    """Rank correlation of the scorer's probability with the share of reviewers who see the fault."""
    alpha: float | None
    """Krippendorff's alpha (nominal) of scorer and people taken as two observers."""
    alpha_of_people: float | None
    """Krippendorff's alpha among the reviewers; None with fewer than two on any case."""


def agreement(cases: Sequence[Case], chance: Generator, ties: Sequence[Case] = ()) -> Agreement:
    """Compare a scorer with people; ``cases`` are weighted as they say.

    ``ties``, on which people are divided, count only where people are compared among themselves.
    """
    truth = np.array([case.fault for case in cases], dtype=bool)
    predicted = np.array([case.predicted for case in cases], dtype=bool)
    weights = np.array([case.weight for case in cases], dtype=np.float64)
    cells = np.stack([predicted & truth, predicted & ~truth, ~predicted & truth, ~predicted & ~truth], axis=1)
    clusters = cluster_sums(cases, cells * weights[:, None])
    draws = resampled(clusters, chance)

    def figure(value: Callable[[Floats], Floats]) -> Figure | None:
        return _figure(value(clusters.sum(axis=0)[None, :]), value(draws))

    counts = [int(count) for count in cells.sum(axis=0)]
    return Agreement(
        cases=len(cases),
        answers=len(clusters),
        faults=int(truth.sum()),
        confusion=Confusion(*counts),
        precision=_share(figure(lambda n: _ratio(n[:, 0], n[:, 0] + n[:, 1])), truth[predicted], weights[predicted]),
        recall=_share(figure(lambda n: _ratio(n[:, 0], n[:, 0] + n[:, 2])), predicted[truth], weights[truth]),
        f1=figure(lambda n: _ratio(2 * n[:, 0], 2 * n[:, 0] + n[:, 1] + n[:, 2])),
        kappa=figure(_kappa),
        bias=figure(lambda n: _ratio(n[:, 1] - n[:, 2], n.sum(axis=1))),
        spearman=_spearman(cases),
        alpha=_alpha([[float(case.predicted), float(case.fault)] for case in cases]),
        alpha_of_people=alpha_of_votes([case.votes for case in (*cases, *ties)]),
    )


def alpha_of_votes(votes: Sequence[Mapping[str, bool]]) -> float | None:
    """Return Krippendorff's alpha (nominal) of reviewers' votes, one mapping for each text; None where not defined."""
    reviewers = sorted({reviewer for given in votes for reviewer in given})
    missing = float("nan")  # the library's sign for a rating that was not given
    return _alpha([[float(given[name]) if name in given else missing for name in reviewers] for given in votes])


def cohens_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Return Cohen's kappa of two observers' verdicts; None where it is not defined."""
    cells = [[one and other, one and not other, other and not one, not (one or other)] for one, other in pairs]
    kappa = float(_kappa(np.array(cells, dtype=np.float64).sum(axis=0)[None, :])[0]) if cells else math.inf
    return kappa if math.isfinite(kappa) else None


def cluster_sums(cases: Sequence[Case], values: Floats) -> Floats:
    """Add the rows of ``values`` up by interaction."""
    positions: dict[str, int] = {}
    index = [positions.setdefault(case.id, len(positions)) for case in cases]
    sums = np.zeros((len(positions), values.shape[1]))
    np.add.at(sums, index, values)
    return sums


def resampled(clusters: Floats, chance: Generator, draws: int = DRAWS) -> Floats:
    """The sums over interactions in each of many bootstrap draws, one row a draw."""
    count = len(clusters)
    if not count:
        return np.zeros((draws, clusters.shape[1]))
    return np.asarray(chance.multinomial(count, np.full(count, 1.0 / count), size=draws) @ clusters)


def percentiles(values: Floats) -> tuple[float | None, float | None]:
    """The 2.5th and 97.5th percentile of the draws that have a value; None where too few have one."""
    defined = values[np.isfinite(values)]
    if not len(values) or len(defined) < _MOST_UNDEFINED * len(values):
        return None, None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def _share(figure: Figure | None, hits: NDArray[np.bool_], weights: Floats) -> Figure | None:
    """A share whose interval is widened to the score interval: the bootstrap's is too short of few or equal cases."""
    sums = (WeightedSums.of(float(hit), float(weight)) for hit, weight in zip(hits, weights, strict=True))
    scored = estimate(sum(sums, WeightedSums()))
    if figure is None or scored is None:
        return figure
    low, high = figure.low, figure.high
    return Figure(
        figure.value,
        scored.low if low is None else min(low, scored.low),
        scored.high if high is None else max(high, scored.high),
    )


def _figure(observed: Floats, draws: Floats) -> Figure | None:
    value = float(observed[0])
    if not np.isfinite(value):
        return None
    low, high = percentiles(draws)
    return Figure(value) if low == high else Figure(value, low, high)


def _ratio(above: Floats, below: Floats) -> Floats:
    """A quotient; infinite where there is nothing to divide by, which stays within this module."""
    return np.divide(above, below, out=np.full_like(below, np.inf), where=below > 0)


def _kappa(cells: Floats) -> Floats:
    both, scorer_only, people_only, neither = cells.T
    above = 2 * (both * neither - scorer_only * people_only)
    by_chance = (both + scorer_only) * (scorer_only + neither) + (both + people_only) * (people_only + neither)
    return _ratio(above, by_chance)


def _spearman(cases: Sequence[Case]) -> float | None:
    scores, shares = [case.score for case in cases], [case.share for case in cases]
    if len(set(scores)) < 2 or len(set(shares)) < 2:
        return None
    return float(stats.spearmanr(scores, shares).statistic)


def _alpha(ratings: Sequence[Sequence[float]]) -> float | None:
    """Krippendorff's alpha of cases by observers (NaN: not rated); None where it is not defined."""
    matrix = np.array(ratings, dtype=np.float64)
    if not matrix.size:
        return None
    paired = matrix[(~np.isnan(matrix)).sum(axis=1) >= 2]
    if not len(paired) or len(np.unique(paired[~np.isnan(paired)])) < 2:
        return None
    return float(krippendorff.alpha(reliability_data=paired.T, level_of_measurement="nominal"))
