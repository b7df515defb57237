"""Forms of the conventions that the captured traces do not show, span by span."""

import json
from typing import Any

import pytest

from ragsonde.collector.conventions import CONTENT_REMEDIES, Role, SpanReading, read_span
from ragsonde.collector.conventions.messages import messages_in
from ragsonde.collector.model import LogRecord, Span, SpanEvent

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TEXT = "A drill may be kept for seven days."


def read(
    attributes: dict[str, Any], *events: SpanEvent, logs: tuple[LogRecord, ...] = (), name: str = "span"
) -> SpanReading:
    reading = read_span(Span(TRACE_ID, "00f067aa0ba902b7", name, attributes=attributes, events=events), logs)
    assert reading is not None
    return reading


def test_span_of_no_convention_is_not_read() -> None:
    assert read_span(Span(TRACE_ID, "00f067aa0ba902b7", "GET", attributes={"http.request.method": "GET"})) is None


# Vector stores ----------------------------------------------------------------------------------------------


def test_pinecone_metadata_written_as_python_dict_holds_the_text() -> None:
    hits = [
        SpanEvent(
            "db.query.result",
            attributes={
                "db.query.result.id": f"p{i}",
                "db.query.result.score": score,
                "db.query.result.metadata": str({"text": text, "page": 3}),
            },
        )
        for i, (score, text) in enumerate([(0.9, TEXT), (0.4, "Don't smoke.")])
    ]
    reading = read({"db.system": "pinecone", "db.operation": "query"}, *hits)
    assert reading.role is Role.RETRIEVAL
    assert [(d.id, d.text, d.score, d.metadata) for d in reading.documents or ()] == [
        ("p0", TEXT, 0.9, {"page": 3}),
        ("p1", "Don't smoke.", 0.4, {"page": 3}),
    ]


def test_milvus_search_keeps_distances_out_of_the_score() -> None:
    hits = [
        SpanEvent(
            "db.search.result",
            attributes={
                "db.search.query.id": 0,
                "db.search.result.id": i,
                "db.search.result.distance": distance,
                "db.search.result.entity": json.dumps({"text": text}),
            },
        )
        for i, (distance, text) in enumerate([(0.1, TEXT), (0.7, "Other.")])
    ]
    reading = read({"db.system": "milvus", "db.operation": "search"}, *hits)
    assert [(d.id, d.text, d.score, d.metadata["distance"], d.rank) for d in reading.documents or ()] == [
        ("0", TEXT, None, 0.1, 1),
        ("1", "Other.", None, 0.7, 2),
    ]


def test_milvus_query_rows_are_documents() -> None:
    row = SpanEvent("db.query.result", attributes={"db.query.result.id": 4, "db.query.result.text": TEXT})
    assert [(d.id, d.text) for d in read({"db.system": "milvus"}, row, name="milvus.query").documents or ()] == [
        ("4", TEXT)
    ]


def test_qdrant_says_nothing_of_what_it_found() -> None:
    reading = read({"db.system": "qdrant", "db.operation": "search", "db.vector.query.top_k": 3})
    assert (reading.role, reading.documents) == (Role.RETRIEVAL, None)


@pytest.mark.parametrize("operation", ["add", "upsert", "delete", "create_collection"])
def test_writing_to_a_vector_store_is_no_retrieval(operation: str) -> None:
    assert (
        read_span(
            Span(TRACE_ID, "00f067aa0ba902b7", "x", attributes={"db.system": "chroma", "db.operation": operation})
        )
        is None
    )


def test_relational_query_is_no_retrieval() -> None:
    attributes: dict[str, Any] = {"db.system": "postgresql", "db.operation": "query"}
    assert read_span(Span(TRACE_ID, "00f067aa0ba902b7", "SELECT", attributes=attributes)) is None


# GenAI ------------------------------------------------------------------------------------------------------


def test_details_as_a_span_event_carry_the_messages() -> None:
    details = SpanEvent(
        "gen_ai.client.inference.operation.details",
        attributes={
            "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Q?"}]}],
            "gen_ai.output.messages": [
                {
                    "role": "assistant",
                    "parts": [{"type": "reasoning", "content": "hm"}, {"type": "text", "content": "A."}],
                }
            ],
        },
    )
    reading = read({"gen_ai.operation.name": "chat"}, details)
    assert (reading.messages[0].text, reading.answer) == ("Q?", "A.")


def test_whole_event_replaces_a_cut_attribute() -> None:
    whole = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": TEXT}]}])
    log = LogRecord(
        TRACE_ID,
        "00f067aa0ba902b7",
        "gen_ai.client.inference.operation.details",
        attributes={"gen_ai.output.messages": whole},
    )
    reading = read({"gen_ai.operation.name": "chat", "gen_ai.output.messages": whole[:40]}, logs=(log,))
    assert reading.answer == TEXT
    assert not reading.cut


