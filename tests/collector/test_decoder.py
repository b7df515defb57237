"""Whatever bytes come, the decoder gives spans or one of its own errors."""

import base64
import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from ragsonde.collector.decoder import Decoded, Decoder, decode_bytes, decode_file_bytes
from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import Record, Signal, SourcePosition
from ragsonde.collector.telemetry import IgnoreReason
from tests.golden_traces import TRACES

JSON_FILES = sorted(TRACES.glob("*.json"))
BINARY_FILES = sorted(TRACES.glob("*.bin"))
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
SPAN_ID = "00f067aa0ba902b7"
DECODER = Decoder()


def record(value: bytes, signal: Signal = Signal.TRACES) -> Record:
    return Record(SourcePosition("otlp_spans", 0, 0), value, signal)


def signal_of(path: Path) -> Signal:
    return Signal.LOGS if ".logs" in path.name else Signal.TRACES


def request(*spans: dict[str, Any], **more: Any) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}], **more}).encode()


def span(**fields: Any) -> dict[str, Any]:
    return {"traceId": TRACE_ID, "spanId": SPAN_ID, "name": "s", **fields}


def attribute(value: Any) -> list[dict[str, Any]]:
    return [{"key": "k", "value": value}]


def reason_of(value: bytes, decoder: Decoder = DECODER, signal: Signal = Signal.TRACES) -> DecodeReason:
    with pytest.raises(DecodeError) as caught:
        decoder.decode(record(value, signal))
    return caught.value.reason


# Real files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", JSON_FILES, ids=[path.name for path in JSON_FILES])
def test_protobuf_and_json_of_one_request_give_the_same(path: Path) -> None:
    from_json = DECODER.decode(record(path.read_bytes(), signal_of(path)))
    from_protobuf = DECODER.decode(record(path.with_suffix(".bin").read_bytes(), signal_of(path)))
    assert from_json == from_protobuf
    assert bool(from_json.logs) is (signal_of(path) is Signal.LOGS)
    assert bool(from_json.spans) is (signal_of(path) is Signal.TRACES)
    assert not from_json.ignored
    assert all(item.size_bytes > 0 for item in (*from_json.spans, *from_json.logs) if item.attributes)


@pytest.mark.parametrize("path", JSON_FILES + BINARY_FILES, ids=[path.name for path in JSON_FILES + BINARY_FILES])
def test_signal_of_a_file_is_worked_out(path: Path) -> None:
    assert decode_bytes(path.read_bytes()) == DECODER.decode(record(path.read_bytes(), signal_of(path)))
    assert [*decode_file_bytes(path.read_bytes())] == [decode_bytes(path.read_bytes())]


def test_ids_kinds_times_and_scope_are_read() -> None:
    found = decode_bytes((TRACES / "openinference-langchain.otlp.bin").read_bytes())
    root = next(s for s in found.spans if s.parent_span_id is None)
    assert (root.name, root.kind, root.status_code) == ("rag_chain", 1, 1)
    assert root.scope_name == "openinference.instrumentation.langchain"
    assert root.resource["service.name"] == "rag-demo"
    assert len(root.trace_id) == 32
    assert 0 < root.start_ns < root.end_ns
    assert root.parent_is_remote is False


# Lenient where the specification is -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"stringValue": "x"}, "x"),
        ({"string_value": "x"}, "x"),
        ({"intValue": "42"}, 42),
        ({"intValue": 42}, 42),
        ({"intValue": "-9223372036854775808"}, -(2**63)),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "-Infinity"}, float("-inf")),
        ({"boolValue": False}, False),
        ({"arrayValue": {"values": [{"intValue": 1}, {}]}}, [1, None]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"stringValue": "b"}}]}}, {"a": "b"}),
        ({"bytesValue": base64.b64encode(b"\x00\xff").decode()}, b"\x00\xff"),
        ({"bytesValue": "_-8"}, b"\xff\xef"),
        ({}, None),
        (None, None),
        ({"futureValue": 1}, None),
    ],
)
def test_every_kind_of_value_is_read(value: Any, expected: Any) -> None:
    (found,) = decode_bytes(request(span(attributes=attribute(value)))).spans
    assert found.attributes == {"k": expected}


