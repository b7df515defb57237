"""Spans of frameworks that write keys of their own, and of the oldest instrumentations."""

import json
from typing import Any

import pytest

from ragsonde.collector.conventions import Role, SpanReading, read_span
from ragsonde.collector.model import Capture, Span, SpanEvent
from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, retrieval, texts

ASKED = [{"role": "user", "content": "What?"}]


def read(attributes: dict[str, Any], *events: SpanEvent, name: str = "span") -> SpanReading:
    reading = read_span(Span("0" * 31 + "1", "0" * 15 + "1", name, attributes=attributes, events=events))
    assert reading is not None
    return reading


def told(reading: SpanReading) -> tuple[Role, str | None, list[str | None], str | None]:
    return reading.role, reading.question, [message.text for message in reading.messages], reading.answer


# Vercel's AI SDK --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "prompt",
    [{"prompt": "What?"}, {"system": "Be kind.", "prompt": "What?"}, {"messages": ASKED}, {"prompt": ASKED}],
)
@pytest.mark.parametrize("text", ["Yes.", '{"retries": 3}', "['a'] is a list."])
def test_vercel_call_has_its_question_and_its_answer_as_written(prompt: dict[str, Any], text: str) -> None:
    attributes = {"ai.operationId": "ai.generateText", "ai.prompt": json.dumps(prompt), "ai.response.text": text}
    assert told(read(attributes)) == (Role.CHAIN, "What?", [], text)


def test_vercel_step_of_the_model_is_a_generation() -> None:
    attributes = {
        "operation.name": "ai.streamText.doStream shop",
        "ai.prompt.messages": json.dumps([{"role": "system", "content": "Be kind."}, *ASKED]),
        "ai.response.text": "Yes.",
        "ai.telemetry.metadata.sessionId": "s",
        "gen_ai.request.model": "m",
    }
    reading = read(attributes)
    assert told(reading) == (Role.GENERATION, None, ["Be kind.", "What?"], "Yes.")
    assert (reading.system_instructions, reading.conversation_id, reading.model) == ("Be kind.", "s", "m")


def test_vercel_step_that_calls_a_tool_gives_no_answer() -> None:
    calls = json.dumps([{"toolCallType": "function", "toolName": "search", "args": "{}"}])
    attributes = {"ai.operationId": "ai.generateText.doGenerate", "ai.response.toolCalls": calls}
    reading = read(attributes | {"ai.response.text": "Let me look."})
    assert (reading.answer, reading.called_tool) == (None, True)


def test_vercel_tool_object_and_embedding_are_read() -> None:
    tool = read({"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", "ai.toolCall.result": '["a"]'})
    assert tool.tool_result is not None
    assert (tool.tool_result.name, tool.tool_result.value) == ("search", ["a"])
    written = read({"ai.operationId": "ai.generateObject", "ai.response.object": '{"answer": "Yes.", "sources": []}'})
    assert written.answer == "Yes."
    embedding = read({"ai.operationId": "ai.embed", "ai.value": '"What?"'})
    assert (embedding.role, embedding.question) == (Role.EMBEDDING, "What?")


# Google's ADK -----------------------------------------------------------------------------------------------


def adk(request: Any, response: Any) -> dict[str, Any]:
    return {
        "gen_ai.system": "gcp.vertex.agent",
        "gen_ai.request.model": "gemini",
        "gcp.vertex.agent.session_id": "s",
        "gcp.vertex.agent.llm_request": json.dumps(request),
        "gcp.vertex.agent.llm_response": json.dumps(response),
    }


def test_adk_request_and_response_are_read() -> None:
    contents = [{"role": "user", "parts": [{"text": "What?"}]}]
    request = {"model": "gemini", "config": {"system_instruction": "Be kind."}, "contents": contents}
    reading = read(adk(request, {"content": {"parts": [{"text": "Yes."}], "role": "model"}}))
    assert told(reading) == (Role.GENERATION, None, ["What?"], "Yes.")
    assert (reading.system_instructions, reading.conversation_id) == ("Be kind.", "s")


