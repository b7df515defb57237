"""Scored interactions as OpenTelemetry evaluation events, sent by OTLP/HTTP to a collector or a tracing backend.

The SDK's log records and encoder make the request; it is sent from here rather than by the SDK's own exporter, which
does not tell a refusal from an outage, takes a redirect for success, leaves unread how many records the receiver
rejected, and repeats on its own what the fan-out repeats already.
"""

import gzip
import logging
import os
import ssl
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import httpx
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from pydantic import Field, SecretStr, field_validator

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ignore_events
from ragsonde.exporters.evaluation_events import EventChoice, evaluation_events
from ragsonde.exporters.recent_ids import RecentIds
from ragsonde.scorers.score import ScoredInteraction

_log = logging.getLogger(__name__)

_PROTOBUF = "application/x-protobuf"
_LOGS_PATH = "/v1/logs"
_MAX_REPLY_BYTES = 65_536
_MAX_SAID = 200
"""Characters of the receiver's own words that are shown."""
_BAD_CONTENT = frozenset({400, 413, 422})
"""Statuses that speak of what was sent. All others speak of the receiver or the way to it, which someone can mend."""
_OVERLOADED = frozenset({429, 502, 503, 504})
"""Statuses that OTLP calls retryable (OTLP specification 1.x, OTLP/HTTP, "Failures")."""


class OtlpEventsConfig(Config):
    """The exporter of OpenTelemetry evaluation events."""

    endpoint: str = Field(pattern=r"^https?://")
    """Address of the OTLP/HTTP receiver, such as ``http://collector:4318``; ``/v1/logs`` is added where it has no path.
    May be a sidecar's own receiver: Ragsonde never scores its own events."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """Request headers, such as ``authorization``; values are masked. Prefer ``headers_env``."""
    headers_env: dict[str, str] = Field(default_factory=dict)
    """Request headers whose values stand in environment variables: header name to variable name."""
    ca_file: Path | None = None
    """PEM file with the authority that signed the receiver's certificate. Default: the well-known authorities."""
    timeout_seconds: Annotated[float, Field(gt=0.0, le=600.0)] = 10.0
    """Seconds for one request. Up to 600; default 10."""
    compress: bool = True
    """Whether requests are gzipped. Default yes."""
    metrics: tuple[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], ...] | None = None
    """Metrics whose outcomes are sent, such as ``[faithfulness]``; your own rubrics go by their names. Default: all."""
    not_applicable: bool = False
    """Whether outcomes that have no value and are no failure either are sent as well, each with its reason. Default
    no: most metrics do not apply to most answers."""
    explanations: bool = True
    """Whether events hold the scorer's explanation, which may quote the answer. Default yes."""
    required: bool = False
    """Whether offsets wait for the receiver. Default no."""

    @field_validator("endpoint")
    @classmethod
    def _whole_address(cls, endpoint: str) -> str:
        try:
            url = httpx.URL(endpoint)
        except httpx.InvalidURL as error:
            raise ValueError(f"no valid address: {error}") from error
        if not url.host or url.userinfo:
            raise ValueError("give a host, and credentials in headers or headers_env rather than in the address")
        return str(url.copy_with(path=_LOGS_PATH)) if url.path in ("", "/") else endpoint