@pytest.mark.parametrize(
    ("kind", "expected"), [(3, 3), ("3", 3), ("SPAN_KIND_CLIENT", 3), ("SPAN_KIND_NEW", 0), (None, 0)]
)
def test_enums_come_as_numbers_or_names(kind: Any, expected: int) -> None:
    (found,) = decode_bytes(request(span(kind=kind, status={"code": "STATUS_CODE_ERROR"}))).spans
    assert (found.kind, found.status_code) == (expected, 2)


def test_snake_case_upper_case_ids_byte_order_mark_and_unknown_fields_are_read() -> None:
    body = {
        "resource_spans": [
            {
                "scope_spans": [
                    {
                        "spans": [
                            {
                                "trace_id": TRACE_ID.upper(),
                                "span_id": SPAN_ID,
                                "parent_span_id": "",
                                "start_time_unix_nano": "7",
                                "new": [1],
                                "flags": 768,
                            }
                        ]
                    }
                ]
            }
        ]
    }
    (found,) = decode_bytes(b"\xef\xbb\xbf \n" + json.dumps(body).encode()).spans
    assert (found.trace_id, found.parent_span_id, found.start_ns, found.parent_is_remote) == (TRACE_ID, None, 7, True)


def test_array_of_requests_is_read_as_one() -> None:
    both = b"[" + request(span()) + b"," + request(span(spanId="1" * 16)) + b"]"
    assert [s.span_id for s in decode_bytes(both).spans] == [SPAN_ID, "1" * 16]


def test_older_event_name_attribute_names_the_event() -> None:
    log = {
        "traceId": TRACE_ID,
        "spanId": SPAN_ID,
        "attributes": [{"key": "event.name", "value": {"stringValue": "gen_ai.choice"}}],
    }
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}).encode()
    assert decode_bytes(body).logs[0].event_name == "gen_ai.choice"


@pytest.mark.parametrize("ids", [{"traceId": ""}, {"traceId": "0" * 32}, {"spanId": "0" * 16}, {"spanId": None}])
def test_missing_ids_are_ignored_and_counted(ids: dict[str, Any]) -> None:
    found = decode_bytes(request(span(**ids), span()))
    assert len(found.spans) == 1
    assert found.ignored == {IgnoreReason.NO_TRACE_ID: 1}


def test_missing_ids_in_protobuf_are_ignored_and_counted() -> None:
    message = ExportLogsServiceRequest()
    logs = message.resource_logs.add().scope_logs.add().log_records
    logs.add(event_name="plain application log")
    logs.add(trace_id=bytes.fromhex(TRACE_ID), span_id=bytes.fromhex(SPAN_ID), event_name="gen_ai.choice")
    found = DECODER.decode(record(message.SerializeToString(), Signal.LOGS))
    assert [log.event_name for log in found.logs] == ["gen_ai.choice"]
    assert found.ignored == {IgnoreReason.NO_TRACE_ID: 1}


def test_protobuf_whose_length_byte_is_a_brace_is_not_taken_for_json() -> None:
    message = ExportTraceServiceRequest()
    new = (
        message.resource_spans.add()
        .scope_spans.add()
        .spans.add(trace_id=bytes.fromhex(TRACE_ID), span_id=bytes.fromhex(SPAN_ID))
    )
    while message.resource_spans[0].ByteSize() < ord("{"):
        new.name += "x"
    value = message.SerializeToString()
    assert value[:2] == b"\n{"
    assert decode_bytes(value).spans[0].span_id == SPAN_ID
    assert DECODER.decode(record(value)).spans[0].span_id == SPAN_ID


