"""A small RAG application, recorded through the real instrumentation."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.demo.corpus import Corpus, load_corpora
from ragsonde.demo.faults import Fault
from ragsonde.demo.generator import Draft, Generator
from ragsonde.demo.retriever import Hit, Retriever
from ragsonde.instrumentation import RagTracer

TOP_K = 3
MODEL = "demo-extractor-1"
_SYSTEM = "Answer the question from the numbered documents only, in its language, and cite them as [n]."


@dataclass(frozen=True, slots=True)
class Answered:
    """What the application said, and what is known about it that its spans do not tell."""

    question: str
    text: str
    language: str
    fault: Fault
    """The fault that the answer has in fact."""
    retrieved_ids: tuple[str, ...]
    trace_id: str
    """The id of the interaction, 32 hex characters; empty when nothing is recorded."""


class DemoApp:
    """Answers questions about the organisations of the corpora.

    Args:
        tracer: records every answer.
        seed: decides every choice; the same seed and calls give the same answers.
        corpora: to answer from; default: those of all languages.
    """

    def __init__(self, tracer: RagTracer, *, seed: int = 0, corpora: Sequence[Corpus] | None = None) -> None:
        self._tracer = tracer
        self._chance = random.Random(seed)  # noqa: S311 - a demonstration, not a secret
        chosen = load_corpora() if corpora is None else tuple(corpora)
        self._retrievers = {corpus.language: Retriever(corpus.documents) for corpus in chosen}
        self._generators = {corpus.language: Generator(corpus, self._retrievers[corpus.language]) for corpus in chosen}

    def answer(
        self,
        question: str,
        *,
        language: str | None = None,
        fault: Fault = Fault.NONE,
        conversation_id: str | None = None,
        feedback: float | None = None,
        withheld_id: str | None = None,
    ) -> Answered:
        """Answer a question.

        Args:
            question: in one of the languages.
            language: of the question; default: the one whose documents match best.
            fault: to build into the answer, where it offers a hold for it.
            conversation_id: as a chat page would pass it.
            feedback: of the user, -1 to 1.
            withheld_id: a document that the retrieval misses; for `Fault.RETRIEVAL_MISS`.
        """
        spoken = language or self._closest_language(question)
        with self._tracer.interaction(question, conversation_id=conversation_id) as turn:
            with turn.retrieval(question, data_source=f"demo-{spoken}", top_k=TOP_K) as retrieval:
                hits = self._retrieved(question, spoken, withheld_id)
                retrieval.documents(
                    [
                        {"id": hit.document.id, "score": hit.score, "content": hit.document.text,
                         "metadata": {"title": hit.document.title}}
                        for hit in hits
                    ]
                )  # fmt: skip
            with turn.generation(
                MODEL, provider="ragsonde.demo", system=_SYSTEM, messages=_prompt(question, hits)
            ) as call:
                draft = self._generators[spoken].answer(question, hits, fault, self._chance)
                call.output(draft.text)
            turn.answer(draft.text)
            if draft.cited_ids:
                turn.cite(draft.cited_ids)
            if feedback is not None:
                turn.feedback(feedback)
            reference = turn.reference
        return self._answered(question, spoken, draft, hits, reference)

    def _retrieved(self, question: str, language: str, withheld_id: str | None) -> list[Hit]:
        hits = self._retrievers[language].search(question, TOP_K + 1)
        return [hit for hit in hits if hit.document.id != withheld_id][:TOP_K]

    def _closest_language(self, question: str) -> str:
        return max(self._retrievers, key=lambda language: self._retrievers[language].search(question, 1)[0].score)

    @staticmethod
    def _answered(question: str, language: str, draft: Draft, hits: list[Hit], reference: str | None) -> Answered:
        return Answered(
            question=question,
            text=draft.text,
            language=language,
            fault=draft.fault,
            retrieved_ids=tuple(hit.document.id for hit in hits),
            trace_id="" if reference is None else reference.split("-")[1],
        )


def _prompt(question: str, hits: list[Hit]) -> str:
    documents = "\n".join(f"[{rank}] {hit.document.text}" for rank, hit in enumerate(hits, start=1))
    return f"Documents:\n{documents}\n\nQuestion: {question}"
