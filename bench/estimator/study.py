"""The simulation: traffic with known faults, a biased judge, unequal sampling, few labels; and what is made of them.

The truth of a replication is the rate of faults in its traffic, all of it, which the simulation knows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ragsonde.calibration.ppi import Interval, Rate, estimate_rate

Floats = NDArray[np.float64]

TRAFFIC = 20_000
"""Interactions of one replication."""


@dataclass(frozen=True)
class Stratum:
    share: float
    """Share of the traffic."""
    probability: float
    """With which its interactions are scored."""
    rate: float
    """Of faults in it."""


@dataclass(frozen=True)
class Judge:
    name: str
    sensitivity: float
    specificity: float
    soft: bool = False
    """Whether it gives probabilities instead of verdicts."""


class Labelling(Enum):
    """How the interactions to label are drawn from the scored ones."""

    UNIFORM = "each scored one alike"
    EVEN = "so that all traffic is labelled alike"
    SUSPECTED = "what the judge suspects three times as often"


@dataclass(frozen=True)
class Scenario:
    traffic: str
    strata: tuple[Stratum, ...]
    judge: Judge
    labelling: Labelling
    labels: int
    """Expected number of labels."""


EVEN_TRAFFIC = ("one stratum, p = 0.25", (Stratum(1.0, 0.25, 0.10),))
RARE = ("one stratum, rare faults", (Stratum(1.0, 0.25, 0.03),))
STRATA = ("p = 0.02, 0.1, 1", (Stratum(0.7, 0.02, 0.05), Stratum(0.25, 0.1, 0.12), Stratum(0.05, 1.0, 0.5)))
EXTREME = ("p = 0.01, 0.1, 1", (Stratum(0.8, 0.01, 0.06), Stratum(0.15, 0.1, 0.15), Stratum(0.05, 1.0, 0.4)))

ALARMED = Judge("sees too much (sensitivity 0.80, specificity 0.85)", 0.80, 0.85)
BLIND = Judge("sees too little (0.55, 0.99)", 0.55, 0.99)
SOFT = Judge("probabilities, seen too high", 0.80, 0.85, soft=True)
SHARP = Judge("nearly right (0.95, 0.97)", 0.95, 0.97)

SCENARIOS = tuple(
    Scenario(*traffic, judge, labelling, labels)
    for traffic, judge, labelling, labels in (
        (EVEN_TRAFFIC, ALARMED, Labelling.UNIFORM, 50),
        (EVEN_TRAFFIC, ALARMED, Labelling.UNIFORM, 100),
        (EVEN_TRAFFIC, BLIND, Labelling.UNIFORM, 100),
        (EVEN_TRAFFIC, SHARP, Labelling.UNIFORM, 200),
        (EVEN_TRAFFIC, SOFT, Labelling.UNIFORM, 200),
        (EVEN_TRAFFIC, ALARMED, Labelling.SUSPECTED, 200),
        (RARE, ALARMED, Labelling.UNIFORM, 100),
        (RARE, SHARP, Labelling.UNIFORM, 200),
        (STRATA, ALARMED, Labelling.EVEN, 100),
        (STRATA, BLIND, Labelling.EVEN, 200),
        (STRATA, ALARMED, Labelling.UNIFORM, 400),
        (EXTREME, ALARMED, Labelling.EVEN, 100),
        (EXTREME, SOFT, Labelling.EVEN, 200),
        (EXTREME, ALARMED, Labelling.UNIFORM, 400),
        (EXTREME, ALARMED, Labelling.SUSPECTED, 200),
    )
)


@dataclass(frozen=True)
class Performance:
    """Of one way to make an interval."""

    coverage: float
    too_high: float
    """Share of intervals that lie above the truth."""
    too_low: float
    width: float
    bias: float
    """Mean of estimate - truth."""


@dataclass(frozen=True)
class Finding:
    scenario: Scenario
    truth: float
    """Mean rate of faults."""
    corrected: Performance
    labels_alone: Performance
    judge_alone: Performance
    without_estimate: int
    """Replications with too few labels for an estimate."""


def study(scenario: Scenario, replications: int, chance: Generator) -> Finding:
    """Replicate one scenario."""
    truths: list[float] = []
    rates: list[Rate] = []
    for _ in range(replications):
        truth, rate = _replicate(scenario, chance)
        if rate is not None:
            truths.append(truth)
            rates.append(rate)
    known = np.array(truths)

    def performance(part: Callable[[Rate], Interval]) -> Performance:
        return _performance(known, [part(rate) for rate in rates])

    return Finding(
        scenario,
        float(known.mean()),
        performance(lambda rate: rate.estimate),
        performance(lambda rate: rate.labels_alone),
        performance(lambda rate: rate.predictions_alone),
        replications - len(rates),
    )


def _replicate(scenario: Scenario, chance: Generator) -> tuple[float, Rate | None]:
    shares = [stratum.share for stratum in scenario.strata]
    stratum = chance.choice(len(shares), TRAFFIC, p=shares)
    faulty = chance.random(TRAFFIC) < np.array([given.rate for given in scenario.strata])[stratum]
    probability = np.array([given.probability for given in scenario.strata])[stratum]
    scored = np.flatnonzero(chance.random(TRAFFIC) < probability)
    predictions = _predictions(scenario.judge, faulty[scored], chance)
    chances = _chances(scenario, predictions, probability[scored])
    labelled = np.flatnonzero(chance.random(len(scored)) < chances)
    rate = estimate_rate(predictions, probability[scored], labelled, faulty[scored][labelled], chances[labelled])
    return float(faulty.mean()), rate if isinstance(rate, Rate) else None


def _predictions(judge: Judge, faulty: NDArray[np.bool_], chance: Generator) -> Floats:
    drawn = chance.random(len(faulty))
    verdicts = np.where(faulty, drawn < judge.sensitivity, drawn >= judge.specificity).astype(np.float64)
    if not judge.soft:
        return verdicts
    return np.clip(0.1 + 0.8 * verdicts + chance.normal(0.0, 0.1, len(faulty)), 0.0, 1.0)


def _chances(scenario: Scenario, predictions: Floats, probability: Floats) -> Floats:
    match scenario.labelling:
        case Labelling.UNIFORM:
            wanted = np.ones_like(predictions)
        case Labelling.EVEN:
            wanted = 1.0 / probability
        case Labelling.SUSPECTED:
            wanted = np.where(predictions > 0.5, 3.0, 1.0)
    return np.minimum(1.0, wanted * scenario.labels / wanted.sum())


def _performance(truths: Floats, intervals: list[Interval]) -> Performance:
    low = np.array([interval.low for interval in intervals])
    high = np.array([interval.high for interval in intervals])
    above, below = low > truths, high < truths
    rates = np.array([interval.rate for interval in intervals])
    return Performance(
        coverage=float(1.0 - (above | below).mean()),
        too_high=float(above.mean()),
        too_low=float(below.mean()),
        width=float((high - low).mean()),
        bias=float((rates - truths).mean()),
    )
