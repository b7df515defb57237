"""What docs/scores-topic.md says of the topic holds, and its examples run as they stand."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import SamplingDecision
from ragsonde.exporters.kafka import KafkaScoresExporter, ScoresTopicConfig
from ragsonde.exporters.record import SCHEMA_VERSION
from ragsonde.exporters.record_reader import from_json_line
from ragsonde.scorers.score import (
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Reason,
    Scored,
    ScoredInteraction,
)
from ragsonde.settings import ExporterSettings
from tests.exporters.scored import scored
from tests.memory_publisher import MemoryPublisher

TEXT = (Path(__file__).parents[2] / "docs" / "scores-topic.md").read_text(encoding="utf-8")

Message = tuple[bytes | None, Sequence[tuple[str, bytes]], bytes | None]


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def reader() -> dict[str, Any]:
    """The functions of the example reader."""
    names: dict[str, Any] = {}
    exec(compile(block("python"), "docs/scores-topic.md", "exec"), names)
    return names


def written(*batch: ScoredInteraction) -> list[Message]:
    publisher = MemoryPublisher()
    exporter = KafkaScoresExporter(publisher, ScoresTopicConfig())
    for one in batch:  # one at a time: batches do not matter to a reader
        exporter.export([one], Deadline(30))
    return [(message.key, message.headers, message.value) for message in publisher.messages]


def test_the_configuration_is_valid() -> None:
    ExporterSettings.model_validate(yaml.safe_load(block("yaml"))["exporters"])


def test_the_example_follows_the_schema_and_is_one_of_this_version() -> None:
    schema = json.loads(
        resources.files("ragsonde.exporters").joinpath("schemas/score_record.schema.json").read_text("utf-8")
    )
    record = json.loads(block("json"))
    Draft202012Validator(schema).validate(record)
    read = from_json_line(block("json"))
    outcome = read.scores[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Scored)
    (claim,) = outcome.claims
    assert (read.interaction.answer or "")[claim.start : claim.end] == claim.text


def test_the_message_is_as_described() -> None:
    ((key, headers, value),) = written(scored("trace:span"))
    assert key == b"trace:span"
    rows = dict(re.findall(r"^\| header `([\w-]+)` \| `([^`]+)`", TEXT, re.MULTILINE))
    assert {name: content.decode("ascii") for name, content in headers} == rows
    assert json.loads(value or b"")["schema_version"] == SCHEMA_VERSION == int(rows["ragsonde-schema-version"])


def test_reading_again_and_rescoring_leave_the_newest_record_of_each_interaction(reader: dict[str, Any]) -> None:
    first = scored("a", faithfulness=1.0, scored_at=1_000.0)
    again = scored("a", faithfulness=0.0, scored_at=2_000.0, rescored=True)
    messages = written(first, scored("b"), again, first)
    for order in (messages, messages + messages, messages[::-1]):
        records = reader["newest"](order)
        assert set(records) == {b"a", b"b"}
        assert records[b"a"]["scores"]["faithfulness"]["value"] == 0.0
    assert set(reader["newest"]([*messages, (b"a", (), None)])) == {b"b"}


def test_a_version_that_the_reader_does_not_know_stops_it(reader: dict[str, Any]) -> None:
    ((key, _, value),) = written(scored("a"))
    with pytest.raises(ValueError, match="version 1 of the scores topic, not 2"):
        reader["newest"]([(key, (("ragsonde-schema-version", b"2"),), value)])


def test_the_mean_is_weighted_and_of_scored_outcomes_alone(reader: dict[str, Any]) -> None:
    batch = [
        scored("a", faithfulness=1.0, probability=0.25),
        scored("b", faithfulness=0.0, probability=1.0),
        scored("c", scores={MetricKey.FAITHFULNESS: NotApplicable(Reason.REFUSAL)}),
        scored("d", scores={MetricKey.FAITHFULNESS: Failed(FailureKind.TIMEOUT)}),
        scored("e", faithfulness=None),
    ]
    records = reader["newest"](written(*batch)).values()
    assert reader["mean"](records, "faithfulness") == pytest.approx(4 / 5)
    assert reader["mean"](records, "mrr") is None


def test_the_mean_takes_one_source_where_a_judge_gave_another(reader: dict[str, Any]) -> None:
    judgement = Judgement("judge", {MetricKey.FAITHFULNESS: Scored(0.0)}, SamplingDecision(kept=True, probability=0.1))
    one = replace(
        scored("a", faithfulness=0.0),
        local_scores={MetricKey.FAITHFULNESS: Scored(1.0)},
        judgements=(judgement,),
    )
    records = reader["newest"](written(one)).values()
    assert reader["mean"](records, "faithfulness") == 1.0
