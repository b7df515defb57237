"""What servers that speak OpenAI's protocol send beside, or instead of, plain text."""

import json
from typing import Any

import pytest

from ragsonde.scorers.judge.errors import InvalidReplyError
from ragsonde.scorers.judge.openai_api import read_chat
from ragsonde.scorers.judge.wire import Completion

REPLY = {"factual": False}
WRITTEN = json.dumps(REPLY)


def chat(message: dict[str, Any], *, finish: str = "stop", usage: object = None) -> Completion:
    return read_chat({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


@pytest.mark.parametrize(
    "message",
    [
        {"content": WRITTEN},
        {"content": [{"type": "thinking", "thinking": "so"}, {"type": "text", "text": WRITTEN}]},
        {"content": None, "tool_calls": [{"function": {"name": "reply", "arguments": WRITTEN}}]},
        {"content": "", "tool_calls": [{"function": {"name": "reply", "arguments": REPLY}}]},
        {"content": None, "function_call": {"name": "reply", "arguments": WRITTEN}},
        {"content": None, "tool_calls": [{"function": {}}], "function_call": {"arguments": REPLY}},
    ],
)
def test_a_reply_is_read_from_text_or_from_the_call_of_a_tool(message: dict[str, Any]) -> None:
    assert json.loads(chat(message).text) == REPLY


def test_a_message_that_says_nothing_and_calls_nothing_is_an_invalid_reply() -> None:
    for message in ({"content": None}, {"content": " ", "tool_calls": []}, {"function_call": {"arguments": {}}}):
        with pytest.raises(InvalidReplyError, match="said nothing"):
            chat(message)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 12, "completion_tokens": 3.0}, (12, 3)),
        ({"prompt_tokens": 12.5, "completion_tokens": -3}, (None, None)),
        ({"prompt_tokens": "12", "completion_tokens": float("nan")}, (None, None)),
        ({}, (None, None)),
        (None, (None, None)),
    ],
)
def test_counts_of_tokens_that_are_none_are_unknown_and_spoil_no_reply(usage: object, tokens: object) -> None:
    completion = chat({"content": WRITTEN}, usage=usage)
    assert (completion.input_tokens, completion.output_tokens) == tokens


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length"])
def test_a_reply_at_the_output_limit_is_known_as_cut(finish: str) -> None:
    assert chat({"content": WRITTEN}, finish=finish).cut
