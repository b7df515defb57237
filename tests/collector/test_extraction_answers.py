"""What was asked and what was answered, where spans say it in several places."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from ragsonde.collector.model import Capture, SpanEvent
from ragsonde.collector.telemetry import IgnoreReason
from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, chat, prompt, retrieval, texts


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


def test_clocks_that_disagree_do_not_hide_the_answer() -> None:
    """The retriever's machine is ahead: its span seems to start after the generation that got its documents."""
    spans = Spans()
    spans.add("chat", chat(prompt(), ANSWER), parent="f" * 16)
    spans.add("retrieval", retrieval(QUESTION), parent="f" * 16)
    interaction = spans.interaction()
    assert (interaction.answer, texts(interaction)) == (ANSWER, [*PASSAGES])


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


@pytest.mark.parametrize(
    "message",
    [
        {"message": json.dumps({"role": "assistant", "content": ANSWER})},
        {"message": json.dumps({"content": ANSWER})},
        {"message": {"role": "assistant", "content": ANSWER}},
        {"message": ANSWER},
        {"message.content": ANSWER, "message.role": "assistant"},
        {"content": ANSWER},
    ],
)
def test_a_choice_event_is_read_however_it_holds_its_message(message: dict[str, Any]) -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    events = [
        SpanEvent("gen_ai.user.message", 0, {"content": QUESTION}),
        SpanEvent("gen_ai.choice", 0, {"index": 0, **message}),
    ]
    spans.add("chat", {"gen_ai.operation.name": "chat"}, events=events)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)
    assert interaction.capture is Capture.CAPTURED


def test_messages_written_as_plain_text_are_read() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    plain = {"gen_ai.input.messages": "And how long?", "gen_ai.output.messages": ANSWER}
    spans.add("chat", {"gen_ai.operation.name": "chat", **plain})
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == ("And how long?", ANSWER)
    assert texts(interaction) == [*PASSAGES]
    assert interaction.capture is Capture.CAPTURED


def test_a_plain_answer_without_a_prompt_keeps_what_was_searched_for() -> None:
    spans = Spans()
    spans.add("retrieval", retrieval(QUESTION))
    spans.add("chat", {"gen_ai.operation.name": "chat", "gen_ai.output.messages": ANSWER})
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, ANSWER)


# Answers that quote what was retrieved ------------------------------------------------------------------------------


def retrieving_chain(output: str, passages: Sequence[str] = PASSAGES, wrapper: dict[str, Any] | None = None) -> Spans:
    """A chain whose model was not traced, or that has none."""
    spans = Spans()
    parent = None if wrapper is None else spans.add("POST /ask", wrapper, lasts=12)
    asked = {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": output}
    top = spans.add("rag", asked, parent=parent, lasts=9)
    spans.add("retrieval", retrieval(QUESTION, passages), parent=top)
    return spans


@pytest.mark.parametrize("wrapper", [None, {"http.request.method": "POST"}])
@pytest.mark.parametrize(
    ("output", "passages"),
    [
        (PASSAGES[0], PASSAGES[:1]),
        (PASSAGES[0], [PASSAGES[0], "A"]),
        (f"{PASSAGES[0]} [1]", PASSAGES[:1]),
        (f"Thanks for asking! {PASSAGES[0]} Tell me if you need more.", PASSAGES[:1]),
        ("It may be kept at last.", ["A"]),
        ("A week.", ["A"]),
        (f"{PASSAGES[0]} [1] {PASSAGES[1]} [2]", PASSAGES),
        (f"{PASSAGES[0]}¹ {PASSAGES[1]}²", PASSAGES),
        (f"{PASSAGES[0]} (terms) {PASSAGES[1]} (terms)", PASSAGES),
        (f"{PASSAGES[0]} In addition, {PASSAGES[1]}", PASSAGES),
        (f"Here is what I found: {PASSAGES[0]} {PASSAGES[1]}", PASSAGES),
        (f"According to [1], {PASSAGES[0]} According to [2], {PASSAGES[1]}", PASSAGES),
        ("您好！保修期为两年。还需要押金。", ["保修期为两年。", "还需要押金。"]),
    ],
)
def test_an_answer_that_quotes_its_passages_whole_is_an_answer(
    output: str, passages: Sequence[str], wrapper: dict[str, Any] | None
) -> None:
    interaction = retrieving_chain(output, passages, wrapper).interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, output)
    assert texts(interaction) == [*passages]


