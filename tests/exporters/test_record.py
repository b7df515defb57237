import json
import math
from dataclasses import replace
from importlib import resources

import orjson
import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from ragsonde.collector.errors import PermanentError
from ragsonde.collector.model import Capture, Document
from ragsonde.exporters.record import to_json_line, to_record
from ragsonde.exporters.record_reader import from_json_line, from_record
from ragsonde.scorers.score import (
    DiagnosisLabel,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.exporters.scored import scored, scored_interactions

SCHEMA = json.loads(
    resources.files("ragsonde.exporters").joinpath("schemas/score_record.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)


def strict_json(line: bytes) -> object:
    def refuse(constant: str) -> object:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(line, parse_constant=refuse)


@given(scored_interactions)
def test_a_record_follows_the_schema_and_reads_back_as_it_was(given_one: ScoredInteraction) -> None:
    line = to_json_line(given_one)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    VALIDATOR.validate(strict_json(line))
    assert from_json_line(line) == given_one


def test_the_schema_is_one_and_knows_every_enumeration() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    definitions = SCHEMA["$defs"]
    assert definitions["claim"]["properties"]["verdict"]["enum"] == [*Verdict]
    assert definitions["diagnosis"]["properties"]["label"]["enum"] == [*DiagnosisLabel]
    assert definitions["interaction"]["properties"]["capture"]["enum"] == [*Capture]
    assert SCHEMA["$defs"]["outcomes"]["propertyNames"]["anyOf"][0]["enum"] == [*MetricKey]
    not_applicable, failed = definitions["outcome"]["oneOf"][1:]
    assert not_applicable["properties"]["reason"]["enum"] == [*Reason]
    assert failed["properties"]["kind"]["enum"] == [*FailureKind]


def test_the_shape_is_the_documented_one() -> None:
    record = to_record(
        replace(
            scored("t-1", faithfulness=0.0, verdicts=(Verdict.CONTRADICTED,)),
            scores={
                MetricKey.FAITHFULNESS: Scored(0.0, label="ungrounded"),
                MetricKey.CONTEXT_RELEVANCE: NotApplicable(Reason.CONTEXTS_NOT_CAPTURED),
                MetricKey.ANSWER_RELEVANCE: Failed(FailureKind.TRUNCATED, "cut after 12 tokens"),
            },
        )
    )
    assert record["interaction"]["id"] == "t-1"
    assert record["interaction"]["contexts"] == [{"id": "doc-1", "text": "Returns are free within 30 days.", "rank": 1}]
    assert record["scores"] == {
        "faithfulness": {"outcome": "scored", "value": 0.0, "label": "ungrounded", "claims": []},
        "context_relevance": {"outcome": "not_applicable", "reason": "contexts_not_captured"},
        "answer_relevance": {"outcome": "failed", "kind": "truncated", "explanation": "cut after 12 tokens"},
    }
    assert record["diagnosis"] == {"label": "ok", "because": "because"}
    assert record["sampling"] == {"kept": True, "probability": 1.0, "stratum": "base"}


def test_contexts_that_are_unknown_and_contexts_that_are_none_stay_apart() -> None:
    unknown, none = scored(contexts=None), scored(contexts=())
    assert to_record(unknown)["interaction"]["contexts"] is None
    assert to_record(none)["interaction"]["contexts"] == []
    assert from_record(to_record(unknown)) != from_record(to_record(none))


def test_lone_surrogates_become_one_replacement_each_so_that_offsets_stay_right() -> None:
    record = strict_json(to_json_line(scored(question="a\ud800b\udfff\U0001f600c")))
    assert isinstance(record, dict)
    assert record["interaction"]["question"] == "a\ufffdb\ufffd\U0001f600c"


def test_numbers_that_are_none_never_reach_the_record() -> None:
    document = Document("text", 1, score=math.nan, metadata={"distance": math.inf, "raw": b"\x00", "big": 2**63})
    record = strict_json(to_json_line(scored(contexts=(document,), feedback=math.nan)))
    assert isinstance(record, dict)
    context = record["interaction"]["contexts"][0]
    assert "score" not in context
    assert context["metadata"] == {"distance": None, "raw": "AA==", "big": "9223372036854775808"}
    assert "feedback" not in record["interaction"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON"),
        (b"[]", "an object is needed, not list"),
        (b'{"schema_version": 2}', "schema_version 2 is not 1"),
        (b'{"schema_version": 1}', "'interaction' is missing"),
    ],
)
def test_what_is_no_record_is_refused_by_name(line: bytes, message: str) -> None:
    with pytest.raises(PermanentError, match=message):
        from_json_line(line)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("scores", "faithfulness", "value"), 1.5, "a score lies in"),
        (("scores", "faithfulness", "outcome"), "maybe", "scores.faithfulness.outcome"),
        (("scores", "Vibes!"), {}, "Vibes!"),
        (("interaction", "surprise"), 1, "surprise"),
        (("interaction", "contexts"), 7, "score record"),
        (("interaction", "capture"), "perhaps", "perhaps"),
    ],
)
def test_a_record_with_a_wrong_part_is_refused(path: tuple[str, ...], value: object, message: str) -> None:
    record = orjson.loads(to_json_line(scored()))
    part = record
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    with pytest.raises(PermanentError, match=message):
        from_record(record)