def test_oldest_content_events_are_read() -> None:
    events = (
        SpanEvent(
            "gen_ai.content.prompt", attributes={"gen_ai.prompt": json.dumps([{"role": "user", "content": "Q?"}])}
        ),
        SpanEvent(
            "gen_ai.content.completion",
            attributes={"gen_ai.completion": json.dumps([{"role": "assistant", "content": "A."}])},
        ),
    )
    reading = read({"gen_ai.system": "openai", "gen_ai.request.model": "m"}, *events)
    assert (reading.role, reading.messages[0].text, reading.answer) == (Role.GENERATION, "Q?", "A.")


def test_legacy_events_on_the_span_are_read_and_a_tool_call_is_no_answer() -> None:
    user = SpanEvent(
        "gen_ai.user.message", attributes={"gen_ai.event.content": json.dumps({"role": "user", "content": "Q?"})}
    )
    call = {"index": 0, "message": {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "f"}}]}}
    choice = SpanEvent("gen_ai.choice", attributes={"gen_ai.event.content": json.dumps(call)})
    reading = read({"gen_ai.operation.name": "chat"}, user, choice)
    assert (reading.messages[0].text, reading.answer, reading.called_tool) == ("Q?", None, True)


def test_text_beside_a_tool_call_is_no_answer() -> None:
    output = [
        {
            "role": "assistant",
            "parts": [{"type": "text", "content": "Let me look."}, {"type": "tool_call", "name": "f"}],
        }
    ]
    assert read({"gen_ai.operation.name": "chat", "gen_ai.output.messages": json.dumps(output)}).answer is None


def test_first_of_several_choices_is_the_answer() -> None:
    output = [{"role": "assistant", "parts": [{"type": "text", "content": text}]} for text in ("one", "two")]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.choice.count": 2,
        "gen_ai.output.messages": json.dumps(output),
    }
    assert read(attributes).answer == "one"


def test_unknown_parts_are_passed_over() -> None:
    parts = [
        {"type": "blob", "content": "AAAA"},
        {"type": "something_new", "content": "x"},
        {"type": "text", "content": "Q?"},
    ]
    assert messages_in([{"role": "user", "parts": parts, "name": None}])[0].text == "Q?"


def test_session_and_datastore_type_are_read() -> None:
    reading = read(
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "f",
            "gen_ai.tool.type": "datastore",
            "gen_ai.tool.call.result": TEXT,
            "gen_ai.conversation.id": "c",
        }
    )
    assert reading.tool_result is not None
    assert reading.tool_result.is_datastore
    assert reading.conversation_id == "c"


# Frameworks -------------------------------------------------------------------------------------------------


def test_openinference_completion_prompts_and_choices() -> None:
    reading = read(
        {"openinference.span.kind": "LLM", "llm.prompts.0.prompt.text": "Q?", "llm.choices.0.completion.text": "A."}
    )
    assert (reading.messages[0].text, reading.answer) == ("Q?", "A.")


def test_openinference_tool_call_of_a_model_is_no_answer() -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "output.value": "calling",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
    }
    assert (read(attributes).answer, read(attributes).called_tool) == (None, True)


@pytest.mark.parametrize(
    ("output", "answer"),
    [
        ('{"retries": 3}', '{"retries": 3}'),
        ('{"answer": "Yes."}', "Yes."),
        ('[{"page_content": "a", "metadata": {"id": 1}}]', None),
        ('{"retries": ', None),
    ],
)
def test_openinference_output_called_plain_is_an_answer_as_written(output: str, answer: str | None) -> None:
    attributes = {"openinference.span.kind": "CHAIN", "output.value": output, "output.mime_type": "text/plain"}
    assert read(attributes).answer == answer
    assert read(attributes | {"output.mime_type": "application/json"}).answer == (
        answer if "answer" in output else None
    )


def test_openinference_more_than_ten_documents_stay_in_order() -> None:
    attributes: dict[str, Any] = {f"retrieval.documents.{i}.document.content": f"text {i}" for i in range(12)}
    documents = read({"openinference.span.kind": "RETRIEVER", **attributes}).documents or ()
    assert [d.text for d in documents] == [f"text {i}" for i in range(12)]