class OtlpEventsExporter:
    """Sends one ``gen_ai.evaluation.result`` log record for each outcome of each source of scores.

    Delivered means that the receiver has answered 2xx. An id is not sent again while it is remembered, unless it was
    scored anew (``ragsonde.rescored``); after a restart or a lost answer a receiver may get the same events twice, and
    can tell by interaction id, scorer, evaluation name and time. Records that a receiver takes a request without
    (OTLP's partial success) may not be sent again: they are counted as dropped.
    """

    name = "otlp_events"

    def __init__(
        self,
        config: OtlpEventsConfig,
        *,
        listener: EventListener = ignore_events,
        environ: Mapping[str, str] = os.environ,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Make ready to send; ``transport`` stands in for the network.

        Raises:
            ConfigError: a header's variable is not set or no header value, or the authority's file cannot be read.
        """
        self.required = config.required
        self._config = config
        self._listener = listener
        self._recent = RecentIds()
        self._choice = EventChoice(
            metrics=None if config.metrics is None else frozenset(config.metrics),
            not_applicable=config.not_applicable,
            explanations=config.explanations,
        )
        self._client = httpx.Client(headers=_headers(config, environ), verify=_verify(config), transport=transport)

    def start(self) -> None:
        """Do nothing: a connection is opened by the first request."""

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:
        """Send the events of a batch in one request.

        Raises:
            RetryableError: the receiver is away or refuses us, or the deadline passed first.
            PermanentError: the receiver refuses what was sent (too large, for one).
        """
        new = {RecentIds.key(scored): scored for scored in batch if scored not in self._recent}
        events = [event for scored in new.values() for event in evaluation_events(scored, self._choice)]
        if events:
            rejected = self._send(encode_logs(events).SerializeToString(), deadline)
            if rejected:
                self._listener(Dropped(self.name, DropReason.PERMANENT_ERROR, min(rejected, len(new))))
        for key in new:
            self._recent.add_key(key)

    def flush(self, deadline: Deadline) -> None:
        """Do nothing: what was exported has been answered."""

    def shutdown(self, deadline: Deadline) -> None:  # noqa: ARG002 - nothing is waited for
        """Close the connections. Safe twice."""
        self._client.close()

    def _send(self, content: bytes, deadline: Deadline) -> int:
        """Send a request; return how many of its records the receiver did not take."""
        until = Deadline(min(self._config.timeout_seconds, deadline.remaining_seconds()))
        if until.expired():
            raise RetryableError("no time was left to send evaluation events")
        headers = {"content-type": _PROTOBUF}
        if self._config.compress:
            content, headers["content-encoding"] = gzip.compress(content, compresslevel=5), "gzip"
        request = self._client.build_request(
            "POST", self._config.endpoint, content=content, headers=headers, timeout=until.remaining_seconds()
        )
        try:
            reply = self._client.send(request, stream=True)
            try:
                body = _read(reply, until)
            finally:
                reply.close()
        except httpx.HTTPError as error:
            raise RetryableError(f"{self._config.endpoint} cannot be reached: {type(error).__name__}") from error
        if not reply.is_success:
            raise _refusal(self._config.endpoint, reply, body)
        return _rejected(reply, body)


def _read(reply: httpx.Response, until: Deadline) -> bytes:
    """Read an answer, which is short, within bounds of size and time: the client's own limit is for each piece."""
    body = bytearray()
    for piece in reply.iter_bytes():
        body += piece
        if until.expired():
            raise RetryableError("the receiver of evaluation events did not end its answer in time")
        if len(body) > _MAX_REPLY_BYTES:
            break
    return bytes(body[:_MAX_REPLY_BYTES])


def _refusal(endpoint: str, reply: httpx.Response, body: bytes) -> RetryableError | PermanentError:
    status = reply.status_code
    said = f"{endpoint} answered {status}{_said(reply, body)}"
    if status in _BAD_CONTENT:
        return PermanentError(said)
    if status in _OVERLOADED:
        after = reply.headers.get("retry-after", "").strip()
        return FullError(said, retry_after_seconds=float(after) if after.isascii() and after.isdecimal() else 1.0)
    remedy = {401: "check its headers", 403: "check its headers", 404: "check the path of endpoint"}.get(status)
    if reply.is_redirect:
        remedy = "redirects are not followed, set endpoint to the final address"
    return RetryableError(f"{said}; {remedy}" if remedy else said)


def _said(reply: httpx.Response, body: bytes) -> str:
    """Return the message of an OTLP error, a ``google.rpc.Status``; nothing where the answer is something else."""
    message = ""
    if reply.headers.get("content-type", "").startswith(_PROTOBUF):
        try:
            message = Status.FromString(body).message
        except DecodeError:
            message = ""
    return f" ({message[:_MAX_SAID]})" if message else ""


def _rejected(reply: httpx.Response, body: bytes) -> int:
    """Return the number of records left out of a request that was taken, and log what the receiver says of it."""
    if not reply.headers.get("content-type", "").startswith(_PROTOBUF):
        return 0
    try:
        result = ExportLogsServiceResponse.FromString(body).partial_success
    except DecodeError:
        _log.debug("the receiver of evaluation events answered 2xx with no OTLP message")
        return 0
    if result.rejected_log_records > 0 or result.error_message:
        _log.warning(
            "%d evaluation events were not taken: %s", result.rejected_log_records, result.error_message[:_MAX_SAID]
        )
    return max(0, int(result.rejected_log_records))


def _headers(config: OtlpEventsConfig, environ: Mapping[str, str]) -> dict[str, str]:
    headers = {name: value.get_secret_value() for name, value in config.headers.items()}
    for name, variable in config.headers_env.items():
        headers[name] = environ.get(variable, "").strip()
        if not headers[name]:
            raise ConfigError(
                f"exporters.otlp_events.headers_env: the environment variable {variable} is not set or empty"
            )
    for name, value in headers.items():
        if not name.isascii() or not value.isascii() or not value.isprintable():
            raise ConfigError(
                f"exporters.otlp_events: the value for the header {name!r} holds characters that no header can carry"
            )
    return headers


def _verify(config: OtlpEventsConfig) -> ssl.SSLContext | bool:
    if config.ca_file is None:
        return True
    try:
        return ssl.create_default_context(cafile=config.ca_file)
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"exporters.otlp_events.ca_file: cannot use {config.ca_file}: {error}") from error