def test_adk_function_call_is_no_answer() -> None:
    parts = [{"text": "Let me look."}, {"function_call": {"name": "search", "args": {}}}]
    reading = read(adk({"contents": []}, {"content": {"parts": parts, "role": "model"}}))
    assert (reading.answer, reading.called_tool) == (None, True)


def test_adk_tool_span_with_an_empty_request_beside_it_is_a_tool() -> None:
    response = {"gen_ai.tool.name": "search", "gcp.vertex.agent.tool_response": '{"result": ["a"]}'}
    reading = read(adk({}, {}) | response)
    assert reading.role is Role.TOOL
    assert reading.tool_result is not None
    assert reading.tool_result.value == {"result": ["a"]}
    assert read(response | {"gcp.vertex.agent.tool_response": "{}"}).tool_result is None


@pytest.mark.parametrize("response", [{}, "<not serializable>", None, [], {"content": None}, {"content": "x"}])
def test_adk_response_without_parts_makes_nothing_up(response: Any) -> None:
    assert read(adk({}, response)).answer in (None, "x")


def test_adk_capture_switched_off_says_what_switches_it_on() -> None:
    spans = Spans()
    spans.add("call_llm", adk({}, {}))
    interaction = spans.interaction()
    assert interaction.capture is Capture.CONTENT_NOT_CAPTURED
    assert "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS" in (interaction.remedy or "")


# The oldest keys of OpenTelemetry and of OpenLLMetry --------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "completion"),
    [
        ("What?", "Yes."),
        (["What?"], ["Yes."]),
        (["Be kind.", "What?"], ["Yes.", "Yes, seven days."]),
        (json.dumps(["What?"]), json.dumps(["Yes."])),
        (json.dumps(ASKED), json.dumps([{"role": "assistant", "content": "Yes."}])),
        (json.dumps({"question": "What?"}), json.dumps({"answer": "Yes."})),
    ],
)
def test_oldest_prompt_and_completion_are_read_as_messages_and_as_texts(prompt: Any, completion: Any) -> None:
    called = {"gen_ai.operation.name": "chat", "gen_ai.system": "openai"}
    events = (
        SpanEvent("gen_ai.content.prompt", attributes={"gen_ai.prompt": prompt}),
        SpanEvent("gen_ai.content.completion", attributes={"gen_ai.completion": completion}),
    )
    for reading in (read(called, *events), read(called | {"gen_ai.prompt": prompt, "gen_ai.completion": completion})):
        assert (reading.messages[-1].text, reading.answer) == ("What?", "Yes.")


def test_completion_that_is_json_somebody_asked_for_is_kept_as_written() -> None:
    text = '{"retries": 3, "timeout": 20}'
    assert read({"gen_ai.operation.name": "chat", "gen_ai.completion": text}).answer == text


def test_oldest_numbered_keys_of_openllmetry_are_read() -> None:
    numbered = {"llm.prompts.0.role": "user", "llm.prompts.0.content": "What?", "llm.completions.0.content": "Yes."}
    reading = read({"llm.vendor": "OpenAI", "llm.request.type": "chat", "llm.request.model": "m"} | numbered)
    assert told(reading) == (Role.GENERATION, None, ["What?"], "Yes.")
    assert reading.model == "m"


# Whole traces -----------------------------------------------------------------------------------------------


def test_vercel_trace_is_one_answered_question() -> None:
    spans = Spans()
    called = {
        "ai.prompt": json.dumps({"messages": [{"role": "user", "content": QUESTION}]}),
        "ai.response.text": ANSWER,
    }
    root = spans.add("ai.generateText", {"ai.operationId": "ai.generateText"} | called, lasts=9)
    spans.add("retrieval", retrieval("drill"), parent=root)
    step = {"ai.operationId": "ai.generateText.doGenerate", "ai.response.text": ANSWER, "gen_ai.request.model": "m"}
    model = spans.add("ai.generateText.doGenerate", step, parent=root)
    found = spans.interaction()
    assert (found.question, found.answer, texts(found), found.span_id) == (QUESTION, ANSWER, [*PASSAGES], model)
