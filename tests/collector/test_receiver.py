"""The OTLP/HTTP receiver, driven by the OpenTelemetry SDK's own exporter and by hand-made requests."""

import gzip
import json
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from google.protobuf import json_format
from google.rpc.status_pb2 import Status
from hypothesis import given
from hypothesis import strategies as st
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
from starlette.testclient import TestClient

from ragsonde.collector.clock import Deadline
from ragsonde.collector.decoder import decode_bytes
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher, EmbeddedSource
from ragsonde.collector.errors import ConfigError, DecodeError, FullError, PermanentError, RetryableError
from ragsonde.collector.model import Signal
from ragsonde.collector.otlp_split import LOGS, TRACES, parse_json, parse_protobuf, split_by_trace
from ragsonde.collector.receiver import JSON, PROTOBUF, ReceiverConfig, receiver_routes
from ragsonde.collector.source import Message, Publisher, TopicsConfig
from ragsonde.collector.telemetry import (
    Dropped,
    DropReason,
    IgnoreReason,
    RequestReceived,
    SpanIgnored,
)
from tests.contract.log_backends import read, started, wait_until
from tests.fakes import EventRecorder

TRACES_DIRECTORY = Path(__file__).parent.parent / "traces"
ONE, TWO = bytes.fromhex("0af7651916cd43dd8448eb211c80319c"), bytes.fromhex("4bf92f3577b34da6a3ce929d0e0e4736")


