"""Evaluation events over OTLP/HTTP: what they say, and when they count as delivered."""

import re
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from google.rpc.status_pb2 import Status
from hypothesis import given
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from pydantic import ValidationError

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.model import SamplingDecision
from ragsonde.collector.telemetry import Dropped, DropReason
from ragsonde.exporters.otlp import OtlpEventsConfig, OtlpEventsExporter
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
from tests.builders import TRACE
from tests.exporters.otlp_receiver import PROTOBUF, Answer, Event, OtlpReceiver
from tests.exporters.scored import scored, scored_interactions
from tests.fakes import EventRecorder, FakeClock

SOON = Deadline(30, FakeClock())
ENDPOINT = "http://collector.test:4318"
JUDGED = replace(
    scored(
        faithfulness=None,
        scores={
            MetricKey.FAITHFULNESS: Scored(0.25, "ungrounded", "1 of 4 claims is supported"),
            MetricKey.ANSWER_RELEVANCE: Failed(FailureKind.TIMEOUT, "no reply in time"),
            MetricKey.CITATION_ACCURACY: NotApplicable(Reason.NO_CITATIONS),
        },
        scored_at=1_800_000_000.5,
        probability=0.5,
    ),
    local_scores={MetricKey.FAITHFULNESS: Scored(1.0)},
    judgements=(
        Judgement(
            "judge",
            {
                MetricKey.FAITHFULNESS: Scored(0.25, "ungrounded", "1 of 4 claims is supported"),
                MetricKey.ANSWER_RELEVANCE: Failed(FailureKind.TIMEOUT, "no reply in time"),
                MetricKey.CITATION_ACCURACY: NotApplicable(Reason.NO_CITATIONS),
            },
            SamplingDecision(kept=True, probability=0.125),
        ),
    ),
    scorer_versions={"local_faithfulness": "1", "judge": "merged.3:judge-1"},
)


def exporter(receiver: OtlpReceiver, **settings: Any) -> OtlpEventsExporter:
    listener = settings.pop("listener", lambda event: None)
    config = OtlpEventsConfig.model_validate({"endpoint": ENDPOINT} | settings)
    return OtlpEventsExporter(config, listener=listener, transport=receiver.transport())


def sent(*batch: ScoredInteraction, **settings: Any) -> list[Event]:
    receiver = OtlpReceiver()
    exporter(receiver, **settings).export(batch, SOON)
    return receiver.events


def names(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.attributes["ragsonde.scorer"], event.attributes["gen_ai.evaluation.name"]) for event in events]


def test_each_outcome_of_each_source_is_an_event_at_the_judged_span() -> None:
    receiver = OtlpReceiver()
    with receiver.serving() as url:
        events = OtlpEventsExporter(OtlpEventsConfig(endpoint=url))
        events.export([JUDGED], SOON)
        events.shutdown(SOON)
    local, faithfulness, relevance = receiver.events
    for event in receiver.events:
        assert (event.trace_id, event.span_id) == (TRACE, JUDGED.interaction.span_id)
        assert event.name == "gen_ai.evaluation.result"
        assert event.time_ns == 1_800_000_000_500_000_000
    assert local.attributes == {
        "gen_ai.evaluation.name": "faithfulness",
        "gen_ai.evaluation.score.value": 1.0,
        "ragsonde.own": True,
        "ragsonde.scorer": "local",
        "ragsonde.scorer.version": "local_faithfulness:1",
        "ragsonde.outcome": "scored",
        "ragsonde.sampling.probability": 0.5,
        "ragsonde.interaction.id": TRACE,
        "ragsonde.app": "shop",
        "ragsonde.rescored": False,
        "ragsonde.diagnosis": "ok",
    }
    assert local.resource["service.name"] == "ragsonde"
    assert local.scope == "ragsonde.sidecar.events"
    assert faithfulness.attributes == local.attributes | {
        "gen_ai.evaluation.score.value": 0.25,
        "gen_ai.evaluation.score.label": "ungrounded",
        "gen_ai.evaluation.explanation": "1 of 4 claims is supported",
        "ragsonde.scorer": "judge",
        "ragsonde.scorer.version": "merged.3:judge-1",
        "ragsonde.sampling.probability": 0.125,
    }
    assert relevance.attributes["error.type"] == relevance.attributes["ragsonde.reason"] == "timeout"
    assert relevance.attributes["ragsonde.outcome"] == "failed"
    assert "gen_ai.evaluation.score.value" not in relevance.attributes


