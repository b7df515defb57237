"""Answers made of sentences from the retrieved documents, with citations, and faults where they are asked for."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.demo.corpus import Corpus
from ragsonde.demo.faults import HALLUCINATIONS, Fault, falsified
from ragsonde.demo.retriever import Hit, Retriever, terms

_LEAST_COVERAGE = 0.2
"""Share of the question's weight that a sentence must share with it to count as an answer."""
_ENDINGS = ".。!?！？"


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer and the fault that it has in fact, which may be another than the one asked for."""

    text: str
    fault: Fault
    cited_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    sentence: str
    rank: int
    document_id: str
    coverage: float


class Generator:
    """An extractive generator: it quotes the sentence that shares most with the question, or says it does not know."""

    def __init__(self, corpus: Corpus, retriever: Retriever) -> None:
        self._corpus = corpus
        self._retriever = retriever

    def answer(self, question: str, hits: Sequence[Hit], fault: Fault, chance: random.Random) -> Draft:
        """Answer from ``hits``, with ``fault`` where the answer offers a hold for it.

        A hallucination of a kind that the sentence does not allow (no number to change) becomes another kind.
        """
        for greeting, reply in self._corpus.greetings:
            if question == greeting:
                return Draft(reply, Fault.NONE)
        candidates = self._candidates(question, hits)
        if not candidates or candidates[0].coverage < _LEAST_COVERAGE:
            return self._refusing(Fault.RETRIEVAL_MISS if fault is Fault.RETRIEVAL_MISS else Fault.NONE, chance)
        if fault is Fault.UNJUSTIFIED_REFUSAL:
            return self._refusing(fault, chance)
        if fault in HALLUCINATIONS:
            return self._hallucinating(candidates[0], fault, chance)
        return self._truthful(candidates, hits, fault)

    def _refusing(self, fault: Fault, chance: random.Random) -> Draft:
        return Draft(chance.choice(self._corpus.refusals), fault)

    def _truthful(self, candidates: Sequence[_Candidate], hits: Sequence[Hit], fault: Fault) -> Draft:
        """Quote a sentence as it stands; what may be wrong is which sentence, or what it cites."""
        best = candidates[0]
        elsewhere = [candidate for candidate in candidates if candidate.document_id != best.document_id]
        if fault is Fault.OFF_TOPIC and elsewhere:
            return self._quoting(elsewhere[-1], fault)
        if fault is Fault.WRONG_CITATION and len(hits) > 1:
            other = best.rank % len(hits) + 1
            return Draft(self._cited(best.sentence, other), fault, (hits[other - 1].document.id,))
        return self._quoting(best, fault if fault is Fault.RETRIEVAL_MISS else Fault.NONE)

    def _candidates(self, question: str, hits: Sequence[Hit]) -> list[_Candidate]:
        """Return every sentence of the hits, the one that covers most of the question first."""
        asked = {term: self._retriever.weight(term) for term in terms(question)}
        total = sum(asked.values()) or 1.0
        found = []
        for rank, hit in enumerate(hits, start=1):
            for sentence in hit.document.sentences:
                shared = sum(asked[term] for term in set(terms(sentence)) if term in asked)
                found.append(_Candidate(sentence, rank, hit.document.id, shared / total))
        return sorted(found, key=lambda candidate: -candidate.coverage)

    def _quoting(self, candidate: _Candidate, fault: Fault) -> Draft:
        return Draft(self._cited(candidate.sentence, candidate.rank), fault, (candidate.document_id,))

    def _hallucinating(self, candidate: _Candidate, wanted: Fault, chance: random.Random) -> Draft:
        kinds = [wanted, *(kind for kind in HALLUCINATIONS if kind is not wanted)]
        for kind in kinds:
            false = falsified(candidate.sentence, kind, self._corpus, chance)
            if false is None:
                continue
            text = self._cited(false, candidate.rank)
            if kind is Fault.INVENTED_FACT:
                text = self._space().join([self._cited(candidate.sentence, candidate.rank), text])
            return Draft(text, kind, (candidate.document_id,))
        return self._quoting(candidate, Fault.NONE)

    def _cited(self, sentence: str, rank: int) -> str:
        body = sentence.rstrip(_ENDINGS)
        return f"{body}{self._space()}[{rank}]{sentence[len(body) :]}"

    def _space(self) -> str:
        return "" if self._corpus.language == "zh" else " "
