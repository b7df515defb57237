"""What the spans of an interaction hold, and that recording never gets in the way."""

import asyncio
import logging
import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import SpanLimits
from opentelemetry.trace import SpanKind, StatusCode

import ragsonde
from ragsonde.instrumentation import RagTracer, current_interaction
from tests.instrumentation.tracing import Recorded

QUESTION = "Ile dni mam na zwrot towaru?"
ANSWER = "Towar można zwrócić w ciągu 30 dni [1]."


@dataclass
class LangChainDocument:
    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)
    id: str | None = None


@dataclass
class LlamaIndexNode:
    text: str
    node_id: str


@dataclass
class LlamaIndexNodeWithScore:
    node: LlamaIndexNode
    score: float

    @property
    def node_id(self) -> str:
        return self.node.node_id


def test_an_interaction_is_three_genai_spans_of_one_trace() -> None:
    recorded = Recorded()
    rag = recorded.tracer()
    with rag.interaction(QUESTION, conversation_id="c-7") as turn:
        with turn.retrieval("zwrot towaru", data_source="handbook", top_k=2) as retrieval:
            retrieval.documents(
                [{"id": "zwroty", "score": 3.2, "content": "30 dni od dostawy.", "metadata": {"page": 4}}]
            )
        with turn.generation("gpt-x", provider="openai", messages=[{"role": "user", "content": "Pytanie…"}]) as call:
            call.output(ANSWER)
            call.usage(input_tokens=120, output_tokens=15)
            call.response(model="gpt-x-1", response_id="r-1", finish_reason="stop")
        turn.answer(ANSWER)
        turn.cite(["zwroty"])
        turn.feedback(1)

    root = recorded.span("invoke_workflow shop")
    assert root.kind is SpanKind.INTERNAL
    assert recorded.attributes("invoke_workflow") == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "shop",
        "gen_ai.conversation.id": "c-7",
        "ragsonde.question": QUESTION,
        "ragsonde.answer": ANSWER,
        "ragsonde.answer.state": "complete",
        "ragsonde.cited_ids": ("zwroty",),
        "ragsonde.feedback": 1.0,
        "ragsonde.content_capture": "full",
    }
    found = recorded.attributes("retrieval handbook")
    assert found["gen_ai.retrieval.query.text"] == "zwrot towaru"
    assert found["gen_ai.retrieval.top_k"] == 2
    assert recorded.json("retrieval", "gen_ai.retrieval.documents") == [
        {"id": "zwroty", "score": 3.2, "content": "30 dni od dostawy.", "metadata": {"page": 4}}
    ]
    assert "Pytanie…" in recorded.attributes("chat")["gen_ai.input.messages"]
    assert recorded.json("chat gpt-x", "gen_ai.output.messages") == [
        {"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}
    ]
    assert recorded.attributes("chat")["gen_ai.usage.output_tokens"] == 15
    for span in (recorded.span("retrieval"), recorded.span("chat")):
        assert span.kind is SpanKind.CLIENT
        assert span.parent is not None
        assert span.parent.span_id == root.get_span_context().span_id  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("bare text", {"id": None, "score": None, "content": "bare text"}),
        ({"text": "t", "doc_id": 7, "score": float("nan")}, {"id": "7", "score": None, "content": "t"}),
        (
            LangChainDocument("t", {"source": "a.pdf"}),
            {"id": "a.pdf", "score": None, "content": "t", "metadata": {"source": "a.pdf"}},
        ),
        ((LangChainDocument("t", id="d"), 0.25), {"id": "d", "score": 0.25, "content": "t"}),
        (LlamaIndexNodeWithScore(LlamaIndexNode("t", "n-1"), 0.5), {"id": "n-1", "score": 0.5, "content": "t"}),
        ({"_id": "e", "_score": 2, "_source": {"content": "t"}}, {"id": "e", "score": 2.0, "content": "t"}),
        (object(), {"id": None, "score": None}),
    ],
)
def test_documents_of_any_library_are_understood(document: Any, expected: dict[str, Any]) -> None:
    recorded = Recorded()
    with recorded.tracer().retrieval("q") as retrieval:
        retrieval.documents([document])
    assert recorded.json("retrieval", "gen_ai.retrieval.documents") == [expected]


def test_an_empty_retrieval_differs_from_an_unknown_one() -> None:
    recorded = Recorded()
    with recorded.tracer().retrieval("q", data_source="empty") as retrieval:
        retrieval.documents([])
    with recorded.tracer().retrieval("q", data_source="unknown"):
        pass
    assert recorded.attributes("retrieval empty")["gen_ai.retrieval.documents"] == "[]"
    assert "gen_ai.retrieval.documents" not in recorded.attributes("retrieval unknown")


def test_an_iterator_of_documents_is_left_for_the_application_to_read() -> None:
    recorded = Recorded()
    documents = iter(["a", "b"])
    with recorded.tracer().retrieval("q") as retrieval:
        retrieval.documents(documents)
    assert list(documents) == ["a", "b"]


def test_what_the_model_said_is_the_answer_unless_another_is_named() -> None:
    recorded = Recorded()
    with recorded.tracer().interaction("q") as turn, turn.generation() as call:
        call.output([{"role": "assistant", "content": [{"type": "text", "text": "from the model"}]}])
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "from the model"


def test_an_exception_passes_through_and_marks_the_span() -> None:
    recorded = Recorded()
    error = KeyError("gone")
    with pytest.raises(KeyError) as caught, recorded.tracer().interaction("q"):
        raise error
    assert caught.value is error
    span = recorded.span("invoke_workflow")
    assert span.status.status_code is StatusCode.ERROR
    assert recorded.attributes("invoke_workflow")["error.type"] == "KeyError"
    assert "ragsonde.answer" not in recorded.attributes("invoke_workflow")
    assert trace.get_current_span() is trace.INVALID_SPAN


