"""Reads what ``record`` writes."""

import re
from collections.abc import Mapping
from typing import Any, cast

import orjson

from ragsonde.collector.errors import PermanentError
from ragsonde.collector.model import Capture, Document, Interaction, SamplingDecision
from ragsonde.exporters.record import SCHEMA_VERSION, JsonObject
from ragsonde.scorers.score import (
    Citation,
    Claim,
    Diagnosis,
    DiagnosisLabel,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)

_METRICS = frozenset(map(str, MetricKey))
RUBRIC_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
"""What a user's own rubric may be called; the schema says the same."""


def from_json_line(line: bytes | str) -> ScoredInteraction:
    """Return the scored interaction of one line.

    Raises:
        PermanentError: the line is not JSON, or not a score record of this version.
    """
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise PermanentError(f"score record: not JSON: {error}") from error
    return from_record(record)


def from_record(record: Any) -> ScoredInteraction:
    """Return the scored interaction that a record describes.

    Metadata comes back as JSON holds it: bytes stay base64 text, numbers that are none stay null.

    Raises:
        PermanentError: the value is not a score record of this version; the message names the part at fault.
    """
    if not isinstance(record, dict):
        raise PermanentError(f"score record: an object is needed, not {type(record).__name__}")
    version = record.get("schema_version")
    if version != SCHEMA_VERSION:
        raise PermanentError(f"score record: schema_version {version!r} is not {SCHEMA_VERSION}")
    try:
        return _scored_interaction(record)
    except KeyError as error:
        raise PermanentError(f"score record: key {error} is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise PermanentError(f"score record: {error}") from error


def _scored_interaction(record: JsonObject) -> ScoredInteraction:
    local = record.get("local_scores")
    return ScoredInteraction(
        interaction=_interaction(record["interaction"]),
        decision=_sampling(record["sampling"]),
        scores=_outcomes(record["scores"]),
        diagnosis=_diagnosis(record["diagnosis"]),
        answered=record["answered"],
        refusal=record["refusal"],
        language=record["language"],
        rescored=record["rescored"],
        scored_at=record["scored_at"],
        scorer_versions=record["scorer_versions"],
        local_scores=None if local is None else _outcomes(local),
        judgements=tuple(
            Judgement(judgement["scorer"], _outcomes(judgement["scores"]), _sampling(judgement["sampling"]))
            for judgement in record.get("judgements", ())
        ),
    )


def _sampling(record: JsonObject) -> SamplingDecision:
    return SamplingDecision(record["kept"], record["probability"], record["stratum"])


def _outcomes(record: JsonObject) -> Mapping[MetricKey, Outcome]:
    return {_metric(key): _outcome(key, outcome) for key, outcome in record.items()}


def _metric(key: str) -> MetricKey:
    """Return the metric of a key; a name that is none of ours is that of a user's rubric."""
    if key in _METRICS:
        return MetricKey(key)
    if not RUBRIC_NAME.fullmatch(key):
        raise ValueError(f"scores.{key}: neither a metric nor the name of a rubric")
    return cast("MetricKey", key)


def _interaction(record: JsonObject) -> Interaction:
    special = {"contexts", "capture", "cited_ids", "relevant_ids"}
    contexts = record["contexts"]
    return Interaction(
        contexts=None if contexts is None else tuple(_document(document) for document in contexts),
        capture=Capture(record["capture"]),
        cited_ids=_optional_tuple(record.get("cited_ids")),
        relevant_ids=_optional_tuple(record.get("relevant_ids")),
        **{key: value for key, value in record.items() if key not in special},
    )


def _document(record: JsonObject) -> Document:
    return Document(**record)


def _optional_tuple(values: list[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def _outcome(key: str, record: JsonObject) -> Outcome:
    kind, explanation = record["outcome"], record.get("explanation")
    if kind == "scored":
        return Scored(
            value=record["value"],
            label=record["label"],
            explanation=explanation,
            claims=tuple(_claim(claim) for claim in record.get("claims", ())),
            citations=tuple(Citation(**citation) for citation in record.get("citations", ())),
        )
    if kind == "not_applicable":
        return NotApplicable(Reason(record["reason"]), explanation)
    if kind == "failed":
        return Failed(FailureKind(record["kind"]), explanation)
    raise ValueError(f"scores.{key}.outcome {kind!r} is none of scored, not_applicable, failed")


def _claim(record: JsonObject) -> Claim:
    special = {"verdict", "context_ids", "stretches"}
    stretches = record.get("stretches")
    return Claim(
        verdict=Verdict(record["verdict"]),
        context_ids=tuple(record["context_ids"]),
        stretches=None if stretches is None else tuple((start, end) for start, end in stretches),
        **{key: value for key, value in record.items() if key not in special},
    )


def _diagnosis(record: JsonObject) -> Diagnosis:
    metric = record.get("metric")
    return Diagnosis(
        label=DiagnosisLabel(record["label"]),
        because=record["because"],
        metric=None if metric is None else MetricKey(metric),
        remedy=record.get("remedy"),
    )
