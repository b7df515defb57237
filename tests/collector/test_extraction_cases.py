"""Traces of kinds that the captured ones lack: agents, rewriting, reranking, conversations, failures, our own spans."""

import json
from dataclasses import replace
from typing import Any

import pytest

from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Capture, Trace
from ragsonde.collector.telemetry import IgnoreReason
from tests.spans import ANSWER, PASSAGES, QUESTION, TRACE_ID, Spans, chat, prompt, retrieval, texts

# The question -----------------------------------------------------------------------------------------------


def test_user_question_wins_over_a_rewritten_query() -> None:
    spans = Spans()
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": "and the deposit?", "output.value": ANSWER}, lasts=9
    )
    spans.add("condense", chat("Rewrite: and the deposit?", "What is the deposit for a drill?"), parent=root)
    spans.add("retrieval", retrieval("What is the deposit for a drill?"), parent=root)
    spans.add("chat", chat(prompt("What is the deposit for a drill?"), ANSWER), parent=root)
    interaction = spans.interaction()
    assert interaction.question == "and the deposit?"
    assert interaction.answer == ANSWER


def test_clean_user_message_wins_over_the_query_an_agent_made_of_it() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=9)
    spans.add("chat", chat(QUESTION, tool_call=True), parent=root)
    spans.add("search", retrieval("drill rental duration"), parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert spans.interaction().question == QUESTION


@pytest.mark.parametrize(
    "template",
    [
        "Context:\n[1] {a}\n[2] {b}\n\nQuestion: {q}",
        "Kontekst:\n[1] {a}\n[2] {b}\n\nPytanie: {q}\nOdpowiedź:",
        "Контекст:\n[1] {a}\n[2] {b}\n\nВопрос: {q}\nОтвет:",
        "上下文：\n[1] {a}\n[2] {b}\n\n问题：{q}\n回答：",
        "Frage des Nutzers: {q}\n\nKontext:\n[1] {a}\n[2] {b}",
        "<context>\n[1] {a}\n[2] {b}\n</context>\n<question>{q}</question>",
        '<documents>\n<doc index="1">{a}</doc>\n<doc index="2">{b}</doc>\n</documents>\n\nQuestion: {q}',
        "Use these passages.\n\n[1] {a}\n\n[2] {b}\n\n{q}",
        "Context information is below.\n-----\n{a}\n-----\nGiven the context, answer the query.\nQuery: {q}\nAnswer: ",
        "السياق:\n[1] {a}\n[2] {b}\n\nالسؤال: {q}",
    ],
)
def test_question_is_cut_out_of_a_filled_prompt_in_many_languages(template: str) -> None:
    spans = Spans()
    filled = template.format(q=QUESTION, a=PASSAGES[0], b=PASSAGES[1])
    spans.add("chat", chat(filled, ANSWER))
    interaction = spans.interaction()
    assert (interaction.question or filled).endswith(QUESTION)
    assert len(interaction.question or filled) < len(QUESTION) + 25
    found = texts(interaction)
    assert found is not None
    assert found[0] == PASSAGES[0]


def test_last_user_message_of_a_conversation_is_the_question() -> None:
    messages = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello, what can I do?"},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    spans = Spans()
    attributes: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant"}
    for number, message in enumerate(messages):
        attributes[f"llm.input_messages.{number}.message.role"] = message["role"]
        if isinstance(message["content"], str):
            attributes[f"llm.input_messages.{number}.message.content"] = message["content"]
        else:
            attributes[f"llm.input_messages.{number}.message.contents.0.message_content.type"] = "text"
            attributes[f"llm.input_messages.{number}.message.contents.0.message_content.text"] = QUESTION
    attributes["llm.output_messages.0.message.contents.0.message_content.type"] = "text"
    attributes["llm.output_messages.0.message.contents.0.message_content.text"] = ANSWER
    spans.add("llm", attributes)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)


# The answer -------------------------------------------------------------------------------------------------


def test_answer_that_reached_the_user_wins_over_the_model_output() -> None:
    spans = Spans()
    root = spans.add(
        "ask",
        {
            "traceloop.span.kind": "workflow",
            "traceloop.entity.input": json.dumps({"inputs": QUESTION}),
            "traceloop.entity.output": json.dumps({"outputs": ANSWER + " (checked)"}),
        },
        lasts=9,
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    model = spans.add("chat", chat(prompt(), ANSWER), parent=root)
    interaction = spans.interaction()
    assert interaction.answer == ANSWER + " (checked)"
    assert interaction.span_id == model


def test_repr_output_of_the_root_is_no_answer() -> None:
    spans = Spans()
    root = spans.add(
        "run",
        {
            "openinference.span.kind": "CHAIN",
            "input.value": QUESTION,
            "output.value": '{"llm": {"replies": ["ChatMessage(_role=<ChatRole.ASSISTANT>)"]}}',
        },
        lasts=9,
    )
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    assert spans.interaction().answer == ANSWER


def test_title_written_after_the_answer_is_not_the_answer() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=9)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    spans.add("chat", chat(f"Give this a title: {ANSWER}", "Drill rental"), parent=root)
    assert spans.interaction().answer == ANSWER


