"""What a tool gave back counts as a context only where the tool did what it was called for."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, chat, texts

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
ERROR = "Connection to the index was refused."


def asked_with_tools(*tools: tuple[dict[str, Any], int]) -> list[str | None] | None:
    spans = Spans()
    root = spans.add("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9)
    for attributes, status_code in tools:
        spans.add("execute_tool", TOOL | attributes, parent=root, status_code=status_code)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    return texts(spans.interaction())


FAILED: list[tuple[dict[str, Any], int]] = [
    ({"gen_ai.tool.call.result": ERROR}, 2),
    ({"gen_ai.tool.call.result": json.dumps([{"id": "1", "content": ERROR}])}, 2),
    ({"gen_ai.tool.call.result": ERROR, "error.type": "TimeoutError"}, 0),
    ({"gen_ai.tool.call.result": json.dumps({"content": [{"type": "text", "text": ERROR}], "isError": True})}, 0),
    ({"gen_ai.tool.call.result": json.dumps({"content": ERROR, "status": "error", "type": "tool"})}, 0),
    ({"gen_ai.tool.call.result": json.dumps({"result": {"content": ERROR, "is_error": True}})}, 1),
]


@pytest.mark.parametrize("failed", FAILED)
def test_what_a_failed_tool_said_is_no_context(failed: tuple[dict[str, Any], int]) -> None:
    assert asked_with_tools(failed) is None
    found = ({"gen_ai.tool.call.result": json.dumps([*PASSAGES])}, 0)
    assert asked_with_tools(failed, found) == [*PASSAGES]


@given(st.lists(st.sampled_from(FAILED), max_size=3), st.lists(st.sampled_from(FAILED), max_size=3))
def test_failures_before_and_after_change_nothing(
    before: list[tuple[dict[str, Any], int]], after: list[tuple[dict[str, Any], int]]
) -> None:
    found = ({"gen_ai.tool.call.result": json.dumps({"content": PASSAGES[0], "status": "success"})}, 1)
    assert asked_with_tools(*before, found, *after) == [PASSAGES[0]]


def test_a_failed_tool_is_not_looked_for_in_the_prompt_again() -> None:
    spans = Spans()
    root = spans.add("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9)
    spans.add("execute_tool", TOOL | {"gen_ai.tool.call.result": ERROR * 9}, parent=root, status_code=2)
    messages = [
        {"role": "user", "parts": [{"type": "text", "content": QUESTION}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": ERROR * 9}]},
    ]
    spans.add("chat", chat("", ANSWER) | {"gen_ai.input.messages": json.dumps(messages)}, parent=root)
    assert texts(spans.interaction()) is None
