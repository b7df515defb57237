"""Ranking documents by BM25, for any of the demonstration's languages."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.demo.corpus import DemoDocument

_SATURATION = 1.2
_LENGTH_WEIGHT = 0.75
_STEM_CHARACTERS = 5
_HAN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved document and its BM25 score, which has no upper bound."""

    document: DemoDocument
    score: float


def terms(text: str) -> list[str]:
    """Return what is compared: words cut to five characters, as a stemmer would, and pairs of Han characters.

    Cutting words is a known language-independent substitute for stemming (McNamee and Mayfield, 2004).
    """
    found: list[str] = []
    for word in _WORD.findall(text.casefold()):
        position = 0
        for run in _HAN.finditer(word):
            found += [word[position : run.start()][:_STEM_CHARACTERS], *_pairs(run.group())]
            position = run.end()
        found.append(word[position:][:_STEM_CHARACTERS])
    return [term for term in found if term]


class Retriever:
    """Okapi BM25 (Robertson and Zaragoza, 2009) over a handful of documents; titles count like text."""

    def __init__(self, documents: Sequence[DemoDocument]) -> None:
        self._documents = tuple(documents)
        self._counts = [Counter(terms(f"{document.title} {document.text}")) for document in documents]
        self._lengths = [sum(counts.values()) for counts in self._counts]
        self._average_length = sum(self._lengths) / len(self._lengths)
        self._frequency = Counter(term for counts in self._counts for term in counts)

    def search(self, question: str, top_k: int) -> list[Hit]:
        """Return the ``top_k`` best documents, best first; ties keep the order of the corpus."""
        asked = set(terms(question))
        hits = [Hit(document, self._score(index, asked)) for index, document in enumerate(self._documents)]
        return sorted(hits, key=lambda hit: -hit.score)[:top_k]

    def weight(self, term: str) -> float:
        """Return the inverse document frequency of a term: how much it says about a document."""
        known = self._frequency[term]
        return math.log(1 + (len(self._documents) - known + 0.5) / (known + 0.5))

    def _score(self, index: int, asked: set[str]) -> float:
        length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * self._lengths[index] / self._average_length
        counts = self._counts[index]
        return sum(
            self.weight(term) * counts[term] * (_SATURATION + 1) / (counts[term] + _SATURATION * length)
            for term in asked
            if term in counts
        )


def _pairs(run: str) -> list[str]:
    return [run[index : index + 2] for index in range(len(run) - 1)] or [run]