def test_translation_made_from_the_answer_is_the_answer() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=9)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    translated = "Wiertarkę można zatrzymać przez siedem dni [1]."
    spans.add("chat", chat(f"Translate into Polish: {ANSWER}", translated), parent=root)
    assert spans.interaction().answer == translated


def test_query_rewriting_alone_is_no_answer() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=9)
    spans.add("chat", chat("Rewrite for search: how long drill", "rental duration of a drill"), parent=root)
    spans.add("retrieval", retrieval("rental duration of a drill"), parent=root)
    interaction = spans.interaction()
    assert interaction.answer is None
    assert interaction.capture is Capture.INCOMPLETE


def test_several_retrievals_and_generations_of_one_name_give_one_interaction() -> None:
    spans = Spans()
    root = spans.add("agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=20)
    spans.add("chat m", chat(QUESTION, tool_call=True), parent=root)
    spans.add("retrieval", retrieval("drill", [PASSAGES[0]]), parent=root)
    spans.add("chat m", chat(QUESTION, tool_call=True), parent=root)
    spans.add("retrieval", retrieval("deposit", [*PASSAGES]), parent=root)
    spans.add("chat m", chat(QUESTION, ANSWER), parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)
    assert texts(interaction) == [*PASSAGES]


def test_captured_empty_answer_is_an_answer_and_not_missing_content() -> None:
    spans = Spans()
    spans.add("chat", chat(prompt(), ""))
    interaction = spans.interaction()
    assert interaction.answer == ""
    assert interaction.capture is Capture.CAPTURED


def test_structured_attribute_values_are_read_like_json() -> None:
    spans = Spans()
    attributes = chat(prompt(), ANSWER)
    structured = {k: json.loads(v) if k.endswith("messages") else v for k, v in attributes.items()}
    spans.add(
        "retrieval",
        {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": [{"id": "a", "content": PASSAGES[0], "score": 0.5}],
        },
    )
    spans.add("chat", structured)
    interaction = spans.interaction()
    assert interaction.answer == ANSWER
    assert (interaction.contexts or ())[0].score == 0.5


# Contexts ---------------------------------------------------------------------------------------------------


def test_reranked_documents_replace_the_retrieved_ones() -> None:
    spans = Spans()
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": ANSWER}, lasts=9
    )
    many = ["Opening hours are nine to five.", *PASSAGES]
    found = {f"retrieval.documents.{i}.document.content": text for i, text in enumerate(many)}
    spans.add("retrieve", {"openinference.span.kind": "RETRIEVER", "input.value": QUESTION, **found}, parent=root)
    reranked = {
        "openinference.span.kind": "RERANKER",
        "reranker.query": QUESTION,
        "reranker.top_k": 1,
        "reranker.output_documents.0.document.content": PASSAGES[1],
        "reranker.output_documents.0.document.score": 0.9,
    }
    reranked |= {f"reranker.input_documents.{i}.document.content": text for i, text in enumerate(many)}
    spans.add("rerank", reranked, parent=root)
    spans.add("llm", {"openinference.span.kind": "LLM", "output.value": ANSWER}, parent=root)
    assert texts(spans.interaction()) == [PASSAGES[1]]


def test_empty_retrieval_is_empty_and_not_unknown() -> None:
    spans = Spans()
    root = spans.add(
        "rag",
        {
            "langfuse.observation.type": "chain",
            "langfuse.observation.input": QUESTION,
            "langfuse.observation.output": ANSWER,
        },
        lasts=9,
    )
    spans.add(
        "retrieve",
        {
            "langfuse.observation.type": "retriever",
            "langfuse.observation.input": QUESTION,
            "langfuse.observation.output": "[]",
        },
        parent=root,
    )
    spans.add(
        "llm",
        {
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": QUESTION,
            "langfuse.observation.output": ANSWER,
        },
        parent=root,
    )
    interaction = spans.interaction()
    assert interaction.contexts == ()
    assert interaction.capture is Capture.CAPTURED


