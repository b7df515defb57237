"""Plain measures that a scorer must beat to be worth its cost. Each is a ``Scorer``, so they run as the others do.

All reduce to one question, how close is this text to that evidence, asked of the answer and the contexts
(faithfulness), of the question and the contexts (context relevance), of the question and the answer (answer relevance).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from sklearn.feature_extraction.text import TfidfVectorizer

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.embedding import Embedder, TextKind
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored
from ragsonde.scorers.text.segmentation import split_sentences

Closeness = Callable[[str, Sequence[str]], float]
"""How close a text lies to the evidence, 0 to 1."""

_TOKEN = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*|[\p{L}\p{M}\p{N}]+")
_LONG = 1000
"""Characters at which a text is half as suspicious as it can get by its length."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A ``Scorer`` made of one closeness."""

    name: str
    closeness: Closeness
    version: str = "1"
    keys: tuple[MetricKey, ...] = (MetricKey.FAITHFULNESS, MetricKey.CONTEXT_RELEVANCE, MetricKey.ANSWER_RELEVANCE)

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch; a baseline is too quick for deadlines."""
        return [{key: self._score(reading, key) for key in self.keys} for reading in readings]

    def _score(self, reading: Reading, key: MetricKey) -> Outcome:
        answer, question = reading.answer.strip(), (reading.interaction.question or "").strip()
        contexts = [document.text or "" for document in reading.documents or ()]
        text = answer if key is MetricKey.FAITHFULNESS else question
        if not answer:
            return NotApplicable(Reason.EMPTY_ANSWER)
        if not text:
            return NotApplicable(Reason.NO_QUESTION)
        evidence = [answer] if key is MetricKey.ANSWER_RELEVANCE else contexts
        if not evidence:
            return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
        return Scored(min(1.0, max(0.0, self.closeness(text, evidence))))


def constant(text: str, evidence: Sequence[str]) -> float:  # noqa: ARG001
    """The same for all: what chance looks like."""
    return 0.5


def brevity(text: str, evidence: Sequence[str]) -> float:  # noqa: ARG001
    """The shorter, the better: longer answers say more that can be wrong. Looks at nothing else."""
    return 1 / (1 + len(text) / _LONG)


def ngram_coverage(size: int) -> Closeness:
    """Share of the text's n-grams that stand somewhere in the evidence (of its words, where it has fewer)."""

    def covered(text: str, evidence: Sequence[str]) -> float:
        tokens = _tokens(text)
        length = min(size, len(tokens))
        wanted = _ngrams(tokens, length)
        if not wanted:
            return 0.0
        there = set().union(*(_ngrams(_tokens(passage), length) for passage in evidence))
        return sum(wanted[gram] for gram in wanted if gram in there) / wanted.total()

    return covered


def rouge_l(text: str, evidence: Sequence[str]) -> float:
    """ROUGE-L precision (Lin, 2004): longest common subsequence with the evidence, as a share of the text's words."""
    tokens, there = _tokens(text), _tokens("\n".join(evidence))
    if not tokens or not there:
        return 0.0
    return _common_subsequence(tokens, there) / len(tokens)


def tfidf(text: str, evidence: Sequence[str]) -> float:
    """Greatest cosine of tf-idf vectors; frequencies are those of the sentences of this one interaction."""
    sentences = [sentence.text for passage in evidence for sentence in split_sentences(passage)]
    if not _tokens(text) or not any(_tokens(sentence) for sentence in sentences):
        return 0.0
    vectorizer = TfidfVectorizer(tokenizer=_tokens, token_pattern=None, lowercase=False, sublinear_tf=True)
    vectorizer.fit([*sentences, text])
    mine = vectorizer.transform([text])
    return float((vectorizer.transform(evidence) @ mine.T).toarray().max())


def embedding_max(embedder: Embedder) -> Closeness:
    """Greatest cosine of each sentence of the text with a sentence of the evidence, averaged over its sentences."""

    def nearest(text: str, evidence: Sequence[str]) -> float:
        mine = [sentence.text for sentence in split_sentences(text)] or [text]
        there = [sentence.text for passage in evidence for sentence in split_sentences(passage)] or list(evidence)
        vectors = embedder.embed([*mine, *there], TextKind.PASSAGE)
        return float(np.mean((vectors[: len(mine)] @ vectors[len(mine) :].T).max(axis=1)))

    return nearest


PLAIN: Mapping[str, Closeness] = {
    "constant": constant,
    "length": brevity,
    "unigram_coverage": ngram_coverage(1),
    "bigram_coverage": ngram_coverage(2),
    "rouge_l": rouge_l,
    "tfidf": tfidf,
}
"""The baselines that need no model, by name."""
EMBEDDING_MAX = "embedding_max"


def _tokens(text: str) -> list[str]:
    """Words, folded; signs one by one in scripts that do not part words by spaces."""
    return _TOKEN.findall(text.casefold())


def _ngrams(tokens: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    if size == 0:
        return Counter()
    return Counter(tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1))


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """Length of the longest common subsequence, by bits of one long integer (Hyyrö, 2004)."""
    places: dict[str, int] = {}
    for at, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << at
    everything = (1 << len(first)) - 1
    row = everything
    for token in second:
        matched = row & places.get(token, 0)
        row = ((row + matched) | (row - matched)) & everything
    return len(first) - row.bit_count()