_FIRST, _SECOND = PASSAGES


@pytest.mark.parametrize(
    "output",
    [
        f"{_FIRST}\n\n{_SECOND}",
        f"1. {_FIRST}\n2. {_SECOND}",
        f"[1] {_FIRST}\n[2] {_SECOND}",
        f"Document 1:\n{_FIRST}\n\nDocument 2:\n{_SECOND}",
        f"资料1：{_FIRST}\n资料2：{_SECOND}",
        f"Źródło: a.pdf\n{_FIRST}\n\nŹródło: b.pdf\n{_SECOND}",
        f"Context:\n{_FIRST}\n{_SECOND}",
        f"Content: {_FIRST}\nSource: {{'page': 3}}\n\nContent: {_SECOND}\nSource: {{'page': 4}}",
        f"<docs><doc id='a'><text>{_FIRST}</text></doc><doc id='b'><text>{_SECOND}</text></doc></docs>",
        f"Use the context.\nContext:\n{_FIRST}\n{_SECOND}\n\nQuestion: {QUESTION}\nAnswer:",
    ],
)
def test_a_template_filled_with_the_passages_is_none_and_that_is_counted(output: str) -> None:
    extraction = retrieving_chain(output).extract()
    assert extraction.interactions == ()
    assert extraction.ignored == {IgnoreReason.ONLY_DOCUMENTS: 1}


@pytest.mark.parametrize(
    ("returned", "answer"),
    [
        (f"<think>Perhaps 60 days?</think>\n\n{ANSWER}", ANSWER),
        (f"<thinking>One.</thinking>\n<think>Two.</think>{ANSWER}", ANSWER),
        (f"Perhaps 60 days?\n</think>\n\n{ANSWER}", ANSWER),
        ("<think>Perhaps 60 days? Let me", ""),
        ("The tag <think> opens the reasoning.", "The tag <think> opens the reasoning."),
        ("Reasoning ends at </think> there.", "Reasoning ends at </think> there."),
    ],
)
def test_reasoning_of_the_model_is_no_part_of_the_answer(returned: str, answer: str) -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(prompt(), returned), parent=root)
    assert spans.interaction().answer == answer


@pytest.mark.parametrize(
    ("message", "query", "question"),
    [
        ("And what of the refund?", "the refund", "And what of the refund?"),
        ("What is the refund policy?", "refund policy", "What is the refund policy?"),
        ("Answer briefly: what is the refund policy?", "What is the refund policy?", "What is the refund policy?"),
        (
            "Jaka jest polityka zwrotów?\nOdpowiedz po polsku.",
            "Jaka jest polityka zwrotów?",
            "Jaka jest polityka zwrotów?",
        ),
    ],
)
def test_query_within_a_sentence_is_not_the_question(message: str, query: str, question: str) -> None:
    spans = Spans()
    root = spans.add("request", {}, lasts=9)
    spans.add("retrieval", retrieval(query), parent=root)
    spans.add("chat", chat(message, ANSWER), parent=root)
    assert spans.interaction().question == question


@pytest.mark.parametrize(
    ("turn", "answer"),
    [
        ([], None),
        ([{"type": "ai", "content": ""}], ""),
        ([{"type": "ai", "content": "Let me look.", "tool_calls": [{"name": "s"}]}], None),
        ([{"type": "ai", "content": ANSWER}], ANSWER),
    ],
)
def test_state_with_a_history_is_not_answered_by_an_earlier_turn(
    turn: list[dict[str, Any]], answer: str | None
) -> None:
    asked = {"type": "human", "content": QUESTION}
    history = [{"type": "human", "content": "Hi"}, {"type": "ai", "content": "Hello, how can I help?"}, asked]
    state = {"input.value": json.dumps({"messages": history}), "output.value": json.dumps({"messages": history + turn})}
    spans = Spans()
    root = spans.add("LangGraph", {"openinference.span.kind": "CHAIN"} | state, lasts=9)
    spans.add("retrieval", retrieval("drill"), parent=root)
    spans.add("chat", chat(QUESTION, answer, tool_call=answer is None), parent=root)
    interaction = spans.interaction()
    assert (interaction.question, interaction.answer) == (QUESTION, answer)
    assert interaction.capture is (Capture.INCOMPLETE if answer is None else Capture.CAPTURED)