@pytest.mark.parametrize("is_nested", [False, True])
def test_openinference_lists_in_one_value_are_read_like_flattened_ones(is_nested: bool) -> None:
    def listed(kind: str, **fields: str) -> str:
        return json.dumps([{kind: fields} if is_nested else {f"{kind}.{key}": value for key, value in fields.items()}])

    documents = {"retrieval.documents": listed("document", content=TEXT, id="a")}
    found = read({"openinference.span.kind": "RETRIEVER"} | documents).documents
    assert [(document.id, document.text) for document in found or ()] == [("a", TEXT)]
    messages = {
        "llm.input_messages": listed("message", role="user", content="Q?"),
        "llm.output_messages": listed("message", role="assistant", content="A."),
    }
    reading = read({"openinference.span.kind": "LLM"} | messages)
    assert ([message.text for message in reading.messages], reading.answer) == (["Q?"], "A.")


def test_openinference_hidden_documents_are_marked_hidden() -> None:
    reading = read({"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": "__REDACTED__"})
    assert reading.hidden
    assert not any(d.text for d in reading.documents or ())


def test_traceloop_reranker_task_reorders() -> None:
    nodes = [{"node": {"id_": f"n{i}", "text": f"text {i}", "metadata": {}}, "score": i} for i in range(3)]
    reading = read(
        {
            "traceloop.span.kind": "task",
            "traceloop.entity.name": "LLMRerank.task",
            "traceloop.entity.input": json.dumps({"nodes": nodes, "query_bundle": {"query_str": "Q?"}}),
            "traceloop.entity.output": json.dumps([json.dumps(nodes[2]), json.dumps(nodes[0])]),
        }
    )
    assert (reading.role, reading.question) == (Role.RERANK, "Q?")
    assert [d.id for d in reading.documents or ()] == ["n2", "n0"]


def test_trulens_reranking_follows_the_output_ranks() -> None:
    reading = read(
        {
            "ai.observability.span_type": "reranking",
            "ai.observability.reranking.query_text": "Q?",
            "ai.observability.reranking.input_context_texts": ["a", "b", "c"],
            "ai.observability.reranking.output_ranks": [3, 1, 2],
            "ai.observability.reranking.top_n": 2,
        }
    )
    assert (reading.role, reading.question) == (Role.RERANK, "Q?")
    assert [(d.text, d.rank) for d in reading.documents or ()] == [("b", 1), ("c", 2)]


def test_trulens_retrieval_that_found_nothing_is_empty() -> None:
    assert (
        read({"ai.observability.span_type": "retrieval", "ai.observability.retrieval.num_contexts": 0}).documents == ()
    )


def test_haystack_joiner_replaces_what_it_joined() -> None:
    documents = [{"id": "a", "content": TEXT, "score": 1.0}]
    reading = read(
        {
            "haystack.component.type": "DocumentJoiner",
            "haystack.component.input": json.dumps({"documents": [documents]}),
            "haystack.component.output": json.dumps({"documents": documents}),
        }
    )
    assert reading.role is Role.RERANK
    assert [d.id for d in reading.documents or ()] == ["a"]


def test_mlflow_openai_reply_is_read() -> None:
    reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "A."}, "finish_reason": "stop"}]}
    reading = read(
        {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.spanInputs": json.dumps({"messages": [{"role": "user", "content": "Q?"}]}),
            "mlflow.spanOutputs": json.dumps(reply),
            "mlflow.trace.session": '"s1"',
        }
    )
    assert (reading.messages[0].text, reading.answer, reading.conversation_id) == ("Q?", "A.", "s1")


def test_langsmith_model_reply_and_metadata_are_read() -> None:
    reading = read(
        {
            "langsmith.span.kind": "llm",
            "gen_ai.operation.name": "chat",
            "langsmith.metadata.thread_id": "t1",
            "gen_ai.prompt": json.dumps(
                {
                    "messages": [
                        [
                            {
                                "lc": 1,
                                "type": "constructor",
                                "id": ["x", "HumanMessage"],
                                "kwargs": {"content": "Q?", "type": "human"},
                            }
                        ]
                    ]
                }
            ),
            "gen_ai.completion": json.dumps(
                {
                    "generations": [
                        [
                            {
                                "text": "A.",
                                "message": {
                                    "lc": 1,
                                    "type": "constructor",
                                    "id": ["x", "AIMessage"],
                                    "kwargs": {"content": "A.", "tool_calls": []},
                                },
                            }
                        ]
                    ]
                }
            ),
        }
    )
    assert (reading.role, reading.messages[0].text, reading.answer, reading.conversation_id) == (
        Role.GENERATION,
        "Q?",
        "A.",
        "t1",
    )


def test_every_convention_has_a_remedy() -> None:
    assert all(remedy.endswith(".") for remedy in CONTENT_REMEDIES.values())
    assert len(CONTENT_REMEDIES) == 13
