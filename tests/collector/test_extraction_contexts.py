"""Which documents an answer was given from, and in which order."""

import json

import pytest

from ragsonde.collector.model import Capture
from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, chat, prompt, retrieval, texts


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


def test_second_reranking_replaces_the_first() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    spans.add("retrieval", retrieval(QUESTION, ["Opening hours are nine to five.", *PASSAGES]), parent=root)
    for kept in (PASSAGES, PASSAGES[:1]):
        documents = {f"reranker.output_documents.{i}.document.content": text for i, text in enumerate(kept)}
        spans.add("rerank", {"openinference.span.kind": "RERANKER", **documents}, parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert texts(spans.interaction()) == [PASSAGES[0]]


def test_each_retrieval_with_its_own_reranking_adds_up() -> None:
    spans = Spans()
    root = spans.add("workflow", {"gen_ai.operation.name": "invoke_workflow"}, lasts=9)
    for passage in PASSAGES:
        spans.add("retrieval", retrieval(QUESTION, ["Opening hours are nine to five.", passage]), parent=root)
        document = {"reranker.output_documents.0.document.content": passage}
        spans.add("rerank", {"openinference.span.kind": "RERANKER", **document}, parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert texts(spans.interaction()) == [*PASSAGES]


def test_retrieval_inside_a_tool_counts_rather_than_what_the_tool_made_of_it() -> None:
    spans = Spans()
    root = spans.add("agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9)
    made = json.dumps([{"title": "Manual", "text": "A summary by the tool."}])
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.call.result": made,
    }
    tool = spans.add("tool", attributes, parent=root, lasts=2)
    spans.add("retrieval", retrieval(QUESTION), parent=tool)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert texts(spans.interaction()) == [*PASSAGES]


def test_retrieval_after_the_answer_is_no_context_of_it() -> None:
    spans = Spans()
    root = spans.add("POST /chat", lasts=9)
    spans.add("retrieval", retrieval(QUESTION), parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    spans.add("retrieval", retrieval("what else may interest", ["We also rent out saws."]), parent=root)
    assert texts(spans.interaction()) == [*PASSAGES]


@pytest.mark.parametrize(
    "retrieved",
    [
        {
            "openinference.span.kind": "RETRIEVER",
            "output.value": json.dumps({"retrievalResults": [{"content": {"text": text}} for text in PASSAGES]}),
        },
        {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents": json.dumps([{"document": {"content": text}} for text in PASSAGES]),
        },
        {
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents": json.dumps([{"document.content": text} for text in PASSAGES]),
        },
        {
            "traceloop.span.kind": "task",
            "gen_ai.operation.name": "vector_db_retrieve",
            "traceloop.entity.output": json.dumps({"documents": [{"text": text} for text in PASSAGES]}),
        },
    ],
)
def test_a_span_that_says_it_retrieved_is_believed_whatever_its_documents_look_like(retrieved: dict[str, str]) -> None:
    spans = Spans()
    root = spans.add("invoke_agent", {"gen_ai.operation.name": "invoke_agent"}, lasts=9)
    spans.add("retrieve", retrieved, parent=root)
    spans.add("chat", chat(QUESTION, ANSWER), parent=root)
    assert texts(spans.interaction()) == [*PASSAGES]


SOURCES = [{"node": {"text": text}, "score": 0.5} for text in PASSAGES]


@pytest.mark.parametrize(
    "returned",
    [
        {"response": ANSWER, "source_nodes": SOURCES},
        {"result": {"response": ANSWER, "source_nodes": SOURCES}},
        {"output": {"data": {"answer": ANSWER, "documents": SOURCES}}},
        {"result": {"message": {"role": "assistant", "content": ANSWER}, "documents": SOURCES}},
        {"result": json.dumps({"answer": ANSWER, "contexts": SOURCES})},
    ],
)
def test_an_answer_beside_its_sources_is_an_answer_and_no_retrieval(returned: dict[str, object]) -> None:
    spans = Spans()
    chain = {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": json.dumps(returned)}
    root = spans.add("workflow", chain, lasts=9)
    spans.add("retrieve", retrieval(QUESTION), parent=root)
    interaction = spans.interaction()
    assert (interaction.answer, texts(interaction)) == (ANSWER, [*PASSAGES])


BOTH = " ".join(PASSAGES)


@pytest.mark.parametrize(
    ("filled", "expected"),
    [
        (f"Passages: {BOTH} {QUESTION}", [BOTH]),
        (f"Context: {BOTH}\n\n{QUESTION}", [BOTH]),
        (f"Context: {QUESTION} {BOTH}", None),
        (f"Context: {QUESTION}", None),
        (f"Context: {QUESTION} {BOTH}\nQuestion: {QUESTION}", [f"{QUESTION} {BOTH}"]),
    ],
)
def test_the_question_in_the_prompt_is_never_part_of_the_context(filled: str, expected: list[str] | None) -> None:
    spans = Spans()
    chain = {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": ANSWER}
    root = spans.add("rag", chain, lasts=9)
    spans.add("llm", chat(filled, ANSWER), parent=root)
    assert texts(spans.interaction()) == expected
