"""The true rate of a fault over all traffic, from a few human labels and a scorer's predictions on everything scored.

A scorer alone is biased: its mean says how often *it* sees a fault. Labels alone are few. Prediction-powered inference
(Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023) takes the predictions' mean and corrects it by the
mean error seen on the labels. Here it is done within cells of like predictions (Fisch et al., "Stratified
Prediction-Powered Inference", arXiv 2406.04291, 2024), which for verdicts, 0 or 1, is post-stratification (Holt and
Smith, JRSS A 142, 1979), and within those in cells of like sampling probability, so that a few heavy labels are told
from many light ones::

    rate = Σ over cells: share of the traffic that lies there · share of faults among the cell's labels

It is right whatever the predictions are worth; good ones only make the interval narrower. For verdicts it is also the
estimate of PPI++ (Angelopoulos, Duchi and Zrnic, arXiv 2311.01453) with the λ of the smallest variance.

Neither phase of sampling is uniform: an interaction is scored with probability p and, once scored, labelled with
probability q. Means are therefore ratios of sums weighted by 1/p and 1/(pq) (Hájek, 1971), as in two-phase sampling
(Särndal, Swensson and Wretman, "Model Assisted Survey Sampling", 1992, section 9.7).

The interval. Errors of both kinds are rare, so that a normal approximation to the whole is poor: one kind of error may
not have been seen at all. In each cell the share of faults therefore gets the interval of Jeffreys (Brown, Cai and
DasGupta, Statistical Science 16, 2001) for the number of yes-or-no observations with the same variance (Korn and
Graubard, Survey Methodology 24, 1998; Dean and Pagano, J. Survey Statistics and Methodology 3, 2015, compare such
intervals), and the distances to its ends are added as squares (MOVER: Zou and Donner, Statistics in Medicine 27, 2008),
together with the variance of the cells' shares. Such a sum errs on the wide side where cells show no fault, so with
several cells the prior is Kerman's neutral one (Electronic J. Statistics 5, 2011), a third instead of a half. What was
drawn with certainty adds no variance. The variance of a few heavy labels is hardly known, so it is drawn towards the
one of labels whose weight has nothing to do with them.
``bench/estimator`` measures how often the interval holds the truth.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, ndtri

CONFIDENCE = 0.95
MINIMUM_LABELS = 2
"""Labels without which nothing is said: the spread of one number is not known."""
_PRIOR_OBSERVATIONS = 12.0
"""Weight, in observations, of the variance of unrelated weights against the observed one; measured in the bench."""
_SMALLEST_VARIANCE = 1e-12
_EDGES = (0.2, 0.4, 0.6, 0.8)
"""Between the cells of predictions that are no verdicts."""
_LEAST_LABELS = 5
"""Of such a cell, and of one of like sampling probability; one with fewer is joined to a neighbour."""
_JEFFREYS, _NEUTRAL = 1.0 / 2.0, 1.0 / 3.0
"""Faults, and as many others, that the prior counts as seen: of a single cell, and of each of several."""

Floats: TypeAlias = NDArray[np.float64]
Cells: TypeAlias = NDArray[np.intp]


class NoRateReason(StrEnum):
    """Why no rate can be given."""

    NOTHING_SCORED = "nothing_scored"
    NO_LABELS = "no_labels"
    TOO_FEW_LABELS = "too_few_labels"


@dataclass(frozen=True, slots=True)
class NoRate:
    """No rate, and why: never a number instead."""

    reason: NoRateReason
    explanation: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate with its two-sided interval; all lie in [0, 1] and ``low <= rate <= high``."""

    rate: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """The interval's length."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a fault over all traffic."""

    estimate: Interval
    """From labels and predictions together: the figure to report."""
    labels_alone: Interval
    """What the labels say without the predictions; wider."""
    predictions_alone: Interval
    """What the scorer says without the labels: as biased as the scorer is. For comparison only."""
    reliance: float
    """From 0 to 1, how far a prediction moves the estimate: the slope of labels on predictions, λ in PPI++."""
    bias: float
    """Weighted mean of prediction - label, -1 to 1; above 0 the scorer sees faults that are none."""
    scored: int
    labelled: int
    effective_labels: float
    """The size of an unweighted sample of labels that would be as informative (Kish, 1965); at most ``labelled``."""