def test_a_cancelled_task_is_no_error_of_the_application() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    async def work(started: asyncio.Event) -> None:
        async with rag.interaction("q"):
            started.set()
            await asyncio.Event().wait()

    async def main() -> None:
        started = asyncio.Event()
        task = asyncio.create_task(work(started))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert recorded.attributes("invoke_workflow")["ragsonde.answer.state"] == "cancelled"
    assert recorded.span("invoke_workflow").status.status_code is StatusCode.UNSET


def test_interactions_of_concurrent_tasks_do_not_mix() -> None:
    recorded = Recorded()
    rag = recorded.tracer()

    async def ask(number: int, gate: asyncio.Barrier) -> None:
        with rag.interaction(f"q{number}") as turn:
            await gate.wait()
            with rag.retrieval(f"q{number}"):
                await asyncio.sleep(0)
            assert current_interaction() is turn
            await gate.wait()

    async def main() -> None:
        gate = asyncio.Barrier(5)
        await asyncio.gather(*(ask(number, gate) for number in range(5)))

    asyncio.run(main())
    questions = {s.context.trace_id: s.attributes["ragsonde.question"] for s in recorded.spans if s.parent is None}  # type: ignore[union-attr,index]
    searches = {
        s.context.trace_id: s.attributes["gen_ai.retrieval.query.text"]  # type: ignore[union-attr,index]
        for s in recorded.spans
        if s.parent is not None
    }
    assert len(questions) == 5
    assert questions == searches


def test_a_thread_can_record_into_the_interaction_it_is_given() -> None:
    recorded = Recorded()
    with recorded.tracer().interaction("q") as turn:

        def search() -> None:
            with turn.retrieval("from a thread") as retrieval:
                retrieval.documents(["d"])

        thread = threading.Thread(target=search)
        thread.start()
        thread.join()
    root, search_span = recorded.span("invoke_workflow"), recorded.span("retrieval")
    assert search_span.parent is not None
    assert root.context is not None
    assert search_span.parent.span_id == root.context.span_id


def test_a_rag_call_inside_another_is_its_own_interaction() -> None:
    recorded = Recorded()
    rag = recorded.tracer()
    with rag.interaction("outer", name="outer") as outer:
        with rag.interaction("inner", name="inner") as inner:
            assert current_interaction() is inner
            inner.answer("inner answer")
        assert current_interaction() is outer
        outer.answer("outer answer")
    assert recorded.attributes("invoke_workflow inner")["ragsonde.answer"] == "inner answer"
    assert recorded.attributes("invoke_workflow outer")["ragsonde.answer"] == "outer answer"
    inner_span = recorded.span("invoke_workflow inner")
    assert inner_span.parent is not None
    assert inner_span.parent.span_id == recorded.span("invoke_workflow outer").context.span_id  # type: ignore[union-attr]


def test_feedback_after_the_end_joins_the_same_trace() -> None:
    recorded = Recorded()
    rag = recorded.tracer()
    with rag.interaction("q") as turn:
        turn.answer("a")
    assert turn.reference is not None
    rag.feedback(turn.reference, -3)
    root, late = recorded.span("invoke_workflow"), recorded.span("feedback")
    assert dict(late.attributes or {}) == {"ragsonde.feedback": -1.0}
    assert late.context is not None
    assert root.context is not None
    assert late.context.trace_id == root.context.trace_id


def test_without_a_provider_nothing_is_recorded_and_everything_works() -> None:
    with ragsonde.rag_interaction("q") as turn:
        with turn.retrieval("q") as retrieval:
            retrieval.documents(["d"])
        with turn.generation("m") as call:
            call.output("a")
        turn.answer("a")
        assert turn.reference is None
        assert not turn.recording


def test_a_fault_of_ours_is_logged_once_without_content_and_swallowed(caplog: pytest.LogCaptureFixture) -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("secret text")

    recorded = Recorded()
    rag = recorded.tracer()
    caplog.set_level(logging.INFO, "ragsonde.instrumentation")
    for _ in range(3):
        with rag.interaction("q") as turn, turn.retrieval("q") as retrieval:
            retrieval.documents([Hostile()])
            turn.answer(Hostile())
            turn.feedback("not a number")  # type: ignore[arg-type]
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 3
    assert not any("secret" in message for message in messages)
    assert len(recorded.spans) == 6


def test_a_value_over_the_length_limit_is_left_out_and_named_not_cut() -> None:
    recorded = Recorded(SpanLimits(max_span_attribute_length=40))
    with recorded.tracer().interaction("q") as turn:
        with turn.retrieval("q") as retrieval:
            retrieval.documents([{"id": "d", "content": "x" * 50}])
        turn.answer("y" * 41)
        turn.cite(["z" * 41, "short"])
    assert recorded.attributes("retrieval")["gen_ai.retrieval.documents"] == ""
    assert recorded.attributes("retrieval")["ragsonde.content_truncated"] == ("gen_ai.retrieval.documents",)
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == ""
    assert recorded.attributes("invoke_workflow")["ragsonde.cited_ids"] == ()
    assert recorded.attributes("invoke_workflow")["ragsonde.content_truncated"] == (
        "ragsonde.cited_ids",
        "ragsonde.answer",
    )


def test_the_name_of_the_capture_is_checked_at_the_start() -> None:
    with pytest.raises(ValueError, match="'full', 'redacted' or 'off'"):
        RagTracer(capture="some")
