"""What is Kafka's own: rebalances, lost and expired records, security, failures at the start."""

import base64
import gc
import json
import threading
import time
import warnings
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaConsumer
from kafka.admin import KafkaAdminClient
from kafka.net.transport import KafkaTCPTransport
from kafka.structs import TopicPartition as KafkaPartition
from pydantic import ValidationError

from ragsonde.collector.clock import Deadline
from ragsonde.collector.consumer import InitialOffset, KafkaSource, KafkaSourceConfig
from ragsonde.collector.errors import ConfigError, RetryableError
from ragsonde.collector.kafka_connection import KafkaConfig, SaslConfig, SaslMechanism, TlsConfig
from ragsonde.collector.model import Record, Signal
from ragsonde.collector.oauth import OAuthConfig
from ragsonde.collector.producer import KafkaPublisher
from ragsonde.collector.source import IgnoreRebalances, Message, TopicPartition, TopicsConfig
from ragsonde.collector.telemetry import Dropped, DropReason, EventListener, ignore_events
from tests.broker import PASSWORD, USER, Broker
from tests.contract.log_backends import (
    RecordingListener,
    new_group,
    new_topic,
    next_offsets,
    read,
    started,
    wait_until,
)
from tests.fakes import EventRecorder

pytestmark = pytest.mark.kafka


def kafka_source(
    address: str,
    *traces: str,
    logs: tuple[str, ...] = (),
    group_id: str | None = None,
    connection: KafkaConfig | None = None,
    listener: EventListener = ignore_events,
    **settings: Any,
) -> KafkaSource:
    connection = connection or KafkaConfig(bootstrap_servers=(address,))
    topics = TopicsConfig(traces=traces, logs=logs)
    return KafkaSource(connection, topics, group_id or new_group(), KafkaSourceConfig(**settings), listener)


def write(address: str, topic: str, count: int) -> None:
    publisher = KafkaPublisher(KafkaConfig(bootstrap_servers=(address,)))
    publisher.publish_all([Message(topic, b"%d" % n, b"key-%d" % n) for n in range(count)], Deadline(30))
    publisher.close()


class Member(threading.Thread):
    """A group member on a thread of its own that polls until told to stop, and never commits by itself."""

    def __init__(self, source: KafkaSource, listener: IgnoreRebalances) -> None:
        super().__init__(daemon=True)
        self.records: list[Record] = []
        self.failure: Exception | None = None
        self._source = source
        self._listener = listener
        self._halt = threading.Event()

    def run(self) -> None:
        try:
            with started(self._source, self._listener) as source:
                while not self._halt.is_set():
                    self.records += source.poll(0.2, 500)
        except Exception as error:  # noqa: BLE001 - told to the test's own thread
            self.failure = error

    def stop(self) -> None:
        self._halt.set()
        self.join()
        assert self.failure is None, self.failure


def test_a_revoke_lets_work_be_finished_and_committed_before_the_other_member_reads(kafka: str) -> None:
    topic = new_topic(kafka, 2)
    write(kafka, topic, 40)
    group = new_group()
    order: list[str] = []
    threads: list[threading.Thread] = []

    class FirstListener(RecordingListener):
        def on_revoked(self, partitions: Set[TopicPartition]) -> Mapping[TopicPartition, int]:
            threads.append(threading.current_thread())
            order.append("revoked")
            time.sleep(1.5)  # work under way; longer than several heartbeats
            order.append("drained")
            self.offsets = next_offsets(first.records)
            return super().on_revoked(partitions)

    class SecondListener(RecordingListener):
        def on_assigned(self, partitions: Set[TopicPartition]) -> None:
            order.append("assigned to the second")
            super().on_assigned(partitions)

    first_listener, second_listener = FirstListener(), SecondListener()
    first = Member(kafka_source(kafka, topic, group_id=group, session_timeout_seconds=6), first_listener)
    first.start()
    wait_until(lambda: len(first.records) == 40)
    second = Member(kafka_source(kafka, topic, group_id=group, session_timeout_seconds=6), second_listener)
    second.start()
    wait_until(lambda: len(second_listener.assigned) == 1 and len(first_listener.assigned) == 1)
    write(kafka, topic, 40)
    wait_until(lambda: len(first.records) + len(second.records) >= 80)
    first.stop()
    second.stop()
    assert threads == [first]
    assert order == ["revoked", "drained", "assigned to the second"]
    # Nothing of what the first had finished came again at the second.
    assert len(first.records) + len(second.records) == 80
    assert not any(kind == "lost" for kind, _ in first_listener.calls)