def test_the_operator_chooses_what_is_sent() -> None:
    assert names(sent(JUDGED)) == [("local", "faithfulness"), ("judge", "faithfulness"), ("judge", "answer_relevance")]
    assert ("judge", "citation_accuracy") in names(sent(JUDGED, not_applicable=True))
    assert names(sent(JUDGED, metrics=["answer_relevance"])) == [("judge", "answer_relevance")]
    silent = sent(JUDGED, explanations=False)
    assert not any("gen_ai.evaluation.explanation" in event.attributes for event in silent)


def test_an_outcome_without_a_value_is_named_and_is_no_error() -> None:
    (event,) = sent(JUDGED, not_applicable=True, metrics=["citation_accuracy"])
    assert event.attributes["ragsonde.outcome"] == "not_applicable"
    assert event.attributes["ragsonde.reason"] == "no_citations"
    assert event.attributes.keys().isdisjoint({"error.type", "gen_ai.evaluation.score.value"})


def test_an_interaction_without_a_trace_is_still_told_apart() -> None:
    (event,) = sent(scored("row-7", trace_id="", span_id="", metadata={"gen_ai.response.id": "chatcmpl-1"}))
    assert (event.trace_id, event.span_id) == ("", "")
    assert event.attributes["ragsonde.interaction.id"] == "row-7"
    assert event.attributes["gen_ai.response.id"] == "chatcmpl-1"


@given(scored_interactions)
def test_every_outcome_arrives_whatever_the_texts_hold(one: ScoredInteraction) -> None:
    events = sent(one, not_applicable=True)
    expected = [(scorer, str(metric)) for scorer, seen in one.by_scorer() for metric in seen.scores]
    assert names(events) == expected
    for event in events:
        has_value = "gen_ai.evaluation.score.value" in event.attributes
        assert has_value == (event.attributes["ragsonde.outcome"] == "scored")
        assert ("error.type" in event.attributes) == (event.attributes["ragsonde.outcome"] == "failed")


def test_lone_surrogates_are_replaced_and_nothing_is_lost() -> None:
    (event,) = sent(scored("a\ud800", scores={MetricKey.FAITHFULNESS: Scored(1.0, explanation="b\udfff")}))
    assert event.attributes["ragsonde.interaction.id"] == "a?"
    assert event.attributes["gen_ai.evaluation.explanation"] == "b?"


def test_a_batch_is_one_request_and_what_was_delivered_is_not_sent_again() -> None:
    receiver = OtlpReceiver()
    events = exporter(receiver)
    events.export([scored("a"), scored("b")], SOON)
    events.export([scored("a"), scored("b")], SOON)
    assert len(receiver.requests) == 1
    events.export([scored("a", rescored=True, scored_at=2_000.0)], SOON)
    assert [event.attributes["ragsonde.rescored"] for event in receiver.events] == [False, False, True]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (301, RetryableError),
        (400, PermanentError),
        (401, RetryableError),
        (404, RetryableError),
        (413, PermanentError),
        (429, FullError),
        (500, RetryableError),
        (503, FullError),
    ],
)
def test_a_refusal_is_told_from_an_outage_and_never_counts_as_delivered(status: int, error: type[Exception]) -> None:
    receiver = OtlpReceiver(Answer(status, Status(message="for a reason").SerializeToString()))
    events = exporter(receiver)
    with pytest.raises(error, match=rf"answered {status} \(for a reason\)") as raised:
        events.export([scored("a")], SOON)
    assert type(raised.value) is error
    events.export([scored("a")], SOON)
    assert len(receiver.events) == 1


def test_the_receiver_says_how_long_to_wait() -> None:
    receiver = OtlpReceiver(Answer(429, b"", {"retry-after": "17"}), Answer(429, b"", {"retry-after": "soon"}))
    events = exporter(receiver)
    for seconds in (17.0, 1.0):
        with pytest.raises(FullError) as raised:
            events.export([scored("a")], SOON)
        assert raised.value.retry_after_seconds == seconds


def test_records_that_the_receiver_left_out_are_counted_and_not_sent_again() -> None:
    reply = ExportLogsServiceResponse()
    reply.partial_success.rejected_log_records = 1
    reply.partial_success.error_message = "too old"
    receiver, recorder = OtlpReceiver(Answer(body=reply.SerializeToString())), EventRecorder()
    events = exporter(receiver, listener=recorder)
    events.export([scored("a"), scored("b")], SOON)
    events.export([scored("a"), scored("b")], SOON)
    assert recorder.events == [Dropped("otlp_events", DropReason.PERMANENT_ERROR, 1)]
    assert len(receiver.requests) == 1


@pytest.mark.parametrize("body", [b"", b"\xff\xff", b"<html>"])
def test_an_odd_answer_to_a_taken_request_is_still_a_delivery(body: bytes) -> None:
    receiver, recorder = OtlpReceiver(Answer(body=body)), EventRecorder()
    exporter(receiver, listener=recorder).export([scored("a")], SOON)
    assert recorder.events == []


