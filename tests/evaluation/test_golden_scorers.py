"""Correctness, refusals and retrieval are judged by what the golden item knows."""

from dataclasses import replace

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document
from ragsonde.evaluation.config import RetrievalLevel
from ragsonde.evaluation.correctness import AnswerCorrectness
from ragsonde.evaluation.golden_scorers import GoldenRefusal, GoldenRetrieval
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.builders import interaction
from tests.golden_sets.golden_items import item

DEADLINE = Deadline(60.0)


def correctness(answer: str, *, question: str = "What is the capital of France?", **values: object) -> Outcome:
    given = interaction(id="i", question=question, answer=answer)
    scorer = AnswerCorrectness({"i": item("i", **values)})
    return scorer.score([Reading(given)], DEADLINE)[0][MetricKey.ANSWER_CORRECTNESS]


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("The capital of France is Paris.", "The capital of France is Paris.", 1.0),
        ("Paris.", "The capital of France is Paris.", 1.0),
        ("The capital of France is Paris.", "Paris.", 1.0),
        ("The capital of France is Lyon.", "The capital of France is Paris.", 0.0),
        ("Lyon.", "The capital of France is Paris.", 0.0),
    ],
)
def test_an_answer_is_right_in_full_or_in_a_word(answer: str, reference: str, expected: float) -> None:
    found = correctness(answer, reference=reference)
    assert isinstance(found, Scored)
    assert found.value == expected


def test_saying_half_and_saying_more_both_cost() -> None:
    reference = "Items can be returned within 30 days. Refunds take five days."
    question = "How do returns work?"
    half = correctness("Items can be returned within 30 days.", question=question, reference=reference)
    more = correctness(f"{reference} Shipping is free to Norway.", question=question, reference=reference)
    assert isinstance(half, Scored)
    assert isinstance(more, Scored)
    assert half.value == pytest.approx(2 / 3)  # precision 1, recall 1/2
    assert more.value == pytest.approx(0.8)  # precision 2/3, recall 1
    assert half.explanation is not None
    assert "Refunds take five days" in half.explanation


def test_key_facts_alone_leave_room_for_more() -> None:
    facts = ["Items can be returned within 30 days.", "Refunds take five days."]
    text = "Items can be returned within 30 days. Shipping is free to Norway."
    found = correctness(text, question="How do returns work?", reference=None, key_facts=facts)
    assert isinstance(found, Scored)
    assert (found.value, found.label) == (0.5, "key_facts")


@pytest.mark.parametrize("answer", ["Ich weiß es leider nicht.", "I could not find any information about this."])
def test_a_refusal_states_nothing_where_there_is_an_answer(answer: str) -> None:
    found = correctness(answer, reference="Paris.")
    assert isinstance(found, Scored)
    assert (found.value, found.label) == (0.0, "refused")


def test_correctness_does_not_apply_without_an_answer_or_a_reference() -> None:
    empty = correctness("", reference="Paris.")
    assert isinstance(empty, NotApplicable)
    assert empty.reason is Reason.EMPTY_ANSWER
    unanswerable = correctness("Paris.", reference=None, unanswerable=True)
    assert isinstance(unanswerable, NotApplicable)
    plain = AnswerCorrectness().score([Reading(interaction(reference=None))], DEADLINE)[0]
    assert plain == {MetricKey.ANSWER_CORRECTNESS: NotApplicable(Reason.NO_REFERENCE)}


@pytest.mark.parametrize(
    ("answer", "unanswerable", "expected"),
    [
        ("I'm sorry, I could not find anything about that.", True, 1.0),
        ("I'm sorry, I could not find anything about that.", False, 0.0),
        ("The shop opens at 9.", True, 0.0),
        ("I am not sure, but the shop opens at 9.", True, 0.0),
        ("The shop opens at 9.", False, Reason.NO_REFUSAL),
        ("", True, Reason.EMPTY_ANSWER),
    ],
)
def test_the_golden_item_says_whether_to_refuse(answer: str, unanswerable: bool, expected: float | Reason) -> None:
    scorer = GoldenRefusal({"i": item("i", unanswerable=unanswerable)})
    found = scorer.score([Reading(interaction(id="i", answer=answer))], DEADLINE)[0][MetricKey.REFUSAL_CORRECTNESS]
    assert (found.value if isinstance(found, Scored) else found.reason) == expected  # type: ignore[union-attr]


def retrieval(gold: list[dict[str, object]], documents: list[Document], level: RetrievalLevel) -> dict[str, float]:
    known: GoldenItem = item("i", gold=gold)
    given = replace(interaction(id="i"), contexts=tuple(documents))
    outcomes = GoldenRetrieval({"i": known}, k=3, level=level).score([Reading(given)], DEADLINE)[0]
    return {key.value: outcome.value for key, outcome in outcomes.items() if isinstance(outcome, Scored)}


def document(rank: int, id: str | None, **metadata: str) -> Document:  # noqa: A002
    return Document("text", rank, id=id, metadata=metadata)


@pytest.mark.parametrize(
    ("found", "at_section", "at_document"),
    [
        (document(1, "guide#fees"), 1.0, 1.0),
        (document(1, "fees"), 1.0, 1.0),
        (document(1, "chunk-17", document_id="guide", section="fees"), 1.0, 1.0),
        (document(1, "guide#returns"), 0.0, 1.0),
        (document(1, "guide"), 0.0, 1.0),
        (document(1, "guide-2"), 0.0, 0.0),
        (document(1, None), 0.0, 0.0),
    ],
)
def test_a_passage_is_found_by_id_or_metadata(found: Document, at_section: float, at_document: float) -> None:
    gold: list[dict[str, object]] = [{"document_id": "guide", "section": "fees"}]
    assert retrieval(gold, [found], RetrievalLevel.SECTION)["hit_at_k"] == at_section
    assert retrieval(gold, [found], RetrievalLevel.DOCUMENT)["hit_at_k"] == at_document


def test_chunks_of_one_document_count_once_and_grades_weigh() -> None:
    gold: list[dict[str, object]] = [{"document_id": "a", "grade": 3}, {"document_id": "b", "grade": 1}]
    documents = [document(1, "b#1"), document(2, "b#2"), document(3, "a#1")]
    found = retrieval(gold, documents, RetrievalLevel.DOCUMENT)
    assert (found["recall_at_k"], found["mrr"]) == (1.0, 1.0)
    assert found["precision_at_k"] == pytest.approx(2 / 3)
    assert found["ndcg_at_k"] == pytest.approx((1 + 3 / 1.5849625) / (3 + 1 / 1.5849625))
