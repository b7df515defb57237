"""What can be read of a record is read, and what cannot is counted and named."""

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragsonde.collector.decoder import Decoder, decode_bytes, decode_file_bytes
from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import Record, Signal, SourcePosition, Span
from ragsonde.collector.telemetry import IgnoreReason
from tests.golden_traces import TRACES
from tests.otlp_requests import ONE, TWO, log_request, span_id, spans_of, trace_request

JSON_FILES = sorted(TRACES.glob("*.otlp.json"))


def record(value: bytes, signal: Signal = Signal.TRACES) -> Record:
    return Record(SourcePosition("otlp_spans", 0, 0), value, signal)


def span(number: int, **fields: Any) -> dict[str, Any]:
    return {"traceId": ONE.hex(), "spanId": span_id(number).hex(), "name": "s", **fields}


def request(*spans: Any, scopes: str = "scopeSpans", **group: Any) -> bytes:
    return json.dumps({"resourceSpans": [{scopes: [{"spans": list(spans)}], **group}]}).encode()


def numbers(spans: tuple[Span, ...]) -> list[int]:
    return [int(each.span_id, 16) for each in spans]


# JSON, span by span -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (span(2, traceId="abc"), ".traceId: 32 hex digits"),
        (span(2, startTimeUnixNano="soon"), ".startTimeUnixNano: a 64-bit integer"),
        (span(2, attributes=[{"key": "k", "value": {"intValue": "x"}}]), ".attributes[0].value.intValue: "),
        (span(2, attributes=[{"key": "k", "value": {"boolValue": "x"}}]), ".attributes[0].value.boolValue: "),
        (span(2, events=[{"name": 5}]), ".events[0].name: a string"),
        (span(2, events=3), ".events: an array"),
        (7, ": an object is expected, not int"),
    ],
)
def test_a_malformed_span_is_left_out_counted_and_named_and_the_others_are_read(bad: Any, field: str) -> None:
    found = decode_bytes(request(span(1), bad, span(3)))
    assert numbers(found.spans) == [1, 3]
    assert found.ignored == {IgnoreReason.UNREADABLE: 1}
    assert str(found.fault).startswith("1 of 3 spans and log records cannot be read, the others were; the first: ")
    assert f"resourceSpans[0].scopeSpans[0].spans[1]{field}" in str(found.fault)


def test_a_value_nested_too_deep_costs_its_own_span_only() -> None:
    value: dict[str, Any] = {"stringValue": "x"}
    for _ in range(70):
        value = {"arrayValue": {"values": [value]}}
    found = decode_bytes(request(span(1, attributes=[{"key": "k", "value": value}]), span(2)))
    assert numbers(found.spans) == [2]
    assert found.fault is not None
    assert found.fault.reason is DecodeReason.TOO_DEEP


def test_a_malformed_resource_costs_its_own_group_with_every_span_in_it() -> None:
    good = {"scopeSpans": [{"spans": [span(3)]}]}
    bad = {"resource": 5, "scopeSpans": [{"spans": [span(1), span(2)]}]}
    found = decode_bytes(json.dumps({"resourceSpans": [bad, good]}).encode())
    assert numbers(found.spans) == [3]
    assert found.ignored == {IgnoreReason.UNREADABLE: 2}
    assert "resourceSpans[0].resource: an object" in str(found.fault)


def test_a_request_that_is_none_does_not_spoil_the_others_of_an_array() -> None:
    found = decode_bytes(b"[" + request(span(1)) + b",{},3]")
    assert numbers(found.spans) == [1]
    assert found.ignored == {IgnoreReason.UNREADABLE: 2}


def test_a_record_of_which_nothing_can_be_read_is_refused_and_not_counted_as_decoded() -> None:
    with pytest.raises(DecodeError) as caught:
        decode_bytes(request(span(1, name=5), span(2, traceId="abc")))
    assert caught.value.reason is DecodeReason.INVALID_SHAPE
    assert str(caught.value) == "resourceSpans[0].scopeSpans[0].spans[0].name: a string is expected, not int"


def test_a_line_of_a_file_names_its_number_with_what_could_not_be_read() -> None:
    good, partly = decode_file_bytes(request(span(1)) + b"\n\n" + request(span(2), span(3, name=5)))
    assert good.fault is None
    assert numbers(partly.spans) == [2]
    assert str(partly.fault).startswith("line 3: 1 of 2 spans and log records cannot be read")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ["traceId", "spanId", "attributes", "events", "status", "kind", "flags", "startTimeUnixNano", "name"]


@settings(max_examples=200)
@given(st.lists(st.none() | st.tuples(st.sampled_from(FIELDS), JSON_VALUES), min_size=1, max_size=6))
def test_every_good_span_is_read_and_every_other_one_counted(spoilt: list[tuple[str, Any] | None]) -> None:
    spans = [span(i, **({} if bad is None else {bad[0]: bad[1]})) for i, bad in enumerate(spoilt, 1)]
    good = {i for i, bad in enumerate(spoilt, 1) if bad is None}
    try:
        found = decode_bytes(request(*spans))
    except DecodeError:
        assert not good
    else:
        assert good <= {*numbers(found.spans)}
        assert len(found.spans) + sum(found.ignored.values()) == len(spans)
        assert (found.fault is None) is (IgnoreReason.UNREADABLE not in found.ignored)


