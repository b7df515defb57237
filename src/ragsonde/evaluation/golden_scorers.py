"""What only a golden set can tell: whether a refusal is right, and whether the right passages were retrieved."""

from collections.abc import Mapping, Sequence

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document
from ragsonde.evaluation.config import RetrievalLevel
from ragsonde.golden.item import GoldenItem, GoldPassage
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

_PART_OF = ("#", ":", "/", "|")
"""What joins a document's id and a part's. Not the hyphen: ``guide-2`` may be another document than ``guide``."""
_SEPARATORS = (*_PART_OF, "::", "_", "-")
_DOCUMENT_KEYS = ("document_id", "doc_id", "source_id", "source", "file_name", "file_path")
_SECTION_KEYS = ("section", "section_id", "chunk_id", "chunk", "page")


class GoldenRefusal:
    """Refusal correctness by the golden item: 1 where an unanswerable question is refused, 0 where it is answered.

    Refusing a question that has an answer is 0. Answering it is not applicable: there was nothing to refuse, and how
    good the answer is the other metrics say.
    """

    name = "golden_refusal"
    version = "1"
    keys = (MetricKey.REFUSAL_CORRECTNESS,)

    def __init__(self, items: Mapping[str, GoldenItem]) -> None:
        """``items`` are the golden items by the id of the interaction that answers them."""
        self._items = items

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch; quick, so the deadline is not looked at."""
        return [{MetricKey.REFUSAL_CORRECTNESS: self._score(reading)} for reading in readings]

    def _score(self, reading: Reading) -> Outcome:
        item = self._items.get(reading.interaction.id)
        if item is None:
            return NotApplicable(Reason.NO_REFERENCE)
        if reading.not_scorable_answer() is Reason.EMPTY_ANSWER:
            return NotApplicable(Reason.EMPTY_ANSWER)
        refuses = reading.abstention.pure
        if not item.unanswerable:
            return Scored(0.0, "unjustified", "There is an answer.") if refuses else NotApplicable(Reason.NO_REFUSAL)
        if refuses:
            return Scored(1.0, "justified", "The question has no answer in the sources.")
        return Scored(0.0, "should_refuse", "The question has no answer in the sources, yet one is given.")


class GoldenRetrieval:
    """The retrieval metrics against gold passages, each with its grade.

    A retrieved document is matched to a passage by its id (that of the section, of the document, or both joined), or by
    the document and section in its metadata. Several chunks of one passage count once, at the first one's rank.
    """

    name = "golden_retrieval"
    version = "1"
    keys = RetrievalScorer.keys

    def __init__(self, items: Mapping[str, GoldenItem], *, k: int, level: RetrievalLevel) -> None:
        """``items`` are the golden items by the id of the interaction that answers them."""
        self._items = items
        self._k = k
        self._level = level

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch; quick, so the deadline is not looked at."""
        return [self._score(reading) for reading in readings]

    def _score(self, reading: Reading) -> Mapping[MetricKey, Outcome]:
        item, contexts = self._items.get(reading.interaction.id), reading.interaction.contexts
        if item is None or not item.gold:
            return dict.fromkeys(self.keys, NotApplicable(Reason.NO_REFERENCE, "No gold passages are known."))
        if contexts is None:
            return dict.fromkeys(self.keys, NotApplicable(Reason.CONTEXTS_NOT_CAPTURED))
        gains = self._gains(item.gold)
        ranked = sorted(contexts, key=lambda document: document.rank)
        retrieved = [self._name_of(document, item.gold) for document in ranked]
        relevant = gains.keys()
        return {
            MetricKey.HIT_AT_K: Scored(hit_at_k(retrieved, relevant, self._k)),
            MetricKey.RECALL_AT_K: Scored(recall_at_k(retrieved, relevant, self._k)),
            MetricKey.PRECISION_AT_K: Scored(precision_at_k(retrieved, relevant, self._k)),
            MetricKey.MRR: Scored(reciprocal_rank(retrieved, relevant)),
            MetricKey.NDCG_AT_K: Scored(ndcg_at_k(retrieved, gains, self._k)),
        }

    def _gains(self, gold: Sequence[GoldPassage]) -> dict[str, float]:
        gains: dict[str, float] = {}
        for passage in gold:
            name = self._name(passage)
            gains[name] = max(gains.get(name, 0.0), passage.grade)
        return gains

    def _name(self, passage: GoldPassage) -> str:
        section = passage.section if self._level is RetrievalLevel.SECTION else None
        return f"gold\0{passage.document_id}\0{section or ''}"

    def _name_of(self, document: Document, gold: Sequence[GoldPassage]) -> str:
        """The name of the passage that a document is (part of), or one that is no passage's."""
        for passage in gold:
            if self._is(document, passage):
                return self._name(passage)
        return f"other\0{document.id if document.id is not None else document.rank}"

    def _is(self, document: Document, passage: GoldPassage) -> bool:
        own, whole, section = document.id, passage.document_id, passage.section
        documents = {str(document.metadata[key]) for key in _DOCUMENT_KEYS if key in document.metadata}
        of_document = own == whole or whole in documents
        if section is None or self._level is RetrievalLevel.DOCUMENT:
            joined = own is not None and any(own.startswith(f"{whole}{sign}") for sign in _PART_OF)
            return of_document or joined or (section is not None and own == section)
        sections = {str(document.metadata[key]) for key in _SECTION_KEYS if key in document.metadata}
        if of_document and section in sections:
            return True
        return own == section or own in {f"{whole}{sign}{section}" for sign in _SEPARATORS}
