"""Membership of a group on a real Kafka, in the manner of a loop that is away between its polls."""

import time
from collections.abc import Sequence

import pytest
from kafka.admin import KafkaAdminClient

from ragsonde.collector.consumer import KafkaSource, KafkaSourceConfig
from ragsonde.collector.kafka_connection import KafkaConfig
from ragsonde.collector.source import TopicsConfig
from tests.contract.log_backends import RecordingListener, new_group, new_topic, started, wait_until

pytestmark = pytest.mark.kafka


def source_of(address: str, topic: str, group_id: str, **settings: float) -> KafkaSource:
    return KafkaSource(
        KafkaConfig(bootstrap_servers=(address,)),
        TopicsConfig(traces=(topic,), logs=()),
        group_id,
        KafkaSourceConfig.model_validate(settings),
    )


def members(address: str, group_id: str) -> Sequence[object]:
    admin = KafkaAdminClient(bootstrap_servers=address)
    try:
        found: Sequence[object] = admin.describe_groups([group_id])[group_id]["members"]
        return found
    finally:
        admin.close()


def glance(*sources: KafkaSource) -> None:
    """Poll each source without waiting, and be away for long enough that a join comes to its end meanwhile."""
    for source in sources:
        source.poll(0.0, 10)
    time.sleep(0.3)


def test_a_group_is_joined_and_shared_out_however_short_the_polls_are(kafka: str) -> None:
    topic, group = new_topic(kafka, 4), new_group()
    first, second = RecordingListener(), RecordingListener()
    with started(source_of(kafka, topic, group), first) as one:
        wait_until(lambda: glance(one) or len(first.assigned) == 4)
        with started(source_of(kafka, topic, group), second) as other:
            wait_until(lambda: glance(one, other) or len(first.assigned) == len(second.assigned) == 2)
            assert not first.assigned & second.assigned
    assert [kind for kind, _ in first.calls] == ["assigned", "revoked"]
    assert [kind for kind, _ in second.calls] == ["assigned"]


def test_a_member_whose_join_ends_while_its_loop_is_away_stays_in_the_group(kafka: str) -> None:
    topic, group, listener = new_topic(kafka, 2), new_group(), RecordingListener()
    with started(source_of(kafka, topic, group, session_timeout_seconds=2), listener) as source:
        # The first join is refused with the member's id, the second one comes to its end in the background.
        wait_until(lambda: source.poll(0.0, 10) or members(kafka, group))
        (before,) = members(kafka, group)
        time.sleep(5)  # no poll in more than two session timeouts
        assert [member["member_id"] for member in members(kafka, group)] == [before["member_id"]]  # type: ignore[index]
        wait_until(lambda: source.poll(0.2, 10) or listener.assigned)
        (after,) = members(kafka, group)
        assert after["member_id"] == before["member_id"]  # type: ignore[index]
