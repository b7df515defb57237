"""What the calibrated models see: a few numbers about a question and a text, each with its own plain meaning."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from ragsonde.scorers.relevance.forms import AnswerForm, asked_form, form_match, is_polar
from ragsonde.scorers.relevance.text import coverage, holds, terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SENTENCE_FEATURES = ("cosine", "coverage", "form")
"""Cosine with the question; share of the question's words that it holds; whether it holds a value of the kind asked
for (``form_match``)."""
PASSAGE_FEATURES = ("best_cosine", "coverage", "form")
"""The largest cosine of its sentences; share of the question's words in the whole passage; the best ``form_match``."""
ANSWER_FEATURES = ("cosine", "lift", "coverage", "form", "brevity", "neutral")
"""The larger of the cosines of the whole answer and of its best sentence; for a short answer, how much closer to the
question the context sentence is that it was taken from; share of the question's words; ``form_match``;
1 / (1 + number of terms), since short texts lie farther from any question; and the question's cosine with sentences
about nothing in particular, since languages differ in how near all their texts lie."""

_SHORT_TERMS = 6
_NEAREST_NEUTRAL = 2
"""So many neutral sentences count: those of the question's own language, or the nearest to it."""


@cache
def neutral_sentences() -> tuple[str, ...]:
    """Sentences in many languages that answer no question that anybody would ask."""
    content = resources.files("ragsonde.scorers.relevance").joinpath("neutral.json").read_bytes()
    return tuple(json.loads(content))


@dataclass(frozen=True, slots=True)
class Passage:
    """A text and its vector."""

    text: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its vector, and the kind of answer that it wants."""

    text: str
    vector: NDArray[np.float32]
    form: AnswerForm
    neutral_cosine: float
    """Mean cosine with the nearest of the neutral sentences."""

    @classmethod
    def of(cls, text: str, vector: NDArray[np.float32], neutral: NDArray[np.float32]) -> Question:
        """Read the question's form; ``neutral`` holds the vectors of ``neutral_sentences``, one a row."""
        nearest = sorted((float(cosine) for cosine in neutral @ vector), reverse=True)[:_NEAREST_NEUTRAL]
        return cls(text, vector, asked_form(text), sum(nearest) / len(nearest))

    def cosine(self, passage: Passage) -> float:
        """The cosine with a passage."""
        return float(self.vector @ passage.vector)

    def form_match(self, text: str) -> float:
        """How well a text suits the form asked for, -1 to 1."""
        return form_match(self.form, self.text, text)


def sentence_features(question: Question, sentence: Passage) -> tuple[float, ...]:
    """``SENTENCE_FEATURES`` of a context sentence."""
    covered = coverage(terms(question.text), terms(sentence.text))
    return (question.cosine(sentence), covered, question.form_match(sentence.text))


def passage_features(question: Question, sentences: Sequence[Passage]) -> tuple[float, ...]:
    """``PASSAGE_FEATURES`` of a passage of at least one sentence."""
    whole: dict[str, float] = {}
    for sentence in sentences:
        whole.update(terms(sentence.text))
    return (
        max(question.cosine(sentence) for sentence in sentences),
        coverage(terms(question.text), whole),
        max(question.form_match(sentence.text) for sentence in sentences),
    )


def answer_features(
    question: Question, answer: Passage, answer_sentences: Sequence[Passage], context_sentences: Sequence[Passage]
) -> tuple[float, ...]:
    """``ANSWER_FEATURES``; the contexts serve only to read a short answer in its place."""
    cosine = max(question.cosine(passage) for passage in (answer, *answer_sentences))
    words = terms(answer.text)
    lift = 0.0
    if len(words) <= _SHORT_TERMS:
        polar = is_polar(answer.text)
        places = [passage for passage in context_sentences if polar or holds(passage.text, answer.text)]
        lift = max([0.0, *(question.cosine(passage) - cosine for passage in places)])
    covered = coverage(terms(question.text), words)
    brevity = 1.0 / (1 + len(words))
    return (cosine, lift, covered, question.form_match(answer.text), brevity, question.neutral_cosine)
