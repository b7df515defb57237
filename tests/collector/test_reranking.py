"""Rerankers that name only places in the list they were given."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.conventions.reranking import place_of, placed, places_in
from ragsonde.collector.model import Capture, Document, Interaction
from tests.spans import ANSWER, PASSAGES, QUESTION, Spans, chat, prompt, retrieval, texts

GIVEN = [PASSAGES[1], "Opening hours are nine to five.", PASSAGES[0]]
REPLY = {"results": [{"index": 2, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.8}]}


def reranked(
    *retrieved: list[str], given: Any = None, reply: Any = REPLY, asked: str = QUESTION, **more: str
) -> Interaction:
    spans = Spans()
    root = spans.add(
        "rag", {"openinference.span.kind": "CHAIN", "input.value": QUESTION, "output.value": ANSWER}, lasts=9
    )
    for found in retrieved:
        spans.add("retrieve", retrieval(QUESTION, found), parent=root)
    attributes = {"openinference.span.kind": "RERANKER", "output.value": json.dumps(reply)} | more
    if given is not None:
        attributes["input.value"] = json.dumps({"query": QUESTION, **given})
    spans.add("rerank", attributes, parent=root)
    spans.add("chat", chat(asked, ANSWER), parent=root)
    return spans.interaction()


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        {"data": [{"index": 2, "score": 0.9}, {"index": 0, "score": 0.8, "document": None}]},
        {"rankings": [{"index": 2, "logit": -1.5}, {"index": 0, "logit": -3.0}]},
        [{"corpus_id": 2, "score": 0.9}, {"corpus_id": 0, "score": 0.8}],
        {"output": json.dumps(REPLY)},
    ],
)
def test_places_put_in_order_and_cut_what_the_reranker_was_given(reply: Any) -> None:
    assert texts(reranked(given={"documents": GIVEN}, reply=reply)) == [*PASSAGES]
    assert texts(reranked(given={"texts": GIVEN}, reply=reply)) == [*PASSAGES]
    assert texts(reranked(given={"documents": [{"text": text} for text in GIVEN]}, reply=reply)) == [*PASSAGES]
    flat = {f"reranker.input_documents.{i}.document.content": text for i, text in enumerate(GIVEN)}
    assert texts(reranked(reply=reply, **flat)) == [*PASSAGES]


def test_places_follow_the_one_result_before_where_the_span_does_not_say_what_was_given() -> None:
    interaction = reranked(GIVEN)
    assert texts(interaction) == [*PASSAGES]
    assert [d.score for d in interaction.contexts or ()] == [0.9, 0.8]


@pytest.mark.parametrize("retrieved", [[], [GIVEN, GIVEN[::-1]], [GIVEN[:2]]])
def test_places_in_an_unknown_list_leave_the_contexts_unknown(retrieved: list[list[str]]) -> None:
    interaction = reranked(*retrieved)
    assert (interaction.contexts, interaction.capture) == (None, Capture.CONTEXTS_NOT_CAPTURED)
    assert "names no documents" in (interaction.remedy or "")


def test_places_in_an_unknown_list_leave_the_passages_of_the_prompt() -> None:
    assert texts(reranked(GIVEN, GIVEN[::-1], asked=prompt())) == [*PASSAGES]


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"results": []},
        [{"index": 1}],
        [{"index": True, "score": 1}],
        [{"index": -1, "score": 1}],
        [{"index": 1, "score": 1}, {"index": 1, "score": 0.5}],
        [{"index": 0, "score": 1}, None],
        "text",
    ],
)
def test_other_replies_name_no_places(value: Any) -> None:
    assert places_in(json.dumps(value)) is None


@given(st.permutations(range(6)), st.integers(1, 6), st.integers(0, 8))
def test_either_every_place_gets_its_document_or_none_does(order: list[int], top: int, size: int) -> None:
    given_documents = [Document(text=f"text {number}", rank=number + 1) for number in range(size)]
    places = places_in([{"index": place, "score": 1.0 / (n + 1)} for n, place in enumerate(order[:top])])
    assert places is not None
    found = placed(places, given_documents)
    if max(order[:top]) < size:
        assert [(d.text, d.rank) for d in found] == [(f"text {place}", n) for n, place in enumerate(order[:top], 1)]
    else:
        assert [place_of(document) for document in found] == order[:top]
