"""The parts of a claim that are pointed at: clauses that the contexts do not bear out, within the claim."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, MetricKey, Scored, Verdict
from tests.builders import interaction

BRIDGE = (
    "The Marlow Bridge was opened in 1832 after three years of work. William Tierney Clark designed it. "
    "The bridge carries a weight limit of 3 tonnes, and was closed for repairs in 2016."
)
LISTING = json.dumps({
    "name": "Harbour Table", "categories": "Seafood, Restaurants", "business_stars": 4.0,
    "attributes": {"OutdoorSeating": True, "WiFi": None, "RestaurantsReservations": False},
    "review_info": [{"review_text": "The chowder was rich and creamy."}],
})  # fmt: skip


def claims_of(answer: str, *contexts: str) -> tuple[Claim, ...]:
    outcome = FaithfulnessScorer().score([Reading(interaction(contexts=contexts, answer=answer))], Deadline(10))[0]
    scored = outcome[MetricKey.FAITHFULNESS]
    assert isinstance(scored, Scored)
    return scored.claims


def pointed_at(answer: str, *contexts: str) -> list[str]:
    return [answer[a:b] for claim in claims_of(answer, *contexts) for a, b in claim.stretches or ()]


def test_the_invented_clause_is_pointed_at_and_the_rest_of_the_sentence_is_not() -> None:
    answer = (
        "The Marlow Bridge was designed by William Tierney Clark, while velvet giraffes from Portuguese monasteries "
        "sang noisy ballads to sailors at its lavish inauguration ball."
    )
    (claim,) = claims_of(answer, BRIDGE)
    assert claim.verdict is Verdict.NOT_FOUND
    found = pointed_at(answer, BRIDGE)
    assert any("velvet giraffes" in stretch for stretch in found)
    assert not any("Tierney Clark" in stretch for stretch in found)


def test_of_a_claim_that_is_else_borne_out_the_fact_that_differs_is_pointed_at() -> None:
    answer = "The Marlow Bridge was opened in 1842 after three years of work."
    (claim,) = claims_of(answer, BRIDGE)
    assert claim.verdict is Verdict.CONTRADICTED
    assert claim.probability is not None
    assert claim.probability > 0.35
    assert pointed_at(answer, BRIDGE) == ["1842"]


def test_a_supported_claim_has_nothing_to_point_at() -> None:
    (claim,) = claims_of("William Tierney Clark designed the bridge.", BRIDGE)
    assert claim.verdict is Verdict.SUPPORTED
    assert claim.stretches == ()


def test_of_a_record_the_clause_that_a_field_speaks_against_is_pointed_at() -> None:
    answer = "The chowder is rich and creamy, and free WiFi is provided to guests."
    (found,) = pointed_at(answer, LISTING)
    assert "WiFi" in found
    assert "chowder" not in found


def test_without_any_context_all_of_a_claim_is_pointed_at() -> None:
    answer = "The bridge was opened in 1832."
    assert pointed_at(answer, "") == [answer]


def test_offsets_hold_although_the_claim_carries_marks() -> None:
    answer = "**Queen Adelaide** sang to sailors [1] at its noisy inauguration ball in Portuguese velvet."
    for claim in claims_of(answer, BRIDGE):
        for start, end in claim.stretches or ():
            assert claim.start <= start < end <= claim.end


@settings(max_examples=60)
@given(st.text("abc ,;.(—，)12\n", max_size=80))
def test_stretches_lie_within_their_claim_in_order_and_apart(answer: str) -> None:
    given_interaction = interaction(contexts=("abc abc 12.",), answer=answer)
    outcome = FaithfulnessScorer().score([Reading(given_interaction)], Deadline(10))[0][MetricKey.FAITHFULNESS]
    for claim in outcome.claims if isinstance(outcome, Scored) else ():
        ends = [claim.start, *(at for stretch in claim.stretches or () for at in stretch), claim.end]
        assert ends == sorted(ends)
