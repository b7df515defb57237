"""Sessions that need no model: the local scorers that count words, and golden items beside their answers."""

from collections.abc import Sequence
from typing import Any

from ragsonde.collector.clock import SystemClock
from ragsonde.collector.model import Document, Interaction
from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.evaluation.session import Session
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.scorer import Scorer
from ragsonde.scorers.scoring import ScorerSet
from tests.golden_sets.golden_items import item

TEXTS = {
    "returns": "Items can be returned within 30 days of delivery.",
    "express": "Express delivery costs 9 euros.",
    "warranty": "The warranty is two years.",
}


def scorer_set(scorers: Sequence[Scorer]) -> ScorerSet:
    return ScorerSet([FaithfulnessScorer(), *scorers], diagnosis=DiagnosisConfig(), clock=SystemClock())


def session(**values: Any) -> Session:
    config = EvaluationConfig.model_validate({"thresholds": {"faithfulness": 0.9}} | values)
    return Session(config, scorer_set, retrieval_k=3, batch_size=2, timeout_seconds=60.0, wall=lambda: 0.0)


def answer(id: str, topic: str = "returns", text: str | None = None, **values: Any) -> Interaction:  # noqa: A002
    """An interaction that retrieved all texts, its own topic's first, and answers with that, or with ``text``."""
    order = [topic, *(name for name in TEXTS if name != topic)]
    contexts = tuple(Document(TEXTS[name], rank, id=name) for rank, name in enumerate(order, start=1))
    question = f"What about {topic}?"
    given = TEXTS[topic] if text is None else text
    return Interaction(**{"id": id, "question": question, "answer": given, "contexts": contexts} | values)


def gold(id: str, topic: str = "returns", **values: Any) -> GoldenItem:  # noqa: A002
    known = {"question": f"What about {topic}?", "reference": TEXTS[topic], "gold": [{"document_id": topic}]}
    return item(id, **known | values)
