"""Interactions of a given size, and the processor time that local scorers take for them.

Texts are those of the demonstration, in the languages that it has; answers are made by the alterations that the
detector is fitted with. Time is processor time of one thread, so that other work on the machine counts little; what it
slows down all the same it slows down for every row, since the rows take turns.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from statistics import median

from bench.detector.alterations import Alterer, Passage
from bench.detector.examples import own_passages
from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, TextKind
from ragsonde.scorers.entailment import Entailment
from ragsonde.scorers.faithfulness import AnalysisCache, FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.relevance import RelevanceScorer

_DOCUMENT_CHARACTERS = 700
_SECONDS = 600
WITH_MODEL = "local_faithfulness with a model for entailment"
Score = Callable[[Sequence[Reading]], object]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way of scoring took for interactions of one size."""

    size: int
    """Characters of the contexts of one interaction."""
    way: str
    milliseconds: float
    """Processor time an interaction, median over the rounds."""

    @property
    def per_second(self) -> float:
        """Interactions a second and core."""
        return 1e3 / self.milliseconds


def interactions(characters: int, count: int, seed: int) -> list[Interaction]:
    """Interactions with contexts of about ``characters`` in all, in documents of a few hundred, each different."""
    draw = random.Random(seed)
    passages = own_passages()
    found = []
    for number, altered in enumerate(Alterer(passages, seed).answers(count)):
        alike = [p for p in passages if p.language == altered.passage.language and p is not altered.passage]
        draw.shuffle(alike)
        texts = _documents([altered.passage, *alike], characters, number)
        documents = tuple(Document(text=text, rank=rank) for rank, text in enumerate(texts, start=1))
        question = altered.passage.question or altered.answer.split(".")[0] + "?"
        found.append(
            Interaction(
                id=str(number), question=question, answer=altered.answer, contexts=documents, capture=Capture.CAPTURED
            )
        )
    return found


def _documents(passages: Sequence[Passage], characters: int, number: int) -> list[str]:
    """Passages in documents, the first passages first; the number makes texts of different interactions differ."""
    documents: list[str] = []
    current = ""
    left = characters
    for passage in cycle(passages):
        text = " ".join(passage.contexts)[:left]
        current, left = f"{current} {text}".strip(), left - len(text)
        if len(current) >= _DOCUMENT_CHARACTERS or left <= 0:
            documents.append(f"({number}.{len(documents)}) {current}")
            current = ""
        if left <= 0:
            return documents
    return documents


def ways(
    embedder: OnnxEmbedder | None, seen: AnalysisCache, entailment: Entailment | None = None
) -> dict[str, Callable[[], Score]]:
    """Ways of scoring by name; each call makes one that has seen nothing, but for what ``seen`` holds."""
    found: dict[str, Callable[[], Score]] = {
        "local_faithfulness, one by one": lambda: _one_by_one(FaithfulnessScorer()),
        "local_faithfulness, in a batch": lambda: _batch(FaithfulnessScorer()),
        "local_faithfulness, contexts seen before": lambda: _batch(FaithfulnessScorer(cache=seen)),
    }
    if entailment is not None:
        found[WITH_MODEL] = lambda: _batch(FaithfulnessScorer(entailment=entailment))
        found["the same, contexts seen before"] = lambda: _batch(FaithfulnessScorer(cache=seen, entailment=entailment))
    if embedder is not None:
        found["local_relevance, in a batch"] = lambda: _batch(RelevanceScorer(embedder))
        found["encoder alone, same texts"] = lambda: _encoder(embedder)
    return found


def _one_by_one(scorer: FaithfulnessScorer) -> Score:
    return lambda readings: [scorer.score([reading], Deadline(_SECONDS)) for reading in readings]


def _batch(scorer: FaithfulnessScorer | RelevanceScorer) -> Score:
    return lambda readings: scorer.score(readings, Deadline(_SECONDS))


def _encoder(embedder: OnnxEmbedder) -> Score:
    def encode(readings: Sequence[Reading]) -> None:
        """Each context and the answer whole, as a cross-encoder would have to read them at the least."""
        for reading in readings:
            embedder.embed([reading.answer, *(d.text or "" for d in reading.documents or ())], TextKind.QUERY)

    return encode


def measure(
    sizes: Sequence[int],
    count: int,
    rounds: int,
    *,
    with_encoder: bool = True,
    entailment: Entailment | None = None,
) -> list[Cost]:
    """Score ``count`` interactions of each size in every way; a first round is thrown away."""
    embedder = None
    if with_encoder:
        embedder = OnnxEmbedder(EmbeddingConfig(threads=1, cache_entries=0))
        embedder.load()
    costs = []
    for size in sizes:
        given = interactions(size, count, seed=size)
        taken: dict[str, list[float]] = {}
        seen = AnalysisCache(max_characters=2 * size * count + 1_000_000)  # the round thrown away fills it
        for number in range(rounds + 1):
            for way, make in ways(embedder, seen, entailment).items():
                score, readings = make(), [Reading(interaction) for interaction in given]
                began = time.process_time()
                score(readings)
                if number:
                    taken.setdefault(way, []).append((time.process_time() - began) / count)
        costs += [Cost(size, way, 1e3 * median(seconds)) for way, seconds in taken.items()]
    return costs