# JSON that is nearly JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_bare_numbers_that_are_none_do_not_spoil_a_record(number: str) -> None:
    value = request(span(1, attributes=[{"key": "k", "value": {"doubleValue": 0.5}}])).replace(b"0.5", number.encode())
    (found,) = decode_bytes(value).spans
    assert found.attributes == {"k": None}
    assert [len(lines.spans) for lines in decode_file_bytes(value + b"\n" + value)] == [1, 1]


@pytest.mark.parametrize(("raw", "read"), [(b"a\xff\xfeb", "a��b"), (b"a\\ud800b", "a�b")])
def test_what_is_no_text_is_replaced(raw: bytes, read: str) -> None:
    assert decode_bytes(request(span(1, name="NAME")).replace(b"NAME", raw)).spans[0].name == read


@pytest.mark.parametrize(
    ("scopes", "scope"),
    [
        ("instrumentationLibrarySpans", "instrumentationLibrary"),
        ("instrumentation_library_spans", "instrumentation_library"),
    ],
)
def test_the_names_of_before_otlp_0_15_are_read(scopes: str, scope: str) -> None:
    body = {"resourceSpans": [{"scopeSpans": [], scopes: [{scope: {"name": "app"}, "spans": [span(1)]}]}]}
    (found,) = decode_bytes(json.dumps(body).encode()).spans
    assert found.scope_name == "app"


def test_names_old_and_new_side_by_side_are_one_span() -> None:
    scopes = [{"spans": [span(1)]}]
    assert len(decode_bytes(request(span(1), instrumentationLibrarySpans=scopes)).spans) == 1


def test_the_older_name_of_log_scopes_is_read() -> None:
    log = {"traceId": ONE.hex(), "spanId": span_id(1).hex(), "eventName": "gen_ai.choice"}
    body = {"resourceLogs": [{"instrumentationLibraryLogs": [{"logRecords": [log]}]}]}
    assert len(decode_bytes(json.dumps(body).encode()).logs) == 1


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (request(span(1), scopes="librarySpans"), r"resourceSpans\[0\]: scopeSpans is expected"),
        (request(span(1)).replace(b'"spans"', b'"items"'), r"resourceSpans\[0\].scopeSpans\[0\]: spans is expected"),
    ],
)
def test_spans_under_a_name_that_nobody_knows_are_no_silent_loss(body: bytes, where: str) -> None:
    with pytest.raises(DecodeError, match=where):
        decode_bytes(body)


# Protobuf ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [b"\xff\xfe", "ż".encode()[:1], "语".encode()[:2]])
def test_bytes_that_are_no_utf8_are_replaced_wherever_a_text_stands(cut: bytes) -> None:
    message = trace_request((ONE, span_id(1)), (TWO, span_id(2)), service="MARK", text="MARK")
    message.resource_spans[0].scope_spans[0].scope.name = "MARK"
    spans_of(message)[0].events.add(name="MARK")
    broken = message.SerializeToString().replace(b"MARK", (b"a" + cut + b"b")[:4].ljust(4, b"c"))
    for found in (decode_bytes(broken), Decoder().decode(record(broken))):
        assert numbers(found.spans) == [1, 2]
        assert found.fault is None
        texts = [found.spans[0].scope_name, found.spans[0].resource["service.name"], found.spans[1].attributes["text"]]
        assert {text.startswith("a�") for text in texts if isinstance(text, str)} == {True}
        assert len(texts) == 3
        assert found.spans[0].events[0].name.startswith("a�")


def test_bytes_that_are_no_utf8_in_log_records_are_replaced() -> None:
    broken = log_request(ONE).SerializeToString().replace(b"text", b"te\xffx")
    for found in (decode_bytes(broken), Decoder().decode(record(broken, Signal.LOGS))):
        assert [log.body for log in found.logs] == ["te�x"]


def test_mending_a_text_touches_no_id_and_no_bytes_value() -> None:
    message = trace_request((b"\xff" * 16, b"\xfe" * 8), text="MARK")
    spans_of(message)[0].attributes.add(key="raw").value.bytes_value = b"\xff\xfe"
    (found,) = decode_bytes(message.SerializeToString().replace(b"MARK", b"MA\xffK")).spans
    assert (found.trace_id, found.span_id) == ("ff" * 16, "fe" * 8)
    assert found.attributes == {"text": "MA�K", "raw": b"\xff\xfe"}


