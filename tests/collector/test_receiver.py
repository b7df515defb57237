"""The OTLP/HTTP receiver taking requests: from the OpenTelemetry SDK's own exporter, unchanged, and hand-made."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import uvicorn
from google.protobuf import json_format
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from starlette.applications import Starlette

from ragsonde.collector.decoder import decode_bytes
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher, EmbeddedSource
from ragsonde.collector.errors import RetryableError
from ragsonde.collector.model import Signal
from ragsonde.collector.receiver import JSON, PROTOBUF, ReceiverConfig, receiver_routes
from ragsonde.collector.source import Publisher, TopicsConfig
from ragsonde.collector.telemetry import (
    IgnoreReason,
    RequestReceived,
    SpanIgnored,
)
from tests.contract.log_backends import read, started, wait_until
from tests.memory_publisher import MemoryPublisher
from tests.otlp_requests import ONE, TWO, log_request, span_id, spans_of, trace_request
from tests.receiving import Receiver

TRACES_DIRECTORY = Path(__file__).parent.parent / "traces"


# The SDK's exporter, unchanged -------------------------------------------------------------------------------


@contextmanager
def serving(publisher: Publisher) -> Iterator[str]:
    """Serve a receiver by uvicorn on a thread; yield its base URL."""
    app = Starlette(routes=receiver_routes(publisher, ReceiverConfig()))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip])
def test_the_sdks_exporter_is_served_unchanged(compression: Compression, tmp_path: Path) -> None:
    with closing(EmbeddedPublisher(EmbeddedLogConfig(), tmp_path)) as publisher, serving(publisher) as url:
        provider = TracerProvider(resource=Resource({"service.name": "shop"}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces", compression=compression)))
        tracer = provider.get_tracer("app", "1.2")
        for number in range(5):
            with (
                tracer.start_as_current_span("question", attributes={"number": number}),
                tracer.start_as_current_span("retrieve"),
            ):
                pass
        provider.shutdown()
    with started(EmbeddedSource(EmbeddedLogConfig(), tmp_path, TopicsConfig(), "readers")) as source:
        records = read(source, 5)
    decoded = [decode_bytes(record.value) for record in records]
    assert sorted(len(one.spans) for one in decoded) == [2] * 5
    assert {span.resource["service.name"] for one in decoded for span in one.spans} == {"shop"}
    assert {(span.scope_name, span.scope_version) for one in decoded for span in one.spans} == {("app", "1.2")}
    for record, one in zip(records, decoded, strict=True):
        assert {span.trace_id.encode() for span in one.spans} == {record.key}


def test_the_sdks_exporter_tries_again_after_503() -> None:
    publisher = MemoryPublisher(failure=RetryableError("the broker is away"), failures=1)
    with serving(publisher) as url:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{url}/v1/traces")))
        with provider.get_tracer("app").start_as_current_span("question"):
            pass
        provider.shutdown()
    assert publisher.calls == 2
    assert len(publisher.messages) == 1


# Splitting ---------------------------------------------------------------------------------------------------


def test_each_trace_becomes_a_message_keyed_by_its_id_with_resource_and_scope_kept() -> None:
    receiver = Receiver()
    request = trace_request((ONE, span_id(1)), (TWO, span_id(2)), (ONE, span_id(3)))
    request.MergeFrom(trace_request((TWO, span_id(4)), service="other"))
    response = receiver.post(request.SerializeToString())
    assert (response.status_code, response.headers["content-type"]) == (200, PROTOBUF)
    assert ExportTraceServiceResponse.FromString(response.content) == ExportTraceServiceResponse()
    written = receiver.written()
    assert set(written) == {ONE.hex(), TWO.hex()}
    assert written[ONE.hex()] == trace_request((ONE, span_id(1)), (ONE, span_id(3)))
    expected = trace_request((TWO, span_id(2)))
    expected.MergeFrom(trace_request((TWO, span_id(4)), service="other"))
    assert written[TWO.hex()] == expected
    (event,) = receiver.events.of(RequestReceived)
    assert isinstance(event, RequestReceived)
    assert (event.signal, event.status, event.items, event.rejected) == (Signal.TRACES, 200, 4, 0)
    assert event.size_bytes == len(request.SerializeToString())


@pytest.mark.parametrize("name", ["otel-genai-openai", "openinference-langchain", "openllmetry-langchain", "langfuse"])
def test_real_traces_in_json_and_protobuf_are_written_alike(name: str) -> None:
    binary, text = Receiver(), Receiver()
    assert binary.post((TRACES_DIRECTORY / f"{name}.otlp.bin").read_bytes()).status_code == 200
    assert text.post((TRACES_DIRECTORY / f"{name}.otlp.json").read_bytes(), encoding=JSON).status_code == 200
    assert binary.written() == text.written() != {}


def test_real_log_records_in_json_and_protobuf_are_written_alike() -> None:
    binary, text = Receiver(), Receiver()
    body = TRACES_DIRECTORY / "otel-genai-openai.logs.otlp.bin"
    assert binary.post(body.read_bytes(), "/v1/logs").status_code == 200
    assert text.post(body.with_suffix(".json").read_bytes(), "/v1/logs", JSON).status_code == 200
    assert {message.topic for message in binary.publisher.messages} == {"otlp_logs"}
    assert [ExportLogsServiceRequest.FromString(one.value) for one in binary.publisher.messages] == [
        ExportLogsServiceRequest.FromString(one.value) for one in text.publisher.messages
    ]


# Parts that cannot be used -----------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", [PROTOBUF, JSON])
def test_spans_without_usable_ids_are_rejected_and_the_others_taken(encoding: str) -> None:
    receiver = Receiver()
    request = trace_request(
        (ONE, span_id(1)), (bytes(16), span_id(2)), (b"short", span_id(3)), (ONE, bytes(8)), (b"", span_id(4))
    )
    body = request.SerializeToString() if encoding == PROTOBUF else otlp_json(request)
    response = receiver.post(body, encoding=encoding)
    assert (response.status_code, response.headers["content-type"]) == (200, encoding)
    reply = ExportTraceServiceResponse()
    if encoding == JSON:
        json_format.ParseDict(response.json(), reply)
    else:
        reply.ParseFromString(response.content)
    assert reply.partial_success.rejected_spans == 4
    assert "no valid trace id" in reply.partial_success.error_message
    assert "no valid span id" in reply.partial_success.error_message
    assert [span.span_id for span in spans_of(receiver.written()[ONE.hex()])] == [span_id(1)]
    (event,) = receiver.events.of(RequestReceived)
    assert isinstance(event, RequestReceived)
    assert (event.items, event.rejected) == (1, 4)


def otlp_json(request: ExportTraceServiceRequest) -> bytes:
    document = json_format.MessageToDict(request)
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            originals = request.resource_spans[0].scope_spans[0].spans
            for span, original in zip(scope["spans"], originals, strict=True):
                span["traceId"], span["spanId"] = original.trace_id.hex(), original.span_id.hex()
    return json.dumps(document).encode()


def test_a_span_too_large_on_its_own_is_rejected_with_the_reason() -> None:
    request = trace_request((ONE, span_id(1)), text="x" * 5000)
    reply = ExportTraceServiceResponse.FromString(
        Receiver(max_message_bytes=2000).post(request.SerializeToString()).content
    )
    assert reply.partial_success.rejected_spans == 1
    assert "larger than 2000 bytes" in reply.partial_success.error_message


def test_what_the_log_refuses_for_good_is_rejected_span_by_span() -> None:
    receiver = Receiver()
    receiver.publisher.limit = 1000
    request = trace_request((ONE, span_id(1)), (ONE, span_id(2)), text="x" * 600)
    request.MergeFrom(trace_request((TWO, span_id(3))))
    reply = ExportTraceServiceResponse.FromString(receiver.post(request.SerializeToString()).content)
    assert reply.partial_success.rejected_spans == 2
    assert reply.partial_success.error_message == "2: too large for the topic"


def test_log_records_without_a_trace_are_taken_and_counted_as_ignored() -> None:
    receiver = Receiver()
    response = receiver.post(log_request(ONE, b"", bytes(16), ONE, b"bad").SerializeToString(), "/v1/logs")
    reply = ExportLogsServiceResponse.FromString(response.content)
    assert reply.partial_success.rejected_log_records == 1
    assert [message.key for message in receiver.publisher.messages] == [ONE.hex().encode()]
    assert receiver.events.of(SpanIgnored) == [SpanIgnored(IgnoreReason.NO_TRACE_ID, 2)]


def test_hex_ids_of_links_and_parents_are_read_as_hex_and_unknown_fields_are_ignored() -> None:
    receiver = Receiver()
    span = {
        "traceId": ONE.hex().upper(),
        "spanId": "00f067aa0ba902b7",
        "parentSpanId": "00f067aa0ba902b8",
        "links": [{"traceId": TWO.hex(), "spanId": "00f067aa0ba902b9"}],
        "startTimeUnixNano": "1700000000000000000",
        "fieldOfTheFuture": {"a": 1},
    }
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    assert receiver.post(body, encoding="application/json; charset=utf-8").status_code == 200
    (written,) = spans_of(receiver.written()[ONE.hex()])
    assert written.parent_span_id.hex() == "00f067aa0ba902b8"
    assert (written.links[0].trace_id, written.links[0].span_id.hex()) == (TWO, "00f067aa0ba902b9")
    assert written.start_time_unix_nano == 1_700_000_000_000_000_000


def test_an_empty_request_is_a_success_and_writes_nothing() -> None:
    receiver = Receiver()
    assert receiver.post(b"").status_code == 200
    assert receiver.post(b"{}", encoding=JSON).json() == {}
    assert receiver.publisher.messages == []
