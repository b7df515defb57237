"""Which parts of a trace are answered questions of their own."""

from dataclasses import replace
from typing import Any

import pytest

from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Trace
from tests.spans import ANSWER, PASSAGES, QUESTION, TRACE_ID, Spans, chain, chat, prompt, retrieval, texts


@pytest.mark.parametrize(
    "wrapper",
    [{}, {"openinference.span.kind": "CHAIN", "input.value": '["one?", "two?"]'}, {"http.request.method": "POST"}],
)
def test_chains_under_one_wrapper_are_interactions_of_their_own(wrapper: dict[str, Any]) -> None:
    spans = Spans()
    root = spans.add("batch", wrapper, lasts=20)
    tops = [chain(spans, root, f"{which} question?", f"{which} answer") for which in ("first", "second", "third")]
    found = spans.interactions()
    assert [i.id for i in found] == [f"{TRACE_ID}:{top}" for top in tops]
    assert [(i.question, i.answer) for i in found] == [
        (f"{w} question?", f"{w} answer") for w in ("first", "second", "third")
    ]
    assert [texts(i) for i in found] == [[f"About: {w} question?"] for w in ("first", "second", "third")]


def test_chains_side_by_side_without_their_parent_are_interactions_too() -> None:
    spans = Spans()
    chain(spans, "f" * 16, "first question?", "first answer")
    chain(spans, "f" * 16, "second question?", "second answer")
    assert [i.answer for i in spans.interactions()] == ["first answer", "second answer"]


def test_retrieval_and_generation_side_by_side_are_one() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION), parent="f" * 16)
    spans.add("chat", chat(prompt(), ANSWER), parent="f" * 16)
    interaction = spans.interaction()
    assert interaction.id == TRACE_ID
    assert texts(interaction) == [*PASSAGES]


def test_sub_questions_that_are_summed_up_are_one_interaction() -> None:
    spans = Spans()
    root = spans.add("POST /compare", lasts=20)
    chain(spans, root, "How big is A?", "A is big")
    chain(spans, root, "How big is B?", "B is small")
    spans.add("chat", chat("Compare: A is big, B is small. Which is bigger?", "A is bigger than B"), parent=root)
    interaction = spans.interaction()
    assert interaction.answer == "A is bigger than B"


def test_routing_chain_beside_the_answering_one_is_no_interaction() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=20)
    route = spans.add(
        "route",
        {"openinference.span.kind": "CHAIN", "input.value": "Which department: " + QUESTION, "output.value": "rental"},
        parent=root,
        lasts=2,
    )
    spans.add("chat", chat("Which department? " + QUESTION, "rental"), parent=route)
    chain(spans, root, QUESTION, ANSWER)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)


def test_question_is_followed_back_through_the_chain_that_rewrote_it() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=20)
    asked = {"openinference.span.kind": "CHAIN", "input.value": "and how long?", "output.value": QUESTION}
    condense = spans.add("condense", asked, parent=root, lasts=2)
    spans.add("chat", chat("Rewrite: and how long?", QUESTION), parent=condense)
    chain(spans, root, QUESTION, ANSWER)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == ("and how long?", ANSWER)


