"""Where the fault lies, from the metrics of one interaction.

Read in the order in which a RAG application works: did the retriever bring what the answer needs, did the generator
keep to it, does the answer address the question. The first fault found is the diagnosis, since what comes after a bad
retrieval can't be better than it. A metric that would decide and is not known makes the diagnosis ``unknown``: never
a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from pydantic import Field

from ragsonde.collector.config import Config
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Diagnosis, DiagnosisLabel, Failed, MetricKey, NotApplicable, Outcome, Reason, Scored

Scores = Mapping[MetricKey, Outcome]
_Share = Annotated[float, Field(ge=0.0, le=1.0)]


class DiagnosisConfig(Config):
    """The value of each metric below which it is called bad."""

    faithfulness: _Share = 0.7
    """Share of supported claims, 0 to 1. Default 0.7: one unsupported claim of four passes, one of three does not."""
    answer_relevance: _Share = 0.5
    """Relevance of the answer to the question, 0 to 1. Default 0.5."""
    context_precision: _Share = 0.5
    """Average precision over the retrieved documents, 0 to 1; below it the relevant ones are buried. Default 0.5."""
    context_relevance: _Share = 0.1
    """Share of context sentences that are needed, 0 to 1; looked at where there is no context precision. Default 0.1:
    one needed sentence of ten is usual, since passages are cut without knowing the question."""
    context_recall: _Share = 0.5
    """Share of the reference answer that the contexts hold, 0 to 1; below it the retrieval missed. Default 0.5."""
    answer_correctness: _Share = 0.7
    """Agreement with the reference answer, 0 to 1, from which an answer is called correct. Default 0.7."""


_REMEDIES: Mapping[DiagnosisLabel, str] = {
    DiagnosisLabel.RETRIEVAL_MISS: (
        "Look at the retriever: is the source indexed, does the query find it, are the filters too narrow?"
    ),
    DiagnosisLabel.RETRIEVAL_NOISE: (
        "Re-rank the documents or retrieve fewer: the needed passage is buried among others."
    ),
    DiagnosisLabel.GENERATION_UNFAITHFUL: (
        "Look at the generator: tell it to keep to the contexts, lower its temperature, or change the model."
    ),
    DiagnosisLabel.GENERATION_OFF_TOPIC: (
        "Look at the prompt: the answer keeps to the contexts, but not to the question."
    ),
    DiagnosisLabel.UNJUSTIFIED_REFUSAL: "Loosen the instruction to refuse: the contexts hold the answer.",
    DiagnosisLabel.CORRECT_BUT_UNGROUNDED: (
        "Index the missing source: the answer is right, but from the model's memory, which will not stay right."
    ),
}


class _Retrieval(Enum):
    GOOD = "good"
    MISS = "miss"
    NOISE = "noise"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class _Finding:
    """How the retrieval did, and what says so."""

    state: _Retrieval
    because: str
    metric: MetricKey | None = None


def diagnose(reading: Reading, scores: Scores, config: DiagnosisConfig | None = None) -> Diagnosis:
    """Say where the fault of one interaction lies. Total: every combination of outcomes gives a diagnosis."""
    return _Diagnostician(reading, scores, config or DiagnosisConfig()).diagnosis()


class _Diagnostician:
    def __init__(self, reading: Reading, scores: Scores, config: DiagnosisConfig) -> None:
        self._reading = reading
        self._scores = scores
        self._config = config

    def diagnosis(self) -> Diagnosis:
        if (reason := self._reading.unscorable(needs_contexts=False)) is not None:
            return Diagnosis(DiagnosisLabel.UNKNOWN, f"Nothing can be said of the interaction: {reason.value}.")
        return self._ungrounded_but_right() or self._of_retriever() or self._of_generator() or self._of_relevance()

    def _value(self, key: MetricKey) -> float | None:
        outcome = self._scores.get(key)
        return outcome.value if isinstance(outcome, Scored) else None

    def _below(self, key: MetricKey, bound: float) -> bool:
        value = self._value(key)
        return value is not None and value < bound

    def _ungrounded_but_right(self) -> Diagnosis | None:
        correct = self._value(MetricKey.ANSWER_CORRECTNESS)
        unfaithful = self._below(MetricKey.FAITHFULNESS, self._config.faithfulness)
        if correct is None or correct < self._config.answer_correctness or not unfaithful:
            return None
        because = f"answer_correctness is {correct:.2f} although {self._said(MetricKey.FAITHFULNESS)}."
        return _fault(DiagnosisLabel.CORRECT_BUT_UNGROUNDED, because, MetricKey.ANSWER_CORRECTNESS)

    # Retriever ----------------------------------------------------------------------------------------------

    def _of_retriever(self) -> Diagnosis | None:
        """The retriever's fault; None where it did well or where the generator is known to be at fault."""
        finding = self._retrieval()
        if finding.metric not in _GOLD and self._needs_no_documents():
            return None
        match finding.state:
            case _Retrieval.MISS if not self._answers_from_contexts():
                return _fault(DiagnosisLabel.RETRIEVAL_MISS, finding.because, finding.metric)
            case _Retrieval.MISS | _Retrieval.NOISE if not self._refuses_unjustly():
                return _fault(DiagnosisLabel.RETRIEVAL_NOISE, finding.because, finding.metric)
            case _Retrieval.UNKNOWN if not self._refuses_unjustly():
                return _unknown(finding.because, finding.metric)
            case _:
                return None

    def _retrieval(self) -> _Finding:
        """Gold labels first, then verdicts on the documents; the first that decides."""
        documents = self._reading.documents
        if documents is None:
            because = "The contexts were not captured, so context_relevance is not known."
            return _Finding(_Retrieval.UNKNOWN, because, MetricKey.CONTEXT_RELEVANCE)
        if not documents:
            return self._empty_retrieval()
        if (missed := self._missed()) is not None:
            return _Finding(_Retrieval.MISS, f"{self._said(missed)}: the contexts do not hold the answer.", missed)
        if (buried := self._buried()) is not None:
            return _Finding(_Retrieval.NOISE, f"{self._said(buried)}: what is needed is buried among the rest.", buried)
        if any(self._value(key) is not None for key in _OF_RETRIEVAL):
            return _Finding(_Retrieval.GOOD, "")
        because = f"{self._said(MetricKey.CONTEXT_RELEVANCE)}, and no other metric says how the retrieval did."
        return _Finding(_Retrieval.UNKNOWN, because, MetricKey.CONTEXT_RELEVANCE)

    def _empty_retrieval(self) -> _Finding:
        if self._reading.abstention.answered or self._reading.abstention.refusal:
            because = "The retrieval returned nothing."
            scored = MetricKey.CONTEXT_RELEVANCE if self._value(MetricKey.CONTEXT_RELEVANCE) is not None else None
            if scored is not None:
                because = f"The retrieval returned nothing: {self._said(scored)}."
            return _Finding(_Retrieval.MISS, because, scored)
        return _Finding(_Retrieval.GOOD, "")  # small talk needs no documents

    def _missed(self) -> MetricKey | None:
        """The metric that says that the contexts lack the answer."""
        if self._value(MetricKey.HIT_AT_K) == 0.0:
            return MetricKey.HIT_AT_K
        if self._below(MetricKey.CONTEXT_RECALL, self._config.context_recall):
            return MetricKey.CONTEXT_RECALL
        if self._value(MetricKey.REFUSAL_CORRECTNESS) == 1.0:
            return MetricKey.REFUSAL_CORRECTNESS
        gold_found = self._value(MetricKey.HIT_AT_K) is not None or self._value(MetricKey.CONTEXT_RECALL) is not None
        verdicts = (MetricKey.CONTEXT_PRECISION, MetricKey.CONTEXT_RELEVANCE)
        return None if gold_found else next((key for key in verdicts if self._value(key) == 0.0), None)

    def _buried(self) -> MetricKey | None:
        """The metric that says that what is needed is there, but among too much else."""
        if self._value(MetricKey.CONTEXT_PRECISION) is not None:
            bad = self._below(MetricKey.CONTEXT_PRECISION, self._config.context_precision)
            return MetricKey.CONTEXT_PRECISION if bad else None
        bad = self._below(MetricKey.CONTEXT_RELEVANCE, self._config.context_relevance)
        return MetricKey.CONTEXT_RELEVANCE if bad else None

    def _answers_from_contexts(self) -> bool:
        """Whether the answer is relevant and borne out by the contexts, so that they can't have missed altogether."""
        faithful, relevant = self._value(MetricKey.FAITHFULNESS), self._value(MetricKey.ANSWER_RELEVANCE)
        if faithful is None or relevant is None or not self._reading.documents:
            return False
        return faithful >= self._config.faithfulness and relevant >= self._config.answer_relevance

    def _needs_no_documents(self) -> bool:
        """Whether the answer greets, thanks or asks back, to good purpose: what was retrieved plays no part in it."""
        if not self._claims_nothing() or self._reading.abstention.refusal:
            return False
        relevant = self._value(MetricKey.ANSWER_RELEVANCE)
        return self._reading.asks_nothing or (relevant is not None and relevant >= self._config.answer_relevance)

    # Generator ----------------------------------------------------------------------------------------------

    def _refuses_unjustly(self) -> bool:
        return self._reading.abstention.pure and self._value(MetricKey.REFUSAL_CORRECTNESS) == 0.0

    def _of_generator(self) -> Diagnosis | None:
        if self._reading.abstention.pure:
            refusal = MetricKey.REFUSAL_CORRECTNESS
            if not self._refuses_unjustly():
                return _unknown(f"{self._said(refusal)}, so whether the refusal is justified is not known.", refusal)
            because = f"The answer refuses, but {self._said(refusal)}: the contexts hold the answer."
            return _fault(DiagnosisLabel.UNJUSTIFIED_REFUSAL, because, refusal)
        key = MetricKey.FAITHFULNESS
        if self._below(key, self._config.faithfulness):
            because = f"{self._said(key)}: too many claims are not borne out by the contexts."
            return _fault(DiagnosisLabel.GENERATION_UNFAITHFUL, because, key)
        if self._value(key) is None and not self._claims_nothing():
            return _unknown(f"{self._said(key)}.", key)
        return None

    def _claims_nothing(self) -> bool:
        outcome = self._scores.get(MetricKey.FAITHFULNESS)
        return isinstance(outcome, NotApplicable) and outcome.reason is Reason.NO_CLAIMS

    # Relevance ----------------------------------------------------------------------------------------------

    def _of_relevance(self) -> Diagnosis:
        key = MetricKey.ANSWER_RELEVANCE
        if self._value(key) is None:
            return _unknown(f"{self._said(key)}.", key)
        if self._below(key, self._config.answer_relevance) and self._reading.asks_nothing and self._claims_nothing():
            return _unknown(f"Nothing is asked and nothing is stated, so that {self._said(key)} tells nothing.", key)
        if self._below(key, self._config.answer_relevance):
            because = f"{self._said(key)}: the answer does not address the question."
            return _fault(DiagnosisLabel.GENERATION_OFF_TOPIC, because, key)
        because = f"No metric is below its threshold; {self._said(MetricKey.FAITHFULNESS)}, {self._said(key)}."
        return Diagnosis(DiagnosisLabel.OK, because)

    def _said(self, key: MetricKey) -> str:
        """A metric and its value, or why it has none."""
        match self._scores.get(key):
            case Scored(value=value):
                return f"{key.value} is {value:.2f}"
            case NotApplicable(reason=reason):
                return f"{key.value} is not applicable ({reason.value})"
            case Failed(kind=kind):
                return f"{key.value} failed ({kind.value})"
            case _:
                return f"{key.value} was not scored"


_GOLD = (MetricKey.HIT_AT_K, MetricKey.CONTEXT_RECALL)
"""Metrics of the retrieval that hold whatever the answer says."""
_OF_RETRIEVAL = (
    MetricKey.HIT_AT_K,
    MetricKey.CONTEXT_RECALL,
    MetricKey.CONTEXT_PRECISION,
    MetricKey.CONTEXT_RELEVANCE,
    MetricKey.REFUSAL_CORRECTNESS,
)


def _fault(label: DiagnosisLabel, because: str, metric: MetricKey | None) -> Diagnosis:
    return Diagnosis(label, because, metric, _REMEDIES[label])


def _unknown(because: str, metric: MetricKey | None) -> Diagnosis:
    return Diagnosis(DiagnosisLabel.UNKNOWN, because, metric)
