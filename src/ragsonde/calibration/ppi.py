"""The true rate of a fault over all traffic, from a few human labels and a scorer's predictions on everything scored.

A scorer alone is biased: its mean says how often *it* sees a fault. Labels alone are few. Prediction-powered inference
(Angelopoulos, Bates, Fannjiang, Jordan and Zrnic, Science 382, 2023; PPI++: Angelopoulos, Duchi and Zrnic,
arXiv 2311.01453) takes the predictions' mean and corrects it by the mean error seen on the labels::

    rate = λ · mean(prediction) + mean(label - λ · prediction)

It is right whatever the predictions are worth; good ones only make the interval narrower. λ is tuned to the smallest
variance (PPI++, section 6); λ = 0 is the labels alone.

Neither phase of sampling is uniform here: an interaction is scored with probability p and, once scored, labelled with
probability q. Means are therefore ratios of sums weighted by 1/p and 1/(pq) (Hájek, 1971), as in two-phase sampling
(Särndal, Swensson and Wretman, "Model Assisted Survey Sampling", 1992, section 9.7). The labelled interactions are a
part of the scored ones, so the two means are correlated; the variance is that of the estimator's linearisation, one
term for each scored interaction, which takes this into account. PPI++ has independent samples instead.

The interval is Wilson's (JASA 22, 1927) for the number of yes-or-no observations that would have the same variance
(Korn and Graubard, Survey Methodology 24, 1998), with a quantile of Student's t whose degrees of freedom are few where
a few heavy labels make up the variance. For the variance alone the labels are joined by two imagined ones, a missed
fault and a false alarm (Agresti and Coull, 1998, add as many to each side of a proportion): no error among twenty
labels does not mean that there are none. The estimate itself stays unbiased. ``bench/estimator`` measures how often the
interval holds the truth.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

CONFIDENCE = 0.95
MINIMUM_LABELS = 2
"""Labels without which nothing is said: the spread of one number is not known."""
_IMAGINED_ERRORS = 2.0
_SMALLEST_VARIANCE = 1e-12

Floats: TypeAlias = NDArray[np.float64]


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
    tuning: float
    """λ in [0, 1]: how far the predictions are relied upon."""
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
    tuning: float | None = None,
    confidence: float = CONFIDENCE,
) -> Rate | NoRate:
    """Estimate the rate of a fault over the traffic that the scored interactions were drawn from.

    ``predictions`` and ``probabilities`` have one entry for each scored interaction: the scorer's probability (or
    verdict, 0 or 1) that it has the fault, and the probability p in (0, 1] with which it was drawn to be scored.
    ``labelled_at`` holds the positions of the labelled ones among them, ``labels`` what people say of each (0 or 1, or
    the share of reviewers who see the fault), ``label_probabilities`` the probability q in (0, 1] with which it was
    drawn to be labelled, given that it was scored. ``tuning`` fixes λ instead of finding the best.

    Raises:
        ValueError: an array has the wrong length, or a value is not in its range.
    """
    sample = _Sample.of(predictions, probabilities, labelled_at, labels, label_probabilities)
    if (missing := sample.missing()) is not None:
        return missing
    chosen = sample.best_tuning() if tuning is None else tuning
    return Rate(
        estimate=sample.interval(chosen, confidence),
        labels_alone=sample.interval(0.0, confidence),
        predictions_alone=sample.interval_of_predictions(confidence),
        tuning=chosen,
        bias=sample.bias(),
        scored=len(sample.predictions),
        labelled=len(sample.labels),
        effective_labels=sample.effective_labels(),
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

    def effective_labels(self) -> float:
        return _effective(self.label_weights)

    def bias(self) -> float:
        return float(np.average(self.predictions[self.at] - self.labels, weights=self.label_weights))

    def best_tuning(self) -> float:
        """The λ of the smallest variance, which is a quadratic function of it."""
        label_part, prediction_part = self._parts()
        curvature = float(prediction_part @ prediction_part)
        if curvature <= _SMALLEST_VARIANCE:
            return 0.0
        return min(1.0, max(0.0, -float(label_part @ prediction_part) / curvature))

    def interval(self, tuning: float, confidence: float) -> Interval:
        mean = float(np.average(self.predictions, weights=self.weights))
        errors = self.labels - tuning * self.predictions[self.at]
        rate = min(1.0, max(0.0, tuning * mean + float(np.average(errors, weights=self.label_weights))))
        size = self.effective_labels()
        terms = self._terms(tuning, errors)
        variance = _variance(terms, size) * size / (size + _IMAGINED_ERRORS)
        return _wilson(rate, variance, _quantile(_freedom(terms, size), confidence), size)

    def interval_of_predictions(self, confidence: float) -> Interval:
        mean = float(np.average(self.predictions, weights=self.weights))
        size = _effective(self.weights)
        terms = self.weights * (self.predictions - mean) / self.weights.sum()
        return _wilson(mean, _variance(terms, size), _quantile(max(1.0, size - 1.0), confidence), size)

    def _terms(self, tuning: float, errors: Floats) -> Floats:
        """The influence of each scored interaction and of the two imagined labels.

        A missed fault weighs as the labels do that the scorer saw no fault in, a false alarm as the others.
        """
        label_part, prediction_part = self._parts()
        share = self.label_weights / self.label_weights.sum()
        centre = float(errors @ share)
        predicted = self.predictions[self.at]
        missed = _typical(share, 1.0 - predicted) * (1.0 - centre)
        false_alarm = _typical(share, predicted) * (tuning + centre)
        return np.append(label_part + tuning * prediction_part, [missed, false_alarm])

    def _parts(self) -> tuple[Floats, Floats]:
        """The influence of each scored interaction on the estimate is the first plus λ times the second."""
        share = self.weights / self.weights.sum()
        label_share = self.label_weights / self.label_weights.sum()
        predicted = self.predictions[self.at]
        label_part = np.zeros_like(self.predictions)
        label_part[self.at] = label_share * (self.labels - np.average(self.labels, weights=label_share))
        prediction_part = share * (self.predictions - np.average(self.predictions, weights=share))
        prediction_part[self.at] -= label_share * (predicted - np.average(predicted, weights=label_share))
        return label_part, prediction_part


def _variance(terms: Floats, size: float) -> float:
    return max(float(terms @ terms) * size / max(1.0, size - 1.0), _SMALLEST_VARIANCE)


def _freedom(terms: Floats, size: float) -> float:
    """Degrees of freedom of the variance: few where a few heavy terms make it up (Satterthwaite, Biometrics 2, 1946).

    Twice what the fourth moment of the terms says, since Wilson's interval follows the rate and with it a part of the
    variance's own error; measured in ``bench/estimator``.
    """
    squares = terms**2
    total = float(squares.sum())
    if total <= _SMALLEST_VARIANCE:
        return max(1.0, size - 1.0)
    excess = max(float(squares @ squares) / total**2 - 1.0 / size, _SMALLEST_VARIANCE)
    return max(1.0, min(size - 1.0, 4.0 / excess))


def _quantile(freedom: float, confidence: float) -> float:
    return float(stdtrit(freedom, 0.5 + confidence / 2.0))


def _wilson(rate: float, variance: float, quantile: float, labels: float) -> Interval:
    """Wilson's interval for as many yes-or-no observations as would have this variance.

    How many those are is read off at the rate with one more label of each kind: at a rate of 0 there is no spread to
    compare the variance with.
    """
    drawn_in = (rate * labels + 1.0) / (labels + 2.0)
    size = drawn_in * (1.0 - drawn_in) / variance
    centre = rate + quantile**2 / (2.0 * size)
    half = quantile * math.sqrt(rate * (1.0 - rate) / size + (quantile / (2.0 * size)) ** 2)
    scale = 1.0 + quantile**2 / size
    low, high = max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)
    return Interval(rate, min(low, rate), max(high, rate))


def _typical(shares: Floats, kind: Floats) -> float:
    """The share that one more label of a kind would have; ``kind`` says how far each label is of it."""
    weights = shares * kind
    total = float(weights.sum())
    return float(weights @ shares) / total if total > 0.0 else 1.0 / _effective(shares)


def _effective(weights: Floats) -> float:
    scaled = weights / weights.max()
    return float(scaled.sum() ** 2 / (scaled @ scaled))


def _shares(values: ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64).reshape(-1)
    if not np.isfinite(array).all() or (len(array) and (array.min() < 0.0 or array.max() > 1.0)):
        raise ValueError(f"{name}: every value must be a number from 0 to 1")
    return array
