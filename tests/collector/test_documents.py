"""Documents in the shapes in which retrievers, stores and tools list them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.conventions.documents import documents_in, listed_documents_in
from ragsonde.collector.model import AttributeValue

ONE, TWO = "A drill may be kept for seven days.", "A deposit of 50 EUR is due."
WORDS = st.text(st.characters(categories=["L"]), min_size=1, max_size=12).filter(lambda word: word.lower() != "null")
TEXTS = st.lists(WORDS, min_size=1, max_size=5)


def texts(value: AttributeValue) -> list[str | None] | None:
    found = documents_in(json.dumps(value))
    return None if found is None else [document.text for document in found]


def listed(value: AttributeValue) -> list[str | None] | None:
    found = listed_documents_in(json.dumps(value))
    return None if found is None else [document.text for document in found]


@pytest.mark.parametrize(
    "value",
    [
        [{"page_content": ONE}, {"page_content": TWO}],
        [{"page_content": ONE, "metadata": {}}, {"page_content": TWO, "metadata": {}}],
        {"documents": [{"page_content": ONE, "metadata": {"page": 1}}, {"page_content": TWO, "metadata": {}}]},
        [{"document": {"page_content": ONE}}, {"document": {"page_content": TWO}}],
        [{"text": ONE, "metadata": {"page": 1}}, {"text": TWO, "metadata": {}}],
        [{"text": ONE, "id": None}, {"text": TWO, "id": "two"}],
        [{"page_content": ONE, "type": "tool"}, {"page_content": TWO, "type": "tool"}],
        [{"text": ONE, "score": 0.5, "role": "user"}, {"text": TWO, "score": 0.5, "role": "admin"}],
        [{"text": ONE, "id": "a", "function": "open"}, {"text": TWO, "id": "b", "function": "close"}],
    ],
)
def test_documents_that_show_what_they_are_need_no_retrieval_around_them(value: AttributeValue) -> None:
    assert listed(value) == [ONE, TWO]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": ONE}, {"role": "assistant", "content": TWO}],
        [{"id": "m", "role": "user", "content": ONE}],
        [{"type": "human", "content": ONE, "id": "m"}],
        [{"type": "text", "text": ONE}, {"type": "text", "text": TWO}],
        [{"id": "c", "type": "function", "function": {"name": "f", "description": ONE}, "text": ONE}],
        [[{"text": ONE, "id": "a"}, 0.5], {"role": "user", "content": TWO}],
        [ONE, TWO],
        [None],
        {"text": ONE, "id": "a"},
    ],
)
def test_without_a_retrieval_around_them_other_lists_are_no_documents(value: AttributeValue) -> None:
    assert listed(value) is None


@pytest.mark.parametrize("field", ["type", "role", "function", "name", "kind", "source"])
@pytest.mark.parametrize("value", ["tool", "user", "system", "function", "ai"])
def test_a_field_of_a_retrieved_document_makes_no_message_of_it(field: str, value: str) -> None:
    assert texts([{"id": "1", "content": ONE, field: value}, {"id": "2", "content": TWO, field: value}]) == [ONE, TWO]
    assert texts([{"content": ONE, field: value}, {"content": TWO, field: "other"}]) == [ONE, TWO]


@given(TEXTS, st.data())
def test_nulls_among_documents_lose_none_of_the_others(words: list[str], data: st.DataObject) -> None:
    rows: list[AttributeValue] = [{"id": word, "content": word} for word in words]
    for _ in range(data.draw(st.integers(0, 3))):
        rows.insert(data.draw(st.integers(0, len(rows))), None)
    found = documents_in(json.dumps(rows)) or ()
    assert [(d.text, d.rank) for d in found] == [(word, rank) for rank, word in enumerate(words, start=1)]


def test_nothing_but_nulls_is_not_an_empty_result() -> None:
    assert documents_in("[null, null]") is None


@given(TEXTS)
def test_a_content_in_parts_is_one_text(words: list[str]) -> None:
    assert texts([{"id": "1", "content": [{"type": "text", "text": word} for word in words]}]) == ["\n".join(words)]
    assert texts([{"_id": "1", "fields": {"text": words}}]) == ["\n".join(words)]


@pytest.mark.parametrize(
    "text",
    [
        "['a', 'b'] is a list literal in Python.",
        "{'retries': 3} is the default.",
        "DataFrame(data=None) makes an empty frame.",
        "Client(url='(:')\nclient.run()",
        "<a.B object at 0x7f> is what print shows.",
        '{"retries": 3, "timeout": 20}',
        '["red", "blue"]',
        '["red", "blue"] are the two colours.',
    ],
)
def test_a_bare_text_that_begins_like_code_is_a_text(text: str) -> None:
    assert texts([text, ONE]) == [text, ONE]


@pytest.mark.parametrize(
    "text",
    [
        "Document(id=1, content='A drill (or saw)')",
        "Document(page_content='It\\'s (', metadata={'a': 1})",
        "[Document(id=1)]",
        "Document(id=1), Document(id=2)",
        "Document(id=1, content='cut o",
        "<a.B object at 0x7f00>",
        "{'a': {'b': 1}}",
        "content='Yes.' additional_kwargs={}",
        '{"content": "cut o',
        '{"content": "__REDACTED__"}',
        '{"index": 2, "score": 0.9}',
        "__REDACTED__",
    ],
)
def test_a_bare_text_that_is_nothing_but_an_object_is_none(text: str) -> None:
    assert texts([text, ONE]) is None
