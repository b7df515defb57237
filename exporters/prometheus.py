"""The quality metrics, for Prometheus to fetch."""

import re
from collections.abc import Sequence
from dataclasses import astuple

from ragsonde.collector.clock import Deadline
from ragsonde.exporters import metrics, quality
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, Scope
from ragsonde.exporters.recent_ids import DEFAULT_RECENT_IDS, RecentIds
from ragsonde.scorers.score import LOCAL_SCORER, Outcome, Scored, ScoredInteraction

_TRACE_ID = re.compile(r"[0-9a-f]{32}")


class PrometheusExporter:
    """Adds scored interactions to counters and histograms in memory.

    Idempotent for the last ``recent_ids`` interactions: one that comes again raises ``ragsonde_redelivered_total``
    only, and one scored anew because of a late span raises ``ragsonde_rescored_total`` only. The memory ends with the
    process, as the counters do.
    """

    name = "prometheus"

    def __init__(
        self,
        instruments: Instruments,
        labels: LabelPolicy,
        *,
        required: bool = True,
        recent_ids: int = DEFAULT_RECENT_IDS,
    ) -> None:
        self.required = required
        self._instruments = instruments
        self._labels = labels
        self._recent = RecentIds(recent_ids)

    def start(self) -> None:
        """Do nothing: there is nothing to connect to."""

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:  # noqa: ARG002 - never waits
        """Count a batch. Does not raise."""
        for scored in batch:
            scope = self._labels.scope(scored.interaction, scored.language)
            if not self._recent.add(scored):
                self._instruments.add(metrics.REDELIVERED, 1, scope.app)
            elif scored.rescored:
                self._instruments.add(metrics.RESCORED, 1, scope.app)
            elif scored.decision.kept:
                self._count(scored, scope)

    def flush(self, deadline: Deadline) -> None:
        """Do nothing: what is counted is counted."""

    def shutdown(self, deadline: Deadline) -> None:
        """Do nothing: the last scrape may still come."""

    def _count(self, scored: ScoredInteraction, scope: Scope) -> None:
        self._add_interaction(scored, quality.weight(scored), scope)
        for scorer, seen in scored.by_scorer():
            weight = quality.weight(seen)
            for key, outcome in seen.scores.items():
                self._count_outcome(scorer, key, outcome, scope.app)
                is_eligible = quality.eligible_in_traffic(key, outcome, scored.interaction)
                self._instruments.add(metrics.ELIGIBLE, 1 if is_eligible else 0, scorer, key, scope.app)
                if isinstance(outcome, Scored):
                    trace_id = scored.interaction.trace_id
                    self._add_score(scorer, key, outcome.value, weight, scope=scope, trace_id=trace_id)
            self._add_answer(scorer, seen, weight, scope)
        if scored.scored_at > 0:
            self._instruments.set(metrics.LAST_SCORED, scored.scored_at, scope.app)

    def _count_outcome(self, scorer: str, key: str, outcome: Outcome, app: str) -> None:
        kind, reason = quality.outcome_labels(outcome)
        self._instruments.add(metrics.OUTCOMES, 1, scorer, key, app, kind, reason)

    def _add_score(self, scorer: str, key: str, value: float, weight: float, *, scope: Scope, trace_id: str) -> None:
        labels = (scorer, key, *astuple(scope))
        self._instruments.add(metrics.SCORE_WEIGHTED_SUM, weight * value, *labels)
        self._instruments.add(metrics.SCORE_WEIGHTED_SQUARES, weight * value * value, *labels)
        self._instruments.add(metrics.SCORE_WEIGHTS, weight, *labels)
        self._instruments.add(metrics.SCORE_SQUARED_WEIGHTS, weight * weight, *labels)
        exemplar = trace_id if _TRACE_ID.fullmatch(trace_id) else ""
        self._instruments.observe(metrics.SCORE, value, scorer, key, scope.app, trace_id=exemplar)

    def _add_answer(self, scorer: str, scored: ScoredInteraction, weight: float, scope: Scope) -> None:
        result = quality.answer_result(scored)
        if result is not quality.AnswerResult.NOT_JUDGED:
            labels = (scorer, *astuple(scope))
            hallucinated = weight if result is quality.AnswerResult.HALLUCINATED else 0.0
            self._instruments.add(metrics.HALLUCINATION_WEIGHTED_SUM, hallucinated, *labels)
            self._instruments.add(metrics.HALLUCINATION_WEIGHTS, weight, *labels)
            self._instruments.add(metrics.HALLUCINATION_SQUARED_WEIGHTS, weight * weight, *labels)
            if scorer == LOCAL_SCORER:
                validation = quality.validation(scored.language)
                self._instruments.add(metrics.LOCAL_ANSWERS, 1, scope.app, scope.language, validation)
        app, model = scope.app, self._labels.model(scored.interaction.model)
        self._both(metrics.ANSWERS, metrics.ANSWERS_WEIGHTED, weight, scorer, app, model, result)
        for claim in quality.claims(scored):
            self._both(metrics.CLAIMS, metrics.CLAIMS_WEIGHTED, weight, scorer, app, claim.verdict)
        for _, kind in quality.citations(scored):
            self._both(metrics.CITATIONS, metrics.CITATIONS_WEIGHTED, weight, scorer, app, kind)

    def _add_interaction(self, scored: ScoredInteraction, weight: float, scope: Scope) -> None:
        app, capture = scope.app, scored.interaction.capture
        self._both(metrics.INTERACTIONS, metrics.INTERACTIONS_WEIGHTED, weight, app, scope.environment, capture)
        self._instruments.add(metrics.INTERACTIONS_SQUARED_WEIGHTS, weight * weight, app, scope.environment, capture)
        self._both(metrics.DIAGNOSES, metrics.DIAGNOSES_WEIGHTED, weight, app, scored.diagnosis.label)
        pair = quality.judge_pair(scored)
        if pair is not None:
            self._instruments.add(metrics.JUDGE_PAIRS, 1, app, *pair)
        refusal = quality.refusal_kind(scored)
        if refusal is not None:
            self._both(metrics.REFUSALS, metrics.REFUSALS_WEIGHTED, weight, app, refusal)

    def _both(self, count: metrics.Metric, weighted: metrics.Metric, weight: float, *labels: str) -> None:
        self._instruments.add(count, 1, *labels)
        self._instruments.add(weighted, weight, *labels)
