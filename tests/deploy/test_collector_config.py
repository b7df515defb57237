"""The collector's configuration is valid to a real collector, which carries traces to Kafka as Ragsonde wants them."""

import os
import re
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import NewTopic
from kafka.partitioner.default import murmur2

from ragsonde.collector.consumer import KafkaSourceConfig
from ragsonde.collector.decoder import decode_bytes
from ragsonde.settings import Settings
from tests.app import sidecars
from tests.app.trace_files import TraceFile
from tests.deploy.go_tools import built
from tests.deploy.monitoring import answers, eventually, free_port, running

DEPLOY = Path(__file__).parents[2] / "deploy"
CONFIG = DEPLOY / "otel-collector" / "config.yaml"
PARTITIONS = 4
NAMES = ("openinference-langchain", "otel-genai-langchain", "pydantic-ai")


def exporter() -> dict[str, Any]:
    return dict(yaml.safe_load(CONFIG.read_text("utf-8"))["exporters"]["kafka"])


def test_a_real_collector_finds_the_configuration_valid() -> None:
    done = subprocess.run(
        [built("otelcol"), "validate", "--config", CONFIG], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_misspelt_key_would_not_pass(tmp_path: Path) -> None:
    wrong = tmp_path / "config.yaml"
    wrong.write_text(CONFIG.read_text("utf-8").replace("partition_traces_by_id", "partition_traces_by_ids"), "utf-8")
    done = subprocess.run(
        [built("otelcol"), "validate", "--config", wrong], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "partition_traces_by_ids" in done.stderr


def test_topics_and_sizes_fit_those_of_the_sidecar_and_of_the_broker() -> None:
    settings = Settings()
    assert [exporter()["traces"]["topic"]] == list(settings.topics.traces)
    assert [exporter()["logs"]["topic"]] == list(settings.topics.logs)
    largest = exporter()["producer"]["max_message_bytes"]
    assert largest <= KafkaSourceConfig().max_partition_fetch_bytes
    assert largest < settings.decoder.max_record_bytes
    created = re.findall(r"max\.message\.bytes=(\d+)", (DEPLOY / "docker" / "create_topics.sh").read_text("utf-8"))
    assert all(int(limit) >= largest for limit in created)
    assert created


@contextmanager
def collector(folder: Path, bootstrap: str, spans: str, logs: str) -> Iterator[str]:
    """Run the deployed configuration with other topics and ports; give the address for OTLP over HTTP."""
    ports = {name: f"127.0.0.1:{free_port()}" for name in ("GRPC", "HTTP", "HEALTH")}
    environment = os.environ | {f"OTELCOL_{name}_ENDPOINT": address for name, address in ports.items()}
    environment["KAFKA_BROKER"] = bootstrap
    command = [str(built("otelcol")), "--config", str(CONFIG)]
    for setting in (
        f"exporters::kafka::traces::topic: {spans}",
        f"exporters::kafka::logs::topic: {logs}",
        "service::telemetry::metrics::level: none",
    ):
        command += ["--config", f"yaml:{setting}"]
    with running(command, folder / "otelcol.log", environment) as process:

        def healthy() -> bool:
            assert process.poll() is None, (folder / "otelcol.log").read_text("utf-8")
            return answers(f"http://{ports['HEALTH']}")()

        eventually(healthy, 60, "the collector is healthy")
        yield f"http://{ports['HTTP']}"


@pytest.mark.kafka
def test_traces_go_through_the_collector_and_kafka_into_scores(kafka: str, tmp_path: Path) -> None:
    suffix = uuid.uuid4().hex[:8]
    spans, logs = f"spans-{suffix}", f"logs-{suffix}"
    admin = KafkaAdminClient(bootstrap_servers=kafka)
    admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in (spans, logs)])
    admin.close()
    files = [TraceFile(name) for name in NAMES]
    settings = {
        "group_id": f"group-{suffix}",
        "topics": {"traces": [spans], "logs": [logs]},
        "kafka": {"connection": {"bootstrap_servers": [kafka]}},
        "receiver": None,
    }
    with collector(tmp_path, kafka, spans, logs) as url, sidecars.running(tmp_path / "data", **settings) as sidecar:
        for file in files:
            sent = httpx.post(
                f"{url}/v1/traces", content=file.spans("bin"), headers={"Content-Type": "application/x-protobuf"}
            )
            assert sent.is_success, sent.text
        for file in files:
            for expected in file.expected():
                found = sidecar.interaction(expected["id"])
                assert found.answer == expected["answer"]
    messages = read(kafka, spans)
    assert messages
    for message in messages:
        traces = {span.trace_id for span in decode_bytes(message.value).spans}
        assert traces == {message.key.decode()}, "one trace a message, its id the key"
        chosen = (murmur2(message.key) & 0x7FFFFFFF) % PARTITIONS
        assert message.partition == chosen, "where Kafka's clients put that key"


def read(bootstrap: str, topic: str) -> list[Any]:
    """Return every message of a topic."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    try:
        partitions = [TopicPartition(topic, number) for number in range(PARTITIONS)]
        consumer.assign(partitions)
        consumer.seek_to_beginning(*partitions)
        expected = sum(consumer.end_offsets(partitions).values())
        messages: list[Any] = []
        for _ in range(60):
            if len(messages) >= expected:
                break
            messages += [message for batch in consumer.poll(1000).values() for message in batch]
        return messages
    finally:
        consumer.close(autocommit=False)
