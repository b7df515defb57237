"""The short way: one call that makes a RAG application send its interactions to Ragsonde."""

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from opentelemetry import trace

from ragsonde.instrumentation.content import Redact, SessionRedactor, content_policy
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.tracer import RagTracer, has_policy, leave_policy

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

_LOGGER = logging.getLogger("ragsonde.instrumentation")
_SCHEDULE_DELAY_MILLISECONDS = 1000
"""How long a finished span waits for company; the SDK's own default of 5 s delays every score by as much."""


def configure(
    service_name: str,
    *,
    kafka: str | list[str] | None = None,
    endpoint: str | None = None,
    exporter: "SpanExporter | None" = None,
    capture: str | None = None,
    redact: Redact | SessionRedactor | None = None,
    service_version: str | None = None,
    environment: str | None = None,
    kafka_options: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> RagTracer:
    """Send this process's spans to Ragsonde, and return the tracer that records interactions.

    Call it once, at start. Where the application has set up OpenTelemetry already, its provider is kept and only
    gets one more exporter; else a provider is made and becomes the global one.

    Args:
        service_name: names the application in every metric; ``service.name`` of the resource.
        kafka: ``host:port``, or a list of them: spans go to Kafka through `KafkaSpanExporter`.
        endpoint: ``http://host:4318``: spans go there by OTLP/HTTP, for example to ``ragsonde up``. Needs the package
            ``opentelemetry-exporter-otlp-proto-http``.
        exporter: any span exporter of your own.
        capture: ``full`` (default), ``redacted`` or ``off``; see `RagTracer`.
        redact: a redactor; see `RagTracer`.
        service_version: of the application; lets scores be compared between releases.
        environment: such as ``production``; ``deployment.environment.name`` of the resource.
        kafka_options: further arguments of `KafkaSpanExporter`: topic, partitioner, TLS, SASL.
        headers: sent with every OTLP/HTTP request.

    Raises:
        ValueError: not exactly one of ``kafka``, ``endpoint`` and ``exporter`` was given, or ``capture`` is unknown.
        ImportError: ``endpoint`` was given and its exporter is not installed.
        RedactionUnavailableError: the built-in redactor was asked for and its packages are not installed.
        RuntimeError: a tracer provider is set that takes no exporters.
    """
    if sum(choice is not None for choice in (kafka, endpoint, exporter)) != 1:
        raise ValueError('say where spans go: exactly one of kafka="host:9092", endpoint="http://host:4318", exporter=')
    policy = content_policy(capture, redact, FailureLog())
    provider: Any = trace.get_tracer_provider()
    if has_policy(provider):
        _LOGGER.warning("ragsonde: configure() was called before in this process; this call changes nothing")
        return RagTracer()
    if isinstance(provider, trace.ProxyTracerProvider):
        provider = _new_provider(service_name, service_version, environment)
        trace.set_tracer_provider(provider)
    elif not hasattr(provider, "add_span_processor"):
        raise RuntimeError(f"the tracer provider in use, {type(provider).__name__}, takes no exporters")
    else:
        _LOGGER.info("ragsonde: using the tracer provider already set; its own service.name applies")
    if exporter is None:
        exporter = _kafka_exporter(kafka, kafka_options) if kafka is not None else _http_exporter(endpoint, headers)
    provider.add_span_processor(_batched(exporter))
    leave_policy(provider, policy)
    return RagTracer()


def _new_provider(service_name: str, service_version: str | None, environment: str | None) -> Any:
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - the SDK is only loaded by who configures it
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415

    named = {
        "service.name": service_name,
        "service.version": service_version,
        "deployment.environment.name": environment,
    }
    return TracerProvider(resource=Resource.create({key: value for key, value in named.items() if value is not None}))


def _batched(exporter: "SpanExporter") -> Any:
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    if "OTEL_BSP_SCHEDULE_DELAY" in os.environ:
        return BatchSpanProcessor(exporter)
    return BatchSpanProcessor(exporter, schedule_delay_millis=_SCHEDULE_DELAY_MILLISECONDS)


def _kafka_exporter(servers: str | list[str], options: Mapping[str, Any] | None) -> "SpanExporter":
    from ragsonde.instrumentation.kafka_exporter import KafkaSpanExporter  # noqa: PLC0415 - loads kafka-python

    return KafkaSpanExporter(servers, **(options or {}))


def _http_exporter(endpoint: str | None, headers: Mapping[str, str] | None) -> "SpanExporter":
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "endpoint= needs an OTLP/HTTP exporter: pip install opentelemetry-exporter-otlp-proto-http"
        ) from error
    parts = urlsplit(endpoint or "")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(f"endpoint must look like http://host:4318, not {endpoint!r}")
    if parts.path in ("", "/"):
        parts = parts._replace(path="/v1/traces")
    return OTLPSpanExporter(endpoint=urlunsplit(parts), headers=dict(headers or {}))
