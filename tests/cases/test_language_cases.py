"""Languages, scripts and formats through the local scorers; the worked examples locally and by a judge."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.retrieval import RetrievalScorer, ndcg_at_k
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Outcome, Reason, Scored, Verdict
from ragsonde.scorers.scoring import ScorerSet
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import Script
from tests.builders import interaction
from tests.cases.casebook import Case, assert_reason, assert_verdicts, cases, score, value
from tests.scorers.judge.judging import config, script

FAITHFULNESS, CONTEXT_RELEVANCE = MetricKey.FAITHFULNESS, MetricKey.CONTEXT_RELEVANCE
MODES = ("merged", "decomposed")


def some(section: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases("languages", section))


# Local scorers -----------------------------------------------------------------------------------------------


@some("claims")
def test_sentences_of_any_script_give_claims_and_a_replaced_fact_is_seen(scorers: ScorerSet, case: Case) -> None:
    assert_verdicts(score(scorers, case).scores[FAITHFULNESS], case.verdicts)


@some("markup")
def test_a_document_with_markup_supports_what_its_text_says(scorers: ScorerSet, case: Case) -> None:
    scores = score(scorers, case).scores
    assert value(scores[FAITHFULNESS]) == 1.0
    assert 0.0 < value(scores[CONTEXT_RELEVANCE]) <= 1.0
    assert value(scores[MetricKey.CONTEXT_PRECISION]) == 1.0


@some("keywords")
def test_key_words_for_a_question_leave_every_value_within_its_range(scorers: ScorerSet, case: Case) -> None:
    scored = score(scorers, case)
    for outcome in scored.scores.values():
        assert not isinstance(outcome, Failed), outcome
        assert not isinstance(outcome, Scored) or 0.0 <= outcome.value <= 1.0


@some("shares")
def test_the_local_share_of_supported_claims_is_the_worked_one(scorers: ScorerSet, case: Case) -> None:
    outcome = score(scorers, case).scores[FAITHFULNESS]
    assert_verdicts(outcome, case.verdicts)
    assert value(outcome) == case.verdicts.count("supported") / len(case.verdicts)


@some("one_needed_of_three")
def test_one_needed_sentence_of_three_is_a_third_locally(scorers: ScorerSet, case: Case) -> None:
    assert value(score(scorers, case).scores[CONTEXT_RELEVANCE]) == pytest.approx(1 / 3)


@some("nothing_claimed")
def test_nothing_claimed_is_not_applicable_locally(scorers: ScorerSet, case: Case) -> None:
    assert_reason(score(scorers, case).scores[FAITHFULNESS], Reason.NO_CLAIMS)


# The judge, over HTTP, in both modes ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with running_judge_server() as running:
        yield running


def judged(server: JudgeServer, mode: str, case: Case, told: Script) -> Mapping[MetricKey, Outcome]:
    server.control(told)
    judge = JudgeScorer(build_judge(config(base_url=server.base_url, mode=mode, cache={"max_entries": 0})))
    try:
        given = interaction(question=case.question, contexts=case.documents(), answer=case.answer)
        (result,) = judge.score([Reading(given)], Deadline(60))
        return result
    finally:
        judge.close()


def verdicts_of(case: Case, scorers: ScorerSet) -> list[dict[str, Any]]:
    """What a careful judge finds: the local claims with the case's verdicts, the first passage as evidence."""
    outcome = score(scorers, case).scores[FAITHFULNESS]
    assert isinstance(outcome, Scored)
    return [
        {
            "said": claim.text.rstrip(".。"),
            "verdict": verdict,
            "quote": case.contexts[0] if verdict == "supported" else "",
        }
        for claim, verdict in zip(
            outcome.claims, [v.replace("unsupported", "not_found") for v in case.verdicts], strict=True
        )
    ]


@pytest.mark.parametrize("mode", MODES)
@some("shares")
def test_the_judges_share_of_supported_claims_is_the_worked_one(
    server: JudgeServer, scorers: ScorerSet, mode: str, case: Case
) -> None:
    result = judged(server, mode, case, script(known=verdicts_of(case, scorers)))
    assert_verdicts(result[FAITHFULNESS], case.verdicts)
    assert value(result[FAITHFULNESS]) == case.verdicts.count("supported") / len(case.verdicts)


@pytest.mark.parametrize("mode", MODES)
@some("shares")
def test_a_supported_verdict_whose_quote_is_in_no_source_does_not_count(
    server: JudgeServer, scorers: ScorerSet, mode: str, case: Case
) -> None:
    made_up = [
        {**known, "verdict": "supported", "quote": "Zxqv made this up.", "force": True}
        for known in verdicts_of(case, scorers)
    ]
    outcome = judged(server, mode, case, script(known=made_up))[FAITHFULNESS]
    assert value(outcome) == 0.0
    assert isinstance(outcome, Scored)
    assert {claim.verdict for claim in outcome.claims} == {Verdict.UNVERIFIED}


