"""Sending spans to Kafka without ever standing in the application's way."""

import os
import socket
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from kafka import KafkaProducer
from kafka.errors import IllegalStateError, KafkaTimeoutError, MessageSizeTooLargeError
from kafka.partitioner import DefaultPartitioner, Partitioner
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY
from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragsonde.instrumentation.kafka_messages import Message, Refused, messages_of
from ragsonde.instrumentation.losses import Losses, LossReason
from ragsonde.instrumentation.outbox import Outbox
from ragsonde.instrumentation.partitioner import SaramaPartitioner

_MEBIBYTE = 1024 * 1024
_PARTITIONERS = {"murmur2": DefaultPartitioner, "fnv1a": SaramaPartitioner}
_FIRST_BACKOFF_SECONDS = 0.5
_LONGEST_BACKOFF_SECONDS = 30.0
_PROBE_SECONDS = 2.0
_IDLE_SECONDS = 60.0
_OURS = ("bootstrap_servers", "key_serializer", "value_serializer", "partitioner", "max_request_size", "kafka_client")


class KafkaSpanExporter(SpanExporter):
    """Writes spans to a Kafka topic as the OpenTelemetry Collector's Kafka exporter does.

    Each message is a serialised ``ExportTraceServiceRequest`` (``otlp_proto``) with spans of one trace, keyed by the
    trace id as 32 lower-case hex characters, as with the Collector's ``partition_traces_by_id: true``. Use it with the
    SDK's ``BatchSpanProcessor``.

    Neither the constructor nor `export` waits for Kafka: a background thread connects when the first span arrives,
    tries again for as long as it takes, and meanwhile the spans wait in a bounded queue. After a fork the child starts
    its own thread and connection; what waited in the parent is the parent's to send.

    Args:
        bootstrap_servers: ``host:port``, several separated by commas, or a list.
        topic: to write to.
        partitioner: ``murmur2`` as Java and Python clients choose partitions, ``fnv1a`` as the Collector does, or a
            ``kafka.partitioner.Partitioner``. Use one and the same for everything that writes to the topic, or a
            trace whose spans come from two writers is split over two partitions.
        max_queue_bytes: memory for messages that wait or are not acknowledged; default 64 MiB. When it is full the
            oldest go.
        max_message_bytes: largest message, before compression; default 1,000,000. A larger trace is spread over
            several messages; a larger single span is dropped. To raise it, raise the topic's ``max.message.bytes``.
        shutdown_timeout_seconds: longest wait for the queue to empty at shutdown; default 5.
        meter_provider: for the counter ``ragsonde.exporter.dropped_spans``; default: the global one.
        kafka_options: further options of ``kafka.KafkaProducer``: ``security_protocol``, ``ssl_*``, ``sasl_*``,
            ``compression_type``, ``acks``, ``client_id`` and so on.

    Raises:
        ValueError: an option is not known, or a bound is too small.
    """

    def __init__(
        self,
        bootstrap_servers: str | Sequence[str],
        *,
        topic: str = "otlp_spans",
        partitioner: str | Partitioner = "murmur2",
        max_queue_bytes: int = 64 * _MEBIBYTE,
        max_message_bytes: int = 1_000_000,
        shutdown_timeout_seconds: float = 5.0,
        meter_provider: MeterProvider | None = None,
        **kafka_options: Any,
    ) -> None:
        self._servers = _server_list(bootstrap_servers)
        self._topic = topic
        self._max_message_bytes = max_message_bytes
        self._max_queue_bytes = max_queue_bytes
        self._shutdown_timeout_seconds = shutdown_timeout_seconds
        if max_message_bytes < 1024 or max_queue_bytes < max_message_bytes:
            raise ValueError("max_message_bytes must be at least 1024, and max_queue_bytes at least max_message_bytes")
        self._options = self._producer_options(partitioner, kafka_options)
        self._losses = Losses(meter_provider)
        self._begin()
        if hasattr(os, "register_at_fork"):
            after_fork = weakref.WeakMethod(self._after_fork_in_child)
            os.register_at_fork(after_in_child=lambda: (restart := after_fork()) and restart())

    @property
    def dropped(self) -> int:
        """Spans that did not reach Kafka, since the start."""
        return sum(self._losses.by_reason.values())

    @property
    def dropped_by_reason(self) -> Mapping[LossReason, int]:
        """The same, by reason."""
        return self._losses.by_reason

    # What the SDK calls -----------------------------------------------------------------------------------

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Queue the spans; ``FAILURE`` says that some had to be dropped."""
        before = self.dropped
        for message in messages_of(spans, self._max_message_bytes):
            if isinstance(message, Refused):
                self._losses.add(message.reason, 1, message.detail)
                continue
            reason = LossReason.SHUTDOWN if self._outbox.abandoned else LossReason.QUEUE_FULL
            for lost in self._outbox.put(message):
                self._losses.add(reason, lost.spans)
        self._ensure_worker()
        return SpanExportResult.SUCCESS if self.dropped == before else SpanExportResult.FAILURE

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Wait until Kafka has acknowledged everything; False when that takes longer."""
        return self._outbox.wait_empty(timeout_millis / 1000)

    def shutdown(self, timeout_millis: float = 30_000) -> None:
        """Send what waits, within the shorter of ``timeout_millis`` and ``shutdown_timeout_seconds``; then stop."""
        if self._outbox.abandoned:
            return
        deadline = time.monotonic() + min(timeout_millis / 1000, self._shutdown_timeout_seconds)
        self._stopping.set()
        self._outbox.wait_empty(max(0.0, deadline - time.monotonic()))
        self._abandon()
        if self._worker is not None:
            self._worker.join(max(0.1, deadline - time.monotonic()))

    # The background thread --------------------------------------------------------------------------------

    def _begin(self) -> None:
        in_flight = max(self._max_message_bytes, min(8 * _MEBIBYTE, self._max_queue_bytes // 2))
        self._outbox = Outbox(max_bytes=self._max_queue_bytes, max_in_flight_bytes=in_flight)
        self._stopping = threading.Event()
        self._start_lock = threading.Lock()
        self._worker: threading.Thread | None = None
        self._producer: Any = None

    def _after_fork_in_child(self) -> None:
        inherited = self._producer
        if inherited is not None:
            # Its thread did not survive the fork and its connections are the parent's: closing it, which its
            # finaliser would do, could only wait in vain.
            inherited._closed = True  # noqa: SLF001
        self._losses.after_fork()
        self._begin()

    def _ensure_worker(self) -> None:
        with self._start_lock:
            if self._worker is None and not self._outbox.abandoned:
                self._worker = threading.Thread(target=self._work, name="ragsonde-kafka", daemon=True)
                self._worker.start()

    def _work(self) -> None:
        # Instrumented Kafka clients must not record our own sends: each would make the next one necessary.
        unsampled = trace.NonRecordingSpan(trace.SpanContext(trace_id=1, span_id=1, is_remote=False))
        quiet = otel_context.set_value(_SUPPRESS_INSTRUMENTATION_KEY, True)
        otel_context.attach(trace.set_span_in_context(unsampled, quiet))
        backoff = _FIRST_BACKOFF_SECONDS
        while not self._outbox.abandoned:
            message = self._outbox.take(_IDLE_SECONDS)
            if message is None:
                continue
            if self._send(message):
                backoff = _FIRST_BACKOFF_SECONDS
            elif self._outbox.put_back(message):
                if self._stopping.is_set():
                    self._abandon()  # that was the last try: who is down now will not be up a moment later
                self._stopping.wait(backoff)
                backoff = min(backoff * 2, _LONGEST_BACKOFF_SECONDS)
            else:
                self._losses.add(LossReason.SHUTDOWN, message.spans)
        self._close_producer()

    def _abandon(self) -> None:
        for lost in self._outbox.abandon():
            self._losses.add(LossReason.SHUTDOWN, lost.spans)

    def _send(self, message: Message) -> bool:
        """Hand a message to the producer; False when it should be tried again later."""
        try:
            if self._producer is None:
                self._producer = self._connected()
            future = self._producer.send(self._topic, key=message.key, value=message.value)
        except (ConnectionError, KafkaTimeoutError) as error:
            self._losses.warn("unreachable", f"{','.join(self._servers)} cannot be reached; will try again: {error}")
            return False
        except MessageSizeTooLargeError:
            self._give_up(message, LossReason.TOO_LARGE, None)
        except IllegalStateError:  # the producer closed itself
            self._producer = None
            return False
        except Exception as error:  # noqa: BLE001 - a thread that dies here would lose everything after it
            if self._producer is None:
                self._losses.warn("setup", f"no producer could be made; will try again: {error}")
                return False
            self._give_up(message, LossReason.DELIVERY_FAILED, error)
        else:
            future.add_callback(lambda _: self._outbox.done(message))
            future.add_errback(partial(self._give_up, message, LossReason.DELIVERY_FAILED))
        return True

    def _connected(self) -> Any:
        if self._options.get("proxy_url") is None and not any(_listens(server) for server in self._servers):
            raise ConnectionError("nothing listens there")
        producer: Any = KafkaProducer
        return producer(**self._options)

    def _give_up(self, message: Message, reason: LossReason, error: BaseException | None) -> None:
        self._losses.add(reason, message.spans, "" if error is None else f"{type(error).__name__}: {error}")
        self._outbox.done(message)

    def _close_producer(self) -> None:
        producer, self._producer = self._producer, None
        if producer is None:
            return
        with suppress(Exception):
            if not self._outbox.wait_empty(0.0):
                # close() raises, and leaves its thread behind, while something is unacknowledged.
                producer._sender.force_close()  # noqa: SLF001
            producer.close(timeout=1.0)

    def _producer_options(self, partitioner: str | Partitioner, options: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(name for name in options if name not in KafkaProducer.DEFAULT_CONFIG or name in _OURS)
        if unknown:
            raise ValueError(f"not an option of kafka.KafkaProducer, or not one to set here: {', '.join(unknown)}")
        if isinstance(partitioner, str):
            if partitioner not in _PARTITIONERS:
                raise ValueError(f"partitioner must be one of {', '.join(_PARTITIONERS)}, not {partitioner!r}")
            partitioner = _PARTITIONERS[partitioner]()
        defaults = {"client_id": "ragsonde-instrumentation", "max_block_ms": 5000, "bootstrap_timeout_ms": 5000}
        return {
            **defaults,
            **options,
            "bootstrap_servers": self._servers,
            "partitioner": partitioner,
            "max_request_size": self._max_message_bytes,
        }


def _server_list(servers: str | Sequence[str]) -> list[str]:
    listed = servers.split(",") if isinstance(servers, str) else list(servers)
    cleaned = [server.strip() for server in listed if server.strip()]
    if not cleaned:
        raise ValueError("bootstrap_servers must name at least one host:port")
    return cleaned


def _listens(server: str) -> bool:
    """Whether something accepts connections at ``server``; spares the log a dozen lines of the client's own."""
    host, separator, port = server.rpartition(":")
    if not separator or not port.isdigit():
        return True  # a form that the client may know
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PROBE_SECONDS):
            return True
    except OSError:
        return False
