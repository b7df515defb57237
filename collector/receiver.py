"""OTLP over HTTP: takes traces and log records from applications and writes them to the log, keyed by trace id.

Follows the OTLP specification 1.x, section OTLP/HTTP: ``POST /v1/traces`` and ``POST /v1/logs``, protobuf or JSON, gzip
or plain; a request is answered in its own encoding, errors with a ``google.rpc.Status``. A sender tries again after 429
and 503, and some after 408; not after 400, 401, 413, 415 and 500.
"""

import asyncio
import hmac
import logging
import math
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import orjson
from google.protobuf import json_format
from google.rpc.status_pb2 import Status
from pydantic import Field, SecretStr, model_validator
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, DecodeError, FullError, PermanentError, RetryableError
from ragsonde.collector.otlp_json_request import JsonRequest, parse_json
from ragsonde.collector.otlp_split import LOGS, TRACES, Part, Shape, parse_protobuf, split_by_trace
from ragsonde.collector.source import DEFAULT_LOGS_TOPIC, DEFAULT_TRACES_TOPIC, Message, Publisher
from ragsonde.collector.telemetry import (
    Dropped,
    DropReason,
    EventListener,
    IgnoreReason,
    RequestReceived,
    SpanIgnored,
    ignore_events,
)

_log = logging.getLogger(__name__)

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
_GZIP = 16 + zlib.MAX_WBITS
_INFLATE_BYTES = 64 * 1024
_AWAY_SECONDS = 5.0
"""When a sender should try again while the log's backend is away."""
_RPC_CODES = {400: 3, 401: 16, 408: 4, 413: 8, 415: 3, 429: 8, 500: 13, 503: 14}
"""HTTP status -> google.rpc.Code."""


class ReceiverConfig(Config):
    """What the receiver takes, and where it writes it."""

    traces_topic: str = DEFAULT_TRACES_TOPIC
    """Topic for spans. Default ``otlp_spans``."""
    logs_topic: str = DEFAULT_LOGS_TOPIC
    """Topic for log records. Default ``otlp_logs``."""
    max_request_bytes: int = Field(default=20 * 1024**2, ge=1024, le=1024**3)
    """Largest request body, counted after decompression. Default 20 MiB, as the OpenTelemetry Collector's."""
    max_message_bytes: int = Field(default=900_000, ge=1024)
    """A trace that takes more is written as several messages; keep it below the publisher's limit. Default 900 000."""
    max_concurrent_requests: int = Field(default=64, ge=1, le=10_000)
    """Requests worked on at a time; more are answered 429. Bounds the receiver's memory. Default 64."""
    read_timeout_seconds: float = Field(default=30.0, gt=0, le=600)
    """How long a sender may take to send a request's body before it is answered 408: senders that stall would keep the
    others out. Default 30 s."""
    publish_timeout_seconds: float = Field(default=10.0, gt=0, le=300)
    """How long a request may wait to become durable before it is answered 503. Default 10 s."""
    token: SecretStr | None = None
    """Bearer token that senders have to present. Prefer ``token_file`` or an environment variable. Default: none."""
    token_file: Path | None = None
    """File that holds the bearer token."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.token is not None and self.token_file is not None:
            raise ValueError("give token or token_file, not both")
        if self.token is not None and not self.token.get_secret_value().strip():
            raise ValueError("token is empty")
        return self

    def expected_token(self) -> bytes | None:
        """Return the token that senders have to present; None where they need none.

        Raises:
            ConfigError: the token file cannot be read or is empty.
        """
        if self.token is not None:
            return self.token.get_secret_value().strip().encode()
        if self.token_file is None:
            return None
        try:
            token = self.token_file.read_bytes().strip()
        except OSError as error:
            raise ConfigError(f"receiver.token_file {self.token_file}: {error}; name a readable file") from error
        if not token:
            raise ConfigError(f"receiver.token_file {self.token_file} is empty")
        return token


def receiver_routes(
    publisher: Publisher,
    config: ReceiverConfig,
    *,
    clock: Clock | None = None,
    listener: EventListener = ignore_events,
) -> list[Route]:
    """Return the routes of the receiver.

    Raises:
        ConfigError: the token file cannot be read.
    """
    receiver = _Receiver(publisher, config, clock or SystemClock(), listener)
    return [
        Route("/v1/traces", receiver.traces, methods=["POST"]),
        Route("/v1/logs", receiver.logs, methods=["POST"]),
    ]


class _RefusedError(Exception):
    """A request that gets an error answer."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = headers or {}


@dataclass(slots=True)
class _Tally:
    """What is known of a request for its event."""

    size_bytes: int = 0
    items: int = 0
    rejected: int = 0