def test_a_receiver_that_is_away_can_be_tried_again() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    events = OtlpEventsExporter(OtlpEventsConfig(endpoint=f"http://127.0.0.1:{port}"))
    with pytest.raises(RetryableError, match="ConnectError"):
        events.export([scored("a")], SOON)


def test_a_receiver_that_says_nothing_is_left_in_time() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        endpoint = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        events = OtlpEventsExporter(OtlpEventsConfig(endpoint=endpoint, timeout_seconds=0.05))
        with pytest.raises(RetryableError, match="ReadTimeout"):
            events.export([scored("a")], SOON)
        events.shutdown(SOON)


def test_nothing_is_sent_once_the_deadline_has_passed() -> None:
    receiver = OtlpReceiver()
    with pytest.raises(RetryableError, match="no time"):
        exporter(receiver).export([scored("a")], Deadline(0.0, FakeClock()))
    assert receiver.requests == []


def test_headers_come_from_the_settings_and_the_environment() -> None:
    receiver = OtlpReceiver()
    config = OtlpEventsConfig.model_validate(
        {"endpoint": ENDPOINT, "headers": {"x-scope": "team"}, "headers_env": {"authorization": "TOKEN"}}
    )
    assert "team" not in repr(config)
    environ = {"TOKEN": "Bearer 1", "OTEL_EXPORTER_OTLP_HEADERS": "x-other=2"}
    OtlpEventsExporter(config, environ=environ, transport=receiver.transport()).export([scored("a")], SOON)
    (headers,) = receiver.requests
    assert (headers["x-scope"], headers["authorization"], headers["content-type"]) == ("team", "Bearer 1", PROTOBUF)
    assert "x-other" not in headers
    with pytest.raises(ConfigError, match="TOKEN is not set"):
        OtlpEventsExporter(config, environ={})


@pytest.mark.parametrize("compress", [True, False])
def test_requests_are_compressed_as_configured(compress: bool) -> None:
    receiver = OtlpReceiver()
    exporter(receiver, compress=compress).export([scored("a")], SOON)
    assert (receiver.requests[0].get("content-encoding") == "gzip") is compress
    assert len(receiver.events) == 1


@pytest.mark.parametrize(
    ("endpoint", "whole"),
    [
        ("http://c:4318", "http://c:4318/v1/logs"),
        ("https://c/", "https://c/v1/logs"),
        ("http://c/otlp/v1/logs", "http://c/otlp/v1/logs"),
    ],
)
def test_the_path_is_added_where_there_is_none(endpoint: str, whole: str) -> None:
    assert OtlpEventsConfig(endpoint=endpoint).endpoint == whole


@pytest.mark.parametrize("endpoint", ["collector:4318", "http://user:secret@c", "http://", "http://c:port"])
def test_an_address_that_cannot_work_is_refused(endpoint: str) -> None:
    with pytest.raises(ValidationError):
        OtlpEventsConfig(endpoint=endpoint)


@pytest.mark.parametrize("write", [lambda path: None, lambda path: path.write_text("no certificate")])
def test_an_authority_that_cannot_be_read_is_named(tmp_path: Path, write: Callable[[Path], object]) -> None:
    path = tmp_path / "ca.pem"
    write(path)
    with pytest.raises(ConfigError, match=r"ca\.pem"):
        OtlpEventsExporter(OtlpEventsConfig(endpoint="https://c", ca_file=path))


def test_a_connection_that_breaks_in_the_answer_is_tried_again() -> None:
    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            yield b"\x0a"
            raise httpx.ReadError("connection reset")

    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Broken()))
    events = OtlpEventsExporter(OtlpEventsConfig(endpoint=ENDPOINT), transport=transport)
    with pytest.raises(RetryableError, match="ReadError"):
        events.export([scored("a")], SOON)


DOCS = (Path(__file__).parents[2] / "docs" / "evaluation-events.md").read_text(encoding="utf-8")


def test_the_documented_configuration_is_valid() -> None:
    (snippet,) = re.findall(r"```yaml\n(.*?)```", DOCS, re.DOTALL)
    OtlpEventsConfig.model_validate(yaml.safe_load(snippet)["exporters"]["otlp_events"])


def test_the_documented_attributes_are_those_that_are_sent() -> None:
    with_id = replace(JUDGED, interaction=replace(JUDGED.interaction, metadata={"gen_ai.response.id": "r-1"}))
    sent_names = {name for event in sent(with_id, not_applicable=True) for name in event.attributes}
    table = DOCS.split("| attribute | value |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `([a-z_.]+)` \|", table, re.MULTILINE)) == sent_names
