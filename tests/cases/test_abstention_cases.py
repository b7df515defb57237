"""Answers that abstain, hedge, greet or miss the question, in many languages, scored by all local scorers."""

import pytest

from ragsonde.scorers.score import DiagnosisLabel, MetricKey, NotApplicable, Reason, Scored
from ragsonde.scorers.scoring import ScorerSet
from tests.cases.casebook import Case, assert_reason, assert_verdicts, cases, label, score, value

FAITHFULNESS, RELEVANCE = MetricKey.FAITHFULNESS, MetricKey.ANSWER_RELEVANCE
REFUSAL = MetricKey.REFUSAL_CORRECTNESS


def some(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases("abstention", section))


@some("pure_refusal")
def test_a_refusal_is_flagged_and_has_no_faithfulness(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert (scored.refusal, scored.answered) == (True, False)
    assert_reason(scored.scores[FAITHFULNESS], Reason.REFUSAL)
    for outcome in scored.scores.values():
        assert not isinstance(outcome, Scored) or 0.0 <= outcome.value <= 1.0


@some("statement")
def test_a_negative_statement_is_no_refusal(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert (scored.refusal, scored.answered) == (False, True)
    value(scored.scores[FAITHFULNESS])


@some("unjustified")
def test_a_refusal_although_the_contexts_hold_the_answer_is_unjustified(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert scored.refusal is True
    assert (value(scored.scores[REFUSAL]), label(scored.scores[REFUSAL])) == (0.0, "unjustified")
    assert scored.diagnosis.label is DiagnosisLabel.UNJUSTIFIED_REFUSAL


@some("justified")
def test_a_refusal_where_the_contexts_lack_the_answer_is_justified_and_the_retriever_to_blame(
    scorers: ScorerSet, case: Case
) -> None:
    scored = score(scorers, case)
    assert_reason(scored.scores[FAITHFULNESS], Reason.REFUSAL)
    assert_reason(scored.scores[RELEVANCE], Reason.REFUSAL)
    assert (value(scored.scores[REFUSAL]), label(scored.scores[REFUSAL])) == (1.0, "justified")
    assert scored.diagnosis.label is DiagnosisLabel.RETRIEVAL_MISS


@some("hedged_answer")
def test_a_hedge_and_then_an_answer_is_answered_and_the_claim_checked(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert (scored.refusal, scored.answered) == (False, True)
    assert_verdicts(scored.scores[FAITHFULNESS], case.verdicts)


@some("partial")
def test_facts_beside_a_refusal_are_scored_and_the_refusal_flagged(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert (scored.refusal, scored.answered) == (True, True)
    assert_verdicts(scored.scores[FAITHFULNESS], case.verdicts)


@some("ungrounded")
def test_facts_from_an_empty_retrieval_are_ungrounded(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert (value(scored.scores[FAITHFULNESS]), label(scored.scores[FAITHFULNESS])) == (0.0, "ungrounded")
    assert label(scored.scores[MetricKey.CONTEXT_RELEVANCE]) == "no_context"
    assert scored.diagnosis.label is DiagnosisLabel.RETRIEVAL_MISS


@some("empty_retrieval_refusal")
def test_a_refusal_after_an_empty_retrieval_is_right_and_no_failure(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert_reason(scored.scores[FAITHFULNESS], Reason.REFUSAL)
    assert_reason(scored.scores[RELEVANCE], Reason.REFUSAL)
    assert (value(scored.scores[REFUSAL]), label(scored.scores[REFUSAL])) == (1.0, "justified")


@some("no_claims")
def test_small_talk_states_nothing_that_could_be_checked(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert_reason(scored.scores[FAITHFULNESS], Reason.NO_CLAIMS)
    assert scored.refusal is False


@some("greeting_and_facts")
def test_a_greeting_beside_facts_is_not_among_the_claims(scorers: ScorerSet, case: Case) -> None:
    faithfulness = score(scorers, case).scores[FAITHFULNESS]
    assert_verdicts(faithfulness, case.verdicts)
    assert value(faithfulness) == case.verdicts.count("supported") / len(case.verdicts)


@some("remark")
def test_a_cheerful_remark_is_neither_relevant_nor_faithful(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    assert value(scored.scores[RELEVANCE]) < 0.2
    faithfulness = scored.scores[FAITHFULNESS]
    assert isinstance(faithfulness, NotApplicable) or value(faithfulness) == 0.0
    assert scored.diagnosis.label is not DiagnosisLabel.OK


@some("repeats_question")
def test_contexts_that_only_repeat_the_question_support_nothing(scorers: ScorerSet, case: Case) -> None:
    assert value(score(scorers, case).scores[FAITHFULNESS]) == 0.0


@some("short_answer")
def test_a_short_answer_that_stands_in_the_contexts_is_supported(scorers: ScorerSet, case: Case) -> None:
    assert value(score(scorers, case).scores[FAITHFULNESS]) == 1.0