class _Receiver:
    def __init__(self, publisher: Publisher, config: ReceiverConfig, clock: Clock, listener: EventListener) -> None:
        self._publisher = publisher
        self._config = config
        self._clock = clock
        self._listener = listener
        self._token = config.expected_token()
        self._active = 0

    async def traces(self, request: Request) -> Response:
        """Take spans."""
        return await self._answer(request, TRACES, self._config.traces_topic)

    async def logs(self, request: Request) -> Response:
        """Take log records."""
        return await self._answer(request, LOGS, self._config.logs_topic)

    async def _answer(self, request: Request, shape: Shape, topic: str) -> Response:
        started = self._clock.monotonic()
        tally = _Tally()
        encoding = request.headers.get("content-type", "").split(";")[0].strip().lower()
        try:
            self._admit(request, encoding)
            self._active += 1
            try:
                body = await self._timely_body(request)
                tally.size_bytes = len(body)
                reply = await run_in_threadpool(self._take, body, encoding, shape, topic, tally)
            finally:
                self._active -= 1
            response = Response(_encode(reply, encoding), 200, media_type=encoding)
        except _RefusedError as refusal:
            response = _error_response(refusal, encoding)
        except ClientDisconnect:
            response = Response(status_code=400)
        seconds = self._clock.monotonic() - started
        self._listener(
            RequestReceived(shape.signal, response.status_code, tally.items, tally.rejected, tally.size_bytes, seconds)
        )
        return response

    def _admit(self, request: Request, encoding: str) -> None:
        """Refuse what can be refused before the body is read."""
        if self._token is not None:
            scheme, _, given = request.headers.get("authorization", "").partition(" ")
            # Starlette reads header bytes as Latin-1.
            matches = hmac.compare_digest(given.strip().encode("latin-1"), self._token)
            if scheme.lower() != "bearer" or not matches:
                raise _RefusedError(401, "a valid bearer token is required", {"WWW-Authenticate": "Bearer"})
        if encoding not in (PROTOBUF, JSON):
            raise _RefusedError(415, f"Content-Type is {encoding or 'missing'}; send {PROTOBUF} or {JSON}")
        if self._active >= self._config.max_concurrent_requests:
            raise _RefusedError(429, "too many requests at a time", {"Retry-After": "1"})

    async def _timely_body(self, request: Request) -> bytes:
        seconds = self._config.read_timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._body(request)
        except TimeoutError as error:
            headers = {"Connection": "close"}  # what is still to come of the body is no next request
            raise _RefusedError(408, f"the body was not there within {seconds:g} s", headers) from error

    async def _body(self, request: Request) -> bytes:
        coding = request.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("identity", "", "gzip"):
            raise _RefusedError(415, f"Content-Encoding is {coding}; send gzip or none")
        limit = self._config.max_request_bytes
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            raise _too_large(limit)
        body = bytearray()
        async for chunk in _inflated(request.stream()) if coding == "gzip" else request.stream():
            body += chunk
            if len(body) > limit:
                raise _too_large(limit)
        return bytes(body)

    def _take(self, body: bytes, encoding: str, shape: Shape, topic: str, tally: _Tally) -> Any:
        """Parse, split and write a request; runs on a worker thread, since writing may block."""
        try:
            request = parse_json(body, shape) if encoding == JSON else JsonRequest(parse_protobuf(body, shape), {})
        except DecodeError as error:
            raise _RefusedError(400, str(error)) from error
        split = split_by_trace(request.message, shape, self._config.max_message_bytes)
        refused = self._publish(split.parts, topic)
        rejected = {**request.rejected, **split.rejected}
        for index, refusal in refused.items():
            rejected[str(refusal)] = rejected.get(str(refusal), 0) + split.parts[index].items
        tally.items = sum(part.items for index, part in enumerate(split.parts) if index not in refused)
        tally.rejected = sum(rejected.values())
        if split.without_trace:
            self._listener(SpanIgnored(IgnoreReason.NO_TRACE_ID, split.without_trace))
        return _reply(shape, rejected)

    def _publish(self, parts: Sequence[Part], topic: str) -> Mapping[int, PermanentError]:
        if not parts:
            return {}
        messages = [Message(topic, part.value, part.key) for part in parts]
        try:
            return self._publisher.publish_all(messages, Deadline(self._config.publish_timeout_seconds, self._clock))
        except FullError as error:
            raise _RefusedError(429, str(error), _retry_after(error.retry_after_seconds)) from error
        except RetryableError as error:
            raise _RefusedError(503, str(error), _retry_after(_AWAY_SECONDS)) from error
        except PermanentError as error:
            _log.error("a request could not be written and its sender will not try again: %s", error)
            self._listener(Dropped("receiver", DropReason.PERMANENT_ERROR, sum(part.items for part in parts)))
            raise _RefusedError(500, str(error)) from error


async def _inflated(stream: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Decompress gzip in small steps, so that whoever counts the bytes can stop a bomb early."""
    inflater = zlib.decompressobj(_GZIP)
    try:
        async for chunk in stream:
            pending = chunk
            while pending:
                if inflater.eof:  # gzip allows members one after another
                    inflater = zlib.decompressobj(_GZIP)
                yield inflater.decompress(pending, _INFLATE_BYTES)
                pending = inflater.unused_data if inflater.eof else inflater.unconsumed_tail
        yield inflater.flush()
    except zlib.error as error:
        raise _RefusedError(400, f"the body is not gzip: {error}") from error
    if not inflater.eof:
        raise _RefusedError(400, "the gzip body is cut off")


def _reply(shape: Shape, rejected: Mapping[str, int]) -> Any:
    reply = shape.response()
    if rejected:
        setattr(reply.partial_success, shape.rejected, sum(rejected.values()))
        reply.partial_success.error_message = "; ".join(f"{count}: {reason}" for reason, count in rejected.items())
    return reply


def _encode(message: Any, encoding: str) -> bytes:
    if encoding == JSON:
        return orjson.dumps(json_format.MessageToDict(message))
    serialised: bytes = message.SerializeToString()
    return serialised


def _error_response(refusal: _RefusedError, encoding: str) -> Response:
    answer_in = encoding if encoding in (PROTOBUF, JSON) else JSON
    status = Status(code=_RPC_CODES[refusal.status], message=str(refusal))
    return Response(_encode(status, answer_in), refusal.status, dict(refusal.headers), media_type=answer_in)


def _too_large(limit: int) -> _RefusedError:
    return _RefusedError(413, f"the request is larger than {limit} bytes (decompressed); send smaller batches")


def _retry_after(seconds: float) -> dict[str, str]:
    return {"Retry-After": str(max(1, math.ceil(seconds)))}
