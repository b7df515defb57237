"""Scored interactions as OpenTelemetry evaluation events: one log record for each outcome of each source of scores.

The event is ``gen_ai.evaluation.result`` of the GenAI semantic conventions (development channel; in them since v1.38).
It bears the trace and span id of the judged generation, not of work of ours, so that a trace view shows the scores at
the answer. What the conventions have no key for stands under ``ragsonde.``; see ``ragsonde.attributes``.
"""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from opentelemetry._logs import LogRecord
from opentelemetry.context import Context
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

from ragsonde import __version__, attributes
from ragsonde.collector.model import Interaction
from ragsonde.exporters.quality import OutcomeKind, outcome_labels
from ragsonde.scorers.score import LOCAL_SCORER, NotApplicable, Outcome, Scored, ScoredInteraction

_RESOURCE = Resource({"service.name": "ragsonde", "service.version": __version__})
_SCOPE = InstrumentationScope(attributes.EVENTS_SCOPE, __version__)
_TRACE_ID = re.compile(r"[0-9a-fA-F]{32}")
_SPAN_ID = re.compile(r"[0-9a-fA-F]{16}")


@dataclass(frozen=True, slots=True)
class EventChoice:
    """Which outcomes become events, and what they hold."""

    metrics: Set[str] | None
    """Names of metrics; None for all."""
    not_applicable: bool
    """Whether outcomes without a value, that are no failure either, become events."""
    explanations: bool
    """Whether events hold the scorer's explanation, which may quote the answer."""

    def includes(self, metric: str, outcome: Outcome) -> bool:
        """Whether an outcome becomes an event."""
        is_chosen = self.metrics is None or metric in self.metrics
        return is_chosen and (self.not_applicable or not isinstance(outcome, NotApplicable))


def evaluation_events(scored: ScoredInteraction, choice: EventChoice) -> Iterator[ReadableLogRecord]:
    """Yield the events of an interaction: source after source, metrics in the order they were scored in.

    The same scored interaction gives the same events: a receiver that gets them twice can tell by interaction id,
    scorer, evaluation name and time.
    """
    context = _context(scored.interaction)
    time_ns = int(scored.scored_at * 1e9)
    for scorer, seen in scored.by_scorer():
        common = _common(scorer, seen)
        for metric, outcome in seen.scores.items():
            if not choice.includes(metric, outcome):
                continue
            record = LogRecord(
                timestamp=time_ns,
                observed_timestamp=time_ns,
                context=context,
                event_name=attributes.EVALUATION_RESULT,
                attributes={**common, **_of_outcome(metric, outcome, explain=choice.explanations)},
            )
            yield ReadableLogRecord(record, _RESOURCE, _SCOPE)


def _context(interaction: Interaction) -> Context:
    """Return a context in which the judged span is the current one; ids that are none (a file's) are left out."""
    trace_id, span_id = interaction.trace_id, interaction.span_id
    has_trace = _TRACE_ID.fullmatch(trace_id) is not None
    judged = SpanContext(
        trace_id=int(trace_id, 16) if has_trace else 0,
        span_id=int(span_id, 16) if has_trace and _SPAN_ID.fullmatch(span_id) else 0,
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED if has_trace else TraceFlags.DEFAULT),
    )
    return set_span_in_context(NonRecordingSpan(judged), Context())


def _common(scorer: str, scored: ScoredInteraction) -> dict[str, str | float | bool]:
    """Return what all events of one source have in common."""
    interaction = scored.interaction
    found: dict[str, str | float | bool] = {
        attributes.OWN_SPAN: True,
        attributes.SCORER: _text(scorer),
        attributes.SAMPLING_PROBABILITY: scored.decision.probability,
        attributes.INTERACTION_ID: _text(interaction.id),
        attributes.APP: _text(interaction.app),
        attributes.RESCORED: scored.rescored,
        attributes.DIAGNOSIS: str(scored.diagnosis.label),
    }
    if version := _version(scorer, scored):
        found[attributes.SCORER_VERSION] = _text(version)
    response_id = interaction.metadata.get(attributes.RESPONSE_ID)
    if isinstance(response_id, str) and response_id:
        found[attributes.RESPONSE_ID] = _text(response_id)
    return found


def _version(scorer: str, scored: ScoredInteraction) -> str:
    """Return a judge's version; for the local scorers, which are several, each name with its version."""
    versions = scored.scorer_versions
    if scorer != LOCAL_SCORER:
        return versions.get(scorer, "")
    judges = {judgement.scorer for judgement in scored.judgements}
    return ",".join(f"{name}:{version}" for name, version in versions.items() if name not in judges)


def _of_outcome(metric: str, outcome: Outcome, *, explain: bool) -> Mapping[str, str | float]:
    kind, reason = outcome_labels(outcome)
    found: dict[str, str | float] = {attributes.EVALUATION_NAME: _text(str(metric)), attributes.OUTCOME: str(kind)}
    if isinstance(outcome, Scored):
        found[attributes.EVALUATION_SCORE_VALUE] = float(outcome.value)
        if outcome.label:
            found[attributes.EVALUATION_SCORE_LABEL] = _text(outcome.label)
    else:
        found[attributes.REASON] = str(reason)
        if kind == OutcomeKind.FAILED:
            found[attributes.ERROR_TYPE] = str(reason)
    if explain and outcome.explanation:
        found[attributes.EVALUATION_EXPLANATION] = _text(outcome.explanation)
    return found


def _text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
