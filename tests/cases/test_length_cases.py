"""Faults are found whatever the length of contexts and answers, or it is said that they could not be looked for."""

import pytest

from ragsonde.collector.model import Document
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Scored, Verdict
from ragsonde.scorers.scoring import ScorerSet
from tests.cases.casebook import Case, cases, score, value
from tests.scorers.judge.judging import InProcess, config, outcomes, reading, script

FAITHFULNESS = MetricKey.FAITHFULNESS
LENGTHS = (208, 2_080, 4_160, pytest.param(50_000, id="case_27-50000"))


def some(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases("lengths", section))


def padded(case: Case, characters: int, place: float) -> tuple[Document]:
    """The passage with padding around it to a length; ``place`` is where it stands, 0 first to 1 last."""
    count = max(0, characters - len(case.contexts[0])) // len(case.padding)
    before = round(count * place)
    text = f"{case.padding * before}{case.contexts[0]} {case.padding * (count - before)}"
    return (Document(text, 1, id="doc-1"),)


@some("padded")
@pytest.mark.parametrize("characters", LENGTHS)
def test_a_wrong_year_and_height_are_found_in_contexts_of_any_length(
    scorers: ScorerSet, case: Case, characters: int
) -> None:
    for place in (0.0, 0.5, 1.0) if characters < 10_000 else (0.6,):
        outcome = score(scorers, case, contexts=padded(case, characters, place)).scores[FAITHFULNESS]
        assert value(outcome) == 0.0, (place, outcome)
        assert isinstance(outcome, Scored)
        assert [claim.verdict for claim in outcome.claims] == [Verdict.CONTRADICTED] * 2


@some("padded")
def test_a_right_answer_is_found_in_contexts_of_any_length(scorers: ScorerSet, case: Case) -> None:
    contexts = padded(case, 50_000, 0.7)
    right = case.contexts[0]
    assert value(score(scorers, case, contexts=contexts, answer=right).scores[FAITHFULNESS]) == 1.0


@some("last_sentence")
def test_the_one_unsupported_sentence_at_the_end_of_a_long_answer_is_found(scorers: ScorerSet, case: Case) -> None:
    # About 400 words: more than a detector with a window of 512 tokens sees beside the contexts.
    facts = [case.contexts[0].format(n=n, y=1800 + n) for n in range(2, 28)]
    contexts = tuple(Document(fact, rank, id=f"doc-{rank}") for rank, fact in enumerate(facts, start=1))
    outcome = score(scorers, case, contexts=contexts, answer=" ".join([*facts, case.answer])).scores[FAITHFULNESS]
    assert isinstance(outcome, Scored)
    wrong = [claim.text for claim in outcome.claims if claim.verdict is not Verdict.SUPPORTED]
    assert wrong == [case.answer]


# The judge ---------------------------------------------------------------------------------------------------

SMALL = {"context_window_tokens": 4_000, "max_output_tokens": 500}


@some("padded")
def test_a_judge_with_a_small_window_finds_the_contradiction_wherever_it_stands(case: Case) -> None:
    wrong = case.answer.split(". ")[0].rstrip(".。")
    told = script(known=[{"said": wrong, "verdict": "contradicted", "quote": case.contexts[0]}])
    (document,) = padded(case, 30_000, 0.8)
    server = InProcess(told)
    outcome = outcomes(
        reading(f"{wrong}.", [document.text or ""], case.question), server, config(**SMALL, max_windows=40)
    )[FAITHFULNESS]
    assert isinstance(outcome, Scored)
    assert [claim.verdict for claim in outcome.claims] == [Verdict.CONTRADICTED]
    assert server.stats()["calls"] > 1


@pytest.mark.parametrize("mode", ["merged", "decomposed"])
@pytest.mark.parametrize(
    ("name", "answer", "context"),
    [
        pytest.param("contexts", "The tower is high.", "Gardens and weather. " * 20_000, id="case_29-long-contexts"),
        pytest.param("answer", "The tower is high. " * 4_000, "The tower is high.", id="case_29-long-answer"),
        pytest.param("Chinese", "塔很高。", "档案馆保存着信件。" * 10_000, id="case_29-zh-long-contexts"),
        pytest.param("Russian", "Башня высокая.", "Сады и погода в городе. " * 10_000, id="case_29-ru-long-contexts"),
    ],
)
def test_what_is_larger_than_the_judges_windows_has_failed_and_is_never_scored(
    mode: str, name: str, answer: str, context: str
) -> None:
    server = InProcess(script())
    result = outcomes(reading(answer, [context], "?"), server, config(mode=mode, max_windows=3, **SMALL))
    outcome = result[FAITHFULNESS]
    assert isinstance(outcome, Failed), (name, outcome)
    assert outcome.kind is FailureKind.CONTEXT_OVERFLOW