@settings(max_examples=100)
@given(st.lists(st.binary(min_size=8, max_size=8), min_size=1, max_size=4))
def test_no_text_of_any_bytes_costs_a_span(texts: list[bytes]) -> None:
    message = trace_request(*((ONE, span_id(number)) for number in range(1, len(texts) + 1)))
    for number, each in enumerate(spans_of(message)):
        each.name = f"<{number:06d}>"
    value = message.SerializeToString()
    for number, text in enumerate(texts):
        value = value.replace(f"<{number:06d}>".encode(), text)
    found = decode_bytes(value)
    assert [each.name for each in found.spans] == [text.decode("utf-8", "replace") for text in texts]


def test_a_malformed_span_in_protobuf_is_left_out_counted_and_named() -> None:
    message = trace_request((ONE, span_id(1)), (b"short", span_id(2)), (TWO, span_id(3)))
    found = decode_bytes(message.SerializeToString())
    assert numbers(found.spans) == [1, 3]
    assert found.ignored == {IgnoreReason.UNREADABLE: 1}
    assert "resource_spans[0].scope_spans[0].spans[1].trace_id: 16 bytes are expected, not 5" in str(found.fault)


def test_a_malformed_log_record_in_protobuf_is_left_out_counted_and_named() -> None:
    message = log_request(ONE, TWO)
    message.resource_logs[0].scope_logs[0].log_records[0].span_id = b"short"
    found = Decoder().decode(record(message.SerializeToString(), Signal.LOGS))
    assert [log.trace_id for log in found.logs] == [TWO.hex()]
    assert "resource_logs[0].scope_logs[0].log_records[0].span_id: 8 bytes" in str(found.fault)


def test_a_deep_resource_costs_its_own_group() -> None:
    message = trace_request((ONE, span_id(1)), (ONE, span_id(2)))
    message.MergeFrom(trace_request((TWO, span_id(3))))
    value = message.resource_spans[0].resource.attributes.add(key="deep").value
    for _ in range(3):
        value = value.array_value.values.add()
    found = Decoder(max_depth=2).decode(record(message.SerializeToString()))
    assert numbers(found.spans) == [3]
    assert found.ignored == {IgnoreReason.UNREADABLE: 2}
    assert "resource_spans[0].resource.attributes: a value is nested too deep" in str(found.fault)


def test_an_error_of_bytes_that_are_neither_signal_does_not_claim_one() -> None:
    with pytest.raises(DecodeError, match=r"^not readable as OTLP protobuf: the wire format is corrupt$"):
        decode_bytes(b"\x0a\xff")


@pytest.mark.parametrize("kind", [ExportTraceServiceRequest, ExportLogsServiceRequest])
def test_no_signal_is_taken_for_the_other_once_its_texts_are_mended(kind: Any) -> None:
    is_traces = kind is ExportTraceServiceRequest
    message = trace_request((ONE, span_id(1)), text="MARK") if is_traces else log_request(ONE)
    broken = message.SerializeToString().replace(b"MARK", b"\xff\xff\xff\xff").replace(b"text", b"te\xfft")
    found = decode_bytes(broken)
    assert (len(found.spans), len(found.logs)) == ((1, 0) if is_traces else (0, 1))
    with pytest.raises(DecodeError):
        Decoder().decode(record(broken, Signal.LOGS if is_traces else Signal.TRACES))


# Compressed -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", JSON_FILES[:3], ids=[path.name for path in JSON_FILES[:3]])
def test_gzip_records_and_files_are_unpacked(path: Path) -> None:
    for plain in (path.read_bytes(), path.with_suffix(".bin").read_bytes()):
        packed = gzip.compress(plain[:100]) + gzip.compress(plain[100:])
        assert decode_bytes(packed) == Decoder().decode(record(packed)) == decode_bytes(plain)
        assert [*decode_file_bytes(packed)] == [decode_bytes(plain)]
    lines = gzip.compress(request(span(1)) + b"\n" + request(span(2)))
    assert [numbers(found.spans) for found in decode_file_bytes(lines)] == [[1], [2]]


def test_a_gzip_bomb_is_refused_within_the_bound() -> None:
    bomb = gzip.compress(bytes(200_000_000), 9)
    decoder = Decoder(max_record_bytes=1_000_000)
    tracemalloc.start()
    try:
        for decode in (decoder.decode_bytes, lambda value: next(decoder.decode_file_bytes(value))):
            with pytest.raises(DecodeError, match="more than 1000000 bytes once it is unpacked") as caught:
                decode(bomb)
            assert caught.value.reason is DecodeReason.TOO_LARGE
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (gzip.compress(request(span(1)))[:-9], "gzip, and cut off or damaged"),
        (b"\x1f\x8b", "gzip, and cut off or damaged"),
        (gzip.compress(gzip.compress(request(span(1)))), "compressed with gzip"),
        (b"\x28\xb5\x2f\xfd" + bytes(40), "Zstandard"),
        (request(span(1)).decode().encode("utf-16-le"), "UTF-16"),
    ],
)
def test_what_cannot_be_unpacked_is_named(value: bytes, told: str) -> None:
    with pytest.raises(DecodeError, match=told):
        decode_bytes(value)
