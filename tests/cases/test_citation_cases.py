"""Citation markers in all their forms, what they are worth, and quotes that prove something or nothing."""

import pytest

from ragsonde.scorers.citations.definitions import find_definitions
from ragsonde.scorers.citations.markers import find_markers
from ragsonde.scorers.citations.resolution import resolve
from ragsonde.scorers.score import MetricKey, NotApplicable, Reason, Scored, Verdict
from ragsonde.scorers.scoring import ScorerSet
from ragsonde.scorers.text.folding import find_quote
from tests.cases.casebook import Case, assert_reason, cases, label, score, value
from tests.scorers.judge.judging import InProcess, outcomes, reading, script

ACCURACY, COVERAGE, PRESENCE = MetricKey.CITATION_ACCURACY, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_PRESENCE
FAITHFULNESS = MetricKey.FAITHFULNESS


def some(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases("citations", section))


@some("markers")
def test_a_marker_names_its_documents_and_what_was_not_retrieved_is_fabricated(case: Case) -> None:
    documents = case.documents()
    found = resolve(find_markers(case.answer, documents), documents, find_definitions(case.answer).notes)
    assert [citation.context_id or "" for citation in found] == list(case.cited)


@some("no_markers")
def test_what_only_looks_like_a_marker_cites_nothing(case: Case) -> None:
    assert find_markers(case.answer, case.documents()) == ()


@some("unknown_style")
def test_a_citation_of_unknown_style_is_present_and_said_to_be_unknown(scorers: ScorerSet, case: Case) -> None:
    scores = score(scorers, case).scores
    assert value(scores[PRESENCE]) == 1.0
    assert_reason(scores[ACCURACY], Reason.NO_CITATIONS)
    outcome = scores[ACCURACY]
    assert isinstance(outcome, NotApplicable)
    assert outcome.explanation


@some("accuracy")
def test_a_citation_is_right_where_its_own_document_supports_the_claim(scorers: ScorerSet, case: Case) -> None:
    outcome = score(scorers, case).scores[ACCURACY]
    assert (value(outcome), label(outcome)) == (case.value, case.expected), outcome


@some("uncited")
def test_without_citations_accuracy_is_not_applicable_and_coverage_nought(scorers: ScorerSet, case: Case) -> None:
    scores = score(scorers, case).scores
    assert_reason(scores[ACCURACY], Reason.NO_CITATIONS)
    assert value(scores[COVERAGE]) == value(scores[PRESENCE]) == 0.0


@some("faithful_quote")
def test_a_quote_that_stands_in_a_document_is_found(case: Case) -> None:
    assert any(find_quote(case.quote, text) for text in case.contexts)


@some("false_quote")
def test_real_words_put_together_to_say_something_else_are_no_quote(case: Case) -> None:
    assert not any(find_quote(case.quote, text) for text in case.contexts)


@some("false_quote")
def test_a_judge_that_proves_a_claim_with_such_a_quote_is_not_believed(case: Case) -> None:
    claim = "The claim is true"
    told = script(known=[{"said": claim, "verdict": "supported", "quote": case.quote, "force": True}])
    outcome = outcomes(reading(f"{claim}.", list(case.contexts)), InProcess(told))[FAITHFULNESS]
    assert value(outcome) == 0.0
    assert isinstance(outcome, Scored)
    assert [(found.verdict, found.quote) for found in outcome.claims] == [(Verdict.UNVERIFIED, None)]


# A real quote of another document than the cited one: another label than a quote that stands nowhere.
WRONG_DOCUMENT = [
    ("case_37", "The fee is 20 EUR", "The office opens at nine.", "The fee is 20 EUR."),
    ("case_37-pl", "Opłata wynosi 20 EUR", "Biuro otwiera się o dziewiątej.", "Opłata wynosi 20 EUR."),
    ("case_37-ru", "Взнос составляет 20 евро", "Офис открывается в девять.", "Взнос составляет 20 евро."),
    ("case_37-bs", "Kotizacija iznosi 20 EUR", "Ured se otvara u devet.", "Kotizacija iznosi 20 EUR."),
    ("case_37-ms", "Yuran ialah 20 EUR", "Pejabat dibuka pada pukul sembilan.", "Yuran ialah 20 EUR."),
    ("case_37-zh", "注册费为20欧元", "办公室九点开门。", "注册费为20欧元。"),
    ("case_43-wrong-document", "The pool opens in June", "The hall is warm.", "The pool opens in June."),
]


@pytest.mark.parametrize(("claim", "cited", "other"), [pytest.param(*rest, id=name) for name, *rest in WRONG_DOCUMENT])
def test_evidence_from_another_document_does_not_carry_a_citation(claim: str, cited: str, other: str) -> None:
    # The judge says that the quote stands in the cited document; it stands in the other one.
    known = {"said": claim, "verdict": "supported", "quote": other, "document": 1, "cited": ["source-a"]}
    given = reading(f"{claim} [source-a].", [("source-a", cited), ("source-b", other)], "?")
    result = outcomes(given, InProcess(script(known=[known])))
    assert (value(result[ACCURACY]), label(result[ACCURACY])) == (0.0, "misattributed")
    assert value(result[COVERAGE]) == 0.0
    faithfulness = result[FAITHFULNESS]
    assert isinstance(faithfulness, Scored)
    assert faithfulness.claims[0].context_ids == ("source-b",)


def test_the_evidence_of_an_empty_chunk_is_none() -> None:
    """case_45: the cited chunk has no text, whatever the judge says that it quotes."""
    known = {"said": "The fee is 20 EUR", "verdict": "supported", "quote": "The fee is 20 EUR.", "force": True}
    given = reading("The fee is 20 EUR [empty].", [("empty", ""), ("full", "The office opens at nine.")])
    result = outcomes(given, InProcess(script(known=[known])))
    assert value(result[FAITHFULNESS]) == 0.0
    assert value(result[ACCURACY]) == 0.0
