"""The decomposed mode follows the published definitions, each metric on its own."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from ragsonde.testing.judge_answers import embed
from tests.scorers.judge.judging import InProcess, config, outcomes, reading, script

TOWER = "The tower was finished in 1889. It is 330 m high. It stands in Paris."
QUESTION = "When was the tower finished?"


def settings(**fields: Any) -> JudgeConfig:
    return config(mode="decomposed", **{"embeddings": {"model": "e"}, **fields})


def judged(of: Reading, server: InProcess | None = None, **fields: Any) -> Mapping[MetricKey, Outcome]:
    return outcomes(of, server, settings(**fields))


def value(outcome: Outcome) -> float:
    assert isinstance(outcome, Scored), outcome
    return outcome.value


def cosine(one: str, other: str) -> float:
    a, b = embed(one), embed(other)
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def questions(asked: Sequence[str], *, noncommittal: bool = False) -> dict[str, Any]:
    reply = {"questions": list(asked), "noncommittal": noncommittal}
    return {"task": "regenerate_questions", "reply": reply}


def test_faithfulness_is_the_share_of_supported_claims() -> None:
    result = judged(reading("The tower was finished in 1889. It is made of gold. It is 330 m high.", [TOWER], QUESTION))
    assert value(result[MetricKey.FAITHFULNESS]) == 2 / 3


def test_answer_relevance_is_the_mean_cosine_to_the_regenerated_questions() -> None:
    asked = ["When was the tower finished?", "In which year was the tower built?", "How old is it?"]
    server = InProcess(script(overrides=[questions(asked)]))
    result = judged(reading("In 1889.", [TOWER], QUESTION), server)
    expected = sum(cosine(QUESTION, question) for question in asked) / 3
    assert 0 < expected < 1
    assert value(result[MetricKey.ANSWER_RELEVANCE]) == pytest.approx(expected)


@pytest.mark.parametrize(("context", "expected"), [(TOWER, 0.0), ("Cats sleep a lot.", None)])
def test_a_non_committal_answer_is_zero_unless_the_contexts_could_not_answer(
    context: str, expected: float | None
) -> None:
    server = InProcess(script(overrides=[questions(["a?", "b?", "c?"], noncommittal=True)]))
    outcome = judged(reading("I am not sure.", [context], QUESTION), server)[MetricKey.ANSWER_RELEVANCE]
    if expected is None:
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is Reason.REFUSAL
    else:
        assert value(outcome) == expected


def test_a_wrong_number_of_questions_fails_answer_relevance_alone() -> None:
    server = InProcess(script(overrides=[questions(["only one?"])]))
    result = judged(reading("The tower was finished in 1889.", [TOWER], QUESTION), server)
    outcome = result[MetricKey.ANSWER_RELEVANCE]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.INVALID_REPLY
    assert value(result[MetricKey.FAITHFULNESS]) == 1.0
    assert server.stats()["calls.regenerate_questions"] == 2


def test_context_relevance_is_the_share_of_needed_sentences() -> None:
    server = InProcess(script(overrides=[{"task": "needed_sentences", "reply": {"needed": ["1.1"]}}]))
    result = judged(reading("In 1889.", [TOWER], QUESTION), server)
    assert value(result[MetricKey.CONTEXT_RELEVANCE]) == 1 / 3


def test_context_precision_looks_at_ranks() -> None:
    result = judged(reading("In 1889.", ["Cats sleep.", TOWER], QUESTION))
    assert value(result[MetricKey.CONTEXT_PRECISION]) == 0.5


def test_context_recall_is_the_share_of_attributable_reference_sentences() -> None:
    reference = "The tower was finished in 1889. It was painted green."
    result = judged(reading("In 1889.", [TOWER], QUESTION, reference=reference))
    assert value(result[MetricKey.CONTEXT_RECALL]) == 0.5


def test_answer_correctness_is_f1_over_statements_with_similarity() -> None:
    answer, reference = "It stands in Paris. It is red. It is tall.", "It stands in Paris. It is old."
    of = reading(answer, [TOWER], QUESTION, reference=reference)
    f1 = 1 / (1 + 0.5 * (2 + 1))
    assert value(judged(of)[MetricKey.ANSWER_CORRECTNESS]) == pytest.approx(
        0.75 * f1 + 0.25 * cosine(answer, reference)
    )
    assert value(judged(of, embeddings=None)[MetricKey.ANSWER_CORRECTNESS]) == pytest.approx(f1)


def test_metrics_that_lack_what_they_need_say_so() -> None:
    result = judged(reading("In 1889.", [TOWER], QUESTION), embeddings=None)
    reasons = {key: outcome.reason for key, outcome in result.items() if isinstance(outcome, NotApplicable)}
    assert reasons == {
        MetricKey.ANSWER_RELEVANCE: Reason.NO_MODEL,
        MetricKey.CONTEXT_RECALL: Reason.NO_REFERENCE,
        MetricKey.ANSWER_CORRECTNESS: Reason.NO_REFERENCE,
    }


@pytest.mark.parametrize("factual", [True, False])
def test_no_extracted_claims_are_a_failure_or_not_applicable_as_the_judge_says(*, factual: bool) -> None:
    server = InProcess(script(overrides=[{"task": "extract_claims", "reply": {"claims": [], "factual": factual}}]))
    outcome = judged(reading("你好，我可以帮助你。", [TOWER], QUESTION), server)[MetricKey.FAITHFULNESS]
    if factual:
        assert isinstance(outcome, Failed)
        assert outcome.kind is FailureKind.EXTRACTOR_EMPTY
    else:
        assert outcome == NotApplicable(Reason.NO_CLAIMS)


def test_the_reference_reaches_only_the_prompts_that_need_it() -> None:
    server = InProcess(script())
    judged(reading("In 1889.", [TOWER], QUESTION, reference="SECRET REFERENCE. Really."), server)
    seen = {prompt["task"] for prompt in server.prompts() if "SECRET REFERENCE" in str(prompt["body"])}
    assert seen == {"context_recall", "answer_correctness", "embeddings"}


def test_the_merged_mode_takes_one_call_and_fewer_tokens() -> None:
    of = reading("The tower was finished in 1889. It is 330 m high.", [TOWER, "Cats sleep."], QUESTION)
    merged, decomposed = InProcess(script()), InProcess(script())
    outcomes(of, merged, config())
    judged(of, decomposed)
    one, many = merged.stats(), decomposed.stats()
    assert one["calls"] == 1
    assert many["calls"] == 6
    assert one["input_tokens"] < many["input_tokens"]


def test_long_contexts_are_verified_in_windows() -> None:
    filler = " ".join(f"Paragraph {number} tells of gardens." for number in range(400))
    server = InProcess(script())
    result = judged(
        reading("It is 330 m high.", [f"{filler} {TOWER}"], QUESTION),
        server,
        context_window_tokens=4000,
        max_output_tokens=500,
        max_windows=20,
    )
    assert value(result[MetricKey.FAITHFULNESS]) == 1.0
    assert server.stats()["calls.verify_claims"] > 1
