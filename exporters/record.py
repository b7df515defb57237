"""A scored interaction as JSON: one shape for files, topics and the command line.

``schemas/score_record.schema.json`` describes it. A key whose value is not known is left out, except those that a
reader will look for (``question``, ``answer``, ``contexts``, ``answered``, ``refusal``): they are null. ``contexts`` is
null where the telemetry did not carry them and an empty list where the retrieval returned nothing. There is no NaN:
a number that is none is left out, and a scored ``value`` always is one.
"""

import base64
import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from ragsonde.collector.model import AttributeValue, Document, Interaction, SamplingDecision
from ragsonde.scorers.score import (
    Citation,
    Claim,
    Diagnosis,
    MetricKey,
    NotApplicable,
    Outcome,
    Scored,
    ScoredInteraction,
)

SCHEMA_VERSION = 1
"""Raised when a reader of the older shape would misread the newer one."""

JsonObject = dict[str, Any]

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_INTEGER = 2**53 - 1
"""Beyond it JavaScript and many JSON readers lose digits; such a number is written as text."""


def to_json_line(scored: ScoredInteraction) -> bytes:
    """Return the record as one line of JSON in UTF-8, with the line feed."""
    return orjson.dumps(to_record(scored), option=orjson.OPT_APPEND_NEWLINE)


def to_record(scored: ScoredInteraction) -> JsonObject:
    """Return the record as plain JSON values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "interaction": _interaction(scored.interaction),
        "answered": scored.answered,
        "refusal": scored.refusal,
        "language": _text(scored.language),
        "scores": _outcomes(scored.scores),
        "diagnosis": _diagnosis(scored.diagnosis),
        "sampling": _sampling(scored.decision),
        "rescored": scored.rescored,
        "scored_at": scored.scored_at,
        "scorer_versions": {_text(name): _text(version) for name, version in scored.scorer_versions.items()},
    } | _by_scorer(scored)


def _by_scorer(scored: ScoredInteraction) -> JsonObject:
    """What each source of scores found, where a judge was one of them; ``scores`` is then the best of all."""
    if not scored.judgements:
        return {}
    local = scored.scores if scored.local_scores is None else scored.local_scores
    judgements = [
        {
            "scorer": _text(judgement.scorer),
            "scores": _outcomes(judgement.scores),
            "sampling": _sampling(judgement.decision),
        }
        for judgement in scored.judgements
    ]
    return {"local_scores": _outcomes(local), "judgements": judgements}


def _outcomes(outcomes: Mapping[MetricKey, Outcome]) -> JsonObject:
    return {str(key): _outcome(key, outcome) for key, outcome in outcomes.items()}


def _sampling(decision: SamplingDecision) -> JsonObject:
    return {"kept": decision.kept, "probability": decision.probability, "stratum": _text(decision.stratum)}


def _interaction(interaction: Interaction) -> JsonObject:
    contexts = interaction.contexts
    known: JsonObject = {
        "id": _text(interaction.id),
        "question": _optional_text(interaction.question),
        "answer": _optional_text(interaction.answer),
        "contexts": None if contexts is None else [_document(document) for document in contexts],
        "app": _text(interaction.app),
        "capture": str(interaction.capture),
    }
    optional: JsonObject = {
        "trace_id": _text(interaction.trace_id) or None,
        "span_id": _text(interaction.span_id) or None,
        "convention": _text(interaction.convention) or None,
        "start_ns": interaction.start_ns or None,
        "end_ns": interaction.end_ns or None,
        "feedback": _finite(interaction.feedback),
        "cited_ids": _texts(interaction.cited_ids),
        "relevant_ids": _texts(interaction.relevant_ids),
        "metadata": _json(dict(interaction.metadata)) or None,
    }
    texts = ("remedy", "app_version", "environment", "conversation_id", "model", "system_instructions", "reference")
    optional |= {name: _optional_text(getattr(interaction, name)) for name in texts}
    return known | _without_none(optional)


def _document(document: Document) -> JsonObject:
    known = {"id": _optional_text(document.id), "text": _optional_text(document.text), "rank": document.rank}
    return known | _without_none({"score": _finite(document.score), "metadata": _json(dict(document.metadata)) or None})


def _outcome(key: MetricKey, outcome: Outcome) -> JsonObject:
    explanation = _without_none({"explanation": _optional_text(outcome.explanation)})
    if isinstance(outcome, NotApplicable):
        return {"outcome": "not_applicable", "reason": str(outcome.reason)} | explanation
    if not isinstance(outcome, Scored):
        return {"outcome": "failed", "kind": str(outcome.kind)} | explanation
    record: JsonObject = {"outcome": "scored", "value": outcome.value, "label": _optional_text(outcome.label)}
    if outcome.claims or key is MetricKey.FAITHFULNESS:
        record["claims"] = [_claim(claim) for claim in outcome.claims]
    if outcome.citations:
        record["citations"] = [_citation(citation) for citation in outcome.citations]
    return record | explanation


def _claim(claim: Claim) -> JsonObject:
    return {
        "text": _text(claim.text),
        "start": claim.start,
        "end": claim.end,
        "verdict": str(claim.verdict),
        "probability": _finite(claim.probability),
        "quote": _optional_text(claim.quote),
        "context_ids": [_text(identifier) for identifier in claim.context_ids],
    } | _without_none({"reason": _optional_text(claim.reason), "stretches": _stretches(claim)})


def _stretches(claim: Claim) -> list[list[int]] | None:
    return None if claim.stretches is None else [list(stretch) for stretch in claim.stretches]


def _citation(citation: Citation) -> JsonObject:
    return {
        "marker": _text(citation.marker),
        "start": citation.start,
        "end": citation.end,
        "cited": _text(citation.cited),
        "context_id": _optional_text(citation.context_id),
        "supported": citation.supported,
    }


def _diagnosis(diagnosis: Diagnosis) -> JsonObject:
    return {"label": str(diagnosis.label), "because": _text(diagnosis.because)} | _without_none(
        {
            "metric": None if diagnosis.metric is None else str(diagnosis.metric),
            "remedy": _optional_text(diagnosis.remedy),
        }
    )


# Values ------------------------------------------------------------------------------------------------------


def _without_none(record: JsonObject) -> JsonObject:
    return {key: value for key, value in record.items() if value is not None}


def _text(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, one for one: character offsets stay right."""
    return _SURROGATE.sub("\ufffd", text)


def _optional_text(text: str | None) -> str | None:
    return None if text is None else _text(text)


def _texts(texts: tuple[str, ...] | None) -> list[str] | None:
    return None if texts is None else [_text(text) for text in texts]


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _json(value: AttributeValue | Mapping[str, AttributeValue]) -> Any:
    """Return an attribute value as JSON: bytes as base64, numbers that are none as null, huge integers as text."""
    result: Any = value
    if isinstance(value, str):
        result = _text(value)
    elif isinstance(value, bytes):
        result = base64.b64encode(value).decode()
    elif isinstance(value, float):
        result = _finite(value)
    elif isinstance(value, int) and abs(value) > _MAX_INTEGER:
        result = str(value)
    elif isinstance(value, list):
        result = [_json(item) for item in value]
    elif isinstance(value, Mapping):
        result = {_text(key): _json(item) for key, item in value.items()}
    return result