def test_a_member_that_stays_away_too_long_loses_its_partitions_and_gets_them_anew(kafka: str) -> None:
    topic = new_topic(kafka)
    write(kafka, topic, 3)
    listener = RecordingListener()
    source = kafka_source(kafka, topic, max_poll_interval_seconds=1.5, session_timeout_seconds=6)
    with started(source, listener):
        before = read(source, 3)
        time.sleep(3.0)
        with pytest.raises(RetryableError):
            source.commit(next_offsets(before))
        after = read(source, 3)
    assert [kind for kind, _ in listener.calls] == ["assigned", "lost", "assigned"]
    assert before[0].position.epoch < after[0].position.epoch


def test_records_that_expired_unread_are_counted_and_skipped(kafka: str) -> None:
    topic = new_topic(kafka)
    write(kafka, topic, 10)
    group = new_group()
    with started(kafka_source(kafka, topic, group_id=group)) as source:
        source.commit(next_offsets(read(source, 10)[:4]))
    delete_records(kafka, topic, 7)
    events = EventRecorder()
    with started(kafka_source(kafka, topic, group_id=group, listener=events)) as source:
        assert [record.position.offset for record in read(source, 3)] == [7, 8, 9]
    assert events.of(Dropped) == [Dropped("source", DropReason.RETENTION, 3)]


def test_latest_skips_what_was_there_before_and_reads_what_comes_after(kafka: str) -> None:
    topic = new_topic(kafka)
    write(kafka, topic, 5)
    with started(kafka_source(kafka, topic, initial_offset=InitialOffset.LATEST)) as source:
        wait_until(lambda: source.poll(0.1, 10) == [] and source.lag() == {TopicPartition(topic, 0): 0})
        write(kafka, topic, 2)
        assert [record.position.offset for record in read(source, 2)] == [5, 6]


def test_committed_offsets_are_the_next_to_read(kafka: str) -> None:
    topic = new_topic(kafka)
    write(kafka, topic, 3)
    group = new_group()
    with started(kafka_source(kafka, topic, group_id=group)) as source:
        offsets = next_offsets(read(source, 3))
        while True:  # a group may rebalance once more right after its first assignment
            try:
                source.commit(offsets)
                break
            except RetryableError:
                source.poll(0.2, 1)
    consumer = KafkaConsumer(bootstrap_servers=kafka, group_id=group, enable_auto_commit=False)
    assert consumer.committed(KafkaPartition(topic, 0)) == 3
    consumer.close(autocommit=False)


def test_each_topic_has_its_signal(kafka: str) -> None:
    spans, logs = new_topic(kafka), new_topic(kafka)
    write(kafka, spans, 1)
    write(kafka, logs, 1)
    with started(kafka_source(kafka, spans, logs=(logs,))) as source:
        records = read(source, 2)
    assert {record.position.topic: record.signal for record in records} == {spans: Signal.TRACES, logs: Signal.LOGS}


def test_a_topic_that_does_not_exist_yet_does_not_stop_the_others(kafka: str) -> None:
    spans = new_topic(kafka)
    write(kafka, spans, 1)
    with started(kafka_source(kafka, spans, logs=("no-such-topic",))) as source:
        assert len(read(source, 1)) == 1


def test_a_cluster_with_none_of_the_topics_is_named_at_the_start(kafka: str) -> None:
    source = kafka_source(kafka, "no-such-topic")
    with pytest.raises(RetryableError, match=r"none of the topics no-such-topic exists.*in topics"):
        source.start(IgnoreRebalances())
    source.close()


def connection(address: str, **values: object) -> KafkaConfig:
    return KafkaConfig.model_validate({"bootstrap_servers": [address], "connect_timeout_seconds": 3} | values)


def round_trip(broker: Broker, address: str, **security: object) -> None:
    """Write and read one record over a secured listener."""
    topic = new_topic(broker.bootstrap)
    secured = connection(address, **security)
    publisher = KafkaPublisher(secured)
    publisher.publish_all([Message(topic, b"secret")], Deadline(30))
    publisher.close()
    with started(kafka_source(address, topic, connection=secured)) as source:
        assert [record.value for record in read(source, 1)] == [b"secret"]


def start_error(address: str, **security: object) -> tuple[type[Exception], str]:
    """Return the kind and text of the error that a start ends in."""
    source = kafka_source(address, "spans", connection=connection(address, connect_timeout_seconds=2, **security))
    with warnings.catch_warnings():
        # kafka-python leaves the sockets of refused connections to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            source.start(IgnoreRebalances())
        except (ConfigError, RetryableError) as error:
            kind, text = type(error), str(error)
        else:
            pytest.fail("the source started")
        finally:
            source.close()
        gc.collect()
    return kind, text


@pytest.fixture
def secured(broker: Broker) -> Broker:
    if broker.sasl is None or broker.tls is None:
        pytest.skip("the Kafka that runs has no secured listeners that the tests know of")
    return broker


