"""Streaming answers: chunks pass unchanged, the span ends with the stream, and its reader never runs inside it."""

import asyncio
import gc
import inspect
from collections.abc import AsyncIterator, Generator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from ragsonde.instrumentation import current_interaction
from tests.instrumentation.tracing import Recorded

CHUNKS = ["Za", "rok", " 30", " dni."]


def outside() -> bool:
    """Whether the calling code runs in no span and no interaction."""
    return trace.get_current_span() is trace.INVALID_SPAN and current_interaction() is None


def test_a_generator_is_recorded_to_its_end() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    def answer(question: str) -> Iterator[str]:
        assert current_interaction() is not None
        yield from CHUNKS

    assert inspect.isgeneratorfunction(answer)
    seen = []
    for chunk in answer("q"):
        assert outside()
        seen.append(chunk)
    assert seen == CHUNKS
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "".join(CHUNKS)
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "complete"


@pytest.mark.parametrize("leave", ["close", "drop", "raise"])
def test_a_generator_that_its_reader_leaves_ends_as_cancelled(leave: str) -> None:
    recorded = Recorded()
    cleaned = []

    @recorded.tracer().trace_answer
    def answer(question: str) -> Iterator[str]:
        try:
            yield from CHUNKS
        finally:
            cleaned.append(True)

    stream: Any = answer("q")
    assert next(stream) == "Za"
    assert next(stream) == "rok"
    if leave == "close":
        stream.close()
    elif leave == "raise":
        with pytest.raises(GeneratorExit):
            stream.throw(GeneratorExit)
    del stream
    gc.collect()
    assert cleaned == [True]
    found = recorded.attributes("invoke_workflow")
    assert found["ragsonde.answer"] == "Zarok"
    assert found["ragsonde.answer.state"] == "cancelled"
    assert recorded.span("invoke_workflow").status.status_code is StatusCode.UNSET


def test_a_generator_keeps_send_throw_and_its_return_value() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer(question="topic")
    def dialogue(topic: str) -> Generator[str, str, int]:
        heard = yield "first"
        try:
            yield heard.upper()
        except LookupError:
            yield "caught"
        return 42

    stream = dialogue("t")
    assert next(stream) == "first"
    assert stream.send("second") == "SECOND"
    assert stream.throw(LookupError()) == "caught"
    with pytest.raises(StopIteration) as stopped:
        next(stream)
    assert stopped.value.value == 42
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "firstSECONDcaught"


def test_an_exception_in_a_stream_passes_through_with_the_partial_answer_kept() -> None:
    recorded = Recorded()
    error = ConnectionError("model went away")

    @recorded.tracer().trace_answer
    def answer(question: str) -> Iterator[str]:
        yield "partial"
        raise error

    with pytest.raises(ConnectionError) as caught:
        list(answer("q"))
    assert caught.value is error
    assert recorded.span("invoke_workflow").status.status_code is StatusCode.ERROR
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "partial"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "cancelled"


def test_a_span_opened_inside_a_stream_is_current_again_in_its_next_step() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    @rag.trace_answer
    def answer(question: str) -> Iterator[str]:
        with rag.generation("m") as call:
            for chunk in CHUNKS:
                assert trace.get_current_span() is call.span
                yield chunk
            call.output("".join(CHUNKS))
        assert trace.get_current_span() is not call.span

    for _ in answer("q"):
        assert outside()
    assert recorded.span("chat").parent is not None


def test_two_streams_read_in_turns_do_not_mix() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    @rag.trace_answer
    def answer(question: str) -> Iterator[str]:
        for number in range(3):
            with rag.retrieval(f"{question}{number}"):
                yield f"{question}{number} "

    for _ in zip(answer("a"), answer("b"), strict=True):
        assert outside()
    roots = {span.context.span_id: span.attributes for span in recorded.spans if span.parent is None}  # type: ignore[union-attr]
    for span in recorded.spans:
        if span.parent is not None:
            question = roots[span.parent.span_id]["ragsonde.question"]  # type: ignore[index]
            assert str(span.attributes["gen_ai.retrieval.query.text"]).startswith(str(question))  # type: ignore[index]
    assert {attributes["ragsonde.answer"] for attributes in roots.values()} == {"a0 a1 a2 ", "b0 b1 b2 "}  # type: ignore[index]


