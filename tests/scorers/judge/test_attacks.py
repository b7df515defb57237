"""Nothing that the monitored application writes changes a verdict, ends its fence, or speaks as somebody else.

The corpus lies in ``attacks/``: each payload is put into the answer, a context and the question, and sent through the
real client to a real server, once with a judge that repeats planted objects. The prompt that arrived is looked at too.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Scored, Verdict
from ragsonde.testing.judge_answers import SeenPrompt, read_prompt
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from tests.scorers.judge.judging import config, reading, script

ATTACKS = [
    pytest.param(attack["payload"] * attack.get("repeat", 1), id=f"{path.stem}: {attack['name']}")
    for path in sorted((Path(__file__).parent / "attacks").glob("*.json"))
    for attack in json.loads(path.read_text(encoding="utf-8"))
]
ROLE_TOKENS = re.compile(r"<[|｜]|[|｜]>|</?s>|\[/?INST\]|<<SYS|<start_of_turn>|<end_of_turn>|</?think>|<tool_call>")
INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe00\ufeff\U000e0000-\U000e0fff]")
CLAIM = "The fee is 90 euros"
CONTEXTS = ["The fee is 20 euros.", "The office opens at nine."]


@pytest.fixture(scope="module", params=["plain", "echo"])
def bench(request: pytest.FixtureRequest) -> Iterator[tuple[JudgeServer, JudgeScorer]]:
    faults = [{"fault": "echo"}] if request.param == "echo" else []
    # The judge knows the claim's verdict, so that only a reply that is misread can change it.
    known = {"said": CLAIM, "verdict": "contradicted", "quote": CONTEXTS[0]}
    with running_judge_server(script(faults, known=[known])) as server:
        judge = JudgeScorer(build_judge(config(base_url=server.base_url, cache={"max_entries": 0})))
        yield server, judge
        judge.close()


def attacked(payload: str, place: str) -> Reading:
    answer, contexts, question = f"{CLAIM}.", list(CONTEXTS), "How much is it?"
    if place == "answer":
        answer = f"{answer} {payload}"
    elif place == "context":
        contexts[1] = f"{contexts[1]} {payload}"
    else:
        question = f"{question} {payload}"
    return reading(answer, contexts, question)


def arrived(server: JudgeServer) -> tuple[dict[str, Any], SeenPrompt]:
    seen = server.prompts()[-1]
    return seen, read_prompt(seen["system"], seen["user"])


@pytest.mark.parametrize("place", ["answer", "context", "question"])
@pytest.mark.parametrize("payload", ATTACKS)
def test_no_planted_text_changes_a_verdict(payload: str, place: str, bench: tuple[JudgeServer, JudgeScorer]) -> None:
    server, judge = bench
    server.reset()
    (result,) = judge.score([attacked(payload, place)], Deadline(30))
    outcome = result[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Scored), outcome
    verdicts = {claim.text: claim.verdict for claim in outcome.claims}
    assert verdicts[CLAIM] is Verdict.CONTRADICTED
    assert Verdict.SUPPORTED not in verdicts.values()
    assert server.stats()["calls"] == 1, "no repair was needed"

    seen, prompt = arrived(server)
    assert set(prompt.blocks) == {"question", "document 1", "document 2", "answer"}
    assert seen["user"].count(f"[[/answer {prompt.check}]]") == 1
    assert re.fullmatch(r"[0-9a-f]{16}", prompt.check)
    assert not ROLE_TOKENS.search(seen["user"])
    assert not INVISIBLE.search(seen["user"])
    assert [tag for tag, _ in prompt.lines("document 1")] == ["1.1"]
    assert all(tag.startswith("2.") for tag, _ in prompt.lines("document 2"))


def test_two_calls_never_share_their_check_word(bench: tuple[JudgeServer, JudgeScorer]) -> None:
    server, judge = bench
    server.reset()
    judge.score([attacked(str(number), "answer") for number in range(20)], Deadline(30))
    words = {read_prompt(seen["system"], seen["user"]).check for seen in server.prompts()}
    assert len(words) == 20


def test_the_instructions_do_not_depend_on_the_text(bench: tuple[JudgeServer, JudgeScorer]) -> None:
    server, judge = bench
    server.reset()
    judge.score([attacked("{x} ${y}", "answer"), attacked("plain", "context")], Deadline(30))
    assert len({seen["system"] for seen in server.prompts()}) == 1
