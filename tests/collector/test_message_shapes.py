"""Messages in the shapes that libraries give them, and which of them is the reply."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.conventions import Role, SpanReading, read_span
from ragsonde.collector.conventions.message_parts import joined
from ragsonde.collector.conventions.messages import answer_in, message_in, messages_in, question_in, reply_text
from ragsonde.collector.model import AttributeValue, Span, SpanEvent

HISTORY = [
    {"type": "human", "content": "Hi"},
    {"type": "ai", "content": "Hello, how can I help?"},
    {"type": "human", "content": "What?"},
]
CALL = {"type": "ai", "content": "Let me look.", "tool_calls": [{"name": "s", "args": {}, "id": "1"}]}
FOUND = {"type": "tool", "content": "Seven days."}


def read(attributes: dict[str, Any], *events: SpanEvent) -> SpanReading:
    reading = read_span(Span("0" * 31 + "1", "0" * 15 + "1", "span", attributes=attributes, events=events))
    assert reading is not None
    return reading


def event(name: str, content: Any) -> SpanEvent:
    return SpanEvent(name, attributes={"gen_ai.event.content": json.dumps(content)})


# The reply --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        ([], None),
        ([{"type": "ai", "content": ""}], ""),
        ([CALL], None),
        ([CALL, FOUND], None),
        ([CALL, FOUND, {"type": "ai", "content": ""}], ""),
        ([CALL, FOUND, {"type": "ai", "content": "Yes."}], "Yes."),
        ([{"type": "ai", "content": "Yes."}], "Yes."),
        ([{"type": "ai", "content": "I look.", "tool_calls": []}, FOUND, {"type": "ai", "content": "Yes."}], "Yes."),
    ],
)
@pytest.mark.parametrize("before", [HISTORY, HISTORY[-1:], []])
def test_reply_is_never_taken_from_an_earlier_turn(
    before: list[dict[str, Any]], turn: list[dict[str, Any]], expected: str | None
) -> None:
    assert answer_in({"messages": [*before, *turn]}) == expected


def test_list_that_begins_with_the_latest_message_is_read_in_the_order_of_time() -> None:
    said = [("assistant", "Yes."), ("user", "What?"), ("assistant", "Hello."), ("user", "Hi")]
    data: list[AttributeValue] = [
        {"role": role, "created_at": 10 - place, "content": [{"type": "text", "text": {"value": text}}]}
        for place, (role, text) in enumerate(said)
    ]
    assert answer_in({"object": "list", "data": data}) == answer_in({"data": data[::-1]}) == "Yes."
    assert answer_in({"data": data[1:]}) is None


def said(source: str, content: Any, kind: str = "TextMessage") -> dict[str, Any]:
    return {"source": source, "content": content, "type": kind}


def test_speakers_of_autogen_are_user_and_assistant() -> None:
    turn = [said("user", "What?"), said("planner", "I look."), said("planner", [{"name": "s"}], "ToolCallRequestEvent")]
    found = [said("planner", [{"content": "Seven days."}], "ToolCallExecutionEvent"), said("writer", "Yes.")]
    assert question_in({"messages": turn}) == "What?"
    assert answer_in({"messages": turn[:2]}) == "I look."
    assert answer_in({"messages": turn}) is None
    assert answer_in({"messages": [*turn, found[0]]}) is None
    assert answer_in({"messages": turn + found}) == "Yes."


@given(st.lists(st.sampled_from([*HISTORY, CALL, FOUND, {"type": "ai", "content": "Yes."}]), max_size=8))
def test_reply_was_said_after_the_last_question(state: list[dict[str, Any]]) -> None:
    reply = reply_text(messages_in(state))
    asked = max((place for place, item in enumerate(state) if item["type"] == "human"), default=-1)
    assert reply is None or reply in [item["content"] for item in state[asked + 1 :] if item["type"] == "ai"]


@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_use", "name": "s"},
        {"function_call": {"name": "s"}},
        {"functionCall": {"name": "s"}},
        {"toolUse": {"name": "s"}},
    ],
)
def test_text_beside_a_call_is_no_reply_however_the_call_is_written(part: dict[str, Any]) -> None:
    message = message_in({"role": "model", "parts": [{"text": "Let me look."}, part]})
    assert message is not None
    assert (message.calls_tool, reply_text([message])) == (True, None)


def test_reply_of_a_span_without_a_choice_is_its_last_message() -> None:
    reading = read(
        {"gen_ai.operation.name": "chat"},
        event("gen_ai.user.message", {"role": "user", "content": {"text": {"value": "What?"}}}),
        event("gen_ai.assistant.message", {"role": "assistant", "content": {"text": {"value": "Yes."}}}),
    )
    assert ([message.text for message in reading.messages], reading.answer) == (["What?"], "Yes.")


def test_call_in_the_last_message_of_a_span_without_a_choice_is_no_answer() -> None:
    calls = {"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "1", "type": "function"}]}
    reading = read({"gen_ai.operation.name": "chat"}, event("gen_ai.assistant.message", calls))
    assert (reading.answer, reading.called_tool) == (None, True)


# Contents ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        "Yes.",
        [{"type": "text", "text": "Yes."}],
        [{"text": "Yes."}],
        json.dumps([{"text": "Yes."}]),
        json.dumps([{"type": "text", "text": "Yes."}, {"type": "tool_use", "name": "f", "input": {}}]),
        {"parts": [{"text": "Yes."}], "role": "model"},
        {"text": {"value": "Yes.", "annotations": []}},
        [{"type": "text", "text": {"value": "Yes."}}],
        [{"type": "refusal", "refusal": "Yes."}],
    ],
)
def test_text_of_a_message_is_read_from_every_shape_of_content(content: AttributeValue) -> None:
    message = message_in({"role": "assistant", "content": content})
    assert message is not None
    assert message.text == "Yes."


def test_refusal_beside_empty_content_is_the_text() -> None:
    message = message_in({"role": "assistant", "content": None, "refusal": "I can't help with that."})
    assert message is not None
    assert message.text == "I can't help with that."


@pytest.mark.parametrize(
    "text",
    [
        "null",
        "None",
        "DataFrame(data=None) constructs an empty frame.",
        "['a', 'b'] how do I reverse this?",
        "{'retries': 3}",
        '{"retries": 3}',
        '[{"name": "a", "type": "b"}]',
        '[{"text": "a", "label": 1}]',
        "[]",
        "",
    ],
)
def test_what_somebody_wrote_is_kept_whatever_it_looks_like(text: str) -> None:
    (message,) = messages_in([{"role": "user", "content": text}])
    assert message.text == text


@given(st.text(max_size=30) | st.recursive(st.none() | st.text(max_size=5), st.lists, max_leaves=4).map(json.dumps))
def test_a_plain_text_is_its_own_content(text: str) -> None:
    (message,) = messages_in([{"role": "user", "parts": [{"type": "text", "content": "A" + text}]}])
    assert message.text == "A" + text


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        (["You may keep it for ", "seven days", " [1]."], "You may keep it for seven days [1]."),
        (["You may keep it for seven days", ", not more", "."], "You may keep it for seven days, not more."),
        (["您可以保留", "七天", "。"], "您可以保留七天。"),
        (["Seven days.", "A deposit is due."], "Seven days.\nA deposit is due."),
        (["Context:\n[1] A drill", "[2] A deposit"], "Context:\n[1] A drill\n[2] A deposit"),
        (["Title", "Text"], "Title\nText"),
        (["Seven days.\n\n", "A deposit is due."], "Seven days.\n\nA deposit is due."),
        (["", "Yes.", ""], "Yes."),
        (["", ""], ""),
    ],
)
def test_fragments_of_a_sentence_stay_together_and_blocks_apart(parts: list[str], whole: str) -> None:
    assert joined(parts) == whole


@given(st.lists(st.text(max_size=8), max_size=6))
def test_joining_loses_and_changes_nothing(parts: list[str]) -> None:
    assert joined(parts).replace("\n", "") == "".join(parts).replace("\n", "")


# Events of Strands ------------------------------------------------------------------------------------------


def test_events_that_hold_parts_as_json_are_read() -> None:
    reading = read(
        {"gen_ai.operation.name": "chat", "gen_ai.system": "strands-agents"},
        SpanEvent("gen_ai.user.message", attributes={"content": json.dumps([{"text": "What?"}])}),
        SpanEvent("gen_ai.choice", attributes={"message": json.dumps([{"text": "Yes."}]), "finish_reason": "end_turn"}),
    )
    assert ([message.text for message in reading.messages], reading.answer) == (["What?"], "Yes.")


def test_choice_of_a_tool_span_is_what_the_tool_gave_back() -> None:
    parts = [{"text": "Seven days."}, {"text": "A deposit."}]
    reading = read(
        {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"},
        SpanEvent("gen_ai.choice", attributes={"message": json.dumps(parts), "id": "1"}),
    )
    assert reading.role is Role.TOOL
    assert reading.tool_result is not None
    assert (reading.tool_result.name, reading.tool_result.value) == ("search", parts)
