"""Who is to be looked at: by chance with a known probability, or because something looks wrong."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.sampler import Sampler, SamplingConfig, unit_hash
from ragsonde.review.config import SelectionConfig
from ragsonde.review.model import SelectedBecause
from ragsonde.review.selection import Candidate, SelectionPolicy
from ragsonde.scorers.cascade import JudgePolicy, JudgeSamplingConfig
from ragsonde.scorers.score import Judgement, MetricKey, Outcome, Scored, ScoredInteraction
from tests.builders import interaction
from tests.exporters.scored import claim, scored, scored_interactions
from tests.review.stores import SALT, trace_below

shares = st.floats(0.001, 1.0)


def policy(**fields: Any) -> SelectionPolicy:
    return SelectionPolicy(SelectionConfig.model_validate(fields), SALT)


def picked(one: ScoredInteraction, **fields: Any) -> tuple[SelectedBecause, float] | None:
    """Why it is picked where chance does not draw it, and how urgently."""
    found = policy(random_share=1e-9, **fields).candidate(one)
    return None if found is None else (found.selection.because, round(found.urgency, 6))


def is_drawn(found: Candidate | None) -> bool:
    return found is not None and found.selection.because is SelectedBecause.RANDOM


def judged(local: float, *judges: float | None) -> ScoredInteraction:
    """An interaction as local scorers and judges see it; None: not drawn for that judge."""
    names = ("judge", "second_judge")
    one = scored(faithfulness=local)
    judgements = tuple(
        Judgement(name, {} if value is None else faithfulness(value), one.decision)
        for name, value in zip(names, judges, strict=False)
    )
    best = next((value for value in reversed(judges) if value is not None), local)
    return ScoredInteraction(
        one.interaction,
        one.decision,
        faithfulness(best),
        one.diagnosis,
        answered=True,
        refusal=False,
        local_scores=faithfulness(local),
        judgements=judgements,
    )


def faithfulness(value: float, *probabilities: float) -> dict[MetricKey, Outcome]:
    return {MetricKey.FAITHFULNESS: Scored(value, claims=tuple(claim(probability=given) for given in probabilities))}


# Drawn ------------------------------------------------------------------------------------------------------


@given(scored_interactions, shares, shares)
def test_a_larger_share_draws_all_that_a_smaller_one_draws(one: ScoredInteraction, some: float, other: float) -> None:
    small, large = sorted((some, other))
    if is_drawn(policy(random_share=small).candidate(one)):
        assert is_drawn(policy(random_share=large).candidate(one))


@given(scored_interactions, shares)
def test_each_replay_and_replica_decides_alike(one: ScoredInteraction, share: float) -> None:
    assert policy(random_share=share).candidate(one) == policy(random_share=share).candidate(one)


@given(st.text(min_size=1, max_size=40), shares, shares, shares)
def test_what_is_drawn_was_kept_and_was_judged_where_judges_see_as_much(
    trace: str, kept: float, share: float, judge_share: float
) -> None:
    decision = Sampler(SamplingConfig(probability=kept, salt=SALT)).decide(interaction(trace_id=trace))
    one = scored(trace_id=trace, probability=kept)
    if not is_drawn(policy(random_share=share).candidate(one)):
        return
    assert decision.kept
    every = dict.fromkeys([name for name in JudgeSamplingConfig.model_fields if "probability" in name], judge_share)
    judge = JudgePolicy(JudgeSamplingConfig.model_validate(every), SALT).decide(one)
    assert judge.kept or judge.probability < kept * share


@pytest.mark.parametrize(("kept", "share"), [(1.0, 0.05), (0.4, 0.25), (0.1, 1.0)])
def test_the_share_that_is_drawn_is_the_product_of_both_probabilities(kept: float, share: float) -> None:
    rule = policy(random_share=share, double_share=0.2)
    traces = [f"{number:032x}" for number in range(20_000)]
    every = [trace for trace in traces if unit_hash(trace, SALT) < kept]
    found = [rule.candidate(scored(trace_id=trace, probability=kept)) for trace in every]
    drawn = [one for one in found if one is not None and is_drawn(one)]
    expected = 20_000 * kept * share
    assert abs(len(drawn) - expected) < 4 * expected**0.5
    assert {one.selection.probability for one in drawn} == {share}
    twice = sum(one.selection.wanted_reviews == 2 for one in drawn)
    assert abs(twice - expected * 0.2) < 4 * (expected * 0.2) ** 0.5


def test_what_is_drawn_and_looks_wrong_counts_as_drawn() -> None:
    one = scored(trace_id=trace_below(0.5), faithfulness=0.0, feedback=-1.0)
    found = policy(random_share=0.5).candidate(one)
    assert found is not None
    assert (found.selection.because, found.selection.probability) == (SelectedBecause.RANDOM, 0.5)


@pytest.mark.parametrize("values", [{"answer": None}, {"answer": None, "feedback": -1.0}])
def test_without_an_answer_there_is_nothing_to_look_at(values: dict[str, Any]) -> None:
    assert policy(random_share=1.0).candidate(scored(faithfulness=None, **values)) is None


# Picked -----------------------------------------------------------------------------------------------------


def test_the_first_rule_that_fits_names_the_reason() -> None:
    bad = scored(faithfulness=0.2, feedback=-0.5)
    assert picked(bad) == (SelectedBecause.NEGATIVE_FEEDBACK, 0.5)
    assert picked(bad, caps={"negative_feedback": 0}) == (SelectedBecause.LOW_SCORE, 0.8)
    assert picked(bad, caps={"negative_feedback": 0, "low_score": 0}) is None


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (judged(1.0, 0.25), (SelectedBecause.JUDGE_AGAINST_LOCAL, 0.75)),
        (judged(0.5, 0.9, 0.05), (SelectedBecause.JUDGE_AGAINST_JUDGE, 0.85)),
        (judged(0.7, None, 0.6), None),
        (judged(0.4, None), (SelectedBecause.LOW_SCORE, 0.6)),
        (scored(scores=faithfulness(1.0, 0.9, 0.55)), (SelectedBecause.UNCERTAIN, 0.9)),
        (scored(scores=faithfulness(1.0, 0.9, 0.61)), None),
        (scored(faithfulness=None), None),
        (scored(feedback=1.0), None),
    ],
)
def test_rules_pick_what_looks_wrong(one: ScoredInteraction, reason: tuple[SelectedBecause, float] | None) -> None:
    assert picked(one) == reason


def test_a_judge_that_was_not_asked_disagrees_with_nobody() -> None:
    assert picked(judged(1.0, None)) is None
