"""What the overview page shows: plain values that a store computes over a stretch of time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ragsonde.review.model import Agreement, ItemState


@dataclass(frozen=True, slots=True)
class RatePoint:
    """A weighted mean over one bucket of time, with its 95 % interval."""

    at: datetime
    """Start of the bucket."""
    mean: float | None
    """In [0, 1]; None where nothing was scored."""
    low: float | None
    high: float | None
    scored: int


@dataclass(frozen=True, slots=True)
class RateSeries:
    """One metric of one app by one scorer over time."""

    app: str
    metric: str
    """A ``MetricKey`` or a rubric's name."""
    scorer: str
    points: tuple[RatePoint, ...]
    overall: RatePoint
    """Over the whole stretch; ``at`` is its start."""
    not_applicable: int
    failed: int
    """Interactions on which the scorer could not tell."""


@dataclass(frozen=True, slots=True)
class HonestRate:
    """The hallucination rate of all traffic: the scorer's verdicts corrected by people's (prediction-powered)."""

    app: str
    scorer: str
    rate: float | None
    """None where too little was labelled; ``reason`` then says what is missing."""
    low: float | None
    high: float | None
    labelled: int
    """Interactions with a random label that enter."""
    population: int
    uncorrected: float | None
    """What the scorer alone says."""
    reason: str | None
    kappa: float | None
    """Cohen's kappa of scorer and people over what was labelled, however it was selected; None where not defined."""
    compared: int
    """Interactions behind ``kappa``."""
    uncorrected_low: float | None = None
    uncorrected_high: float | None = None
    """Ends of the 95 % interval of ``uncorrected``: of the sample alone, it knows nothing of the scorer's bias."""
    people: float | None = None
    """What the labels say without the scorer; None where too little was labelled."""
    people_low: float | None = None
    people_high: float | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """How an input of the traffic moved: this stretch against the one before it."""

    app: str
    name: str
    """``question_characters``, ``answer_characters``, ``contexts``, ``context_characters``, ``language:<code>``,
    ``refusals``, ``no_context``."""
    before: float | None
    now: float | None
    """Means, or shares in [0, 1] for the last three."""
    distance: float | None
    """Population stability index over ten buckets (Siddiqi 2006); above 0.2 is usually called a shift."""


@dataclass(frozen=True, slots=True)
class JudgeHealth:
    """How a judge fares over the stretch."""

    scorer: str
    drawn: int
    """Interactions that it was to look at."""
    judged: int
    failed: Mapping[str, int]
    """By kind."""
    agreement_with_local: float | None
    """Share of answers on which judge and local scorer give the same verdict; None where none was seen by both."""


@dataclass(frozen=True, slots=True)
class Overview:
    """All of the page."""

    since: datetime
    until: datetime
    bucket_seconds: int
    interactions: Mapping[str, int]
    """Scored interactions by app."""
    rates: Sequence[RateSeries]
    honest: Sequence[HonestRate]
    diagnoses: Mapping[str, Mapping[str, float]]
    """Share of each diagnosis, weighted, by app; the shares of an app sum to 1."""
    drift: Sequence[Drift]
    judges: Sequence[JudgeHealth]
    queue: Mapping[tuple[str, ItemState], int]
    agreement: Agreement
    sessions: Mapping[str, tuple[int, int]]
    """By app: conversations with at least one bad turn, and all conversations. A session is bad when a turn is."""


class OverviewSource(Protocol):
    """Where an overview comes from."""

    def overview(self, since: datetime, until: datetime, *, app: str | None = None) -> Overview:
        """Return the overview of ``[since, until)``. May block on the database; safe to call from any thread."""
        ...
