"""One call finds everything out, and only what can be checked counts."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture
from ragsonde.collector.telemetry import JudgeReplyRejected, JudgeStatus
from ragsonde.scorers.judge.judgement import MERGED_KEYS
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored, Verdict
from tests.scorers.judge.judging import InProcess, Recorder, config, outcomes, reading, scorer, script

TOWER = "The tower was finished in 1889. It is 330 m high."
FAITHFULNESS = MetricKey.FAITHFULNESS


def scored(outcome: Outcome) -> Scored:
    assert isinstance(outcome, Scored), outcome
    return outcome


def reason(outcome: Outcome) -> Reason:
    assert isinstance(outcome, NotApplicable), outcome
    return outcome.reason


def known(said: str, verdict: str, quote: str = "", **fields: Any) -> dict[str, Any]:
    return {"said": said, "verdict": verdict, "quote": quote, **fields}


def override(**reply: Any) -> dict[str, Any]:
    return {"task": "merged", "reply": reply}


def test_three_russian_claims_of_which_one_is_supported_give_a_third() -> None:
    answer = "Башня построена в 1889 году. Её высота 300 метров. Её спроектировал Пьер Дюбуа."
    told = script(
        known=[
            known("Башня построена в 1889 году", "supported", "Башня была построена в 1889 году."),
            known("Её высота 300 метров", "contradicted", "Её высота составляет 330 метров."),
            known("Её спроектировал Пьер Дюбуа", "not_found"),
        ]
    )
    server = InProcess(told)
    context = "Башня была построена в 1889 году. Её высота составляет 330 метров."
    result = outcomes(reading(answer, [context], "Когда построена башня?"), server)
    faithfulness = scored(result[FAITHFULNESS])
    assert faithfulness.value == 1 / 3
    assert faithfulness.label == "contradicted"
    assert [claim.verdict for claim in faithfulness.claims] == [
        Verdict.SUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.NOT_FOUND,
    ]
    assert [answer[claim.start : claim.end] for claim in faithfulness.claims] == [
        "Башня построена в 1889 году",
        "Её высота 300 метров",
        "Её спроектировал Пьер Дюбуа",
    ]
    assert (faithfulness.claims[0].quote or "").startswith("Башня была построена в 1889 году")
    assert server.stats()["calls"] == 1


def test_a_malay_answer_from_english_contexts_gives_two_thirds() -> None:
    answer = "Perpustakaan dibuka pada pukul 9 pagi. Ia ditutup pada hari Ahad. Tempat letak kereta percuma."
    told = script(
        known=[
            known("Perpustakaan dibuka pada pukul 9 pagi", "supported", "The library opens at 9 am."),
            known("Ia ditutup pada hari Ahad", "supported", "It is closed on Sundays."),
            known("Tempat letak kereta percuma", "not_found"),
        ]
    )
    contexts = [("hours", "The library opens at 9 am."), ("days", "It is closed on Sundays.")]
    result = outcomes(reading(answer, contexts, "Bila perpustakaan dibuka?"), InProcess(told))
    faithfulness = scored(result[FAITHFULNESS])
    assert faithfulness.value == 2 / 3
    assert [claim.context_ids for claim in faithfulness.claims] == [("hours",), ("days",), ()]
    assert scored(result[MetricKey.CONTEXT_UTILISATION]).value == 1.0


def test_one_needed_sentence_of_three_gives_a_context_relevance_of_a_third() -> None:
    context = "The fee is 20 euros. Payment is by card. The office is blue."
    result = outcomes(reading("The fee is 20 euros.", [context], "How much is the fee?"))
    assert scored(result[MetricKey.CONTEXT_RELEVANCE]).value == 1 / 3


def test_an_answer_without_claims_is_not_applicable() -> None:
    told = script(overrides=[override(claims=[], factual=False, answers_question="fully")])
    result = outcomes(reading("Hi. I'm here to help.", [TOWER], "Hello"), InProcess(told))
    for key in (FAITHFULNESS, MetricKey.CITATION_PRESENCE, MetricKey.CITATION_ACCURACY, MetricKey.CONTEXT_UTILISATION):
        assert reason(result[key]) is Reason.NO_CLAIMS
    assert reason(result[MetricKey.REFUSAL_CORRECTNESS]) is Reason.NO_REFUSAL


def test_a_supported_verdict_whose_quote_stands_nowhere_does_not_count() -> None:
    told = script(
        known=[known("The tower is 300 m high", "supported", "The tower is 300 m high, says the guide.", force=True)]
    )
    faithfulness = scored(outcomes(reading("The tower is 300 m high.", [TOWER]), InProcess(told))[FAITHFULNESS])
    assert faithfulness.value == 0.0
    (claim,) = faithfulness.claims
    assert claim.verdict is Verdict.UNVERIFIED
    assert claim.quote is None
    assert claim.context_ids == ()


@pytest.mark.parametrize("quote", ["", " ", ".", "a"])
def test_a_quote_that_says_nothing_proves_nothing(quote: str) -> None:
    told = script(known=[known("It is 300 m high", "supported", quote, force=True)])
    result = outcomes(reading("It is 300 m high.", [TOWER]), InProcess(told))
    assert scored(result[FAITHFULNESS]).claims[0].verdict is Verdict.UNVERIFIED


def test_a_quote_is_placed_where_it_stands_not_where_the_judge_says() -> None:
    told = script(known=[known("It is 330 m high", "supported", "It is 330 m high.", document=1)])
    result = outcomes(reading("It is 330 m high.", [("cats", "Cats sleep."), ("tower", TOWER)]), InProcess(told))
    assert scored(result[FAITHFULNESS]).claims[0].context_ids == ("tower",)


def test_line_numbers_in_a_quote_do_no_harm() -> None:
    quoted = "1.1| The tower was finished in 1889. 1.2| It is 330 m high."
    told = script(known=[known("The tower is old and high", "supported", quoted, force=True)])
    result = outcomes(reading("The tower is old and high.", [TOWER]), InProcess(told))
    assert scored(result[FAITHFULNESS]).value == 1.0


# Edge cases of the outcome table -----------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["", "  \n", "[]", "N/A"])
def test_an_empty_answer_is_not_judged_at_all(answer: str) -> None:
    server = InProcess(script())
    result = outcomes(reading(answer, [TOWER]), server)
    assert {reason(result[key]) for key in MERGED_KEYS} == {Reason.EMPTY_ANSWER}
    assert "calls" not in server.stats()


@pytest.mark.parametrize(
    ("capture", "answer", "why"),
    [
        (Capture.CONTENT_NOT_CAPTURED, None, Reason.CONTENT_NOT_CAPTURED),
        (Capture.INCOMPLETE, "half", Reason.INCOMPLETE),
    ],
)
def test_what_was_not_captured_is_not_judged(capture: Capture, answer: str | None, why: Reason) -> None:
    server = InProcess(script())
    result = outcomes(reading(answer, None, capture=capture), server)
    assert {reason(result[key]) for key in MERGED_KEYS} == {why}
    assert "calls" not in server.stats()


def test_without_captured_contexts_only_what_needs_none_is_scored() -> None:
    result = outcomes(reading("It is 330 m high [1].", None, "How high?", capture=Capture.CONTEXTS_NOT_CAPTURED))
    assert scored(result[MetricKey.ANSWER_RELEVANCE]).value == 1.0
    assert scored(result[MetricKey.CITATION_PRESENCE]).value == 1.0
    for key in (FAITHFULNESS, MetricKey.CONTEXT_RELEVANCE, MetricKey.CONTEXT_PRECISION, MetricKey.CITATION_ACCURACY):
        assert reason(result[key]) is Reason.CONTEXTS_NOT_CAPTURED


def test_a_factual_answer_from_an_empty_retrieval_is_ungrounded() -> None:
    result = outcomes(reading("It is 330 m high [1].", [], "How high?"))
    assert scored(result[FAITHFULNESS]).value == 0.0
    assert scored(result[FAITHFULNESS]).label == "ungrounded"
    assert scored(result[MetricKey.CONTEXT_RELEVANCE]).label == "no_context"
    assert reason(result[MetricKey.CONTEXT_PRECISION]) is Reason.NO_CONTEXT
    assert reason(result[MetricKey.CONTEXT_UTILISATION]) is Reason.NO_CONTEXT
    assert scored(result[MetricKey.CITATION_ACCURACY]).label == "fabricated"


@pytest.mark.parametrize(
    ("contexts", "holds", "value", "label"),
    [([TOWER], True, 0.0, "unjustified"), ([TOWER], False, 1.0, "justified"), ([], True, 1.0, "justified")],
)
def test_an_abstention_is_judged_by_whether_the_contexts_hold_the_answer(
    contexts: Sequence[str], holds: bool, value: float, label: str
) -> None:
    told = script(
        overrides=[override(claims=[], factual=False, abstains="wholly", answers_question="no", contexts_answer=holds)]
    )
    result = outcomes(reading("I don't know.", contexts, "How high is it?"), InProcess(told))
    assert reason(result[FAITHFULNESS]) is Reason.REFUSAL
    refusal = scored(result[MetricKey.REFUSAL_CORRECTNESS])
    assert (refusal.value, refusal.label) == (value, label)
    if value:
        assert reason(result[MetricKey.ANSWER_RELEVANCE]) is Reason.REFUSAL
    else:
        assert scored(result[MetricKey.ANSWER_RELEVANCE]).value == 0.0


def test_a_refusal_with_facts_has_its_facts_scored() -> None:
    answer = "I cannot tell who built it. The tower was finished in 1889."
    told = script(
        known=[known("The tower was finished in 1889", "supported", "The tower was finished in 1889.")],
        overrides=[
            override(
                abstains="partly",
                answers_question="partly",
                claims=[
                    {
                        "claim": "The tower was finished in 1889",
                        "said": "The tower was finished in 1889",
                        "verdict": "supported",
                        "evidence": [{"document": 1, "quote": "finished in 1889"}],
                    }
                ],
            )
        ],
    )
    result = outcomes(reading(answer, [TOWER], "Who built it?"), InProcess(told))
    assert scored(result[FAITHFULNESS]).value == 1.0
    assert scored(result[MetricKey.ANSWER_RELEVANCE]).value == 0.5
    assert reason(result[MetricKey.REFUSAL_CORRECTNESS]) is Reason.NO_REFUSAL


def test_a_cheerful_remark_as_the_answer_to_a_factual_question_is_irrelevant() -> None:
    told = script(overrides=[override(claims=[], factual=False, answers_question="no")])
    result = outcomes(reading("Have a sunny holiday!", [TOWER], "How high is the tower?"), InProcess(told))
    assert scored(result[MetricKey.ANSWER_RELEVANCE]).value == 0.0
    assert reason(result[FAITHFULNESS]) is Reason.NO_CLAIMS


def test_without_a_question_relevance_is_not_applicable() -> None:
    result = outcomes(reading("The tower was finished in 1889.", [TOWER], None))
    assert scored(result[FAITHFULNESS]).value == 1.0
    for key in (MetricKey.ANSWER_RELEVANCE, MetricKey.CONTEXT_RELEVANCE, MetricKey.CONTEXT_PRECISION):
        assert reason(result[key]) is Reason.NO_QUESTION


@pytest.mark.parametrize(
    ("relevant", "value"),
    [([True, False, True], (1 + 2 / 3) / 2), ([False, False, True], 1 / 3), ([False] * 3, 0.0), ([True] * 3, 1.0)],
)
def test_context_precision_is_average_precision_in_rank_order(relevant: list[bool], value: float) -> None:
    verdicts = [{"document": number, "relevant": flag} for number, flag in enumerate(relevant, start=1)]
    told = script(overrides=[override(documents=verdicts[::-1])])
    result = outcomes(reading("The tower was finished in 1889.", [TOWER, "Cats.", "Dogs."]), InProcess(told))
    assert scored(result[MetricKey.CONTEXT_PRECISION]).value == pytest.approx(value)


# Failures and repair -----------------------------------------------------------------------------------------


def failed(of: Reading, told: Any, calls: int, **fields: Any) -> FailureKind:
    server = InProcess(told)
    result = outcomes(of, server, config(**fields))
    kinds = {outcome.kind for outcome in result.values() if isinstance(outcome, Failed)}
    assert len([outcome for outcome in result.values() if isinstance(outcome, Failed)]) == len(MERGED_KEYS)
    assert server.stats().get("calls", 0) == calls
    (kind,) = kinds
    return kind


EXAMPLE = reading("The tower was finished in 1889.", [TOWER, "Cats."], "When was the tower finished?")


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("length", FailureKind.TRUNCATED),
        ("cut", FailureKind.TRUNCATED),
        ("wrong_shape", FailureKind.INVALID_REPLY),
        ("wrong_count", FailureKind.INVALID_REPLY),
        ("unknown_label", FailureKind.INVALID_REPLY),
        ("top_level_array", FailureKind.INVALID_REPLY),
        ("not_json", FailureKind.INVALID_REPLY),
        ("empty", FailureKind.INVALID_REPLY),
    ],
)
def test_an_unusable_reply_is_asked_for_once_more_and_then_has_failed(fault: str, kind: FailureKind) -> None:
    assert failed(EXAMPLE, script([{"fault": fault}]), calls=2) is kind


@pytest.mark.parametrize("fault", ["length", "cut", "wrong_shape", "wrong_count", "unknown_label", "empty"])
def test_a_repaired_reply_counts(fault: str) -> None:
    server, recorder = InProcess(script([{"fault": fault, "first": 1}])), Recorder()
    assert scored(outcomes(EXAMPLE, server, listener=recorder)[FAITHFULNESS]).value == 1.0
    first, second = server.prompts()
    assert (first["turns"], second["turns"]) == (1, 2)
    cut = fault in ("length", "cut")
    assert (second["body"]["max_tokens"] > first["body"]["max_tokens"]) is cut
    (rejected,) = recorder.of(JudgeReplyRejected)
    assert rejected.status is (JudgeStatus.TRUNCATED if cut else JudgeStatus.INVALID_REPLY)
    assert not rejected.final


def test_a_judge_that_says_facts_and_names_none_has_failed_and_is_told_apart_from_no_claims() -> None:
    told = script(overrides=[override(claims=[], factual=True)])
    assert failed(reading("巴黎是首都。", ["巴黎是法国的首都。"]), told, calls=2) is FailureKind.EXTRACTOR_EMPTY


@pytest.mark.parametrize("tag", ["1.9", "7.1", "first", "1"])
def test_a_sentence_number_that_was_not_shown_is_an_invalid_reply(tag: str) -> None:
    assert failed(EXAMPLE, script(overrides=[override(needed=[tag])]), calls=2) is FailureKind.INVALID_REPLY


def test_a_failed_repair_reports_what_was_wrong_with_the_reply() -> None:
    told = script([{"fault": "wrong_shape", "first": 1}, {"fault": "status", "status": 401}])
    assert failed(EXAMPLE, told, calls=2) is FailureKind.INVALID_REPLY


# Long contexts -----------------------------------------------------------------------------------------------

FILLER = " ".join(f"Paragraph {number} tells of gardens and weather." for number in range(400))
SMALL = {"context_window_tokens": 4000, "max_output_tokens": 500, "max_windows": 30}


@pytest.mark.parametrize("place", ["start", "middle", "end"])
def test_evidence_is_found_wherever_it_stands_in_a_long_context(place: str) -> None:
    half = len(FILLER) // 2
    context = {
        "start": f"{TOWER} {FILLER}",
        "middle": f"{FILLER[:half]} {TOWER} {FILLER[half:]}",
        "end": f"{FILLER} {TOWER}",
    }[place]
    told = script(known=[known("It is 300 m high", "contradicted", "It is 330 m high.")])
    server = InProcess(told)
    result = outcomes(
        reading("The tower was finished in 1889. It is 300 m high.", [context], "When?"), server, config(**SMALL)
    )
    faithfulness = scored(result[FAITHFULNESS])
    assert [claim.verdict for claim in faithfulness.claims] == [Verdict.SUPPORTED, Verdict.CONTRADICTED]
    stats = server.stats()
    assert stats["calls.merged"] == 1
    assert stats["calls.window"] >= 2
    for seen in server.prompts():
        assert "The tower was finished in 1889. It is 300 m high." in seen["user"]


def test_every_sentence_of_a_long_context_reaches_the_judge() -> None:
    server = InProcess(script())
    outcomes(reading("The tower was finished in 1889.", [FILLER, TOWER]), server, config(**SMALL))
    shown = "\n".join(seen["user"] for seen in server.prompts())
    for number in range(400):
        assert f"Paragraph {number} tells of gardens and weather." in shown
    assert "It is 330 m high." in shown


def test_many_short_documents_with_long_ids_are_judged_in_windows() -> None:
    name = "very-" * 20
    contexts = [(f"https://docs.example/{name}{number}", f"Room {number} is small.") for number in range(60)]
    server = InProcess(script())
    result = outcomes(reading("Room 59 is small.", contexts, "How is the room?"), server, config(**SMALL))
    assert scored(result[FAITHFULNESS]).value == 1.0
    assert server.stats()["calls.window"] >= 1


def test_supported_anywhere_beats_contradicted_elsewhere() -> None:
    told = script(
        known=[known("It is 330 m high", "supported", "It is 330 m high.")],
        overrides=[
            {
                "task": "window",
                "contains": "OTHER TOWER",
                "reply": {
                    "claims": [
                        {
                            "claim": 1,
                            "verdict": "contradicted",
                            "evidence": [{"document": 2, "quote": "It is 90 m high."}],
                        }
                    ]
                },
            }
        ],
    )
    contexts = [f"{TOWER} {FILLER}", "OTHER TOWER. It is 90 m high."]
    result = outcomes(reading("It is 330 m high.", contexts, "How high?"), InProcess(told), config(**SMALL))
    assert scored(result[FAITHFULNESS]).claims[0].verdict is Verdict.SUPPORTED


def test_an_answer_too_large_for_the_window_is_an_overflow_and_no_call() -> None:
    assert failed(reading(FILLER, [TOWER]), script(), calls=0, **SMALL) is FailureKind.CONTEXT_OVERFLOW


def test_contexts_that_need_too_many_windows_are_an_overflow_and_no_call() -> None:
    of = reading("It is high.", [FILLER, FILLER])
    assert failed(of, script(), calls=0, **{**SMALL, "max_windows": 2}) is FailureKind.CONTEXT_OVERFLOW


def test_wrong_claim_numbers_in_a_further_window_are_an_invalid_reply() -> None:
    told = script(overrides=[{"task": "window", "reply": {"claims": [{"claim": 7, "verdict": "supported"}]}}])
    result = outcomes(reading("It is high.", [FILLER]), InProcess(told), config(**SMALL))
    outcome = result[FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.INVALID_REPLY


# Cost --------------------------------------------------------------------------------------------------------


def test_the_same_content_is_judged_once() -> None:
    server = InProcess(script())
    contexts, question = [TOWER, "Cats."], EXAMPLE.interaction.question
    with scorer(server) as judge:
        first = judge.score([EXAMPLE], Deadline(20))
        again = judge.score([reading("The tower was finished in 1889.", contexts, question)], Deadline(20))
        other = judge.score([reading("The tower was finished in 1890.", contexts, question)], Deadline(20))
    assert first == again != other
    assert server.stats()["calls"] == 2


# Anything at all ---------------------------------------------------------------------------------------------

texts = st.text(max_size=60) | st.sampled_from(
    ["", "[1]", "I don't know.", "巴黎是首都。", "\u200b", "{x} ${y}", "1,5 %"]
)


@settings(max_examples=40)
@given(texts, st.none() | texts, st.none() | st.lists(texts, max_size=3))
def test_any_interaction_gives_every_key_a_typed_outcome(
    answer: str, question: str | None, contexts: list[str] | None
) -> None:
    result = outcomes(reading(answer, contexts, question))
    assert set(result) == set(MERGED_KEYS)
    for outcome in result.values():
        assert isinstance(outcome, Scored | NotApplicable), outcome
        for claim in outcome.claims if isinstance(outcome, Scored) else ():
            assert 0 <= claim.start <= claim.end <= len(answer)


def test_a_judge_never_sees_the_reference_answer() -> None:
    server = InProcess(script())
    outcomes(reading("It is high.", [TOWER], "How high?", reference="SECRET REFERENCE"), server)
    (seen,) = server.prompts()
    assert "SECRET" not in str(seen["body"])


def test_a_judge_that_repeats_itself_without_end_is_an_invalid_reply() -> None:
    claim = {"claim": "x", "said": "x", "verdict": "not_found", "evidence": []}
    assert failed(EXAMPLE, script(overrides=[override(claims=[claim] * 501)]), calls=2) is FailureKind.INVALID_REPLY
