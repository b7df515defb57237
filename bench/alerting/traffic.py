"""Simulated traffic: answers by day and night, of which some hallucinate, more of them during a spike."""

from dataclasses import dataclass

import numpy as np

from bench.alerting.evaluation import Series

MINUTES_PER_DAY = 1440
_NIGHT = 0.1
"""Traffic at the quietest minute of the night, as a part of the mean."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of traffic."""

    answers_per_day: float
    """Answers whose grounding is judged."""
    base_ratio: float
    """Share of them that hallucinate."""
    spike_ratio: float | None = None
    """Share during the spike, which does not end; None for none."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """Increments of the counters, replications by minutes, and the minute at which each one's spike begins."""

    increments: dict[str, Series]
    spike_minutes: Series


def simulate(scenario: Scenario, *, replications: int, days: int, spike_day: int, seed: int) -> Simulated:
    """Draw traffic; spikes begin at any minute of the spike day, each equally likely."""
    random = np.random.default_rng(seed)
    times = np.arange(days * MINUTES_PER_DAY)
    daily = 1.0 - (1.0 - _NIGHT) * np.cos(2 * np.pi * times / MINUTES_PER_DAY)
    judged = random.poisson(scenario.answers_per_day / MINUTES_PER_DAY * daily, (replications, times.size))
    starts = spike_day * MINUTES_PER_DAY + random.integers(0, MINUTES_PER_DAY, replications)
    ratio = np.full(judged.shape, scenario.base_ratio)
    if scenario.spike_ratio is not None:
        ratio[times >= starts[:, None]] = scenario.spike_ratio
    bad = random.binomial(judged, ratio)
    prefix = "ragsonde_hallucination"
    return Simulated(
        {
            f"{prefix}_weighted_sum_total": bad.astype(float),
            f"{prefix}_weights_total": judged.astype(float),
            f"{prefix}_squared_weights_total": judged.astype(float),
        },
        starts.astype(float),
    )
