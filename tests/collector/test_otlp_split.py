"""Cutting export requests into messages of one trace each."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragsonde.collector.errors import DecodeError
from ragsonde.collector.otlp_json_request import parse_json
from ragsonde.collector.otlp_split import LOGS, TRACES, Shape, parse_protobuf, split_by_trace
from tests.otlp_requests import ONE, TWO, span_id, spans_of, trace_request


def test_a_trace_too_large_for_one_message_is_spread_over_several_in_order() -> None:
    request = trace_request(*((ONE, span_id(number)) for number in range(1, 21)), text="x" * 500)
    split = split_by_trace(request, TRACES, 4000)
    assert len(split.parts) > 1
    assert {part.key for part in split.parts} == {ONE.hex().encode()}
    written = [span for part in split.parts for span in spans_of(ExportTraceServiceRequest.FromString(part.value))]
    assert [span.span_id for span in written] == [span_id(number) for number in range(1, 21)]


def test_a_span_too_large_on_its_own_is_rejected_and_the_others_kept() -> None:
    request = trace_request((ONE, span_id(1)), text="x" * 5000)
    request.MergeFrom(trace_request((ONE, span_id(2)), (TWO, span_id(3))))
    split = split_by_trace(request, TRACES, 2000)
    assert split.rejected == {"larger than 2000 bytes on its own": 1}
    assert sum(part.items for part in split.parts) == 2


@pytest.mark.parametrize(
    ("sent_to", "key", "told"),
    [
        (TRACES, "resourceLogs", "holds logs, not traces: send it to /v1/logs"),
        (LOGS, "resource_spans", "holds traces, not logs: send it to /v1/traces"),
    ],
)
def test_json_of_the_other_signal_is_refused_with_its_path(sent_to: Shape, key: str, told: str) -> None:
    with pytest.raises(DecodeError, match=told):
        parse_json(json.dumps({key: [{}]}).encode(), sent_to)


def test_bytes_that_are_no_utf8_cost_no_request() -> None:
    body = trace_request((ONE, span_id(1)), text="MARK").SerializeToString().replace(b"MARK", b"a\xff\xfeb")
    (part,) = split_by_trace(parse_protobuf(body, TRACES), TRACES, 4000).parts
    (span,) = spans_of(ExportTraceServiceRequest.FromString(part.value))
    assert span.attributes[0].value.string_value == "a��b"


@pytest.mark.parametrize(("raw", "read"), [(b'"a\xffb"', "a�b"), (b'"a\\ud800b"', "a�b"), (b"null", "")])
def test_json_that_some_writers_let_through_costs_no_request(raw: bytes, read: str) -> None:
    span = b'{"traceId": "%s", "spanId": "%s", "name": %s, "droppedAttributesCount": NaN}'
    text = span % (ONE.hex().encode(), span_id(1).hex().encode(), raw)
    body = b'{"resourceSpans": [{"scopeSpans": [{"spans": [%s]}]}]}' % text
    assert [found.name for found in spans_of(parse_json(body, TRACES).message)] == [read]


def test_the_names_of_before_otlp_0_15_are_read() -> None:
    span = {"traceId": ONE.hex(), "spanId": span_id(1).hex()}
    for scopes in ("instrumentationLibrarySpans", "instrumentation_library_spans"):
        group = {scopes: [{"instrumentationLibrary": {"name": "app"}, "spans": [span]}]}
        request = parse_json(json.dumps({"resourceSpans": [group]}).encode(), TRACES).message
        (scope,) = request.resource_spans[0].scope_spans
        assert (scope.scope.name, scope.spans[0].trace_id) == ("app", ONE)


def test_json_without_items_is_an_empty_request() -> None:
    for body in (b"{}", b'{"resourceSpans": [], "resourceLogs": []}'):
        assert split_by_trace(parse_json(body, TRACES).message, TRACES, 1000).parts == ()


@given(
    spans=st.lists(st.tuples(st.sampled_from([ONE, TWO, b"\x01" * 16]), st.integers(1, 50)), max_size=30),
    limit=st.integers(200, 3000),
)
def test_splitting_loses_no_span_and_mixes_no_traces(spans: list[tuple[bytes, int]], limit: int) -> None:
    request = trace_request(*((trace_id, span_id(number)) for trace_id, number in spans), text="x" * 20)
    split = split_by_trace(request, TRACES, limit)
    found = []
    for part in split.parts:
        assert len(part.value) <= limit
        of_part = spans_of(ExportTraceServiceRequest.FromString(part.value))
        assert {span.trace_id.hex().encode() for span in of_part} == {part.key}
        assert len(of_part) == part.items
        found += [(span.trace_id, int.from_bytes(span.span_id, "big")) for span in of_part]
    assert sorted(found) == sorted(spans)
    assert split.rejected == {}


@given(body=st.binary(max_size=300), json_body=st.booleans(), logs=st.booleans())
def test_any_bytes_are_split_or_refused(body: bytes, json_body: bool, logs: bool) -> None:
    shape = LOGS if logs else TRACES
    try:
        request = parse_json(body, shape).message if json_body else parse_protobuf(body, shape)
    except DecodeError:
        return
    split_by_trace(request, shape, 100)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.just(ONE.hex()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["resourceSpans", "resource_spans", "scopeSpans", "spans", "links", "traceId", "spanId", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@given(document=JSON_VALUES)
def test_any_json_is_split_or_refused(document: object) -> None:
    try:
        request = parse_json(json.dumps(document).encode(), TRACES).message
    except DecodeError:
        return
    split_by_trace(request, TRACES, 1000)
