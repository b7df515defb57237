"""A judge that is down, hangs or refuses while traffic goes on: nothing is lost, and it comes back by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import Script
from tests.app.sidecars import RunningSidecar, rag_trace, running, wait_for
from tests.scorers.judge.judging import script

OUTAGES: dict[str, dict[str, Any]] = {
    "hanging": {"fault": "hang"},
    "refusing": {"fault": "status", "status": 401},
    "failing": {"fault": "status", "status": 500},
    "overloaded": {"fault": "status", "status": 429, "retry_after": "1"},
    "cutting": {"fault": "disconnect"},
}


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with running_judge_server() as started:
        yield started


def settings(server: JudgeServer) -> dict[str, Any]:
    return {
        "scoring": {
            "judge": {
                "model": "judge-1",
                "base_url": server.base_url,
                "timeouts": {"read_seconds": 1, "total_seconds": 2},
                "retries": {"max_attempts": 2, "initial_seconds": 0.1, "max_seconds": 0.2},
                "breaker": {"failures": 3, "cooldown_seconds": 0.5},
            },
            "judge_sampling": {"probability": 1.0},
        }
    }


def send(sidecar: RunningSidecar, first: int, count: int) -> None:
    for number in range(first, first + count):
        text = f"Room {number} has {number} chairs."
        assert sidecar.post(rag_trace(f"How many chairs has room {number}?", [text], text)).status_code == 200


@pytest.mark.parametrize("outage", OUTAGES)
def test_local_scores_and_commits_go_on_and_the_judge_comes_back_by_itself(
    server: JudgeServer, tmp_path: Path, outage: str
) -> None:
    server.control(script([OUTAGES[outage]]))
    with running(tmp_path, **settings(server)) as sidecar:
        send(sidecar, 10, 15)
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") == 15, "all to be delivered without a verdict")
        scored = {"metric": "faithfulness", "outcome": "scored"}
        failed = {"metric": "faithfulness", "outcome": "failed"}
        assert sidecar.total("ragsonde_outcomes_total", scorer="local", **scored) == 15
        assert sidecar.total("ragsonde_outcomes_total", scorer="judge", **failed) == 15
        wait_for(lambda: sidecar.total("ragsonde_source_watermark_lag_records") == 0, "everything to be committed")
        server.control(Script())

        def recovers() -> bool:
            send(sidecar, 100 + int(sidecar.total("ragsonde_interactions_total")), 1)
            return sidecar.total("ragsonde_outcomes_total", scorer="judge", **scored) > 0

        wait_for(recovers, "the judge to be asked again")
        assert sidecar.total("ragsonde_dropped_total") == 0


def test_one_call_for_each_interaction_in_merged_mode(server: JudgeServer, tmp_path: Path) -> None:
    server.control(Script())
    server.reset()
    with running(tmp_path, **settings(server)) as sidecar:
        send(sidecar, 500, 10)
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") == 10, "ten interactions")
        assert server.stats()["calls"] == 10
        assert sidecar.total("ragsonde_judge_calls_total", status="ok") == 10
        assert sidecar.total("ragsonde_score_weighted_sum_total", scorer="judge", metric="faithfulness") == 10
