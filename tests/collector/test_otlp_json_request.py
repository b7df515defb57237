"""Requests in JSON with spans that cannot be read: what is taken, and what the sender is told of the rest."""

import json
from typing import Any

import pytest

from ragsonde.collector.decoder import decode_bytes
from ragsonde.collector.receiver import JSON
from ragsonde.collector.telemetry import RequestReceived
from tests.otlp_requests import ONE, TWO, span_id, spans_of
from tests.receiving import Receiver

GOOD = {"traceId": ONE.hex(), "spanId": span_id(1).hex(), "name": "question"}
SECOND = "resourceSpans[0].scopeSpans[0].spans[1]"


def body_of(*spans: object, **group: object) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}], **group}]}).encode()


def value_of(value: object) -> dict[str, object]:
    return {"attributes": [{"key": "input.value", "value": value}]}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "deep"}
    for _ in range(levels):
        value = {"arrayValue": {"values": [value]}}
    return value


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"startTimeUnixNano": "yesterday"}, f"{SECOND}.startTimeUnixNano: a 64-bit integer is expected, not str"),
        ({"name": 5}, f"{SECOND}.name: a string is expected, not int"),
        ({"traceId": 5}, f"{SECOND}.traceId: a string is expected, not int"),
        ({"traceId": "CvdlGRbNQ92ESOshHIAxnA=="}, "OTLP/JSON writes ids in hex, not in base64"),
        ({"attributes": {"question": "Why?"}}, f"{SECOND}.attributes: an array is expected, not dict"),
        (value_of("a bare text"), f"{SECOND}.attributes[0].value: an AnyValue object is expected, not str"),
        (value_of({"intValue": "1.5"}), f"{SECOND}.attributes[0].value.intValue: a 64-bit integer is expected"),
        (value_of({"bytesValue": "!!"}), f"{SECOND}.attributes[0].value.bytesValue: base64 is expected"),
        (value_of({"stringValue": "a", "intValue": 1}), f"{SECOND}: Failed to parse attributes field"),
        (value_of(nested(60)), f"{SECOND}: Failed to parse attributes field"),
        (value_of(nested(80)), "a value is nested too deep"),
        ({"links": [5]}, f"{SECOND}: Failed to parse links field"),
        ({"status": "OK"}, f"{SECOND}.status: an object is expected, not str"),
    ],
)
def test_one_wrongly_typed_span_costs_no_other_and_is_named_by_place_and_field(
    wrong: dict[str, object], place: str
) -> None:
    receiver = Receiver()
    response = receiver.post(body_of(GOOD, GOOD | wrong, GOOD | {"traceId": TWO.hex()}), encoding=JSON)
    assert response.status_code == 200
    told = response.json()["partialSuccess"]
    assert told["rejectedSpans"] == "1"
    assert place in told["errorMessage"]
    assert {key: [span.name for span in spans_of(found)] for key, found in receiver.written().items()} == {
        ONE.hex(): ["question"],
        TWO.hex(): ["question"],
    }
    (event,) = receiver.events.of(RequestReceived)
    assert isinstance(event, RequestReceived)
    assert (event.items, event.rejected) == (2, 1)


@pytest.mark.parametrize("wrong", [5, None, [], "span", True])
def test_what_is_no_object_among_the_spans_is_rejected(wrong: object) -> None:
    response = Receiver().post(body_of(GOOD, wrong), encoding=JSON)
    told = response.json()["partialSuccess"]
    assert (told["rejectedSpans"], f"{SECOND}: an object is expected" in told["errorMessage"]) == ("1", True)


def test_a_request_of_which_nothing_can_be_read_is_refused_with_the_first_place() -> None:
    response = Receiver().post(body_of("span", GOOD | {"name": 5}), encoding=JSON)
    assert response.status_code == 400
    assert "resourceSpans[0].scopeSpans[0].spans[0]: an object is expected" in response.json()["message"]


def test_many_unreadable_spans_are_counted_and_told_in_one_line() -> None:
    response = Receiver().post(body_of(GOOD, *[GOOD | {"kind": []}] * 500), encoding=JSON)
    told = response.json()["partialSuccess"]
    assert told["rejectedSpans"] == "500"
    assert told["errorMessage"].startswith(f"500: cannot be read, the first: {SECOND}.kind: ")
    assert len(told["errorMessage"]) < 500


@pytest.mark.parametrize(
    "wrong", [{"resource": "shop"}, {"resource": {"attributes": [{"key": "service.name", "value": "shop"}]}}]
)
def test_spans_of_an_unreadable_resource_are_rejected_and_those_of_others_taken(wrong: dict[str, object]) -> None:
    groups = [{"scopeSpans": [{"spans": [GOOD, GOOD]}], **wrong}, {"scopeSpans": [{"spans": [GOOD]}]}]
    receiver = Receiver()
    response = receiver.post(json.dumps({"resourceSpans": groups}).encode(), encoding=JSON)
    assert response.json()["partialSuccess"]["rejectedSpans"] == "2"
    assert [len(spans_of(found)) for found in receiver.written().values()] == [1]


def test_log_records_are_taken_one_by_one_as_well() -> None:
    record = {"traceId": ONE.hex(), "spanId": span_id(1).hex(), "body": {"stringValue": "hello"}}
    group = {"scopeLogs": [{"logRecords": [record, record | {"body": "hello"}]}]}
    receiver = Receiver()
    response = receiver.post(json.dumps({"resourceLogs": [group]}).encode(), "/v1/logs", JSON)
    told = response.json()["partialSuccess"]
    assert told["rejectedLogRecords"] == "1"
    assert "resourceLogs[0].scopeLogs[0].logRecords[1].body: an AnyValue object" in told["errorMessage"]
    (message,) = receiver.publisher.messages
    assert [log.body for log in decode_bytes(message.value).logs] == ["hello"]


@pytest.mark.parametrize("levels", [20, 46, 47])
def test_what_is_taken_can_be_decoded_however_deep_it_nests(levels: int) -> None:
    receiver = Receiver()
    receiver.post(body_of(GOOD, GOOD | value_of(nested(levels))), encoding=JSON)
    (message,) = receiver.publisher.messages
    decoded = decode_bytes(message.value)
    assert (len(decoded.spans), decoded.fault) == (2 if levels <= 46 else 1, None)


@pytest.mark.parametrize("document", [GOOD, {"data": [{"traceID": "1"}]}, {"spans": [GOOD]}])
def test_json_of_another_shape_is_refused_rather_than_passed_over(document: dict[str, object]) -> None:
    response = Receiver().post(json.dumps(document).encode(), encoding=JSON)
    assert response.status_code == 400
    assert "resourceSpans or resourceLogs is expected at the top" in response.json()["message"]
