"""Runs a set of scorers over interactions and puts their outcomes together. No threads here: see ``engine``."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ragsonde.collector.clock import Clock, Deadline
from ragsonde.collector.model import Interaction, SamplingDecision
from ragsonde.collector.telemetry import EventListener, ScorerRan, ignore_events
from ragsonde.scorers.diagnosis import DiagnosisConfig, diagnose
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, ScoredInteraction
from ragsonde.scorers.scorer import Scorer

_log = logging.getLogger(__name__)


@runtime_checkable
class Closeable(Protocol):
    """A scorer that holds connections or threads."""

    def close(self) -> None:
        """Free them."""
        ...


ALWAYS = SamplingDecision(kept=True, probability=1.0)


@dataclass(frozen=True, slots=True)
class ScoringRequest:
    """An interaction to score."""

    interaction: Interaction
    decision: SamplingDecision = ALWAYS
    late: bool = False
    """True when it replaces an earlier scoring of the same id."""


class ScorerSet:
    """Several scorers as one. A scorer that raises fails its own metrics and nobody else's.

    Where two scorers give the same metric, the later one in the sequence wins.
    """

    def __init__(
        self,
        scorers: Sequence[Scorer],
        *,
        diagnosis: DiagnosisConfig,
        clock: Clock,
        listener: EventListener = ignore_events,
    ) -> None:
        self._scorers = tuple(scorers)
        self._keys = tuple(dict.fromkeys(key for scorer in self._scorers for key in scorer.keys))
        self._versions = {scorer.name: scorer.version for scorer in self._scorers}
        self._diagnosis = diagnosis
        self._clock = clock
        self._listener = listener

    @property
    def versions(self) -> Mapping[str, str]:
        """The version of each scorer, by its name."""
        return dict(self._versions)

    def score(self, requests: Sequence[ScoringRequest], deadline: Deadline) -> list[ScoredInteraction]:
        """Score a batch; one result per request, in order. Never raises on what an interaction holds."""
        readings = [Reading(request.interaction) for request in requests]
        scores: list[dict[MetricKey, Outcome]] = [{} for _ in requests]
        scorable = []
        for index, reading in enumerate(readings):
            reason = reading.unscorable(needs_contexts=False)
            if reason is None:
                scorable.append(index)
            else:
                scores[index] = dict.fromkeys(self._keys, NotApplicable(reason, reading.interaction.remedy))
        for scorer in self._scorers:
            outcomes = self._run(scorer, [readings[index] for index in scorable], deadline)
            for index, outcome in zip(scorable, outcomes, strict=True):
                scores[index].update(outcome)
        return [
            self._result(request, reading, found)
            for request, reading, found in zip(requests, readings, scores, strict=True)
        ]

    def close(self) -> None:
        """Free what the scorers hold: connections, threads. May be called twice."""
        for scorer in self._scorers:
            if isinstance(scorer, Closeable):
                scorer.close()

    def _run(
        self, scorer: Scorer, readings: Sequence[Reading], deadline: Deadline
    ) -> Sequence[Mapping[MetricKey, Outcome]]:
        if not readings:
            return []
        started = self._clock.monotonic()
        try:
            outcomes = scorer.score(readings, deadline)
            if len(outcomes) != len(readings) or any(set(given) != set(scorer.keys) for given in outcomes):
                raise ValueError(f"scorer {scorer.name} did not return one outcome per reading and metric")
        except Exception as error:  # noqa: BLE001 - one scorer's fault must not stop the others
            if len(readings) > 1:  # find the one that it stumbles over, and keep the rest
                return [outcome for reading in readings for outcome in self._run(scorer, [reading], deadline)]
            _log.exception("scorer %s failed on interaction %s", scorer.name, readings[0].interaction.id)
            failed = Failed(FailureKind.INTERNAL_ERROR, type(error).__name__)
            return [dict.fromkeys(scorer.keys, failed)]
        self._listener(ScorerRan(scorer.name, len(readings), self._clock.monotonic() - started))
        return outcomes

    def _result(
        self, request: ScoringRequest, reading: Reading, scores: Mapping[MetricKey, Outcome]
    ) -> ScoredInteraction:
        known = reading.unscorable(needs_contexts=False) is None
        return ScoredInteraction(
            interaction=request.interaction,
            decision=request.decision,
            scores=scores,
            diagnosis=diagnose(reading, scores, self._diagnosis),
            answered=reading.abstention.answered if known else None,
            refusal=reading.abstention.refusal if known else None,
            language=reading.language,
            rescored=request.late,
            scored_at=self._clock.wall(),
            scorer_versions=self._versions,
        )
