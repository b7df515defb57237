"""Figures in other notations, other figures, other signs, and figures for another case than the one asked for."""

import pytest

from ragsonde.scorers.score import MetricKey, Scored, Verdict
from ragsonde.scorers.scoring import ScorerSet
from tests.cases.casebook import Case, assert_verdicts, cases, score, value

FAITHFULNESS = MetricKey.FAITHFULNESS


def some(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases("numbers", section))


def faithfulness(scorers: ScorerSet, case: Case) -> Scored:
    outcome = score(scorers, case).scores[FAITHFULNESS]
    value(outcome)
    assert isinstance(outcome, Scored)
    return outcome


@some("verdicts")
def test_figures_are_compared_by_value_whatever_their_notation(scorers: ScorerSet, case: Case) -> None:
    assert_verdicts(faithfulness(scorers, case), case.verdicts)


@some("contradiction")
def test_another_figure_for_the_same_thing_is_a_contradiction_that_names_both(scorers: ScorerSet, case: Case) -> None:
    outcome = faithfulness(scorers, case)
    (claim,) = outcome.claims
    assert claim.verdict is Verdict.CONTRADICTED, claim
    assert (outcome.value, outcome.label) == (0.0, "contradicted")
    assert all(word in (claim.reason or "") for word in case.words), claim.reason


@some("no_contradiction")
def test_the_same_figure_in_another_notation_is_supported(scorers: ScorerSet, case: Case) -> None:
    assert_verdicts(faithfulness(scorers, case), ["supported"])


@some("opposite")
def test_the_opposite_is_a_contradiction(scorers: ScorerSet, case: Case) -> None:
    assert_verdicts(faithfulness(scorers, case), ["contradicted"])


@some("ambiguous")
def test_one_of_two_values_without_its_case_is_ambiguous_and_the_reason_names_the_cases(
    scorers: ScorerSet, case: Case
) -> None:
    outcome = faithfulness(scorers, case)
    assert outcome.label == "ambiguous", outcome
    assert outcome.value < 1.0
    (claim,) = outcome.claims
    assert all(word in (claim.reason or "") for word in case.words), claim.reason


@some("unambiguous")
def test_a_value_whose_case_is_named_or_that_has_no_rival_is_supported(scorers: ScorerSet, case: Case) -> None:
    outcome = faithfulness(scorers, case)
    assert (outcome.value, outcome.label) == (1.0, None), outcome
