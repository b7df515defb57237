"""Spans reach Kafka, and a Kafka that is away never stands in the application's way."""

import os
import socket
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult

from ragsonde.instrumentation import KafkaSpanExporter, RagTracer
from ragsonde.instrumentation.losses import LossReason
from ragsonde.instrumentation.partitioner import sarama_partition
from tests.instrumentation.tracing import Recorded

PARTITIONS = 6


@pytest.fixture
def topic(kafka: str) -> str:
    """A new topic with several partitions."""
    name = f"spans-{uuid.uuid4().hex[:12]}"
    admin: Any = KafkaAdminClient
    with closing(admin(bootstrap_servers=kafka)) as client:
        client.create_topics([NewTopic(name, num_partitions=PARTITIONS, replication_factor=1)])
    return name


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def spans(count: int = 1, text: str = "q") -> Any:
    recorded = Recorded()
    for _ in range(count):
        with recorded.tracer().interaction(text) as turn:
            turn.answer("a")
    return recorded.spans


def read(kafka: str, topic: str, messages: int) -> list[Any]:
    """Return the first messages of a topic."""
    consumer: Any = KafkaConsumer
    with closing(consumer(bootstrap_servers=kafka, auto_offset_reset="earliest", enable_auto_commit=False)) as reader:
        reader.assign([TopicPartition(topic, number) for number in range(PARTITIONS)])
        found: list[Any] = []
        end = time.monotonic() + 30
        while len(found) < messages and time.monotonic() < end:
            for records in reader.poll(500).values():
                found += records
        return found


def span_count(record: Any) -> int:
    request = ExportTraceServiceRequest.FromString(record.value)
    return sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans)


@contextmanager
def exporter(servers: str, **options: Any) -> Iterator[KafkaSpanExporter]:
    made = KafkaSpanExporter(servers, **options)
    try:
        yield made
    finally:
        made.shutdown(timeout_millis=2000)


@pytest.mark.kafka
@pytest.mark.parametrize("partitioner", ["murmur2", "fnv1a"])
def test_each_trace_arrives_as_one_message_keyed_by_its_id(kafka: str, topic: str, partitioner: str) -> None:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(KafkaSpanExporter(kafka, topic=topic, partitioner=partitioner)))
    rag = RagTracer("shop", tracer_provider=provider)
    for number in range(8):
        with rag.interaction(f"q{number}") as turn, turn.retrieval("q") as retrieval:
            retrieval.documents(["d"])
    provider.shutdown()

    records = read(kafka, topic, 8)
    assert len(records) == 8
    for record in records:
        request = ExportTraceServiceRequest.FromString(record.value)
        ids = {span.trace_id.hex() for rs in request.resource_spans for ss in rs.scope_spans for span in ss.spans}
        assert {record.key.decode()} == ids
        assert span_count(record) == 2
        if partitioner == "fnv1a":
            assert record.partition == sarama_partition(record.key, PARTITIONS)


@pytest.mark.kafka
def test_a_trace_over_the_message_size_arrives_in_parts_on_one_partition(kafka: str, topic: str) -> None:
    recorded = Recorded()
    rag = recorded.tracer()
    with rag.interaction("q"):
        for _ in range(9):
            with rag.retrieval("x" * 1000):
                pass
    with exporter(kafka, topic=topic, max_message_bytes=4096) as sender:
        assert sender.export(recorded.spans) is SpanExportResult.SUCCESS
        assert sender.force_flush(30_000)
    records = read(kafka, topic, 3)
    assert len(records) >= 3
    assert len({record.partition for record in records}) == 1
    assert sum(map(span_count, records)) == 10


@pytest.mark.kafka
def test_spans_recorded_before_kafka_comes_up_arrive_once_it_has(kafka: str, topic: str) -> None:
    host, port = kafka.rsplit(":", 1)
    entrance = closed_port()
    with exporter(f"127.0.0.1:{entrance}", topic=topic) as sender:
        assert sender.export(spans(3)) is SpanExportResult.SUCCESS
        assert not sender.force_flush(200)
        with forwarding(entrance, (host, int(port))):
            assert sender.force_flush(60_000)
        assert sender.dropped == 0
    assert len(read(kafka, topic, 3)) == 3


