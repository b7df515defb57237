"""Relevance of answer and contexts from a local embedding: no service, any language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.embedding import Embedder, TextKind
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.relevance.calibration import Calibration, default_calibration
from ragsonde.scorers.relevance.features import (
    Passage,
    Question,
    answer_features,
    neutral_sentences,
    passage_features,
    sentence_features,
)
from ragsonde.scorers.relevance.text import has_word, without_markup
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from ragsonde.scorers.text.segmentation import split_sentences

_KEYS = (
    MetricKey.ANSWER_RELEVANCE,
    MetricKey.CONTEXT_RELEVANCE,
    MetricKey.CONTEXT_PRECISION,
    MetricKey.REFUSAL_CORRECTNESS,
)
_THRESHOLD = 0.5
_GROUP = 8
"""Interactions that are embedded at once; the deadline is looked at between groups."""


class RelevanceScorer:
    """Four metrics from cosines with the question, the words shared with it, and the kind of value it asks for.

    - ``answer_relevance``: the probability that the answer addresses the question. A short answer is read in the
      context sentence that it was taken from. A pure refusal is 0 where the contexts hold the answer, and not
      applicable otherwise.
    - ``context_relevance``: sentences that help to answer the question / all sentences of the contexts (RAGAS, Es et
      al., 2023).
    - ``context_precision``: average precision over the documents that hold the answer, in rank order: the mean of
      precision@rank at the ranks of relevant documents, 0 where none is relevant.
    - ``refusal_correctness``, for pure refusals: 1 (``justified``) where no document holds the answer, else 0
      (``unjustified``). A partial refusal is not judged: which part the contexts hold cannot be told by cosines.

    An embedding finds the topic rather than the truth; docs/local-models.md has what that is worth, measured.
    """

    def __init__(self, embedder: Embedder | None, calibration: Calibration | None = None) -> None:
        """Take an embedder, or None where no model is installed: then the outcomes say ``no_model``.

        Raises ConfigError where the calibration belongs to another embedder.
        """
        self._embedder = embedder
        self._calibration = calibration or default_calibration()
        if embedder is not None and embedder.name != self._calibration.embedder:
            raise ConfigError(
                f"local_relevance is calibrated for {self._calibration.embedder}, not for {embedder.name}; "
                "give the calibration of that embedder"
            )

    @property
    def name(self) -> str:
        """``local_relevance``."""
        return "local_relevance"

    @property
    def version(self) -> str:
        """Versions of the rules, of the calibration and of the model."""
        model = self._embedder.version if self._embedder is not None else "none"
        return f"2-{self._calibration.version}-{model}"

    @property
    def keys(self) -> tuple[MetricKey, ...]:
        """The four metrics."""
        return _KEYS

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Score a batch, embedding the texts of several readings at once."""
        results: list[Mapping[MetricKey, Outcome]] = []
        for start in range(0, len(readings), _GROUP):
            group = readings[start : start + _GROUP]
            if deadline.expired():
                late = Failed(FailureKind.TIMEOUT, "no time was left to embed the texts")
                results += [dict.fromkeys(_KEYS, late) for _ in group]
            else:
                results += self._score_group(group)
        return results

    def _score_group(self, readings: Sequence[Reading]) -> list[Mapping[MetricKey, Outcome]]:
        texts = [_Texts.of(reading) if _nothing_to_judge(reading) is None else None for reading in readings]
        vectors = self._embed([text for text in texts if text is not None])
        outcomes: list[Mapping[MetricKey, Outcome]] = []
        for reading, text in zip(readings, texts, strict=True):
            if text is None:
                outcomes.append(dict.fromkeys(_KEYS, _nothing_to_judge(reading) or NotApplicable(Reason.NO_QUESTION)))
            else:
                outcomes.append(_Judgement(reading, text, vectors, self._calibration).outcomes())
        return outcomes

    def _embed(self, texts: Sequence[_Texts]) -> _Vectors | NotApplicable:
        if self._embedder is None:
            return NotApplicable(Reason.NO_MODEL, "no local model is configured")
        questions = list(dict.fromkeys(text.question for text in texts))
        passages = list(dict.fromkeys(passage for text in texts for passage in text.passages()))
        try:
            query = self._embedder.embed(questions, TextKind.QUERY)
            passage = self._embedder.embed(passages, TextKind.PASSAGE)
            neutral = self._embedder.embed(neutral_sentences(), TextKind.PASSAGE)
        except ConfigError as error:
            return NotApplicable(Reason.NO_MODEL, str(error))
        return _Vectors(
            {text: Question.of(text, vector, neutral) for text, vector in zip(questions, query, strict=True)},
            {text: Passage(text, vector) for text, vector in zip(passages, passage, strict=True)},
        )


