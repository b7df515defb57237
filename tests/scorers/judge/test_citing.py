"""A citation is right where its own document supports the statement it stands at."""

from collections.abc import Sequence
from typing import Any

from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.scorers.judge.judging import InProcess, outcomes, reading, script

SOURCES = [("source-a", "The fee is 20 euros."), ("source-b", "The office opens at nine."), ("source-c", "Cats sleep.")]


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Scored), outcome
    return outcome.value


def judged(answer: str, sources: Sequence[tuple[str, str]] = SOURCES, **told: Any) -> tuple[Outcome, Outcome, Outcome]:
    result = outcomes(reading(answer, sources, "What is the fee of the office?"), InProcess(script(**told)))
    return (
        result[MetricKey.CITATION_PRESENCE],
        result[MetricKey.CITATION_COVERAGE],
        result[MetricKey.CITATION_ACCURACY],
    )


def test_right_citations_count_fully() -> None:
    assert [value(outcome) for outcome in judged("The fee is 20 euros [1]. The office opens at nine [2].")] == [1, 1, 1]


def test_a_true_claim_cited_to_another_document_is_misattributed() -> None:
    presence, coverage, accuracy = judged("The fee is 20 euros [2].")
    assert (value(presence), value(coverage), value(accuracy)) == (1.0, 0.0, 0.0)
    assert isinstance(accuracy, Scored)
    assert accuracy.label == "misattributed"
    assert accuracy.citations[0].context_id == "source-b"
    assert accuracy.citations[0].supported is False


def test_a_citation_by_id_is_judged_by_the_quotes_own_document() -> None:
    known = {
        "said": "The fee is 20 euros",
        "verdict": "supported",
        "quote": "The fee is 20 euros.",
        "document": 3,
        "cited": ["source-c"],
    }
    _, coverage, accuracy = judged("The fee is 20 euros [source-c].", known=[known])
    assert (value(coverage), value(accuracy)) == (0.0, 0.0)


def test_a_citation_of_nothing_that_was_retrieved_is_fabricated() -> None:
    _, coverage, accuracy = judged("The fee is 20 euros [1]. The office opens at nine [9].")
    assert (value(coverage), value(accuracy)) == (0.5, 0.5)
    assert isinstance(accuracy, Scored)
    assert accuracy.label == "fabricated"
    assert [citation.context_id for citation in accuracy.citations] == ["source-a", None]


def test_an_answer_without_citations_has_no_accuracy_but_a_coverage_of_nothing() -> None:
    presence, coverage, accuracy = judged("The fee is 20 euros. The office opens at nine.")
    assert (value(presence), value(coverage)) == (0.0, 0.0)
    assert accuracy == NotApplicable(Reason.NO_CITATIONS)


def test_a_cited_document_without_text_supports_nothing() -> None:
    _, coverage, accuracy = judged("The fee is 20 euros [1].", [("empty", ""), ("full", "The fee is 20 euros.")])
    assert (value(coverage), value(accuracy)) == (0.0, 0.0)


def test_one_right_citation_of_two_covers_a_claim_and_halves_accuracy() -> None:
    _, coverage, accuracy = judged("The fee is 20 euros [1][3].")
    assert (value(coverage), value(accuracy)) == (1.0, 0.5)
