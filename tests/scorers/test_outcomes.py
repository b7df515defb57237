"""The table of outcomes, a test for each of its rows, with every scorer that looks at all traffic."""

from collections.abc import Iterator

import pytest

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Capture
from ragsonde.scorers.catalog import ScoringConfig, build_scorers
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.score import (
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from tests.builders import interaction
from tests.scorers.judge.judging import config, script

FEES = "The registration fee is 20 EUR per person."
WEATHER = "The museum garden has forty old apple trees."


@pytest.fixture(scope="module")
def scorers() -> ScorerSet:
    settings = ScoringConfig()
    return ScorerSet(build_scorers(settings), diagnosis=settings.diagnosis, clock=SystemClock())


def score(scorers: ScorerSet, **values: object) -> ScoredInteraction:
    values = {"question": "What is the registration fee?", "contexts": (FEES,)} | values
    (scored,) = scorers.score([ScoringRequest(interaction(**values))], Deadline(60))
    return scored


def assert_not_applicable(outcome: Outcome, reason: Reason) -> None:
    assert isinstance(outcome, NotApplicable), outcome
    assert outcome.reason is reason


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Scored), outcome
    return outcome.value


@pytest.mark.parametrize("answer", ["", "  \n", "[]", "N/A", "n/a"])
def test_an_empty_answer_is_no_answer(scorers: ScorerSet, answer: str) -> None:
    scored = score(scorers, answer=answer)
    assert_not_applicable(scored.scores[MetricKey.FAITHFULNESS], Reason.EMPTY_ANSWER)
    assert scored.answered is False


REFUSALS = {
    "en": "I could not find that in the documents.",
    "de": "Dazu habe ich leider keine Informationen gefunden.",
    "pl": "Niestety nie znalazłem takich informacji w dokumentach.",
    "ru": "К сожалению, в документах нет информации об этом.",
    "bs": "Nažalost, nisam pronašao te informacije u dokumentima.",
    "ms": "Maaf, saya tidak menemui maklumat itu dalam dokumen.",
    "zh": "抱歉，我在文档中没有找到相关信息。",
    "fr": "Je n'ai pas trouvé cette information dans les documents.",
}


@pytest.mark.parametrize("language", REFUSALS)
def test_a_pure_refusal_in_any_language_is_not_scored_for_faithfulness(scorers: ScorerSet, language: str) -> None:
    scored = score(scorers, answer=REFUSALS[language], contexts=(WEATHER,))
    assert_not_applicable(scored.scores[MetricKey.FAITHFULNESS], Reason.REFUSAL)
    assert scored.refusal is True
    assert scored.answered is False


def test_a_refusal_is_justified_when_the_contexts_do_not_hold_the_answer_and_unjustified_when_they_do(
    scorers: ScorerSet,
) -> None:
    justified = score(scorers, answer=REFUSALS["en"], contexts=(WEATHER,)).scores[MetricKey.REFUSAL_CORRECTNESS]
    unjustified = score(scorers, answer=REFUSALS["en"]).scores[MetricKey.REFUSAL_CORRECTNESS]
    assert (value(justified), justified.label) == (1.0, "justified")  # type: ignore[union-attr]
    assert (value(unjustified), unjustified.label) == (0.0, "unjustified")  # type: ignore[union-attr]


def test_a_hedge_and_then_an_answer_is_answered_and_its_facts_are_scored(scorers: ScorerSet) -> None:
    scored = score(scorers, answer="I can't be sure, but the registration fee is 20 EUR [1].")
    assert scored.answered is True
    assert value(scored.scores[MetricKey.FAITHFULNESS]) == 1.0


def test_a_refusal_with_facts_is_flagged_and_its_facts_are_scored(scorers: ScorerSet) -> None:
    answer = "I could not find who may register. The registration fee is 20 EUR per person. It was 15 EUR in 1990."
    scored = score(scorers, answer=answer)
    assert (scored.refusal, scored.answered) == (True, True)
    assert value(scored.scores[MetricKey.FAITHFULNESS]) == 0.5


@pytest.mark.parametrize(
    "answer", ["Hello! How can I help you?", "Thank you, goodbye!", "Dzień dobry! W czym mogę pomóc?"]
)
def test_a_greeting_holds_no_claims(scorers: ScorerSet, answer: str) -> None:
    assert_not_applicable(score(scorers, answer=answer).scores[MetricKey.FAITHFULNESS], Reason.NO_CLAIMS)


