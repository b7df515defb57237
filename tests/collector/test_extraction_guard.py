"""What never becomes an interaction, and traces that are broken."""

from typing import Any

import pytest

from ragsonde.collector.telemetry import IgnoreReason
from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, chain, chat, prompt, retrieval


@pytest.mark.parametrize(
    ("attributes", "scope", "reason"),
    [
        ({"ragsonde.own": True}, "", IgnoreReason.OWN_SPAN),
        ({}, "ragsonde.sidecar.judge", IgnoreReason.OWN_SPAN),
        ({"openinference.span.kind": "EVALUATOR"}, "", IgnoreReason.EVALUATION),
        ({"ai.observability.span_type": "eval_root"}, "", IgnoreReason.EVALUATION),
        ({"ai.observability.span_type": "eval"}, "", IgnoreReason.EVALUATION),
        ({"langfuse.observation.type": "evaluator"}, "", IgnoreReason.EVALUATION),
    ],
)
def test_own_work_and_evaluations_never_become_interactions(
    attributes: dict[str, Any], scope: str, reason: IgnoreReason
) -> None:
    spans = Spans()
    root = spans.add("judge", attributes, scope_name=scope, lasts=9)
    chain(spans, root, QUESTION, ANSWER)
    extraction = spans.extract()
    assert extraction.interactions == ()
    assert extraction.ignored == {reason: 4}


def test_evaluation_beside_the_answer_changes_nothing() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=30)
    top = chain(spans, root, QUESTION, ANSWER)
    alone = spans.interaction()
    judge = spans.add("judge", {"openinference.span.kind": "EVALUATOR"}, parent=root, lasts=4)
    spans.add("chat", chat("Is this faithful? " + ANSWER, "yes"), parent=judge)
    spans.log(spans.spans[3].span_id, "gen_ai.evaluation.result", **{"gen_ai.evaluation.name": "faithfulness"})
    extraction = spans.extract()
    assert [(i.question, i.answer, i.contexts) for i in extraction.interactions] == [
        (alone.question, alone.answer, alone.contexts)
    ]
    assert extraction.ignored == {IgnoreReason.EVALUATION: 3}
    assert top


def test_generation_inside_a_guardrail_is_no_answer() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=30)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    guard = spans.add("guard", {"openinference.span.kind": "GUARDRAIL"}, parent=root, lasts=3)
    spans.add(
        "chat",
        chat("Is it safe? " + ANSWER + " " + PASSAGES[0], "safe and sound, nothing to complain of"),
        parent=guard,
    )
    assert spans.interaction().answer == ANSWER


def test_circle_of_parents_is_read() -> None:
    spans = Spans()
    spans.add("a", retrieval(QUESTION), parent=f"{2:016x}")
    spans.add("b", chat(prompt(), ANSWER), parent=f"{1:016x}")
    assert spans.interaction().answer == ANSWER


def test_deep_chain_of_spans_is_read() -> None:
    spans = Spans()
    parent = None
    for _ in range(3000):
        parent = spans.add("step", {"openinference.span.kind": "CHAIN"}, parent=parent, lasts=9000)
    spans.add("retrieval", retrieval(QUESTION), parent=parent)
    spans.add("chat", chat(prompt(), ANSWER), parent=parent)
    assert spans.interaction().answer == ANSWER