def test_large_traces_are_read_whole() -> None:
    spans = Spans()
    root = spans.add("agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9000)
    for number in range(2000):
        spans.add("retrieval", retrieval(f"query {number}", [f"text {number}"]), parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert len(spans.interaction().contexts or ()) == 2000
    batch = Spans()
    root = batch.add("batch", lasts=9000)
    for number in range(500):
        chain(batch, root, f"question {number}?", f"answer {number}")
    assert len(batch.interactions()) == 500


def test_batch_of_several_traces_in_one_request_gives_one_interaction_each() -> None:
    one, two = Spans(), Spans()
    chain(one, None, "first question?", "first answer")
    chain(two, None, "second question?", "second answer")
    other = [replace(span, trace_id="1" * 32) for span in two.spans]
    mixed = [span for pair in zip(one.spans, other, strict=True) for span in pair]
    for trace_id, expected in ((TRACE_ID, "first answer"), ("1" * 32, "second answer")):
        trace = Trace(trace_id, tuple(span for span in mixed if span.trace_id == trace_id))
        assert [i.answer for i in extract(trace).interactions] == [expected]


def test_turns_of_a_conversation_in_one_trace_are_interactions_of_their_own() -> None:
    spans = Spans()
    root = spans.add("session", {"session.id": "s1"}, lasts=30)
    for which in ("first", "second"):
        spans.add("retrieval", retrieval(f"{which} question?", [f"About {which}."]), parent=root)
        spans.add("chat", chat(prompt(f"{which} question?", [f"About {which}."]), f"{which} answer"), parent=root)
    found = spans.interactions()
    assert [(i.question, i.answer, texts(i)) for i in found] == [
        ("first question?", "first answer", ["About first."]),
        ("second question?", "second answer", ["About second."]),
    ]
    assert len({i.id for i in found}) == 2
    assert {i.conversation_id for i in found} == {"s1"}


def test_hops_of_one_question_are_one_interaction() -> None:
    """Each hop searches for something else; the prompts keep asking the user's question."""
    spans = Spans()
    root = spans.add("POST /ask", lasts=30)
    spans.add("retrieval", retrieval("who makes the drill", ["Acme makes it."]), parent=root)
    spans.add("chat", chat(prompt(QUESTION, ["Acme makes it."]), "next: rental terms of Acme"), parent=root)
    spans.add("retrieval", retrieval("rental terms of Acme", PASSAGES), parent=root)
    spans.add("chat", chat(prompt(QUESTION, ["Acme makes it.", *PASSAGES]), ANSWER), parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)
    assert texts(interaction) == ["Acme makes it.", *PASSAGES]


def plain_chain(spans: Spans, parent: str, question: str, answer: str) -> None:
    """A chain whose contexts stand in its prompt only."""
    attributes = {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer}
    top = spans.add("ask", attributes, parent=parent, lasts=2)
    spans.add("chat", chat(prompt(question), answer), parent=top)


def test_chains_without_traced_retrieval_are_told_apart_too() -> None:
    spans = Spans()
    root = spans.add("batch", lasts=20)
    plain_chain(spans, root, "first question?", "first answer")
    plain_chain(spans, root, "second question?", "second answer")
    assert [i.answer for i in spans.interactions()] == ["first answer", "second answer"]


def test_attempts_at_one_question_are_one_interaction() -> None:
    spans = Spans()
    root = spans.add("best of two", lasts=20)
    for answer in ("one draft", "another draft"):
        chain(spans, root, QUESTION, answer)
    assert spans.interaction().answer == "another draft"


def test_chain_that_rewrites_for_the_next_is_no_interaction() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=20)
    plain_chain(spans, root, "and how long?", QUESTION)
    plain_chain(spans, root, QUESTION, ANSWER)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == ("and how long?", ANSWER)


def test_chain_whose_answer_goes_into_the_next_prompt_is_no_interaction() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=20)
    plain_chain(spans, root, "List the facts.", "The drill may be kept a week.")
    attributes = {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": ANSWER}
    top = spans.add("ask", attributes, parent=root, lasts=2)
    spans.add("chat", chat(f"Facts: The drill may be kept a week.\nQuestion: {QUESTION}", ANSWER), parent=top)
    assert spans.interaction().answer == ANSWER


def test_chain_whose_answer_is_the_next_question_is_no_interaction_even_if_both_retrieve() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=20)
    chain(spans, root, "and how long?", QUESTION)
    chain(spans, root, QUESTION, ANSWER)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == ("and how long?", ANSWER)


def test_chains_whose_generations_were_not_traced_are_told_apart_too() -> None:
    spans = Spans()
    root = spans.add("batch", lasts=30)
    for which in ("first", "second"):
        asked = {
            "openinference.span.kind": "CHAIN",
            "input.value": f"{which} question?",
            "output.value": f"{which} one",
        }
        top = spans.add("ask", asked, parent=root, lasts=2)
        spans.add("retrieval", retrieval(f"{which} question?", [f"About {which}."]), parent=top)
    assert [i.answer for i in spans.interactions()] == ["first one", "second one"]
