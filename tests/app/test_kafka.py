"""The sidecar on a real Kafka: from an instrumented application to /metrics, in groups, over restarts."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragsonde import KafkaSpanExporter, RagTracer
from ragsonde.collector.decoder import decode_bytes
from tests.app.sidecars import RunningSidecar, running, wait_for
from tests.app.trace_files import CONTENT_NOT_CAPTURED, NO_ANSWER, trace_files

pytestmark = pytest.mark.kafka
PARTITIONS = 4


class Topics:
    """Fresh topics on the broker, and settings of a sidecar that reads them."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        suffix = uuid.uuid4().hex[:8]
        self.spans, self.logs, self.group = f"spans-{suffix}", f"logs-{suffix}", f"group-{suffix}"
        self.dead, self.scores = f"dead-{suffix}", f"scores-{suffix}"
        admin = KafkaAdminClient(bootstrap_servers=bootstrap)
        names = (self.spans, self.logs, self.dead, self.scores)
        admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in names])
        admin.close()

    def settings(self) -> dict[str, Any]:
        return {
            "group_id": self.group,
            "topics": {"traces": [self.spans], "logs": [self.logs]},
            "kafka": {
                "connection": {"bootstrap_servers": [self.bootstrap]},
                "source": {"session_timeout_seconds": 10},
            },
            "receiver": {"traces_topic": self.spans, "logs_topic": self.logs},
            "dead_letter": {"topic": self.dead},
            "exporters": {"scores_topic": {"topic": self.scores}},
        }

    def committed_everything(self) -> bool:
        """Whether the group's committed offsets have reached the end of every partition."""
        consumer = KafkaConsumer(bootstrap_servers=self.bootstrap, group_id=self.group, enable_auto_commit=False)
        try:
            partitions = list(self._partitions())
            ends = consumer.end_offsets(partitions)
            return all((consumer.committed(p) or 0) >= ends[p] for p in partitions if ends[p])
        finally:
            consumer.close(autocommit=False)

    def _partitions(self) -> Iterator[TopicPartition]:
        for topic in (self.spans, self.logs):
            for partition in range(PARTITIONS):
                yield TopicPartition(topic, partition)


@pytest.fixture
def topics(kafka: str) -> Topics:
    return Topics(kafka)


def ask(tracer: RagTracer, number: int) -> None:
    with tracer.interaction(f"How long is period {number}?") as interaction:
        with interaction.retrieval("periods") as retrieval:
            retrieval.documents([{"id": f"doc-{number}", "content": f"Period {number} lasts {number + 10} days."}])
        with interaction.generation("model-1") as generation:
            generation.output(f"Period {number} lasts {number + 10} days [1].")
        interaction.answer(f"Period {number} lasts {number + 10} days [1].")


def test_an_instrumented_application_reaches_metrics_and_the_scores_topic(topics: Topics, tmp_path: Path) -> None:
    exporter = KafkaSpanExporter(topics.bootstrap, topic=topics.spans)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=100))
    tracer = RagTracer(tracer_provider=provider)
    with running(tmp_path, **topics.settings()) as sidecar:
        for number in range(20):
            ask(tracer, number)
        provider.force_flush()
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") == 20, "20 interactions")
        assert sidecar.total("ragsonde_score_weighted_sum_total", metric="faithfulness", scorer="local") == 20
        assert sidecar.total("ragsonde_citations_total", kind="supported") == 20
        wait_for(topics.committed_everything, "the watermark to reach the end")
        assert sidecar.total("ragsonde_source_lag_records") == 0
    provider.shutdown()
    assert exporter.dropped == 0
    assert len(read_all(topics.bootstrap, topics.scores, 20)) == 20


def read_all(bootstrap: str, topic: str, count: int) -> set[bytes]:
    """The keys of the messages of a topic, once there are ``count`` of them."""
    consumer = KafkaConsumer(topic, bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id=None)
    keys: set[bytes] = set()
    try:
        wait_for(
            lambda: keys.update(m.key for batch in consumer.poll(500).values() for m in batch) or len(keys) >= count,
            f"{count} messages in {topic}",
        )
        return keys
    finally:
        consumer.close(autocommit=False)