class MemoryPublisher:
    """Keeps what is written, or fails as told."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.failure: Exception | None = None
        self.refused: dict[int, PermanentError] = {}
        self.threads: set[str] = set()

    def publish(
        self, topic: str, value: bytes, key: bytes | None = None, headers: Sequence[tuple[str, bytes]] = ()
    ) -> None:
        self.publish_all([Message(topic, value, key, tuple(headers))], Deadline(1))

    def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
        self.threads.add(threading.current_thread().name)
        if self.failure:
            raise self.failure
        self.messages += [message for index, message in enumerate(messages) if index not in self.refused]
        return self.refused

    def flush(self, deadline: Deadline) -> None:
        pass

    def close(self) -> None:
        pass


class Receiver:
    """A receiver over a publisher in memory, and a client for it."""

    def __init__(self, **settings: object) -> None:
        self.publisher = MemoryPublisher()
        self.events = EventRecorder()
        config = ReceiverConfig.model_validate(settings)
        self.client = TestClient(Starlette(routes=receiver_routes(self.publisher, config, listener=self.events)))

    def post(self, body: bytes, path: str = "/v1/traces", encoding: str = PROTOBUF, **headers: str) -> httpx.Response:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        response: Any = self.client.post(path, content=body, headers={"Content-Type": encoding} | names)
        return response

    def written(self) -> dict[str, ExportTraceServiceRequest]:
        """Return the written trace requests by key."""
        requests: dict[str, ExportTraceServiceRequest] = {}
        for message in self.publisher.messages:
            request = ExportTraceServiceRequest.FromString(message.value)
            requests.setdefault((message.key or b"").decode(), ExportTraceServiceRequest()).MergeFrom(request)
        return requests


def trace_request(*spans: tuple[bytes, bytes], service: str = "shop", text: str = "") -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add(schema_url="https://opentelemetry.io/schemas/1.41.0")
    group.resource.attributes.add(key="service.name").value.string_value = service
    scope = group.scope_spans.add(schema_url="https://example.org/scope")
    scope.scope.name = "app"
    for trace_id, span_id in spans:
        span = scope.spans.add(trace_id=trace_id, span_id=span_id, name="answer")
        span.attributes.add(key="text").value.string_value = text
    return request


def log_request(*trace_ids: bytes) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    for trace_id in trace_ids:
        records.add(trace_id=trace_id, span_id=b"12345678" if trace_id else b"").body.string_value = "text"
    return request


def error_of(response: httpx.Response) -> Status:
    if response.headers["content-type"] == JSON:
        return json_format.ParseDict(response.json(), Status())
    return Status.FromString(response.content)


def span_id(number: int) -> bytes:
    return number.to_bytes(8, "big")


def spans_of(request: ExportTraceServiceRequest) -> list[Any]:
    return [span for group in request.resource_spans for scope in group.scope_spans for span in scope.spans]


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
    class AwayOnce(MemoryPublisher):
        attempts = 0

        def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
            self.attempts += 1
            self.failure = RetryableError("the broker is away") if self.attempts == 1 else None
            return super().publish_all(messages, deadline)

    publisher = AwayOnce()
    with serving(publisher) as url:
        exporter = OTLPSpanExporter(f"{url}/v1/traces")
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(exporter))
        with provider.get_tracer("app").start_as_current_span("question"):
            pass
        provider.shutdown()
    assert publisher.attempts == 2
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


def test_a_trace_too_large_for_one_message_is_spread_over_several_with_one_key() -> None:
    receiver = Receiver(max_message_bytes=4000)
    request = trace_request(*((ONE, span_id(number)) for number in range(1, 21)), text="x" * 500)
    assert receiver.post(request.SerializeToString()).status_code == 200
    assert len(receiver.publisher.messages) > 1
    assert {message.key for message in receiver.publisher.messages} == {ONE.hex().encode()}
    assert all(len(message.value) <= 4000 for message in receiver.publisher.messages)
    assert [span.span_id for span in spans_of(receiver.written()[ONE.hex()])] == [span_id(n) for n in range(1, 21)]


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
    receiver = Receiver(max_message_bytes=2000)
    request = trace_request((ONE, span_id(1)), text="x" * 5000)
    request.MergeFrom(trace_request((TWO, span_id(2))))
    reply = ExportTraceServiceResponse.FromString(receiver.post(request.SerializeToString()).content)
    assert reply.partial_success.rejected_spans == 1
    assert "larger than 2000 bytes" in reply.partial_success.error_message
    assert set(receiver.written()) == {TWO.hex()}


def test_what_the_log_refuses_for_good_is_rejected_span_by_span() -> None:
    receiver = Receiver()
    receiver.publisher.refused = {0: PermanentError("too large for the topic")}
    request = trace_request((ONE, span_id(1)), (ONE, span_id(2)), (TWO, span_id(3)))
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


def test_a_span_that_is_no_object_is_rejected() -> None:
    response = Receiver().post(b'{"resourceSpans": [{"scopeSpans": [{"spans": ["span"]}]}]}', encoding=JSON)
    assert response.json()["partialSuccess"]["rejectedSpans"] == "1"


def test_an_empty_request_is_a_success_and_writes_nothing() -> None:
    receiver = Receiver()
    assert receiver.post(b"").status_code == 200
    assert receiver.post(b"{}", encoding=JSON).json() == {}
    assert receiver.publisher.messages == []


# Bad requests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b"\xff\xff\xff", PROTOBUF),
        (b"{", JSON),
        (b"", JSON),
        (b"[1]", JSON),
        (b'{"resourceSpans": 3}', JSON),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": 5}]}]}]}', JSON),
        (b'{"resourceSpans": ' + b"[" * 100_000, JSON),
        (
            b'{"resourceSpans":[{"resource":{"attributes":[{"value":'
            + b'{"arrayValue":{"values":[' * 250
            + b"]}}" * 250
            + b"}]}}]}",
            JSON,
        ),
        ('{"resourceSpans": "\ud800"}'.encode("utf-16-le", "surrogatepass"), JSON),
    ],
)
def test_a_body_that_is_no_request_gets_400_with_a_status_in_its_own_encoding(body: bytes, encoding: str) -> None:
    receiver = Receiver()
    response = receiver.post(body, encoding=encoding)
    assert (response.status_code, response.headers["content-type"]) == (400, encoding)
    assert error_of(response).code == 3
    assert error_of(response).message
    assert receiver.publisher.messages == []
    (event,) = receiver.events.of(RequestReceived)
    assert isinstance(event, RequestReceived)
    assert event.status == 400


@given(body=st.binary(max_size=300), json_body=st.booleans(), logs=st.booleans())
def test_any_bytes_are_split_or_refused(body: bytes, json_body: bool, logs: bool) -> None:
    shape = LOGS if logs else TRACES
    try:
        request = (parse_json if json_body else parse_protobuf)(body, shape)
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
        request = parse_json(json.dumps(document).encode(), TRACES)
    except DecodeError:
        return
    split_by_trace(request, TRACES, 1000)


@pytest.mark.parametrize("encoding", ["", "text/plain", "application/grpc", "multipart/form-data"])
def test_another_content_type_gets_415(encoding: str) -> None:
    response = Receiver().post(b"", encoding=encoding)
    assert response.status_code == 415
    assert PROTOBUF in error_of(response).message


@pytest.mark.parametrize("coding", ["br", "deflate", "zstd", "gzip, gzip"])
def test_another_content_encoding_gets_415(coding: str) -> None:
    assert Receiver().post(b"", content_encoding=coding).status_code == 415


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs"])
def test_other_methods_get_405(path: str) -> None:
    response = Receiver().client.get(path)
    assert response.status_code == 405
    assert "POST" in response.headers["allow"]


# Compression and size ----------------------------------------------------------------------------------------


def test_gzip_is_unpacked_whatever_its_chunks_and_members() -> None:
    body = trace_request(*((ONE, span_id(number)) for number in range(1, 300)), text="zażółć" * 50).SerializeToString()
    half = len(body) // 2
    for packed in (gzip.compress(body), gzip.compress(body[:half]) + gzip.compress(body[half:])):
        receiver = Receiver()
        assert receiver.post(packed, content_encoding="gzip").status_code == 200
        assert len(spans_of(receiver.written()[ONE.hex()])) == 299


def test_a_bomb_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    unpacked = 0
    genuine = zlib.decompressobj

    class Counting:
        def __init__(self, *arguments: int) -> None:
            self._inner = genuine(*arguments)

        def decompress(self, data: bytes, limit: int) -> bytes:
            nonlocal unpacked
            out = self._inner.decompress(data, limit)
            unpacked += len(out)
            return out

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    bomb = gzip.compress(bytes(200 * 1024**2), 9)
    monkeypatch.setattr(zlib, "decompressobj", Counting)
    response = Receiver(max_request_bytes=1_000_000).post(bomb, content_encoding="gzip")
    assert response.status_code == 413
    assert unpacked < 1_200_000


@pytest.mark.parametrize("packed", [b"not gzip at all", b"", gzip.compress(b"abc" * 1000)[:-12]])
def test_a_broken_gzip_body_gets_400(packed: bytes) -> None:
    response = Receiver().post(packed, content_encoding="gzip")
    assert response.status_code == 400
    assert "gzip" in error_of(response).message


def test_a_body_beyond_the_limit_gets_413_declared_or_not() -> None:
    receiver = Receiver(max_request_bytes=2000)

    def chunks() -> Iterator[bytes]:
        yield from [b"x" * 1000] * 3

    assert receiver.post(b"x" * 2001).status_code == 413
    response = receiver.client.post("/v1/traces", content=chunks(), headers={"Content-Type": PROTOBUF})
    assert response.status_code == 413
    assert "2000 bytes" in error_of(response).message  # type: ignore[arg-type]


# A log that cannot take it -----------------------------------------------------------------------------------


def test_a_full_log_gets_429_with_the_time_to_wait() -> None:
    receiver = Receiver()
    receiver.publisher.failure = FullError("the log is full", retry_after_seconds=7.2)
    response = receiver.post(trace_request((ONE, span_id(1))).SerializeToString())
    assert (response.status_code, response.headers["retry-after"]) == (429, "8")
    assert error_of(response).code == 8


def test_a_backend_that_is_away_gets_503_with_a_time_to_wait() -> None:
    receiver = Receiver()
    receiver.publisher.failure = RetryableError("the broker is away")
    response = receiver.post(trace_request((ONE, span_id(1))).SerializeToString())
    assert (response.status_code, error_of(response).code) == (503, 14)
    assert int(response.headers["retry-after"]) >= 1
    assert receiver.events.of(Dropped) == []


def test_a_backend_that_refuses_for_good_gets_500_and_is_counted_as_lost() -> None:
    receiver = Receiver()
    receiver.publisher.failure = PermanentError("not authorised to write")
    response = receiver.post(trace_request((ONE, span_id(1)), (TWO, span_id(2))).SerializeToString())
    assert (response.status_code, error_of(response).code) == (500, 13)
    assert receiver.events.of(Dropped) == [Dropped("receiver", DropReason.PERMANENT_ERROR, 2)]


def test_too_many_requests_at_a_time_get_429_while_the_loop_stays_free() -> None:
    release, entered = threading.Event(), threading.Event()

    class Slow(MemoryPublisher):
        def publish_all(self, messages: Sequence[Message], deadline: Deadline) -> Mapping[int, PermanentError]:
            entered.set()
            release.wait(30)
            return super().publish_all(messages, deadline)

    app = Starlette(routes=receiver_routes(Slow(), ReceiverConfig(max_concurrent_requests=1)))
    body = trace_request((ONE, span_id(1))).SerializeToString()
    with TestClient(app) as client:
        statuses: list[int] = []

        def post() -> None:
            response = client.post("/v1/traces", content=body, headers={"Content-Type": PROTOBUF})
            statuses.append(response.status_code)

        first = threading.Thread(target=post)
        first.start()
        assert entered.wait(30)
        post()
        release.set()
        first.join()
        post()
    assert statuses == [429, 200, 200]


# Authentication ----------------------------------------------------------------------------------------------


def test_a_token_is_required_where_one_is_set(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret-zażółć\n")
    for receiver in (Receiver(token="s3cret-zażółć"), Receiver(token_file=str(file))):
        body = trace_request((ONE, span_id(1))).SerializeToString()
        assert receiver.post(body).status_code == 401
        for wrong in ("Bearer wrong", "s3cret", "Basic s3cret", "Bearer", "Bearer s3cre"):
            response = receiver.post(body, authorization=wrong)
            assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
            assert error_of(response).code == 16
        assert receiver.publisher.messages == []


def test_the_right_token_opens_the_receiver() -> None:
    receiver = Receiver(token="s3cret")
    body = trace_request((ONE, span_id(1))).SerializeToString()
    assert receiver.post(body, authorization="Bearer s3cret").status_code == 200
    assert receiver.post(body, authorization="bearer s3cret").status_code == 200


def test_a_token_is_never_shown() -> None:
    assert "s3cret" not in repr(ReceiverConfig.model_validate({"token": "s3cret"}))


def test_a_token_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"receiver\.token_file"):
        Receiver(token_file=str(tmp_path / "none"))
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        Receiver(token_file=str(tmp_path / "empty"))
