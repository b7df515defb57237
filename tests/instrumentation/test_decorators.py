"""Decorated functions behave as before, and are recorded."""

import asyncio
import functools
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace

from tests.instrumentation.tracing import Recorded


def test_a_whole_pipeline_is_recorded_by_three_decorators() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    @rag.trace_retrieval(data_source="handbook")
    def search(query: str, limit: int = 3) -> list[str]:
        return ["30 days."]

    @rag.trace_generation(model="m", provider="openai")
    def generate(prompt: str) -> dict[str, str]:
        return {"content": "30 days [1]."}

    @rag.trace_answer(conversation_id="session")
    def answer(question: str, session: int) -> str:
        """Say how long."""
        found = search(query=question)
        return generate(f"{question} {found}")["content"]

    assert answer("How long?", session=12) == "30 days [1]."
    assert answer.__doc__ == "Say how long."
    assert recorded.attributes("invoke_workflow")["ragsonde.question"] == "How long?"
    assert recorded.attributes("invoke_workflow")["gen_ai.conversation.id"] == "12"
    assert recorded.attributes("retrieval")["gen_ai.retrieval.query.text"] == "How long?"
    assert recorded.json("retrieval", "gen_ai.retrieval.documents")[0]["content"] == "30 days."
    assert recorded.json("chat m", "gen_ai.output.messages")[0]["parts"][0]["content"] == "30 days [1]."


def test_an_async_function_is_recorded() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    async def answer(question: str) -> str:
        await asyncio.sleep(0)
        return "yes"

    assert inspect.iscoroutinefunction(answer)
    assert asyncio.run(answer("q")) == "yes"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "yes"


def test_a_function_that_returns_a_coroutine_is_recorded_until_it_is_awaited() -> None:
    recorded = Recorded()

    async def work(question: str) -> str:
        assert trace.get_current_span() is not trace.INVALID_SPAN
        return "late"

    @recorded.tracer().trace_answer
    def answer(question: str) -> Any:
        return work(question)

    assert asyncio.run(answer("q")) == "late"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "late"


def test_a_function_that_returns_an_iterator_is_recorded_until_it_is_read() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    def answer(question: str) -> Iterator[str]:
        return iter(["a", "b"])

    stream = answer("q")
    assert recorded.spans == []
    assert list(stream) == ["a", "b"]
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "ab"


def test_a_method_and_a_partial_can_be_recorded() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    class App:
        @rag.trace_answer
        def ask(self, *, language: str, text: str) -> str:
            return text.upper()

    assert App().ask(language="pl", text="dzień") == "DZIEŃ"
    shouted = rag.trace_answer(functools.partial(str.upper))
    assert shouted("ok") == "OK"
    assert [span.attributes["ragsonde.question"] for span in recorded.spans] == ["dzień", "ok"]  # type: ignore[index]


def test_wrong_arguments_raise_what_the_function_itself_would_raise() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    def answer(question: str) -> str:
        return question

    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        answer("q", colour=1)  # type: ignore[call-arg]


def test_a_parameter_that_does_not_exist_is_an_error_at_decoration() -> None:
    rag = Recorded().tracer()
    with pytest.raises(ValueError, match="no parameter 'question'; it has prompt"):

        @rag.trace_answer(question="question")
        def answer(prompt: str) -> str:
            return prompt


def test_a_result_of_ones_own_kind_is_read_by_the_given_function() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer(text=lambda result: result[1])
    def answer(question: str) -> tuple[int, str]:
        return 200, "body"

    assert answer("q") == (200, "body")
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "body"


def test_a_generator_of_documents_is_recorded() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_retrieval
    def search(query: str) -> Iterator[dict[str, str]]:
        yield {"id": "a", "text": "x"}
        yield {"id": "b", "text": "y"}

    assert len(list(search("q"))) == 2
    assert [item["id"] for item in recorded.json("retrieval", "gen_ai.retrieval.documents")] == ["a", "b"]
