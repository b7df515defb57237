"""How sure a mean is: weighted sums, and the interval that they give.

Every kept interaction stands for 1/p interactions of the traffic (Horvitz and Thompson, 1952), so the mean over the
traffic is the ratio of two weighted sums (Hájek, 1971). Five sums are all that is needed, and sums may be added over
replicas and windows; the Prometheus counters hold the same ones.

* Effective sample size: (Σw)² / Σw² (Kish, Survey Sampling, 1965, section 11.7).
* Interval: the score interval of Wilson (JASA 22, 1927), with the sample size that has the same variance as the
  weighted mean in place of n (Korn and Graubard, Survey Methodology 24, 1998). Values lie in [0, 1], so their variance
  is at most m(1 - m), which a yes-or-no value reaches. The observed share of that bound is drawn towards 1 with the
  weight of four observations (as many as Agresti and Coull, 1998, add to a proportion): a few equal values then do not
  pass for certainty, and the interval never collapses to a point.

Kish's formula takes weights and values as unrelated. Where doubtful answers are kept more often than others the
weights of the deviating values are small, and the interval errs on the wide side.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Self

CONFIDENCE = 0.95
PRIOR_OBSERVATIONS = 4.0
"""Weight of the largest possible variance against the observed one, in observations."""
VARIANCE_FLOOR = 1e-9
"""Added to variances before they are divided, so that 0/0 reads as 1: of equal zeros the interval is Wilson's own."""


@dataclass(frozen=True, slots=True)
class WeightedSums:
    """What the mean of values in [0, 1] and its uncertainty are computed from. Sums of sums are sums again."""

    count: int = 0
    """Observations."""
    weights: float = 0.0
    """Σw: the interactions of the traffic that the observations stand for."""
    squared_weights: float = 0.0
    """Σw²."""
    weighted_sum: float = 0.0
    """Σwx."""
    weighted_squares: float = 0.0
    """Σwx²."""

    @classmethod
    def of(cls, value: float, weight: float) -> Self:
        """Return the sums of a single observation."""
        return cls(1, weight, weight * weight, weight * value, weight * value * value)

    def __add__(self, other: "WeightedSums") -> "WeightedSums":
        return WeightedSums(
            self.count + other.count,
            self.weights + other.weights,
            self.squared_weights + other.squared_weights,
            self.weighted_sum + other.weighted_sum,
            self.weighted_squares + other.weighted_squares,
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its uncertainty; all but the sizes lie in [0, 1], and ``low <= mean <= high``."""

    mean: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end of the 95 % interval."""
    count: int
    """Observations."""
    effective_size: float
    """The size of an unweighted sample that would be as informative; at most ``count``."""


def estimate(sums: WeightedSums, confidence: float = CONFIDENCE) -> Estimate | None:
    """Return the weighted mean and its two-sided interval; None where nothing was observed."""
    if sums.weights <= 0.0 or sums.squared_weights <= 0.0:
        return None
    mean = min(1.0, max(0.0, sums.weighted_sum / sums.weights))
    size = sums.weights**2 / sums.squared_weights
    variance = max(0.0, sums.weighted_squares / sums.weights - mean**2)
    low, high = _score_interval(mean, _comparable_size(mean, size, variance), confidence)
    return Estimate(mean, min(low, mean), max(high, mean), sums.count, size)


def _comparable_size(mean: float, size: float, variance: float) -> float:
    """Return how many yes-or-no observations would leave as much doubt about the mean as these."""
    share = (variance + VARIANCE_FLOOR) / (mean * (1.0 - mean) + VARIANCE_FLOOR)
    shrunk = (size * min(1.0, share) + PRIOR_OBSERVATIONS) / (size + PRIOR_OBSERVATIONS)
    return size / shrunk


def _score_interval(mean: float, size: float, confidence: float) -> tuple[float, float]:
    z = NormalDist().inv_cdf(0.5 + confidence / 2.0)
    centre = mean + z * z / (2.0 * size)
    half = z * math.sqrt(mean * (1.0 - mean) / size + (z / (2.0 * size)) ** 2)
    scale = 1.0 + z * z / size
    return max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale)
