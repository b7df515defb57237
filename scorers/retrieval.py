"""Retrieval metrics against gold document ids: hit, recall and precision at k, reciprocal rank, nDCG at k.

All functions take the ids of the retrieved documents in rank order. A document that was retrieved twice counts at its
first rank only, so no value exceeds 1. Definitions after Manning, Raghavan and Schütze, "Introduction to Information
Retrieval" (2008), chapter 8; nDCG after Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
ACM TOIS 20(4), 2002, with the gain itself in the numerator and log2(rank + 1) below it, as scikit-learn has it.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored


def hit_at_k(retrieved: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1.0 when at least one of the first ``k`` documents is relevant, else 0.0."""
    _check(k, relevant)
    return float(any(document in relevant for document in _first(retrieved, k)))


def recall_at_k(retrieved: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant documents among the first ``k`` ÷ all relevant documents."""
    _check(k, relevant)
    return sum(document in relevant for document in _first(retrieved, k)) / len(set(relevant))


def precision_at_k(retrieved: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Relevant documents among the first ``k`` ÷ ``k``, also where fewer than ``k`` were retrieved."""
    _check(k, relevant)
    return sum(document in relevant for document in _first(retrieved, k)) / k


def reciprocal_rank(retrieved: Sequence[str], relevant: Collection[str]) -> float:
    """1 ÷ the rank of the first relevant document; 0.0 where none was retrieved. Its mean over questions is the MRR."""
    _check(1, relevant)
    ranked = _first(retrieved, len(retrieved))
    return next((1 / rank for rank, document in enumerate(ranked, start=1) if document in relevant), 0.0)


def ndcg_at_k(retrieved: Sequence[str], gains: Mapping[str, float], k: int) -> float:
    """Discounted cumulated gain of the first ``k`` documents ÷ that of the best order of all judged documents.

    ``gains`` holds the relevance of each judged document, at least one above 0 and none below; 1 for all of them is
    binary relevance. A document that isn't judged gains nothing.
    """
    _check(k, gains)
    if any(gain < 0 or not math.isfinite(gain) for gain in gains.values()) or not any(gains.values()):
        raise ValueError("gains must be finite, none below 0 and at least one above")
    best = _discounted(sorted(gains.values(), reverse=True)[:k])
    return min(1.0, _discounted([gains.get(document, 0.0) for document in _first(retrieved, k)]) / best)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def _first(retrieved: Sequence[str], k: int) -> list[str]:
    return list(dict.fromkeys(retrieved))[:k]


def _check(k: int, relevant: Collection[str]) -> None:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if not relevant:
        raise ValueError("no relevant documents are given: the metric is undefined, which is not 0")


class RetrievalScorer:
    """Scores the retrieved documents of an interaction against its gold document ids (``relevant_ids``).

    It needs ids only: neither texts nor the answer. Every gold document has relevance 1. Documents without an id can't
    be matched and count as not relevant.
    """

    name = "retrieval"
    version = "1"
    keys = (
        MetricKey.HIT_AT_K,
        MetricKey.RECALL_AT_K,
        MetricKey.PRECISION_AT_K,
        MetricKey.MRR,
        MetricKey.NDCG_AT_K,
    )

    def __init__(self, *, k: int = 5) -> None:
        """Take the number of ranks that the metrics "at k" look at. Raises ConfigError where it is below 1."""
        if k < 1:
            raise ConfigError(f"retrieval k must be at least 1, not {k}")
        self._k = k

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch; quick, so the deadline is not looked at."""
        return [self._score(reading) for reading in readings]

    def _score(self, reading: Reading) -> Mapping[MetricKey, Outcome]:
        interaction = reading.interaction
        if not interaction.relevant_ids:
            return dict.fromkeys(self.keys, NotApplicable(Reason.NO_REFERENCE, "No gold document ids are known."))
        if interaction.contexts is None:
            return dict.fromkeys(self.keys, NotApplicable(Reason.CONTEXTS_NOT_CAPTURED))
        ranked = sorted(interaction.contexts, key=lambda document: document.rank)
        # An id that can't be among the gold ones keeps the rank of a document without id.
        retrieved = [document.id if document.id is not None else f"\0{document.rank}" for document in ranked]
        gains = dict.fromkeys(interaction.relevant_ids, 1.0)
        relevant = gains.keys()
        return {
            MetricKey.HIT_AT_K: Scored(hit_at_k(retrieved, relevant, self._k)),
            MetricKey.RECALL_AT_K: Scored(recall_at_k(retrieved, relevant, self._k)),
            MetricKey.PRECISION_AT_K: Scored(precision_at_k(retrieved, relevant, self._k)),
            MetricKey.MRR: Scored(reciprocal_rank(retrieved, relevant)),
            MetricKey.NDCG_AT_K: Scored(ndcg_at_k(retrieved, gains, self._k)),
        }