def test_every_captured_trace_through_kafka_gives_its_interaction(topics: Topics, tmp_path: Path) -> None:
    producer = KafkaProducer(bootstrap_servers=topics.bootstrap)
    for file in trace_files():
        # As the Collector's exporter does by default: whole batches, no key, protobuf or JSON.
        producer.send(topics.spans, file.spans("json"))
        if (logs := file.logs("bin")) is not None:
            producer.send(topics.logs, logs)
    producer.flush()
    producer.close()
    with running(tmp_path, **topics.settings() | {"assembly": {"quiet_seconds": 2}}) as sidecar:
        answered = [file for file in trace_files() if file.name not in CONTENT_NOT_CAPTURED | NO_ANSWER]
        wait_for(
            lambda: sidecar.total("ragsonde_interactions_total") >= len(answered) + len(CONTENT_NOT_CAPTURED),
            "every trace to be scored",
        )
        for file in answered:
            (expected,) = file.expected()
            found = sidecar.interaction(expected["id"])
            assert (found.question, found.answer) == (expected["question"], expected["answer"]), file.name
            assert [d.text for d in found.contexts or ()] == [d["text"] for d in expected["contexts"]], file.name
        assert sidecar.total("ragsonde_interactions_total", capture="captured") == len(answered)
        assert sidecar.total("ragsonde_interactions_total", capture="content_not_captured") == len(CONTENT_NOT_CAPTURED)


def send(topics: Topics, numbers: range) -> list[str]:
    """Write one keyed message for each of some demonstration traces; return the trace ids."""
    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    for number in numbers:
        ask(RagTracer(tracer_provider=provider), number)
    exporter = KafkaSpanExporter(topics.bootstrap, topic=topics.spans)
    exporter.export(memory.get_finished_spans())
    assert exporter.force_flush(30_000)
    exporter.shutdown()
    return sorted({f"{span.context.trace_id:032x}" for span in memory.get_finished_spans()})


def test_two_sidecars_of_a_group_share_the_partitions_and_score_each_trace_once(topics: Topics, tmp_path: Path) -> None:
    with running(tmp_path / "a", **topics.settings()) as first, running(tmp_path / "b", **topics.settings()) as second:
        both = (first, second)
        # Records that are read during the rebalance may be read twice, so let it settle first.
        wait_for(lambda: settled(both), "the partitions to be shared out")
        traces = send(topics, range(40))
        wait_for(lambda: sum(s.total("ragsonde_interactions_total") for s in both) >= 40, "40 interactions")
        seen = [{trace for trace in traces if sidecar.scored(trace)} for sidecar in both]
        assert seen[0] | seen[1] == set(traces)
        assert not seen[0] & seen[1]
        assert seen[0]
        assert seen[1]
        assert sum(s.total("ragsonde_interactions_total") for s in both) == 40


def settled(sidecars: tuple[RunningSidecar, ...]) -> bool:
    """Whether every partition of both topics has one owner, and nobody is without."""
    owned = [set(sidecar.samples("ragsonde_source_lag_records")) for sidecar in sidecars]
    return all(owned) and sum(map(len, owned)) == len(set.union(*owned)) == 2 * PARTITIONS


def test_a_restart_resumes_at_the_watermark(topics: Topics, tmp_path: Path) -> None:
    first = send(topics, range(10))
    with running(tmp_path, **topics.settings()) as sidecar:
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") == 10, "the first 10 interactions")
    second = send(topics, range(10, 20))
    with running(tmp_path, **topics.settings()) as sidecar:
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") >= 10, "the second 10 interactions")
        wait_for(topics.committed_everything, "the watermark to reach the end")
        assert {trace for trace in first + second if sidecar.scored(trace)} == set(second)
        assert sidecar.total("ragsonde_records_total") == 10


def test_records_of_traces_that_were_still_open_at_the_end_are_read_again(topics: Topics, tmp_path: Path) -> None:
    (file,) = [file for file in trace_files() if file.name == "langfuse"]
    (trace,) = {span.trace_id for span in decode_bytes(file.spans("bin")).spans}
    patient = topics.settings() | {"assembly": {"quiet_seconds": 30}, "pipeline": {"drain_seconds": 0.1}}
    producer = KafkaProducer(bootstrap_servers=topics.bootstrap)
    producer.send(topics.spans, file.spans("bin"), key=trace.encode())
    producer.flush()
    producer.close()
    with running(tmp_path, **patient) as sidecar:
        wait_for(lambda: sidecar.total("ragsonde_records_total") == 1, "the record to be read")
    with running(tmp_path, **topics.settings()) as sidecar:
        assert sidecar.interaction(trace).answer


def test_each_sidecar_reads_the_same_partitions_of_both_topics(topics: Topics, tmp_path: Path) -> None:
    with running(tmp_path / "a", **topics.settings()) as first, running(tmp_path / "b", **topics.settings()) as second:
        wait_for(lambda: settled((first, second)), "the partitions to be shared out")
        for sidecar in (first, second):
            owned = [dict(labels) for labels in sidecar.samples("ragsonde_source_lag_records")]
            numbers = {
                topic: sorted(place["partition"] for place in owned if place["topic"] == topic)
                for topic in (topics.spans, topics.logs)
            }
            assert numbers[topics.spans] == numbers[topics.logs]
            assert len(numbers[topics.spans]) == PARTITIONS // 2