def test_generation_without_retrieval_has_unknown_contexts_and_a_remedy() -> None:
    spans = Spans()
    spans.add("chat", chat(QUESTION, ANSWER))
    interaction = spans.interaction()
    assert interaction.contexts is None
    assert interaction.capture is Capture.CONTEXTS_NOT_CAPTURED
    assert "instrument the retriever" in (interaction.remedy or "")


def test_ids_without_texts_are_kept_for_a_resolver() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    spans.add(
        "retrieval",
        {
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.query.text": QUESTION,
            "gen_ai.retrieval.documents": '[{"id": "a", "score": null}, {"id": 7}]',
        },
        parent=root,
    )
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    interaction = spans.interaction()
    assert [(d.id, d.text) for d in interaction.contexts or ()] == [("a", None), ("7", None)]
    assert interaction.capture is Capture.CONTEXTS_NOT_CAPTURED
    assert "resolver" in (interaction.remedy or "")


def test_prompt_order_decides_the_ranks() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    spans.add("retrieval", retrieval(QUESTION, [*reversed(PASSAGES)]), parent=root)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    interaction = spans.interaction()
    assert [(d.rank, d.text) for d in interaction.contexts or ()] == [(1, PASSAGES[0]), (2, PASSAGES[1])]


def test_retrieval_inside_a_retrieval_is_the_same_one() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    ids = json.dumps([{"id": "a"}, {"id": "b"}])
    outer = spans.add(
        "retrieval", {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": ids}, parent=root, lasts=2
    )
    inner = [
        {"id": "b", "content": PASSAGES[1]},
        {"id": "a", "content": PASSAGES[0]},
        {"id": "c", "content": "Not kept."},
    ]
    spans.add(
        "query", {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(inner)}, parent=outer
    )
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert texts(spans.interaction()) == [*PASSAGES]


def test_chunks_of_one_document_are_not_duplicates() -> None:
    spans = Spans()
    for text in PASSAGES:
        documents = json.dumps([{"id": "manual", "content": text}])
        spans.add("retrieval", {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": documents})
    spans.add("chat", chat(QUESTION, ANSWER))
    assert texts(spans.interaction()) == [*PASSAGES]


@pytest.mark.parametrize(
    ("result", "name", "expected"),
    [
        ("42", "calculator", None),
        ('{"temperature": 21, "sky": "clear"}', "weather", None),
        ("Sunny, 21 degrees.", "weather", None),
        (PASSAGES[0], "search_manual", [PASSAGES[0]]),
        (json.dumps([{"title": "Manual", "text": PASSAGES[0]}]), "lookup", [PASSAGES[0]]),
        (json.dumps([{"id": 1, "content": PASSAGES[0]}, {"id": 2, "content": PASSAGES[1]}]), "t", [*PASSAGES]),
        (f"{PASSAGES[0]}\n\n{PASSAGES[1]}", "t", [f"{PASSAGES[0]}\n\n{PASSAGES[1]}"]),
        (f"[1] {PASSAGES[0]}\n[2] {PASSAGES[1]}", "search", [*PASSAGES]),
        (json.dumps({"content": [{"type": "text", "text": PASSAGES[0]}], "isError": False}), "kb_query", [PASSAGES[0]]),
    ],
)
def test_tool_results_count_where_they_look_like_retrieval(result: str, name: str, expected: list[str] | None) -> None:
    spans = Spans()
    root = spans.add("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9)
    spans.add("chat", chat(QUESTION, tool_call=True), parent=root)
    spans.add(
        "tool",
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.result": result},
        parent=root,
    )
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    interaction = spans.interaction()
    assert texts(interaction) == expected
    assert interaction.answer == ANSWER


def test_tool_results_in_the_messages_do_where_the_tool_was_not_traced() -> None:
    spans = Spans()
    listed = [{"id": "a", "content": PASSAGES[0]}]
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": listed}]},
    ]
    spans.add("chat", chat("", ANSWER) | {"gen_ai.input.messages": json.dumps(messages)})
    interaction = spans.interaction()
    assert (interaction.question, texts(interaction)) == (QUESTION, [PASSAGES[0]])


# Several questions ------------------------------------------------------------------------------------------


def chain(spans: Spans, parent: str | None, question: str, answer: str) -> str:
    top = spans.add(
        "rag",
        {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer},
        parent=parent,
        lasts=3,
    )
    spans.add("retrieval", retrieval(question, [f"About: {question}"]), parent=top)
    spans.add("chat", chat(prompt(question, [f"About: {question}"]), answer), parent=top)
    return top


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


# Nothing to score, and why ----------------------------------------------------------------------------------


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


# The loop guard ---------------------------------------------------------------------------------------------


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


def test_clocks_that_disagree_do_not_hide_the_answer() -> None:
    """The retriever's machine is ahead: its span seems to start after the generation that got its documents."""
    spans = Spans()
    spans.add("chat", chat(prompt(), ANSWER), parent="f" * 16)
    spans.add("retrieval", retrieval(QUESTION), parent="f" * 16)
    interaction = spans.interaction()
    assert (interaction.answer, texts(interaction)) == (ANSWER, [*PASSAGES])


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


def test_contexts_given_to_the_generating_function_count_where_the_retrieval_was_not_traced() -> None:
    spans = Spans()
    root = spans.add(
        "rag",
        {
            "mlflow.spanType": '"CHAIN"',
            "mlflow.spanInputs": json.dumps({"question": QUESTION}),
            "mlflow.spanOutputs": json.dumps(ANSWER),
        },
        lasts=9,
    )
    spans.add(
        "generate",
        {
            "mlflow.spanType": '"LLM"',
            "mlflow.spanInputs": json.dumps({"question": QUESTION, "contexts": [*PASSAGES]}),
            "mlflow.spanOutputs": json.dumps(ANSWER),
        },
        parent=root,
    )
    assert texts(spans.interaction()) == [*PASSAGES]


def test_events_whose_span_was_sampled_away_speak_for_it() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    spans.log("00000000000000ff", "gen_ai.user.message", {"content": prompt()})
    spans.log("00000000000000ff", "gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": ANSWER}})
    interaction = spans.interaction(complete=False)
    assert (interaction.question, interaction.answer, interaction.span_id) == (QUESTION, ANSWER, "00000000000000ff")


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


def test_grader_after_the_answer_is_not_the_span_that_gave_it() -> None:
    spans = Spans()
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": "Yes. " + ANSWER}, lasts=9
    )
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    model = spans.add("chat", chat(prompt(), "Yes. " + ANSWER), parent=root)
    spans.add("chat", chat(f"Is this supported? {PASSAGES[0]} {ANSWER}", "yes"), parent=root)
    interaction = spans.interaction()
    assert (interaction.answer, interaction.span_id) == ("Yes. " + ANSWER, model)


