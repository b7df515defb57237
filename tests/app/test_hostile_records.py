"""Whatever comes over the wire is counted, put aside or refused, and the next good trace is scored."""

import gzip
import os
from collections.abc import Iterator

import httpx
import pytest

from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher
from ragsonde.collector.source import DEFAULT_LOGS_TOPIC, DEFAULT_TRACES_TOPIC
from tests.app.sidecars import RunningSidecar, running, wait_for
from tests.app.trace_files import trace_files

GOOD = next(file for file in trace_files() if file.name == "langfuse")
BAD_RECORDS = {
    "random bytes": os.urandom(4096),
    "nothing": b"",
    "truncated protobuf": GOOD.spans("bin")[:-100],
    "truncated JSON": GOOD.spans("json")[:-100],
    "UTF-16": GOOD.spans("json").decode().encode("utf-16-le"),
    "absurd nesting": b'{"resourceSpans":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "another shape": b'{"resourceSpans": "everything"}',
    "50 MB": b"\x0a" + bytes(50_000_000),
}


@pytest.fixture(scope="module")
def sidecar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSidecar]:
    data_dir = tmp_path_factory.mktemp("data")
    log = EmbeddedPublisher(EmbeddedLogConfig(max_message_bytes=60_000_000), data_dir)
    for value in BAD_RECORDS.values():
        log.publish(DEFAULT_TRACES_TOPIC, value)
        log.publish(DEFAULT_LOGS_TOPIC, value)
    log.publish(DEFAULT_TRACES_TOPIC, GOOD.spans("bin"))
    log.close()
    with running(data_dir) as started:
        wait_for(lambda: started.total("ragsonde_interactions_total") >= 1, "the good trace to be scored")
        yield started


def test_the_good_trace_behind_the_bad_records_is_scored(sidecar: RunningSidecar) -> None:
    (expected,) = GOOD.expected()
    assert sidecar.interaction(expected["id"]).answer == expected["answer"]


def test_every_bad_record_is_put_aside_and_counted_by_reason(sidecar: RunningSidecar) -> None:
    wait_for(
        lambda: sidecar.total("ragsonde_dead_letters_total") == 2 * len(BAD_RECORDS), "all bad records to be put aside"
    )
    reasons = {
        dict(labels)["reason"] for labels, count in sidecar.samples("ragsonde_dead_letters_total").items() if count
    }
    assert {"empty", "too_large", "invalid_protobuf", "invalid_json", "invalid_shape", "too_deep"} <= reasons
    assert sidecar.total("ragsonde_dropped_total") == 0


def test_the_process_is_alive_and_ready(sidecar: RunningSidecar) -> None:
    assert httpx.get(f"{sidecar.url}/healthz").status_code == 200
    assert httpx.get(f"{sidecar.url}/readyz").status_code == 200


@pytest.mark.parametrize("name", BAD_RECORDS)
def test_the_receiver_refuses_what_it_cannot_read_and_goes_on(sidecar: RunningSidecar, name: str) -> None:
    value = BAD_RECORDS[name]
    content_type = "application/json" if value[:1] == b"{" else "application/x-protobuf"
    answer = sidecar.post(value, content_type=content_type)
    # An empty request is a valid export of no spans.
    assert answer.status_code == {"nothing": 200, "50 MB": 413}.get(name, 400), answer.text
    assert sidecar.post(GOOD.spans("bin")).status_code == 200


def test_a_zip_bomb_is_refused_by_its_unpacked_size(sidecar: RunningSidecar) -> None:
    headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
    bomb = gzip.compress(bytes(200_000_000), 9)
    assert httpx.post(f"{sidecar.url}/v1/traces", content=bomb, headers=headers).status_code == 413