@pytest.mark.parametrize("mode", MODES)
@some("one_needed_of_three")
def test_one_needed_sentence_of_three_is_a_third_by_the_judge(server: JudgeServer, mode: str, case: Case) -> None:
    needed = [{"task": task, "reply": {"needed": ["1.1"]}} for task in ("merged", "needed_sentences")]
    assert value(judged(server, mode, case, script(overrides=needed))[CONTEXT_RELEVANCE]) == 1 / 3


@pytest.mark.parametrize("mode", MODES)
@some("nothing_claimed")
def test_nothing_claimed_is_not_applicable_by_the_judge(server: JudgeServer, mode: str, case: Case) -> None:
    none = [{"task": task, "reply": {"claims": [], "factual": False}} for task in ("merged", "extract_claims")]
    assert_reason(judged(server, mode, case, script(overrides=none))[FAITHFULNESS], Reason.NO_CLAIMS)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(Case(id="case_48", contexts=("青岛是港口城市。",), answer="青岛是港口城市。"), id="case_48"),
        pytest.param(Case(id="ru", contexts=("Казань — город.",), answer="Казань — большой город."), id="case_48-ru"),
        pytest.param(Case(id="ms", contexts=("Ipoh ialah bandar.",), answer="Ipoh ialah bandar."), id="case_48-ms"),
        pytest.param(Case(id="ar", contexts=("تونس مدينة.",), answer="تونس مدينة كبيرة."), id="case_48-ar"),
        pytest.param(Case(id="th", contexts=("เชียงใหม่เป็นเมือง",), answer="เชียงใหม่เป็นเมืองใหญ่"), id="case_48-th"),
    ],
)
def test_a_judge_that_sees_facts_and_extracts_none_has_failed_and_is_told_apart(
    server: JudgeServer, mode: str, case: Case
) -> None:
    none = [{"task": task, "reply": {"claims": [], "factual": True}} for task in ("merged", "extract_claims")]
    outcome = judged(server, mode, case, script(overrides=none))[FAITHFULNESS]
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind is FailureKind.EXTRACTOR_EMPTY


# Retrieval metrics against scikit-learn --------------------------------------------------------------------------

ids = st.integers(0, 11).map(lambda number: f"d{number}")


@given(
    st.lists(ids, min_size=2, max_size=12, unique=True),
    st.dictionaries(ids, st.sampled_from([1.0, 2.0, 3.0]), min_size=1, max_size=5),
    st.integers(1, 12),
)
def test_ndcg_is_that_of_scikit_learn(retrieved: list[str], gains: dict[str, float], k: int) -> None:
    everything = [*retrieved, *(gold for gold in gains if gold not in retrieved)]
    # What was not retrieved comes last and, where k reaches that far, must not count as found.
    k = min(k, len(retrieved))
    true = np.array([[gains.get(name, 0.0) for name in everything]])
    ranked = np.array([[float(len(everything) - place) for place in range(len(everything))]])
    if len(everything) > 1:
        assert ndcg_at_k(retrieved, gains, k) == pytest.approx(ndcg_score(true, ranked, k=k))


@given(st.lists(ids, min_size=1, max_size=12, unique=True), st.sets(ids, min_size=1, max_size=5), st.integers(1, 12))
def test_the_scorers_retrieval_metrics_are_the_defined_ones(retrieved: list[str], gold: set[str], k: int) -> None:
    given = interaction(
        contexts=tuple(f"Text {name}." for name in retrieved),
        relevant_ids=tuple(
            f"doc-{retrieved.index(name) + 1}" if name in retrieved else f"gone-{name}" for name in gold
        ),
    )
    (scores,) = RetrievalScorer(k=k).score([Reading(given)], Deadline(10))
    hits = [name in gold for name in retrieved]
    assert value(scores[MetricKey.HIT_AT_K]) == float(any(hits[:k]))
    assert value(scores[MetricKey.MRR]) == (1 / (1 + hits.index(True)) if any(hits) else 0.0)
    assert value(scores[MetricKey.RECALL_AT_K]) == pytest.approx(sum(hits[:k]) / len(gold))
    assert value(scores[MetricKey.PRECISION_AT_K]) == pytest.approx(sum(hits[:k]) / k)
    true = np.array([[float(hit) for hit in hits] + [1.0] * (len(gold) - sum(hits)) + [0.0]])
    ranked = np.array([[float(true.size - place) for place in range(true.size)]])
    if k <= len(retrieved):
        assert value(scores[MetricKey.NDCG_AT_K]) == pytest.approx(ndcg_score(true, ranked, k=k))