@contextmanager
def forwarding(port: int, target: tuple[str, int]) -> Iterator[None]:
    """Accept connections on ``port`` and pass their bytes to ``target``: a Kafka that comes up late."""

    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            one.close()

    def accept(listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            upstream = socket.create_connection(target)
            threading.Thread(target=pump, args=(client, upstream), daemon=True).start()
            threading.Thread(target=pump, args=(upstream, client), daemon=True).start()

    with socket.create_server(("127.0.0.1", port)) as listener:
        threading.Thread(target=accept, args=(listener,), daemon=True).start()
        yield
        listener.shutdown(socket.SHUT_RDWR)


@pytest.mark.kafka
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # forking beside threads is the case under test
def test_a_forked_child_sends_its_own_spans_and_not_its_parents(kafka: str, topic: str) -> None:
    with exporter(kafka, topic=topic) as sender:
        sender.export(spans(2))
        assert sender.force_flush(30_000)
        ready = spans(1)
        child = os.fork()
        if child == 0:
            sender.export(ready)
            os._exit(0 if sender.force_flush(30_000) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        sender.export(spans(1))
        assert sender.force_flush(30_000)
    assert len(read(kafka, topic, 4)) == 4


def test_a_closed_port_neither_raises_nor_blocks_and_the_loss_is_counted() -> None:
    reader = InMemoryMetricReader()
    meters = MeterProvider([reader], shutdown_on_exit=False)
    sender = KafkaSpanExporter(f"127.0.0.1:{closed_port()}", shutdown_timeout_seconds=0.2, meter_provider=meters)
    assert sender.export(spans(2)) is SpanExportResult.SUCCESS
    assert not sender.force_flush(50)
    sender.shutdown()
    assert sender.dropped_by_reason == {LossReason.SHUTDOWN: 2}
    assert sender.export(spans(1)) is SpanExportResult.FAILURE
    assert sender.dropped == 3
    [counted] = [
        (metric.name, dict(point.attributes), point.value)
        for resource in reader.get_metrics_data().resource_metrics  # type: ignore[union-attr]
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
    ]
    assert counted == ("ragsonde.exporter.dropped_spans", {"reason": "shutdown"}, 3)
    meters.shutdown()


def test_a_full_queue_drops_the_oldest_spans_and_says_so() -> None:
    sender = KafkaSpanExporter(
        f"127.0.0.1:{closed_port()}",
        max_queue_bytes=4096,
        max_message_bytes=2048,
        shutdown_timeout_seconds=0.1,
    )
    results = {sender.export(spans(1, "x" * 1000)) for _ in range(6)}
    assert SpanExportResult.FAILURE in results
    assert sender.dropped_by_reason[LossReason.QUEUE_FULL] >= 3
    sender.shutdown()
    assert sender.dropped == 6


def test_a_span_over_the_message_size_is_dropped_alone() -> None:
    sender = KafkaSpanExporter(f"127.0.0.1:{closed_port()}", max_message_bytes=2048, shutdown_timeout_seconds=0.1)
    assert sender.export([*spans(1, "x" * 3000), *spans(1)]) is SpanExportResult.FAILURE
    assert sender.dropped_by_reason == {LossReason.TOO_LARGE: 1}
    sender.shutdown()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"partitioner": "crc32"}, "partitioner must be one of murmur2, fnv1a"),
        ({"securty_protocol": "SSL"}, "securty_protocol"),
        ({"max_request_size": 5}, "max_request_size"),
        ({"max_message_bytes": 10}, "at least 1024"),
        ({"max_queue_bytes": 5000}, "max_queue_bytes"),
    ],
)
def test_a_wrong_option_is_refused_at_the_start(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        KafkaSpanExporter("localhost:9092", **options)


def test_an_empty_server_list_is_refused() -> None:
    with pytest.raises(ValueError, match="host:port"):
        KafkaSpanExporter(" , ")