# Refused, with the right reason -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (b"", DecodeReason.EMPTY),
        (b" \n", DecodeReason.EMPTY),
        (b"{", DecodeReason.INVALID_JSON),
        (b'\n{"resourceSpans": [', DecodeReason.INVALID_JSON),
        (b'{"resourceSpans": "\xff"', DecodeReason.INVALID_JSON),
        (b'{"resourceSpans": "\xff"}', DecodeReason.INVALID_SHAPE),
        (b"{}", DecodeReason.INVALID_SHAPE),
        (b"[1]", DecodeReason.INVALID_SHAPE),
        (b'{"resourceSpans": {}}', DecodeReason.INVALID_SHAPE),
        (b'{"resourceSpans": [1]}', DecodeReason.INVALID_SHAPE),
        (json.dumps(span()).encode(), DecodeReason.INVALID_SHAPE),
        (request(span(startTimeUnixNano="9" * 5000)), DecodeReason.INVALID_SHAPE),
        (request(span(startTimeUnixNano=-1)), DecodeReason.INVALID_SHAPE),
        (request(span(startTimeUnixNano=True)), DecodeReason.INVALID_SHAPE),
        (request(span(attributes=attribute({"intValue": 2**63}))), DecodeReason.INVALID_SHAPE),
        (request(span(attributes=attribute({"boolValue": "yes"}))), DecodeReason.INVALID_SHAPE),
        (request(span(attributes=attribute({"bytesValue": "a"}))), DecodeReason.INVALID_SHAPE),
        (request(span(attributes=attribute("bare"))), DecodeReason.INVALID_SHAPE),
        (request(span(name=5)), DecodeReason.INVALID_SHAPE),
        (request(span(traceId="xyz")), DecodeReason.INVALID_IDS),
        (request(span(traceId=base64.b64encode(bytes(range(16))).decode())), DecodeReason.INVALID_IDS),
        (request(span(spanId="١" * 16)), DecodeReason.INVALID_IDS),
        (b"\x00\x01\x02", DecodeReason.INVALID_PROTOBUF),
        (b"plain text", DecodeReason.INVALID_PROTOBUF),
        (b"\n\x05\x1a\x03\xff\xfe\xfd", DecodeReason.INVALID_PROTOBUF),
        (b"\x10\x01", DecodeReason.INVALID_SHAPE),
        (b'{"a":' * 5000 + b"1" + b"}" * 5000, DecodeReason.TOO_DEEP),
        (b"[" * 100_000, DecodeReason.TOO_DEEP),
    ],
    ids=range(28),
)
def test_bad_bytes_have_the_right_reason(value: bytes, reason: DecodeReason) -> None:
    assert reason_of(value) is reason
    with pytest.raises(DecodeError) as caught:
        decode_bytes(value)
    assert caught.value.reason is reason


def test_error_names_the_field() -> None:
    with pytest.raises(DecodeError, match=r"resourceSpans\[0\].scopeSpans\[0\].spans\[0\].traceId: 32 hex digits"):
        decode_bytes(request(span(traceId="abc"), span(traceId="abc")))


def test_other_tools_formats_are_named_in_the_error() -> None:
    with pytest.raises(DecodeError, match="Jaeger or Zipkin"):
        decode_bytes(json.dumps([{"traceId": TRACE_ID, "id": SPAN_ID}]).encode())


def test_spans_on_the_logs_topic_are_refused_rather_than_lost() -> None:
    binary = (TRACES / "openinference-langchain.otlp.bin").read_bytes()
    with pytest.raises(DecodeError):
        DECODER.decode(record(binary, Signal.LOGS))
    logs = (TRACES / "otel-genai-openai.logs.otlp.bin").read_bytes()
    with pytest.raises(DecodeError):
        DECODER.decode(record(logs, Signal.TRACES))


@pytest.mark.parametrize(("depth", "is_read"), [(40, True), (60, False), (3000, False)])
def test_deep_values_are_bounded_in_protobuf(depth: int, is_read: bool) -> None:
    value = AnyValue(string_value="x").SerializeToString()
    for _ in range(depth):
        array = b"\x0a" + _varint(len(value)) + value
        value = b"\x2a" + _varint(len(array)) + array
    pair = b"\x0a\x01k\x12" + _varint(len(value)) + value
    body = b"\x0a\x10" + bytes(range(16)) + b"\x12\x08" + bytes(range(8)) + b"\x4a" + _varint(len(pair)) + pair
    for tag in (b"\x12", b"\x12", b"\x0a"):
        body = tag + _varint(len(body)) + body
    if is_read:
        assert len(DECODER.decode(record(body)).spans) == 1
    else:
        assert reason_of(body) is DecodeReason.TOO_DEEP


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


