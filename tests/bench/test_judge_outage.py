"""The bookkeeping of the outage bench: what is missing, written twice or held up is seen."""

import json
from dataclasses import replace
from typing import Any

from bench.judge_outage.measure import Account, Reading, Result, longest_pause, settle
from bench.judge_outage.stand import Fault


def line(trace_id: str, verdict: dict[str, Any], local: str = "scored") -> str:
    judgement = {"scorer": "judge", "scores": {"faithfulness": verdict}}
    return json.dumps(
        {
            "interaction": {"trace_id": trace_id},
            "local_scores": {"faithfulness": {"outcome": local}},
            "judgements": [judgement],
        }
    )


SCORED = {"outcome": "scored", "value": 1.0}
FAILED = {"outcome": "failed", "kind": "judge_unavailable"}
WITHOUT_CLAIMS = {"outcome": "not_applicable", "reason": "no_claims"}


def test_each_interaction_is_accounted_for() -> None:
    lines = [line("a", SCORED), line("b", FAILED), line("c", WITHOUT_CLAIMS), line("c", WITHOUT_CLAIMS)]
    account = settle(lines, dict.fromkeys("abcd", 0.0))
    assert account == Account(
        sent=4, recorded=3, scored_locally=3, judged=2, failed={"judge_unavailable": 1}, repeated=1
    )
    assert account.lost == 1


def test_the_longest_pause_is_between_two_advances_or_up_to_the_end() -> None:
    start = Reading(
        at=0, interactions=0, committed=5, verdicts=0, requests=0, failed=0, breaker_open=False, dropped=0, dead=0
    )

    def readings(*committed: float) -> list[Reading]:
        return [replace(start, at=at, committed=count) for at, count in enumerate(committed)]

    assert longest_pause(readings(5, 5, 5, 6, 7)) == 2
    assert longest_pause(readings(5, 6, 6, 6, 6)) == 3
    assert longest_pause(readings(5, 4, 4, 6)) == 2


GOOD = Result(
    fault=Fault.DOWN,
    outage_seconds=600,
    account=Account(sent=4, recorded=4, scored_locally=4, judged=2, failed={"judge_unavailable": 2}, repeated=0),
    sent_in_outage=2,
    scored_in_outage=2,
    commit_pause_seconds=60,
    requests_in_outage=3,
    openings=1,
    open_share=0.9,
    recovery_seconds=20,
    failed_on_metrics=2,
    refused_spans=0,
    dropped=0,
    dead=0,
)


def test_a_broken_promise_is_named() -> None:
    assert GOOD.broken_promises() == []
    broken = [
        replace(GOOD, account=replace(GOOD.account, recorded=3, scored_locally=3)),
        replace(GOOD, account=replace(GOOD.account, scored_locally=3)),
        replace(GOOD, account=replace(GOOD.account, repeated=1)),
        replace(GOOD, recovery_seconds=None),
        replace(GOOD, commit_pause_seconds=600),
        replace(GOOD, failed_on_metrics=0),
        replace(GOOD, refused_spans=1),
        replace(GOOD, dropped=1),
    ]
    assert [len(result.broken_promises()) for result in broken] == [1] * len(broken)
    assert broken[0].broken_promises() == ["down: 1 interactions lost"]