def estimate_rate(
    predictions: ArrayLike,
    probabilities: ArrayLike,
    labelled_at: ArrayLike,
    labels: ArrayLike,
    label_probabilities: ArrayLike,
    *,
    confidence: float = CONFIDENCE,
) -> Rate | NoRate:
    """Estimate the rate of a fault over the traffic that the scored interactions were drawn from.

    ``predictions`` and ``probabilities`` have one entry for each scored interaction: the scorer's probability (or
    verdict, 0 or 1) that it has the fault, and the probability p in (0, 1] with which it was drawn to be scored.
    ``labelled_at`` holds the positions of the labelled ones among them, ``labels`` what people say of each (0 or 1, or
    the share of reviewers who see the fault), ``label_probabilities`` the probability q in (0, 1] with which it was
    drawn to be labelled, given that it was scored.

    Raises:
        ValueError: an array has the wrong length, or a value is not in its range.
    """
    sample = _Sample.of(predictions, probabilities, labelled_at, labels, label_probabilities)
    if (missing := sample.missing()) is not None:
        return missing
    return Rate(
        estimate=sample.interval(sample.cells(), confidence),
        labels_alone=sample.interval(sample.parted(np.zeros(len(sample.weights), dtype=np.intp)), confidence),
        predictions_alone=sample.interval_of_predictions(confidence),
        reliance=sample.reliance(),
        bias=sample.bias(),
        scored=len(sample.predictions),
        labelled=len(sample.labels),
        effective_labels=_effective(sample.label_weights),
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    """The two phases: everything scored, and the labelled ones among it."""

    predictions: Floats
    weights: Floats
    """1/p of each scored interaction."""
    at: NDArray[np.intp]
    labels: Floats
    label_weights: Floats
    """1/(pq) of each labelled interaction."""

    @classmethod
    def of(
        cls, predictions: ArrayLike, probabilities: ArrayLike, at: ArrayLike, labels: ArrayLike, chances: ArrayLike
    ) -> "_Sample":
        scores, drawn = _shares(predictions, "predictions"), _shares(probabilities, "probabilities")
        verdicts, chosen = _shares(labels, "labels"), _shares(chances, "label_probabilities")
        positions = np.asarray(at, dtype=np.intp).reshape(-1)
        if len(drawn) != len(scores):
            raise ValueError(f"probabilities: {len(drawn)} entries for {len(scores)} predictions")
        if not len(positions) == len(verdicts) == len(chosen):
            raise ValueError("labelled_at, labels and label_probabilities must be of one length")
        if len(positions) and (positions.min() < 0 or positions.max() >= len(scores)):
            raise ValueError("labelled_at: a position lies outside the predictions")
        if len(np.unique(positions)) != len(positions):
            raise ValueError("labelled_at: an interaction is labelled twice; average its labels first")
        if (drawn <= 0.0).any() or (chosen <= 0.0).any():
            raise ValueError("probabilities must be above 0: what could not be drawn cannot stand for others")
        return cls(scores, 1.0 / drawn, positions, verdicts, 1.0 / (drawn[positions] * chosen))

    def missing(self) -> NoRate | None:
        if not len(self.predictions):
            return NoRate(NoRateReason.NOTHING_SCORED, "no interaction was scored")
        if not len(self.labels):
            return NoRate(NoRateReason.NO_LABELS, "no scored interaction has a label that was drawn by chance")
        if len(self.labels) < MINIMUM_LABELS:
            return NoRate(
                NoRateReason.TOO_FEW_LABELS,
                f"{len(self.labels)} label says nothing of how labels vary; at least {MINIMUM_LABELS} are needed",
            )
        return None

    def bias(self) -> float:
        return float(np.average(self.predictions[self.at] - self.labels, weights=self.label_weights))

    def reliance(self) -> float:
        predicted = self.predictions[self.at]
        apart = predicted - np.average(predicted, weights=self.label_weights)
        spread = float(self.label_weights @ apart**2)
        if spread <= _SMALLEST_VARIANCE * float(self.label_weights.sum()):
            return 0.0
        return min(1.0, max(0.0, float((self.label_weights * apart) @ self.labels) / spread))

    def cells(self) -> Cells:
        """The cell of each scored interaction. Each cell has labels."""
        values, verdicts = np.unique(self.predictions, return_inverse=True)
        if len(values) <= 2:
            return self.parted(_joined(verdicts, self.at, least=1))
        return self.parted(_joined(np.digitize(self.predictions, _EDGES), self.at, least=_LEAST_LABELS))

    def parted(self, cells: Cells) -> Cells:
        """Each cell parted by sampling probability, in steps of a factor of two."""
        steps = np.round(np.log2(self.weights)).astype(np.intp)
        parted, next_cell = np.zeros_like(cells), 0
        for cell in np.unique(cells):
            inside = np.flatnonzero(cells == cell)
            labelled = np.flatnonzero(np.isin(inside, self.at))
            parts = _joined(steps[inside], labelled, least=_LEAST_LABELS)
            parted[inside] = next_cell + parts
            next_cell += int(parts.max()) + 1
        return parted

    def interval(self, cells: Cells, confidence: float) -> Interval:
        quantile = float(ndtri(0.5 + confidence / 2.0))
        total = float(self.weights.sum())
        rates = np.zeros_like(self.weights)
        below = above = 0.0
        every = np.unique(cells)
        prior = _JEFFREYS if len(every) == 1 else _NEUTRAL
        for cell in every:
            inside, labelled = cells == cell, cells[self.at] == cell
            share = float(self.weights[inside].sum()) / total
            found = _proportion(self.labels[labelled], self.label_weights[labelled], prior, confidence)
            rates[inside] = found.rate
            below += (share * (found.rate - found.low)) ** 2
            above += (share * (found.high - found.rate)) ** 2
        rate = float(rates @ self.weights) / total
        drawn = (self.weights / total) ** 2 * (1.0 - 1.0 / self.weights)
        of_shares = quantile**2 * float(drawn @ (rates - rate) ** 2)
        low, high = rate - math.sqrt(below + of_shares), rate + math.sqrt(above + of_shares)
        return Interval(min(1.0, max(0.0, rate)), max(0.0, low), min(1.0, high))

    def interval_of_predictions(self, confidence: float) -> Interval:
        return _proportion(self.predictions, self.weights, _JEFFREYS, confidence)


def _joined(cells: Cells, at: Cells, *, least: int) -> Cells:
    """Join cells with fewer labels than ``least`` to the neighbour that has fewer, until none is left."""
    joined = np.unique(cells, return_inverse=True)[1]
    while (count := int(joined.max()) + 1) > 1:
        labels = np.bincount(joined[at], minlength=count)
        poorest = int(labels.argmin())
        if labels[poorest] >= least:
            break
        upper = (
            poorest + 1
            if poorest == 0 or (poorest + 1 < count and labels[poorest + 1] < labels[poorest - 1])
            else poorest
        )
        joined = joined - (joined >= upper)
    return joined


def _proportion(values: Floats, weights: Floats, prior: float, confidence: float) -> Interval:
    """The weighted mean of values in [0, 1] with its interval; ``weights`` are one over the chance of being drawn."""
    shares = weights / weights.sum()
    mean = min(1.0, max(0.0, float(shares @ values)))
    size = _effective(weights)
    unrelated = mean * (1.0 - mean) / size
    observed = float((shares**2 * (1.0 - 1.0 / weights)) @ (values - mean) ** 2)
    ratio = (observed + _SMALLEST_VARIANCE) / (unrelated + _SMALLEST_VARIANCE)
    comparable = size * (size + _PRIOR_OBSERVATIONS) / (ratio * size + _PRIOR_OBSERVATIONS)
    faults, others = mean * comparable, (1.0 - mean) * comparable
    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(faults + prior, others + prior, tail)) if mean > 0.0 else 0.0
    high = float(betaincinv(faults + prior, others + prior, 1.0 - tail)) if mean < 1.0 else 1.0
    return Interval(mean, min(low, mean), max(high, mean))


def _effective(weights: Floats) -> float:
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def _shares(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(array).all() or (len(array) and (array.min() < 0.0 or array.max() > 1.0)):
        raise ValueError(f"{name}: every value must be a number from 0 to 1")
    return array