@pytest.mark.parametrize(("depth", "is_read"), [(60, True), (70, False)])
def test_deep_values_are_bounded_in_json(depth: int, is_read: bool) -> None:
    value: Any = {"stringValue": "x"}
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    body = request(span(attributes=attribute(value)))
    if is_read:
        assert len(decode_bytes(body).spans) == 1
    else:
        assert reason_of(body) is DecodeReason.TOO_DEEP


def test_large_records_are_refused_before_they_are_read() -> None:
    assert reason_of(b"{" * 50_000_000) is DecodeReason.TOO_LARGE
    assert reason_of(request(span()), Decoder(max_record_bytes=50)) is DecodeReason.TOO_LARGE


# Files of lines ---------------------------------------------------------------------------------------------


def test_lines_are_read_one_by_one_and_a_bad_one_is_named() -> None:
    lines = b"\n".join([request(span()), b"", b"{bad", request(span(spanId="1" * 16)), b""])
    found = decode_file_bytes(lines)
    assert next(found).spans[0].span_id == SPAN_ID
    with pytest.raises(DecodeError, match=r"^line 3: "):
        next(found)
    assert next(found).spans[0].span_id == "1" * 16
    assert [*found] == []


def test_lines_may_mix_signals_and_exceed_the_bound_of_one_record_together() -> None:
    traces = (TRACES / "otel-genai-openai.otlp.json").read_bytes()
    logs = (TRACES / "otel-genai-openai.logs.otlp.json").read_bytes()
    lines = b"\r\n".join(json.dumps(json.loads(part)).encode() for part in (traces, logs))
    first, second = Decoder(max_record_bytes=len(traces)).decode_file_bytes(lines)
    assert first.spans
    assert second.logs


def test_indented_json_is_one_request() -> None:
    pretty = json.dumps(json.loads(request(span())), indent=2).encode()
    assert [*decode_file_bytes(pretty)] == [decode_bytes(pretty)]


# Properties -------------------------------------------------------------------------------------------------


def outcome(value: bytes, signal: Signal) -> Decoded | DecodeReason:
    try:
        return DECODER.decode(record(value, signal))
    except DecodeError as error:
        return error.reason


@settings(max_examples=300)
@given(st.binary(max_size=300), st.sampled_from(Signal))
@example(b"\n\x02\x12\x00", Signal.TRACES)
def test_random_bytes_never_raise_anything_else(value: bytes, signal: Signal) -> None:
    outcome(value, signal)
    outcome(b"\n" + value, signal)
    outcome(b"{" + value, signal)
    with contextlib.suppress(DecodeError):
        decode_bytes(value)


@settings(max_examples=200)
@given(st.sampled_from(JSON_FILES + BINARY_FILES), st.data())
def test_truncations_and_mutations_never_raise_anything_else(path: Path, data: st.DataObject) -> None:
    value = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(value)))
    for part in (bytes(value), bytes(value[:end])):
        outcome(part, signal_of(path))
        with contextlib.suppress(DecodeError):
            decode_bytes(part)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=200)
@given(
    st.sampled_from([*span(), "attributes", "events", "status", "kind", "flags", "startTimeUnixNano", "parentSpanId"]),
    JSON_VALUES,
)
def test_a_field_of_any_shape_never_raises_anything_else(field: str, value: Any) -> None:
    outcome(request(span(**{field: value})), Signal.TRACES)


@settings(max_examples=100)
@given(JSON_VALUES)
def test_any_json_never_raises_anything_else(value: Any) -> None:
    outcome(json.dumps(value).encode("utf-8", "surrogatepass"), Signal.TRACES)
    outcome(json.dumps({"resourceSpans": value}).encode("utf-8", "surrogatepass"), Signal.TRACES)