def test_batch_of_several_traces_in_one_request_gives_one_interaction_each() -> None:
    one, two = Spans(), Spans()
    chain(one, None, "first question?", "first answer")
    chain(two, None, "second question?", "second answer")
    other = [replace(span, trace_id="1" * 32) for span in two.spans]
    mixed = [span for pair in zip(one.spans, other, strict=True) for span in pair]
    for trace_id, expected in ((TRACE_ID, "first answer"), ("1" * 32, "second answer")):
        trace = Trace(trace_id, tuple(span for span in mixed if span.trace_id == trace_id))
        assert [i.answer for i in extract(trace).interactions] == [expected]


def test_streamed_answer_is_read_like_any_other() -> None:
    spans = Spans()
    streamed = {"gen_ai.request.stream": True, "gen_ai.response.time_to_first_chunk": 0.1}
    spans.add("chat", chat(prompt(), ANSWER) | streamed)
    assert spans.interaction().answer == ANSWER


def test_verdict_on_the_answer_is_not_the_answer() -> None:
    spans = Spans()
    root = spans.add("POST /ask", lasts=20)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    for passage in PASSAGES:
        spans.add("chat", chat(f"Is this relevant?\nDocument: {passage}\nQuestion: {QUESTION}", "yes"), parent=root)
    spans.add("chat", chat(prompt(), ANSWER), parent=root)
    spans.add("chat", chat(f"Facts: {' '.join(PASSAGES)}\nIs this grounded: {ANSWER}", "yes"), parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)


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


def test_graph_of_messages_is_read_from_its_state() -> None:
    def state(*messages: tuple[str, str]) -> str:
        return json.dumps({"messages": [{"type": kind, "content": content} for kind, content in messages]})

    spans = Spans()
    given, returned = state(("human", QUESTION)), state(("human", QUESTION), ("tool", PASSAGES[0]), ("ai", ANSWER))
    root = spans.add(
        "graph", {"openinference.span.kind": "CHAIN", "input.value": given, "output.value": returned}, lasts=9
    )
    tool_message = json.dumps({"content": PASSAGES[0], "type": "tool", "tool_call_id": "1"})
    tool = {
        "openinference.span.kind": "TOOL",
        "tool.name": "search_kb",
        "input.value": "{'q': 1}",
        "output.value": tool_message,
    }
    spans.add("search_kb", tool, parent=root)
    spans.add("llm", {"openinference.span.kind": "LLM", "output.value": ANSWER}, parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer, texts(interaction)) == (QUESTION, ANSWER, [PASSAGES[0]])
