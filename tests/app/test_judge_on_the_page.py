"""The live page of a real sidecar with a judge: its rate on demand, and its quotes where they stand."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import Script
from tests.app.sidecars import rag_trace, running, wait_for
from tests.exporters.faults import ShownAnswer

MARKED_UP = "<p>Terms &amp; fees: a transfer costs&nbsp;20&nbsp;EUR.</p>"
ANSWER = "Terms & fees: a transfer costs 20 EUR."


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with running_judge_server() as started:
        yield started


def test_the_judge_s_rate_is_shown_when_asked_for_and_its_quote_is_marked(server: JudgeServer, tmp_path: Path) -> None:
    server.control(Script())
    judge = {"model": "judge-1", "base_url": server.base_url}
    scoring = {"judge": judge, "judge_sampling": {"probability": 1.0}}
    with running(tmp_path, scoring=scoring) as sidecar, httpx.Client(base_url=sidecar.url) as client:
        for number in range(3):
            question = f"What does transfer {number} cost?"
            assert sidecar.post(rag_trace(question, [MARKED_UP], ANSWER)).status_code == 200
        wait_for(lambda: sidecar.total("ragsonde_interactions_total") == 3, "three interactions")
        status = wait_for(
            lambda: (found := client.get("/api/status", params={"scorer": "judge"}).json())["hallucination"] and found,
            "the judge's rate",
        )
        assert status["scorers"] == ["local", "judge"]
        assert status["hallucination"]["count"] == status["looked_at"] == 3
        page = client.get("/", params={"scorer": "judge"}).text
        assert 'Hallucinated answers <span class="quiet">by the <bdi>judge</bdi>' in page
        assert client.get("/api/status", params={"scorer": "second_judge"}).json()["hallucination"] is None
        (quote,) = {claim["quote"] for one in status["latest"] for claim in one["scores"]["faithfulness"]["claims"]}
        assert quote not in MARKED_UP  # the entities are read in it
        shown = client.get(f"/interactions/{status['latest'][0]['interaction']['id']}").text
        assert ShownAnswer(shown).text == ANSWER
        assert '<mark class="quote supported"' in shown
        assert "&lt;p&gt;" in shown