def test_an_async_generator_is_recorded_to_its_end() -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    async def answer(question: str) -> AsyncIterator[str]:
        for chunk in CHUNKS:
            await asyncio.sleep(0)
            assert current_interaction() is not None
            yield chunk

    async def main() -> list[str]:
        seen = []
        async for chunk in answer("q"):
            assert outside()
            seen.append(chunk)
        return seen

    assert inspect.isasyncgenfunction(answer)
    assert asyncio.run(main()) == CHUNKS
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "".join(CHUNKS)


@pytest.mark.parametrize("leave", ["aclose", "break", "cancel"])
def test_an_async_generator_that_its_reader_leaves_ends_as_cancelled(leave: str) -> None:
    recorded = Recorded()

    @recorded.tracer().trace_answer
    async def answer(question: str) -> AsyncIterator[str]:
        yield "first"
        if leave == "cancel":
            await asyncio.Event().wait()
        yield "second"

    async def read(first_seen: asyncio.Event) -> None:
        stream: Any = answer("q")
        async for _ in stream:
            first_seen.set()
            if leave != "cancel":
                break
        if leave == "aclose":
            await stream.aclose()

    async def main() -> None:
        first_seen = asyncio.Event()
        task = asyncio.create_task(read(first_seen))
        await first_seen.wait()
        if leave == "cancel":
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    gc.collect()
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "first"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "cancelled"


def test_an_async_stream_may_be_read_in_another_task_for_each_chunk() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    @rag.trace_answer
    async def answer(question: str) -> AsyncIterator[str]:
        with rag.generation("m"):
            for chunk in CHUNKS:
                yield chunk

    async def main() -> None:
        stream = answer("q")

        async def one() -> str:
            return await anext(stream)

        for chunk in CHUNKS:
            assert await asyncio.create_task(one()) == chunk
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

    asyncio.run(main())
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "complete"


def test_a_stream_may_outlive_the_block_that_opened_it() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    def handler() -> Iterator[str]:
        with rag.interaction("q") as turn, turn.generation("m") as call:
            return call.stream(iter(CHUNKS))

    stream = handler()
    assert recorded.spans == []
    assert outside()
    assert list(stream) == CHUNKS
    assert [span.name for span in recorded.spans] == ["chat m", "invoke_workflow shop"]
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "".join(CHUNKS)
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "complete"


def test_a_stream_that_nobody_reads_still_ends() -> None:
    recorded = Recorded()
    with recorded.tracer().interaction("q") as turn:
        stream = turn.stream(iter(CHUNKS))
    assert recorded.spans == []
    del stream
    gc.collect()
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "cancelled"


def test_an_async_stream_of_client_chunks_is_passed_on_as_it_is() -> None:
    recorded = Recorded()

    def chunk(text: str | None) -> SimpleNamespace:
        return SimpleNamespace(choices=[SimpleNamespace(delta=SimpleNamespace(content=text))], usage=None)

    sent = [chunk(None), chunk("Za"), chunk("rok"), SimpleNamespace(choices=[], usage=1)]

    async def model() -> AsyncIterator[SimpleNamespace]:
        for item in sent:
            yield item

    async def main() -> list[SimpleNamespace]:
        with recorded.tracer().interaction("q") as turn:
            return [item async for item in turn.stream(model())]

    assert [id(item) for item in asyncio.run(main())] == [id(item) for item in sent]
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "Zarok"


def test_a_stream_left_early_in_a_block_does_not_overrule_the_answer_given() -> None:
    recorded = Recorded()
    with recorded.tracer().interaction("q") as turn:
        for chunk in turn.stream(iter(["one", "STOP", "two"])):
            if chunk == "STOP":
                break
        turn.answer("one")
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "one"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "complete"


def test_a_stream_too_long_to_keep_is_marked_and_still_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragsonde.instrumentation.streaming.MAX_ANSWER_CHARACTERS", 10)
    recorded = Recorded()
    with recorded.tracer().interaction("q") as turn:
        assert list(turn.stream(["abcdef"] * 3)) == ["abcdef"] * 3
    assert "ragsonde.answer" not in recorded.attributes("invoke_workflow")
    assert recorded.attributes("invoke_workflow")["ragsonde.content_truncated"] == ("ragsonde.answer",)