def _nothing_to_judge(reading: Reading) -> NotApplicable | None:
    if (reason := reading.unscorable(needs_contexts=False)) is not None:
        return NotApplicable(reason, reading.interaction.remedy)
    if not has_word(reading.interaction.question or ""):
        return NotApplicable(Reason.NO_QUESTION)
    return None


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of one reading that are embedded."""

    question: str
    answer: str
    answer_sentences: tuple[str, ...]
    documents: tuple[tuple[str, ...], ...]
    """Sentences of each document that carries any, without markup, in rank order; an empty tuple for one without."""

    @classmethod
    def of(cls, reading: Reading) -> _Texts:
        return cls(
            (reading.interaction.question or "").strip(),
            reading.answer.strip(),
            tuple(sentence.text.strip() for sentence in reading.answer_sentences if has_word(sentence.text)),
            tuple(
                _sentences(document.text or "", (sentence.text for sentence in sentences))
                for document, sentences in zip(reading.documents or (), reading.context_sentences, strict=True)
            ),
        )

    def passages(self) -> Iterable[str]:
        yield self.answer
        yield from self.answer_sentences
        for sentences in self.documents:
            yield from sentences


def _sentences(text: str, read: Iterable[str]) -> tuple[str, ...]:
    shown = without_markup(text)
    sentences = read if shown == text else (sentence.text for sentence in split_sentences(shown))
    return tuple(sentence.strip() for sentence in sentences if has_word(sentence))


@dataclass(frozen=True, slots=True)
class _Vectors:
    questions: Mapping[str, Question]
    passages: Mapping[str, Passage]


class _Judgement:
    """The outcomes of one reading."""

    def __init__(
        self, reading: Reading, texts: _Texts, vectors: _Vectors | NotApplicable, calibration: Calibration
    ) -> None:
        self._reading = reading
        self._texts = texts
        self._vectors = vectors
        self._calibration = calibration

    def outcomes(self) -> dict[MetricKey, Outcome]:
        return {
            MetricKey.ANSWER_RELEVANCE: self._answer_relevance(),
            MetricKey.CONTEXT_RELEVANCE: self._context_relevance(),
            MetricKey.CONTEXT_PRECISION: self._context_precision(),
            MetricKey.REFUSAL_CORRECTNESS: self._refusal_correctness(),
        }

    @cached_property
    def _question(self) -> Question:
        return self._known().questions[self._texts.question]

    @cached_property
    def _documents(self) -> tuple[tuple[Passage, ...], ...]:
        """The documents' sentences with their vectors."""
        known = self._known()
        return tuple(tuple(known.passages[text] for text in sentences) for sentences in self._texts.documents)

    @cached_property
    def _document_probabilities(self) -> tuple[float, ...]:
        """For each document, the probability that it holds the answer."""
        model = self._calibration.passage
        return tuple(
            model.probability(passage_features(self._question, sentences)) if sentences else 0.0
            for sentences in self._documents
        )

    def _known(self) -> _Vectors:
        if isinstance(self._vectors, NotApplicable):
            raise TypeError("nothing was embedded")
        return self._vectors

    def _answer_relevance(self) -> Outcome:
        if self._reading.not_scorable_answer() is Reason.EMPTY_ANSWER or not has_word(self._texts.answer):
            return NotApplicable(Reason.EMPTY_ANSWER)
        if self._reading.abstention.pure:
            judged = self._refusal_correctness()
            if isinstance(judged, Scored) and judged.value == 0.0:
                return Scored(0.0, "unjustified_refusal", judged.explanation)
            return NotApplicable(Reason.REFUSAL)
        if isinstance(self._vectors, NotApplicable):
            return self._vectors
        answer = self._vectors.passages[self._texts.answer]
        sentences = [self._vectors.passages[text] for text in self._texts.answer_sentences]
        context = [sentence for document in self._documents for sentence in document]
        features = answer_features(self._question, answer, sentences, context)
        probability = self._calibration.answer.probability(features)
        return Scored(probability, explanation=f"cosine {features[0]:.2f} with the question")

    def _context_relevance(self) -> Outcome:
        if (missing := self._missing_contexts()) is not None:
            return missing
        if not any(self._texts.documents):
            return Scored(0.0, "no_context", "the retrieval returned no text")
        if isinstance(self._vectors, NotApplicable):
            return self._vectors
        sentences = [sentence for document in self._documents for sentence in document]
        model = self._calibration.sentence
        probabilities = [model.probability(sentence_features(self._question, sentence)) for sentence in sentences]
        relevant = sum(probability >= _THRESHOLD for probability in probabilities)
        explanation = f"{relevant} of {len(sentences)} sentences help to answer the question"
        return Scored(relevant / len(sentences), explanation=explanation)

    def _context_precision(self) -> Outcome:
        if (missing := self._missing_contexts()) is not None:
            return missing
        if not self._texts.documents:
            return NotApplicable(Reason.NO_CONTEXT)
        if isinstance(self._vectors, NotApplicable):
            return self._vectors
        verdicts = [probability >= _THRESHOLD for probability in self._document_probabilities]
        explanation = f"{sum(verdicts)} of {len(verdicts)} documents hold the answer"
        return Scored(average_precision(verdicts), explanation=explanation)

    def _refusal_correctness(self) -> Outcome:
        if not self._reading.abstention.pure:
            return NotApplicable(Reason.NO_REFUSAL)
        if (missing := self._missing_contexts()) is not None:
            return missing
        if not any(self._texts.documents):
            return Scored(1.0, "justified", "the retrieval returned no text")
        if isinstance(self._vectors, NotApplicable):
            return self._vectors
        best = max(self._document_probabilities)
        explanation = f"the best document holds the answer with probability {best:.2f}"
        return Scored(0.0, "unjustified", explanation) if best >= _THRESHOLD else Scored(1.0, "justified", explanation)

    def _missing_contexts(self) -> NotApplicable | None:
        reason = self._reading.unscorable(needs_contexts=True)
        return NotApplicable(reason, self._reading.interaction.remedy) if reason is not None else None


def average_precision(relevant: Sequence[bool]) -> float:
    """Mean of precision@rank over the ranks of relevant documents; 0 where none is relevant."""
    hits = 0
    total = 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return total / hits if hits else 0.0
