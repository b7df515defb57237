"""The share of supported claims is one of all claims: a judge that leaves some out is asked again, and then fails."""

from typing import Any

import pytest

from ragsonde.scorers.judge.coverage import verify_coverage
from ragsonde.scorers.judge.errors import ClaimsMissingError
from ragsonde.scorers.judge.replies import ExtractionReply
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Reason, Scored
from tests.scorers.judge.judging import InProcess, config, outcomes, reading, script

KILN = "The kiln reaches 1240 degrees."
ROOF = "The roof is blue and leaks."
DOOR = "The door is red and creaks."
ANSWER = f"{KILN} {ROOF} {DOOR}"


def check(answer: str, *claims: str | tuple[str, str], no_claim: tuple[str, ...] = (), factual: bool = True) -> None:
    pairs = [claim if isinstance(claim, tuple) else (claim, claim) for claim in claims]
    listed: list[dict[str, Any]] = [{"claim": claim, "said": said} for claim, said in pairs]
    reply = ExtractionReply.model_validate({"factual": factual, "claims": listed, "no_claim": no_claim})
    verify_coverage(reading(answer, [KILN]), reply)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (ANSWER, [KILN]),
        (ANSWER, [KILN, DOOR]),
        (f"{KILN} The kiln weighs 300 kg.", [KILN]),
        ("Печь нагревается до 1240 градусов. Крыша протекает зимой.", ["Печь нагревается до 1240 градусов."]),
        ("窑炉温度达到1240度。屋顶是蓝色的并且漏水。", ["窑炉温度达到1240度。"]),
        ("- The kiln is hot.\n- The roof leaks badly.\n", ["The kiln is hot."]),
    ],
)
def test_a_statement_that_no_claim_covers_is_missed(answer: str, claims: list[str]) -> None:
    with pytest.raises(ClaimsMissingError):
        check(answer, *claims)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (ANSWER, [KILN, ROOF, DOOR]),
        (ANSWER, [("The kiln reaches 1240 degrees, the roof leaks and is blue, the door creaks and is red.", ANSWER)]),
        (ANSWER, [(KILN, KILN), ("The roof and the door: blue and leaking, red and creaking.", "The roof … creaks")]),
        (ANSWER, [KILN, ("The blue roof leaks.", "it leaks"), ("The red door creaks.", "")]),
        (ANSWER, [KILN, ("Das Dach ist undicht.", "Dach"), ("Die Tür knarrt.", "Tür")]),
        (f"Hello! {KILN} Let me know if you need more.", [KILN]),
        (f"{KILN} [TODO: check]", [KILN]),
        ("I could not find who built it. " + KILN, [KILN]),
    ],
)
def test_claims_that_cover_the_answer_in_any_way_are_all_that_is_asked_for(answer: str, claims: list[Any]) -> None:
    check(answer, *claims)


TOWER = "The tower is 330 m high."


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("The tower is 999 m high.", [TOWER]),
        ("The tower is 999 m high.", [(TOWER, "The tower is 999 m high.")]),
        ("The tower is 999 m high.", [("It stands in Veldin.", "It stands in Veldin.")]),
        ("It opened on 3 May 2019.", [("It opened on 4 May 2019.", "It opened on 3 May 2019.")]),
        ("The tower is not 330 m high.", [TOWER]),
        ("The tower is not 330 m high.", [(TOWER, "The tower is not 330 m high.")]),
        ("Der Turm ist nicht geöffnet.", ["Der Turm ist geöffnet."]),
        (f"{TOWER} It was built in 1766 by Anna Holt.", [TOWER, "The tower stands in Veldin."]),
    ],
)
def test_a_claim_that_corrects_the_answer_covers_none_of_it(answer: str, claims: list[Any]) -> None:
    with pytest.raises(ClaimsMissingError):
        check(answer, *claims)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("The tower is 330 metres high.", [TOWER]),
        ("It was opened in May 2019.", [("The tower was opened in 05/2019.", "It was opened in May 2019.")]),
        ("It was opened that year.", [("The tower was opened in 1766.", "It was opened that year.")]),
        ("There are two towers in Veldin.", [("Veldin has 2 towers.", "two towers")]),
        ("The tower is closed, and not 330 m high.", [("The tower is closed.", "The tower is closed")]),
        ("Dogs are not allowed in the tower.", [("Dogs are forbidden in the tower.", "Dogs are not allowed")]),
        ("Dogs are not allowed in the tower.", ["Dogs are never allowed in the tower."]),
    ],
)
def test_a_claim_may_put_what_the_answer_says_in_other_words(answer: str, claims: list[Any]) -> None:
    check(answer, *claims)


def test_what_the_judge_says_to_state_nothing_is_not_missed_unless_it_holds_a_measure() -> None:
    check(f"It is my pleasure. {KILN}", KILN, no_claim=("It is my pleasure.",))
    check("What a lovely pottery workshop!", factual=False)
    check(f"{KILN} This is based on documents 1 and 3.", KILN, no_claim=("This is based on documents 1 and 3.",))
    with pytest.raises(ClaimsMissingError):
        check(f"{KILN} The vault holds 300 kg.", KILN, no_claim=("The vault holds 300 kg.",))
    with pytest.raises(ClaimsMissingError):
        check("The vault holds 300 pots.", factual=False)


def test_the_message_names_sentences_by_number_and_holds_no_text_of_theirs() -> None:
    with pytest.raises(ClaimsMissingError, match=r"sentence 2, 3 of the 3") as caught:
        check(ANSWER, KILN)
    assert "roof" not in str(caught.value)


def test_an_incomplete_list_is_asked_for_once_more_and_fails_what_needs_claims_only() -> None:
    claim = {
        "claim": KILN,
        "said": KILN,
        "cited": [],
        "verdict": "supported",
        "evidence": [{"document": 1, "quote": KILN}],
        "reason": "",
    }
    server = InProcess(script(overrides=[{"task": "merged", "reply": {"claims": [claim]}}]))
    result = outcomes(reading(ANSWER, [KILN], "How hot is the kiln?"), server)
    assert len(server.prompts()) == 2
    for key in (MetricKey.FAITHFULNESS, MetricKey.CITATION_COVERAGE, MetricKey.CONTEXT_UTILISATION):
        outcome = result[key]
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.EXTRACTOR_EMPTY
    assert isinstance(result[MetricKey.ANSWER_RELEVANCE], Scored)
    assert isinstance(result[MetricKey.CONTEXT_PRECISION], Scored)


def test_the_decomposed_mode_asks_for_the_missing_claims_too() -> None:
    reply = {"claims": [{"claim": KILN, "said": KILN, "cited": []}], "factual": True}
    server = InProcess(script(overrides=[{"task": "extract_claims", "reply": reply}]))
    outcome = outcomes(reading(ANSWER, [KILN]), server, config(mode="decomposed"))[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.EXTRACTOR_EMPTY


def test_where_contexts_were_not_captured_that_stays_the_reason() -> None:
    claim = {"claim": KILN, "said": KILN, "cited": [], "verdict": "not_found", "evidence": [], "reason": ""}
    server = InProcess(script(overrides=[{"task": "merged", "reply": {"claims": [claim]}}]))
    result = outcomes(reading(ANSWER, None), server)
    assert result[MetricKey.FAITHFULNESS] == NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
