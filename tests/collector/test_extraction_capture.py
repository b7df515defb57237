"""Why an interaction cannot be scored, and what its operator can do."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Capture, Trace
from tests.spans import ANSWER, PASSAGES, QUESTION, TRACE_ID, Spans, chat, prompt, retrieval, texts


def test_failed_generation_is_incomplete_and_keeps_the_question() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9, status_code=2)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(prompt()) | {"error.type": "timeout"}, parent=root, status_code=2)
    interaction = spans.interaction()
    assert interaction.capture is Capture.INCOMPLETE
    assert (interaction.question, interaction.answer) == (QUESTION, None)
    assert "failed" in (interaction.remedy or "")


def test_failed_attempt_before_a_good_one_does_not_matter() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    spans.add("chat", chat(prompt()), parent=root, status_code=2)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    assert spans.interaction().answer == ANSWER


def test_trace_that_is_not_complete_without_answer_is_incomplete_if_it_shows_a_question() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    spans.add("chat", chat(prompt()), end_ns=0)
    assert spans.interaction(complete=False).capture is Capture.INCOMPLETE
    silent = Spans()
    silent.add("chat", {"gen_ai.operation.name": "chat"}, end_ns=0)
    assert silent.interactions(complete=False) == ()


@pytest.mark.parametrize(
    "attributes",
    [
        {"http.request.method": "GET", "url.path": "/healthz"},
        {
            "gen_ai.operation.name": "embeddings",
            "gen_ai.request.model": "e",
            "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "x"}]}]),
        },
        retrieval(QUESTION),
        {"db.system": "qdrant", "db.operation": "search", "db.vector.query.top_k": 3},
    ],
)
def test_trace_without_an_answered_question_gives_none(attributes: dict[str, Any]) -> None:
    spans = Spans()
    root = spans.add("root", lasts=3)
    spans.add("work", attributes, parent=root)
    assert spans.interactions() == ()


def test_chain_that_only_retrieves_and_formats_is_no_answer() -> None:
    spans = Spans()
    formatted = "\n".join(PASSAGES)
    root = spans.add(
        "retrieve_and_format",
        {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": formatted},
        lasts=3,
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    assert spans.interactions() == ()


def test_reader_who_left_makes_the_answer_incomplete() -> None:
    spans = Spans()
    spans.add(
        "workflow", {"ragsonde.question": QUESTION, "ragsonde.answer": "You may", "ragsonde.answer.state": "cancelled"}
    )
    interaction = spans.interaction()
    assert interaction.capture is Capture.INCOMPLETE
    assert "left" in (interaction.remedy or "")


def test_own_content_cut_by_the_limit_is_incomplete() -> None:
    spans = Spans()
    spans.add(
        "workflow",
        {"ragsonde.question": QUESTION, "ragsonde.answer": "", "ragsonde.content_truncated": ["ragsonde.answer"]},
    )
    interaction = spans.interaction()
    assert interaction.capture is Capture.INCOMPLETE
    assert "LENGTH_LIMIT" in (interaction.remedy or "")


def test_own_instrumentation_is_read_with_citations_and_late_feedback() -> None:
    spans = Spans()
    root = spans.add(
        "invoke_workflow rag",
        {
            "gen_ai.operation.name": "invoke_workflow",
            "ragsonde.question": QUESTION,
            "ragsonde.answer": ANSWER,
            "ragsonde.cited_ids": ["a", "b"],
            "ragsonde.content_capture": "full",
            "gen_ai.conversation.id": "c1",
        },
        lasts=9,
    )
    spans.add("retrieval", retrieval("drill", content_capture="full"), parent=root)
    spans.add("chat", chat(prompt("drill"), "raw model text"), parent=root)
    spans.add("feedback", {"ragsonde.feedback": -3.0}, parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)
    assert (interaction.convention, interaction.conversation_id) == ("ragsonde", "c1")
    assert (interaction.cited_ids, interaction.feedback) == (("a", "b"), -1.0)
    assert texts(interaction) == [*PASSAGES]


def test_own_capture_switched_off_is_content_not_captured() -> None:
    spans = Spans()
    root = spans.add(
        "invoke_workflow rag", {"gen_ai.operation.name": "invoke_workflow", "ragsonde.content_capture": "off"}, lasts=9
    )
    spans.add("retrieval", {"gen_ai.operation.name": "retrieval", "ragsonde.content_capture": "off"}, parent=root)
    spans.add("chat", {"gen_ai.operation.name": "chat", "ragsonde.content_capture": "off"}, parent=root)
    assert spans.interaction().capture is Capture.CONTENT_NOT_CAPTURED


def test_hidden_inputs_leave_the_answer_and_hidden_outputs_leave_nothing() -> None:
    def trace(question: str, answer: str) -> Spans:
        spans = Spans()
        root = spans.add(
            "rag", {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer}, lasts=9
        )
        found = {f"retrieval.documents.{i}.document.content": text for i, text in enumerate(PASSAGES)}
        spans.add("retrieve", {"openinference.span.kind": "RETRIEVER", "input.value": question, **found}, parent=root)
        spans.add(
            "llm", {"openinference.span.kind": "LLM", "input.value": question, "output.value": answer}, parent=root
        )
        return spans

    without_question = trace("__REDACTED__", ANSWER).interaction()
    assert (without_question.question, without_question.answer) == (None, ANSWER)
    assert texts(without_question) == [*PASSAGES]
    without_answer = trace(QUESTION, "__REDACTED__").interaction()
    assert without_answer.capture is Capture.CONTENT_NOT_CAPTURED
    assert (without_answer.question, without_answer.contexts) == (None, None)


def test_events_whose_span_was_sampled_away_speak_for_it() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    spans.log("00000000000000ff", "gen_ai.user.message", {"content": prompt()})
    spans.log("00000000000000ff", "gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": ANSWER}})
    interaction = spans.interaction(complete=False)
    assert (interaction.question, interaction.answer, interaction.span_id) == (QUESTION, ANSWER, "00000000000000ff")


def test_trace_that_is_not_complete_does_not_blame_the_capture() -> None:
    """The span with the content may still come."""
    spans = Spans()
    spans.add("chat", {"gen_ai.operation.name": "chat"})
    assert spans.interactions(complete=False) == ()
    assert spans.interaction().capture is Capture.CONTENT_NOT_CAPTURED


def test_ended_span_wins_over_a_fuller_one_exported_at_its_start() -> None:
    spans = Spans()
    spans.add("chat", chat(prompt(), ANSWER))
    more = {f"key.{number}": number for number in range(9)}
    started = replace(spans.spans[0], end_ns=0, attributes=chat(prompt()) | more)
    for order in ((started, *spans.spans), (*spans.spans, started)):
        (interaction,) = extract(Trace(TRACE_ID, order)).interactions
        assert interaction.answer == ANSWER


@pytest.mark.parametrize(("length", "is_cut"), [(1000, True), (1024, True), (4095, True), (1001, False)])
def test_single_text_that_ends_midway_at_a_customary_limit_was_cut(length: int, is_cut: bool) -> None:
    spans = Spans()
    answer = ("You may return it within 30 days " * 200)[:length].rstrip()[:-1].ljust(length, "s")
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": answer}, lasts=3
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    assert (spans.interaction().capture is Capture.INCOMPLETE) is is_cut


@pytest.mark.parametrize("is_cut", [False, True])
def test_two_texts_of_one_length_were_cut_only_where_one_ends_midway(*, is_cut: bool) -> None:
    question = ("May I return a lamp within 30 days? " * 40)[:1000].rstrip(" ?.").ljust(1000, "s")
    answer = ("You may return it within 30 days. " * 40)[:1000].rstrip(" ?.").ljust(1000, "s")
    question, answer = (question + "s", answer + "s") if is_cut else (question + "?", answer + ".")
    assert len(question) == len(answer)
    spans = Spans()
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer}, lasts=3
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    assert (spans.interaction().capture is Capture.INCOMPLETE) is is_cut


def test_whole_text_of_a_customary_length_is_whole() -> None:
    spans = Spans()
    answer = ("You may return it within 30 days. " * 40)[:1023].rstrip(". ").ljust(1023, "s") + "."
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": answer}, lasts=3
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    assert spans.interaction().capture is Capture.CAPTURED


@pytest.mark.parametrize(
    ("extra", "says"),
    [
        ({"acme.llm.reply_text": ANSWER}, "acme.llm.reply_text"),
        ({"acme.output": '{"body": {"said": "You may keep it."}}'}, "acme.output"),
        ({"acme.output": "{}", "gen_ai.response.model": "m-1"}, "CAPTURE_MESSAGE_CONTENT"),
        ({"http.request.header.accept": "text and html"}, "CAPTURE_MESSAGE_CONTENT"),
    ],
)
def test_capture_is_not_said_to_be_off_where_there_is_text_in_a_form_not_read(extra: dict[str, Any], says: str) -> None:
    spans = Spans()
    spans.add("chat", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"} | extra)
    interaction = spans.interaction()
    assert interaction.capture is Capture.CONTENT_NOT_CAPTURED
    assert says in (interaction.remedy or "")
    assert ANSWER not in (interaction.remedy or "")
