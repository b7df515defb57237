"""Questions, answers, documents and values in the shapes that libraries give them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.conventions.documents import documents_in
from ragsonde.collector.conventions.messages import answer_in, question_in
from ragsonde.collector.conventions.values import Attributes, is_cut_json, is_repr, parse, parse_mapping
from ragsonde.collector.model import AttributeValue

TEXT = "A drill may be kept for seven days."


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("What?", "What?"),
        ('"What?"', "What?"),
        ({"question": "What?", "history": []}, "What?"),
        ({"retriever": {"query": "search words"}, "prompt_builder": {"question": "What?"}}, "What?"),
        ({"args": ["What?", 3], "kwargs": {}}, "What?"),
        ({"args": [], "kwargs": {"question": "What?"}}, "What?"),
        ({"userQuery": "What?"}, "What?"),
        ({"retriever": {"searchQuery": "search words"}, "promptBuilder": {"Question": "What?"}}, "What?"),
        ({"task": "What?", "stream": False, "reset": True}, "What?"),
        ({"task": "answer", "question": "What?"}, "What?"),
        ("Document(id=5) raises an error, why?", "Document(id=5) raises an error, why?"),
        ({"args": [["one", "two"]], "kwargs": {}}, None),
        ({"messages": [{"role": "user", "content": "What?"}, {"role": "assistant", "content": "No."}]}, "What?"),
        ({"input": {"messages": [["user", "x"]]}}, None),
        ({"session_id": "s", "config": {"query": "no"}}, None),
        (["one", "two"], None),
        ("__REDACTED__", None),
        ("null", None),
        ("<Request object at 0x7f00>", None),
    ],
)
def test_question_in_an_input(value: AttributeValue, expected: str | None) -> None:
    assert question_in(value if isinstance(value, str) else json.dumps(value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Yes.", "Yes."),
        ({"answer": "Yes.", "context": [{"page_content": "x"}]}, "Yes."),
        ({"question": "What?", "documents": ["x"], "generation": "Yes."}, "Yes."),
        ({"messages": [{"type": "human", "content": "What?"}, {"type": "ai", "content": "Yes."}]}, "Yes."),
        ({"llm": {"replies": [{"role": "assistant", "content": [{"text": "Yes."}]}]}}, "Yes."),
        ({"finalAnswer": "Yes.", "sourceDocuments": []}, "Yes."),
        ({"role": "assistant", "content": "Let me look.", "tool_calls": [{"id": "1"}]}, None),
        ({"data": [{"role": "assistant", "content": [{"type": "text", "text": {"value": "Yes."}}]}]}, "Yes."),
        ("['red', 'blue'] are the colours.", "['red', 'blue'] are the colours."),
        ({"outputs": {"context": "x", "question": "What?"}}, None),
        ({"documents": [{"page_content": "x"}]}, None),
        ({"status": "ok", "message": "done"}, None),
        ([{"type": "text", "text": "Yes."}], "Yes."),
        (["a", "b"], None),
        ("content='Yes.' additional_kwargs={}", None),
        ("{'answer': 'Yes.'}", None),
    ],
)
def test_answer_in_an_output(value: AttributeValue, expected: str | None) -> None:
    assert answer_in(value if isinstance(value, str) else json.dumps(value)) == expected


@pytest.mark.parametrize(
    "value",
    [
        [{"page_content": TEXT, "metadata": {"id": "a"}}],
        {"documents": [{"id": "a", "content": TEXT}]},
        {"matches": [{"id": "a", "score": 0.5, "metadata": {"text": TEXT}}]},
        {"hits": [{"_id": "a", "_score": 2, "_source": {"text": TEXT}}]},
        {"points": [{"id": "a", "payload": {"content": TEXT}}]},
        [[{"id": "a", "text": TEXT}, 0.7]],
        {"ids": [["a"]], "documents": [[TEXT]], "distances": [[0.1]], "metadatas": [[None]]},
        [json.dumps({"node": {"id_": "a", "text": TEXT}, "score": 1})],
        {"output": [{"page_content": TEXT, "type": "Document", "id": "a"}]},
        [{"lc": 1, "type": "constructor", "id": ["x", "Document"], "kwargs": {"id": "a", "page_content": TEXT}}],
    ],
)
def test_documents_of_many_stores_and_frameworks(value: AttributeValue) -> None:
    assert [(d.id, d.text, d.rank) for d in documents_in(json.dumps(value)) or ()] == [("a", TEXT, 1)]


@pytest.mark.parametrize("value", ["[]", '{"documents": []}', '{"output": {"results": []}}'])
def test_empty_results_are_empty(value: str) -> None:
    assert documents_in(value) == ()


@pytest.mark.parametrize(
    "value",
    [
        "[0.1, 0.2]",
        '{"usage": 3}',
        "plain",
        '["<NodeWithScore(node=TextNode(id_=a))>"]',
        '[{"role": "user", "content": "x"}]',
    ],
)
def test_other_things_are_no_documents(value: str) -> None:
    assert documents_in(value) is None


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ('{"a": "b', True),
        ('[{"a": 1}, {"b"', True),
        ('[{"a": tr', True),
        ('{"a": 1}', False),
        ("[1] A passage.", False),
        ("{name} hello", False),
        ("[not json", False),
        ('{"pri', True),
        ('{"price"', True),
        ('{"price": ', True),
        ('[{"pri', True),
        ('{"price: 5} fails, why?', False),
        ('{"price" is missing, why?', False),
        ('[{"price: 5}] fails, why?', False),
    ],
)
def test_cut_json_is_told_from_text(text: str, cut: bool) -> None:
    assert is_cut_json(text) is cut


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Document(id=a, content='x')", True),
        ("[ChatMessage(_role=<R.U: 'u'>)]", True),
        ("<a.B object at 0x1>", True),
        ("['a', \"it's\", (1, 2)]", True),
        ("{'a': 'b'}, {'c': 'd'}", True),
        ("[Document(id=a)]\n\n[Document(id=b)]", True),
        ("['<NodeWithScore(node=TextNode(id_=a))>']", True),
        ("Document(id=a, content='cut in the mid", True),
        ("content='Yes.' additional_kwargs={'a': 1} id='x'", True),
        ("Document(id=5) raises an error, why?", False),
        ("DataFrame(data=None) constructs an empty frame [1].", False),
        ("['red', 'blue'] are the two colours.", False),
        ("{'retries': 3} is the default.", False),
        ("<Role.USER: 'user'> is an enum's member.", False),
        ("", False),
        ("See f(x=1).", False),
        ("<b>Yes</b>", False),
        ("Yes (a=1)", False),
    ],
)
def test_repr_is_told_from_text(text: str, expected: bool) -> None:
    assert is_repr(text) is expected


@given(st.recursive(st.text(max_size=5), lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=6))
def test_list_of_texts_is_a_repr_as_a_whole_and_prose_with_words_after_it(value: str | list[Any]) -> None:
    listed = repr(["a", value])
    assert is_repr(listed)
    assert not is_repr(listed + " is a list.")


def test_values_that_python_json_writes_and_json_does_not_allow_are_read() -> None:
    assert parse('{"score": NaN, "text": "\\ud83d"}') == {"score": None, "text": "\ufffd"}
    assert parse("[" * 5000 + "]" * 5000) == "[" * 5000 + "]" * 5000


def test_metadata_never_runs_code() -> None:
    assert parse_mapping("{'a': __import__('os').getcwd()}") == {}


def test_numbered_keys_are_gathered_in_numeric_order() -> None:
    attributes = Attributes({"p.10.x": "ten", "p.2.x": "two", "p.a.x": "no", "p.2.y": 1, "pp.1.x": "no"})
    assert attributes.indexed("p") == [{"x": "two", "y": 1}, {"x": "ten"}]