def test_a_factual_answer_to_an_empty_retrieval_is_ungrounded(scorers: ScorerSet) -> None:
    scored = score(scorers, answer="The registration fee is 20 EUR.", contexts=())
    faithfulness = scored.scores[MetricKey.FAITHFULNESS]
    relevance = scored.scores[MetricKey.CONTEXT_RELEVANCE]
    assert (value(faithfulness), faithfulness.label) == (0.0, "ungrounded")  # type: ignore[union-attr]
    assert (value(relevance), relevance.label) == (0.0, "no_context")  # type: ignore[union-attr]


def test_content_that_was_not_captured_is_not_applicable_for_everything(scorers: ScorerSet) -> None:
    scored = score(scorers, question=None, answer=None, contexts=None, capture=Capture.CONTENT_NOT_CAPTURED)
    assert len(scored.scores) > 10
    for outcome in scored.scores.values():
        assert_not_applicable(outcome, Reason.CONTENT_NOT_CAPTURED)


NEED_CONTEXTS = (
    MetricKey.FAITHFULNESS,
    MetricKey.CONTEXT_RELEVANCE,
    MetricKey.CONTEXT_PRECISION,
    MetricKey.CONTEXT_UTILISATION,
    MetricKey.CITATION_COVERAGE,
    MetricKey.CITATION_ACCURACY,
)


def test_contexts_alone_missing_is_never_ungrounded_and_the_rest_is_scored(scorers: ScorerSet) -> None:
    answer = "The registration fee is 20 EUR [1]."
    scored = score(scorers, answer=answer, contexts=None, capture=Capture.CONTEXTS_NOT_CAPTURED)
    for key in NEED_CONTEXTS:
        assert_not_applicable(scored.scores[key], Reason.CONTEXTS_NOT_CAPTURED)
    assert isinstance(scored.scores[MetricKey.ANSWER_RELEVANCE], Scored)
    assert value(scored.scores[MetricKey.CITATION_PRESENCE]) == 1.0


def test_no_citations_is_not_applicable_for_accuracy_and_zero_for_coverage(scorers: ScorerSet) -> None:
    scored = score(scorers, answer="The registration fee is 20 EUR per person.")
    assert_not_applicable(scored.scores[MetricKey.CITATION_ACCURACY], Reason.NO_CITATIONS)
    assert value(scored.scores[MetricKey.CITATION_COVERAGE]) == 0.0


@pytest.fixture(scope="module")
def judge_server() -> Iterator[JudgeServer]:
    with running_judge_server() as running:
        yield running


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("cut", FailureKind.TRUNCATED),
        ("length", FailureKind.TRUNCATED),
        ("wrong_shape", FailureKind.INVALID_REPLY),
        ("wrong_count", FailureKind.INVALID_REPLY),
        ("unknown_label", FailureKind.INVALID_REPLY),
    ],
)
def test_a_judge_reply_that_cannot_be_read_is_a_failure_and_never_a_score(
    judge_server: JudgeServer, fault: str, kind: FailureKind
) -> None:
    judge_server.control(script([{"fault": fault}]))
    judge = JudgeScorer(build_judge(config(base_url=judge_server.base_url)))
    try:
        scorers = ScorerSet([judge], diagnosis=ScoringConfig().diagnosis, clock=SystemClock())
        scored = score(scorers, answer="The registration fee is 20 EUR per person.")
        failed = scored.scores[MetricKey.FAITHFULNESS]
        assert isinstance(failed, Failed)
        assert failed.kind is kind
    finally:
        judge.close()


PADDING = "The archive keeps letters of many travellers, sorted by the street in which they lived. "


@pytest.mark.parametrize(("before", "after"), [(0, 0), (0, 300), (300, 0), (300, 300)])
def test_a_long_context_is_read_whole_wherever_the_passage_stands(scorers: ScorerSet, before: int, after: int) -> None:
    context = PADDING * before + FEES + " " + PADDING * after
    answer = "The registration fee is 20 EUR per person. The registration fee is 45 EUR for children."
    faithfulness = score(scorers, answer=answer, contexts=(context,)).scores[MetricKey.FAITHFULNESS]
    assert isinstance(faithfulness, Scored)
    assert faithfulness.claims[0].verdict is Verdict.SUPPORTED
    assert faithfulness.claims[1].verdict is not Verdict.SUPPORTED