@pytest.mark.parametrize("mechanism", [SaslMechanism.PLAIN, SaslMechanism.SCRAM_SHA_256, SaslMechanism.SCRAM_SHA_512])
def test_a_password_opens_the_listener(secured: Broker, mechanism: SaslMechanism, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{PASSWORD}\n")
    sasl = SaslConfig(mechanism=mechanism, username=USER, password_file=file)
    round_trip(secured, secured.sasl or "", sasl=sasl)


def test_an_oauth_token_opens_the_listener(secured: Broker, tmp_path: Path) -> None:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    now = int(time.time())
    file = tmp_path / "token"
    file.write_text(f"{part({'alg': 'none'})}.{part({'sub': 'ragsonde', 'iat': now, 'exp': now + 600})}.")
    sasl = SaslConfig(mechanism=SaslMechanism.OAUTHBEARER, oauth=OAuthConfig(token_file=file))
    round_trip(secured, secured.sasl or "", sasl=sasl)


def test_a_token_that_cannot_be_read_is_named_at_the_start(secured: Broker, tmp_path: Path) -> None:
    oauth = {"token_file": tmp_path / "missing"}
    kind, text = start_error(secured.sasl or "", sasl={"mechanism": "OAUTHBEARER", "oauth": oauth})
    assert kind is ConfigError
    assert "kafka.connection.sasl.oauth.token_file" in text


def test_tls_opens_the_listener_with_and_without_a_client_certificate(secured: Broker) -> None:
    files = secured.tls_files
    assert files is not None
    round_trip(secured, secured.tls or "", tls=TlsConfig(ca_file=files.ca))
    mutual = TlsConfig(ca_file=files.ca, certificate_file=files.client_certificate, key_file=files.client_key)
    round_trip(secured, secured.tls or "", tls=mutual)


def test_the_certificate_must_carry_the_brokers_name_unless_told_otherwise(secured: Broker) -> None:
    files = secured.tls_files
    assert files is not None
    kind, text = start_error(secured.tls_by_ip or "", tls=TlsConfig(ca_file=files.ca))
    assert kind is ConfigError
    assert "certificate is not valid for" in text
    round_trip(secured, secured.tls_by_ip or "", tls=TlsConfig(ca_file=files.ca, check_hostname=False))


def test_an_unknown_authority_is_a_configuration_error(secured: Broker) -> None:
    files = secured.tls_files
    assert files is not None
    kind, text = start_error(secured.tls or "", tls=TlsConfig(ca_file=files.other_ca))
    assert kind is ConfigError
    assert "CERTIFICATE_VERIFY_FAILED" in text


@pytest.mark.parametrize("mechanism", [SaslMechanism.PLAIN, SaslMechanism.SCRAM_SHA_512])
def test_a_wrong_password_is_a_configuration_error_that_does_not_show_it(
    secured: Broker, mechanism: SaslMechanism
) -> None:
    sasl = {"mechanism": mechanism, "username": USER, "password": "hunter2-wrong"}
    kind, text = start_error(secured.sasl or "", sasl=sasl)
    assert kind is ConfigError
    assert "Authentication failed" in text
    assert "hunter2-wrong" not in text


def test_a_refusal_is_heard_although_the_broker_hangs_up_with_it(
    secured: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive = KafkaTCPTransport._sock_recv

    def late(transport: KafkaTCPTransport) -> object:
        time.sleep(0.2)  # by now the broker's answer and the end of the stream are both there
        return receive(transport)

    monkeypatch.setattr(KafkaTCPTransport, "_sock_recv", late)
    sasl = {"mechanism": SaslMechanism.PLAIN, "username": USER, "password": "hunter2-wrong"}
    kind, text = start_error(secured.sasl or "", sasl=sasl)
    assert kind is ConfigError
    assert "Authentication failed" in text


def test_a_listener_of_another_protocol_is_named_as_a_possible_cause(secured: Broker) -> None:
    _, text = start_error(secured.tls or "")
    assert "speaks the protocol of kafka.connection.tls and kafka.connection.sasl" in text


def test_a_closed_port_fails_at_the_start_with_its_address() -> None:
    kind, text = start_error("127.0.0.1:1")
    assert kind is RetryableError
    assert "127.0.0.1:1" in text
    assert "ECONNREFUSED" in text


def test_a_name_that_does_not_resolve_fails_at_the_start() -> None:
    _, text = start_error("no-such-host.invalid:9092")
    assert "no-such-host.invalid:9092" in text
    assert "DNS" in text


def test_negative_fetch_sizes_and_shared_topics_are_refused() -> None:
    with pytest.raises(ValidationError, match="has one signal"):
        TopicsConfig(traces=("a", "b"), logs=("b",))
    with pytest.raises(ValidationError, match="name at least one topic"):
        TopicsConfig(traces=())


def delete_records(address: str, topic: str, before: int) -> None:
    admin = KafkaAdminClient(bootstrap_servers=address)
    admin.delete_records({KafkaPartition(topic, 0): before})
    admin.close()
