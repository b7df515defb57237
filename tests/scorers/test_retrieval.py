"""Retrieval metrics: against scikit-learn, against their definitions, and as a scorer."""

from collections.abc import Mapping

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Document
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.retrieval import (
    RetrievalScorer,
    hit_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.builders import interaction

IDS = [f"d{number}" for number in range(12)]
gains = st.dictionaries(st.sampled_from(IDS), st.integers(0, 5).map(float), min_size=2, max_size=12)


@given(gains, st.permutations(IDS), st.integers(1, 12))
def test_ndcg_is_that_of_scikit_learn(judged: Mapping[str, float], order: list[str], k: int) -> None:
    assume(any(judged.values()))
    ranked = [document for document in order if document in judged]
    truth = [[judged[document] for document in ranked]]
    # scikit-learn ranks by score, so the rank is given as a falling score.
    expected = ndcg_score(truth, [[-float(rank) for rank in range(len(ranked))]], k=k)
    assert ndcg_at_k(ranked, judged, k) == pytest.approx(expected)


@given(st.lists(st.sampled_from(IDS), max_size=20), st.sets(st.sampled_from(IDS), min_size=1), st.integers(1, 15))
def test_all_metrics_lie_between_0_and_1_and_agree_with_each_other(
    retrieved: list[str], relevant: set[str], k: int
) -> None:
    hit, recall = hit_at_k(retrieved, relevant, k), recall_at_k(retrieved, relevant, k)
    precision, rank = precision_at_k(retrieved, relevant, k), reciprocal_rank(retrieved, relevant)
    gain = ndcg_at_k(retrieved, dict.fromkeys(relevant, 1.0), k)
    assert all(0.0 <= value <= 1.0 for value in (hit, recall, precision, rank, gain))
    assert (hit == 1.0) == (recall > 0) == (precision > 0) == (gain > 0) == (rank >= 1 / k)
    assert recall * len(relevant) == pytest.approx(precision * k)


@given(st.permutations(IDS), st.sets(st.sampled_from(IDS), min_size=1))
def test_the_best_order_has_ndcg_1(order: list[str], relevant: set[str]) -> None:
    best = sorted(order, key=lambda document: document not in relevant)
    assert ndcg_at_k(best, dict.fromkeys(relevant, 1.0), 5) == pytest.approx(1.0)


def test_a_document_retrieved_twice_counts_once() -> None:
    assert recall_at_k(["a", "a", "b"], {"a", "b"}, 2) == 1.0
    assert precision_at_k(["a", "a"], {"a"}, 2) == 0.5


@pytest.mark.parametrize("metric", [hit_at_k, recall_at_k, precision_at_k])
def test_without_relevant_documents_there_is_no_value(metric: object) -> None:
    assert callable(metric)
    with pytest.raises(ValueError, match="undefined"):
        metric(["a"], set(), 1)
    with pytest.raises(ValueError, match="k must be"):
        metric(["a"], {"a"}, 0)


def score(
    relevant: tuple[str, ...] | None, *, k: int = 2, contexts: tuple[Document, ...] | None
) -> Mapping[MetricKey, Outcome]:
    given_interaction = interaction(relevant_ids=relevant, contexts=contexts)
    return RetrievalScorer(k=k).score([Reading(given_interaction)], Deadline(10))[0]


DOCUMENTS = tuple(Document(text=None, rank=rank, id=f"d{rank}") for rank in (3, 1, 2))


def test_the_scorer_goes_by_rank_and_needs_ids_only() -> None:
    scores = score(("d2", "d9"), contexts=DOCUMENTS)
    assert {key: outcome.value for key, outcome in scores.items() if isinstance(outcome, Scored)} == {
        MetricKey.HIT_AT_K: 1.0,
        MetricKey.RECALL_AT_K: 0.5,
        MetricKey.PRECISION_AT_K: 0.5,
        MetricKey.MRR: 0.5,
        MetricKey.NDCG_AT_K: pytest.approx(0.3868528),
    }


def test_an_empty_retrieval_with_gold_ids_scores_0() -> None:
    assert all(outcome == Scored(0.0) for outcome in score(("d1",), contexts=()).values())


@pytest.mark.parametrize("relevant", [None, ()])
def test_without_gold_ids_the_metrics_do_not_apply(relevant: tuple[str, ...] | None) -> None:
    for outcome in score(relevant, contexts=DOCUMENTS).values():
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is Reason.NO_REFERENCE


def test_contexts_that_were_not_captured_are_not_a_miss() -> None:
    for outcome in score(("d1",), contexts=None).values():
        assert isinstance(outcome, NotApplicable)
        assert outcome.reason is Reason.CONTEXTS_NOT_CAPTURED


def test_documents_without_an_id_are_not_relevant() -> None:
    scores = score(("d1",), contexts=(Document(text="x", rank=1), Document(text="y", rank=2, id="d1")))
    assert scores[MetricKey.MRR] == Scored(0.5)


def test_k_below_1_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        RetrievalScorer(k=0)
