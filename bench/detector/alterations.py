"""Answers made from passages: sentences taken over, shortened or joined, some of them made wrong.

A fault is of one of the kinds that writers make: a number, a name or a date that is another one, the opposite, one
thing said of another, a sentence or a clause from somewhere else. What is left is borne out by the passage word for
word, so that a model fitted to this alone would trust words too much: the examples are for the facts.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ragsonde.scorers.facts import find_facts
from ragsonde.scorers.faithfulness.words import function_words
from ragsonde.scorers.text.segmentation import split_sentences


@dataclass(frozen=True, slots=True)
class Passage:
    """What an answer is made from."""

    contexts: tuple[str, ...]
    question: str
    group: str
    language: str


@dataclass(frozen=True, slots=True)
class Altered:
    """An answer to a passage."""

    passage: Passage
    answer: str
    faults: tuple[tuple[int, int], ...]


_NUMBER = re.compile(r"(?<![\w.,:])\d+(?:[.,]\d+)?(?![\w:])")
_ASIDE = re.compile(r"\s*\([^()]{3,80}\)")
_LAST_CLAUSE = re.compile(r"[,，][^,，]{10,120}(?=[.!?。！？]$)")
_NEGATED = {
    "en": {
        "is": "is not", "are": "are not", "was": "was not", "were": "were not", "can": "cannot", "will": "will not",
        "has": "has not", "must": "need not",
    },
    "de": {
        "ist": "ist nicht", "sind": "sind nicht", "wird": "wird nicht", "werden": "werden nicht",
        "kann": "kann nicht", "können": "können nicht",
    },
    "ru": {"может": "не может", "можно": "нельзя", "является": "не является", "могут": "не могут"},
    "pl": {"jest": "nie jest", "są": "nie są", "można": "nie można", "może": "nie może"},
    "bs": {"je": "nije", "su": "nisu", "može": "ne može", "mogu": "ne mogu"},
    "ms": {"boleh": "tidak boleh", "adalah": "bukan", "akan": "tidak akan", "ialah": "bukan"},
    "zh": {"是": "不是", "可以": "不可以", "需要": "不需要", "会": "不会"},
}  # fmt: skip
_MIN_CHARACTERS, _MAX_CHARACTERS = 25, 320


class Alterer:
    """Makes answers; the same seed and passages give the same ones."""

    def __init__(self, passages: Sequence[Passage], seed: int) -> None:
        self._passages = passages
        self._draw = random.Random(seed)

    def answers(self, count: int) -> Iterator[Altered]:
        """Make ``count`` answers to passages drawn at random, half of them with faults."""
        made = 0
        while made < count:
            passage = self._draw.choice(self._passages)
            if (altered := self._answer(passage)) is not None:
                made += 1
                yield altered

    def _answer(self, passage: Passage) -> Altered | None:
        draw = self._draw
        sentences = _sentences(passage)
        if len(sentences) < 2:
            return None
        chosen = draw.sample(sentences, min(len(sentences), draw.randint(1, 5)))
        faulty = draw.randrange(len(chosen)) if draw.random() < 0.5 else -1
        text, faults = "", []
        for number, sentence in enumerate(chosen):
            said = self._faulty(sentence, passage) if number == faulty else self._shortened(sentence)
            if said is None:
                return None
            start = len(text) + bool(text)
            text = f"{text} {said}" if text else said
            if number == faulty:
                faults.append((start, len(text)))
        return Altered(passage, text, tuple(faults))

    def _shortened(self, sentence: str) -> str:
        draw = self._draw
        said = _ASIDE.sub("", sentence) if draw.random() < 0.5 else sentence
        return _LAST_CLAUSE.sub("", said) if draw.random() < 0.3 else said

    def _faulty(self, sentence: str, passage: Passage) -> str | None:
        ways: list[Callable[[str, Passage], str | None]] = [
            self._other_number, self._other_number, self._other_name, self._other_name, self._negated, self._opposite,
            self._crossed, self._foreign, self._foreign_clause,
        ]  # fmt: skip
        self._draw.shuffle(ways)
        return next((said for way in ways if (said := way(sentence, passage)) not in (None, sentence)), None)

    def _other_number(self, sentence: str, passage: Passage) -> str | None:
        found = list(_NUMBER.finditer(sentence))
        if not found:
            return None
        chosen = self._draw.choice(found)
        there = set(_NUMBER.findall(" ".join(passage.contexts)))
        value = int(re.split("[.,]", chosen[0])[0][:9])
        offers = [str(max(1, value + step)) for step in (-20, -10, -3, -2, -1, 1, 2, 3, 5, 10, 20)]
        offers += list(there - {chosen[0]})
        other = self._draw.choice([offer for offer in offers if offer != chosen[0]])
        return sentence[: chosen.start()] + other + sentence[chosen.end() :]

    def _other_name(self, sentence: str, passage: Passage) -> str | None:
        own = [name for name in find_facts(sentence, ordinary=function_words()).names if name.certain]
        if not own:
            return None
        other_passage = self._draw.choice(self._passages) if self._draw.random() < 0.4 else passage
        text = " ".join(other_passage.contexts)[:4000]
        offers = sorted({n.text for n in find_facts(text, ordinary=function_words()).names if n.certain})
        chosen = self._draw.choice(own)
        offers = [offer for offer in offers if offer not in sentence and chosen.text not in offer and "\n" not in offer]
        return sentence.replace(chosen.text, self._draw.choice(offers)) if offers else None

    def _negated(self, sentence: str, passage: Passage) -> str | None:
        pairs = list(_NEGATED.get(passage.language, {}).items())
        self._draw.shuffle(pairs)
        for word, negated in pairs:
            pattern = word if passage.language == "zh" else rf"\b{word}\b(?! not)"
            said = re.sub(pattern, negated, sentence, count=1)
            if said != sentence:
                return said
        return None

    def _opposite(self, sentence: str, passage: Passage) -> str | None:  # noqa: ARG002
        pairs = [pair[:: self._draw.choice((1, -1))] for pair in _opposite_pairs()]
        self._draw.shuffle(pairs)
        for word, other in pairs:
            said = re.sub(rf"\b{re.escape(word)}\b", other, sentence, count=1)
            if said != sentence:
                return said
        return None

    def _crossed(self, sentence: str, passage: Passage) -> str | None:
        """The beginning of one sentence with the end of another of the same passage."""
        others = [other for other in _sentences(passage) if other != sentence]
        first, last = sentence.split(" "), self._draw.choice(others).split(" ")
        if min(len(first), len(last)) < 8:
            return None
        return " ".join([*first[: len(first) // 3 + 1], *last[len(last) // 3 :]])

    def _foreign(self, sentence: str, passage: Passage) -> str | None:  # noqa: ARG002
        other = self._other(passage)
        return self._draw.choice(_sentences(other) or [None]) if other else None

    def _foreign_clause(self, sentence: str, passage: Passage) -> str | None:
        foreign = self._foreign(sentence, passage)
        if foreign is None or passage.language == "zh":
            return None
        words = foreign.rstrip(".!?").split(" ")
        tail = " ".join(words[len(words) // 2 :])
        return sentence.rstrip(".!? ") + ", " + tail + "."

    def _other(self, passage: Passage) -> Passage | None:
        for _ in range(20):
            other = self._draw.choice(self._passages)
            if other.language == passage.language and other.group != passage.group:
                return other
        return None


def _sentences(passage: Passage) -> list[str]:
    found = [
        sentence.text.replace("\n", " ").strip()
        for context in passage.contexts
        for sentence in split_sentences(context[:8000], passage.language)
    ]
    least = 8 if passage.language == "zh" else _MIN_CHARACTERS
    return [text for text in found if least <= len(text) <= _MAX_CHARACTERS and text[-1] in ".!?。！？"]


@cache
def _opposite_pairs() -> tuple[tuple[str, str], ...]:
    text = files("ragsonde.scorers.faithfulness").joinpath("opposites.txt").read_text(encoding="utf-8")
    entries = [line.partition(":")[2] for line in text.splitlines() if line and not line.startswith("#")]
    pairs = [pair.split("/") for entry in entries for pair in entry.split(";") if "/" in pair]
    return tuple((left.strip(), right.strip()) for left, right in pairs)
