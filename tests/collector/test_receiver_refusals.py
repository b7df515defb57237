"""What the OTLP/HTTP receiver refuses, and how it says so."""

import asyncio
import gzip
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.rpc.status_pb2 import Status
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.receiver import JSON, PROTOBUF, ReceiverConfig, receiver_routes
from ragsonde.collector.source import Message
from ragsonde.collector.telemetry import (
    Dropped,
    DropReason,
    RequestReceived,
)
from tests.memory_publisher import MemoryPublisher
from tests.otlp_requests import ONE, TWO, span_id, spans_of, trace_request
from tests.receiving import Receiver, error_of

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


@pytest.mark.parametrize("packed", [b"not gzip at all", b"", gzip.compress(b"abc" * 1000, mtime=0)[:-12]])
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


def test_senders_that_stall_are_answered_408_and_keep_no_place_from_others() -> None:
    receiver = Receiver(max_concurrent_requests=1, read_timeout_seconds=0.05)

    async def stalled() -> list[Any]:
        started = False

        async def receive() -> Any:
            nonlocal started
            if started:
                await asyncio.Event().wait()
            started = True
            return {"type": "http.request", "body": b"ab", "more_body": True}

        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"content-type", PROTOBUF.encode()), (b"content-length", b"1000")]
        scope = {"type": "http", "method": "POST", "path": "/v1/traces", "query_string": b"", "headers": headers}
        await receiver.client.app(scope, receive, send)
        return sent

    start, *parts = asyncio.run(stalled())
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    assert Status.FromString(b"".join(part["body"] for part in parts)).code == 4
    assert receiver.post(trace_request((ONE, span_id(1))).SerializeToString()).status_code == 200
    assert [event.status for event in receiver.events.of(RequestReceived)] == [408, 200]  # type: ignore[attr-defined]


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


@pytest.mark.parametrize("token", ["s3cret", "s3cret-zażółć"])
def test_the_right_token_opens_the_receiver(token: str) -> None:
    receiver = Receiver(token=token)
    for scheme in ("Bearer", "bearer"):
        headers = {"Content-Type": PROTOBUF, b"Authorization": f"{scheme} {token}".encode()}
        assert receiver.client.post("/v1/traces", content=b"", headers=headers).status_code == 200


def test_a_token_is_never_shown() -> None:
    assert "s3cret" not in repr(ReceiverConfig.model_validate({"token": "s3cret"}))


def test_a_token_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"receiver\.token_file"):
        Receiver(token_file=str(tmp_path / "none"))
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        Receiver(token_file=str(tmp_path / "empty"))
