"""The decomposed mode: one question at a time, by the published definitions, at several calls per interaction.

Definitions: RAGAS (Es et al., arXiv 2309.15217, section 3) for faithfulness, answer relevance and context relevance;
average precision for context precision; attribution of reference sentences for context recall; F1 over statements for
answer correctness. Each metric fails on its own.
"""

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.concurrency import all_of
from ragsonde.scorers.judge.coverage import verify_coverage
from ragsonde.scorers.judge.errors import ExtractorEmptyError, InvalidReplyError, JudgeError
from ragsonde.scorers.judge.fence import DrawNonce, draw_nonce
from ragsonde.scorers.judge.grounding import Grounding
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.judgement import context_precision, context_relevance, faithfulness
from ragsonde.scorers.judge.prompt import Block
from ragsonde.scorers.judge.replies import (
    AttributionReply,
    CorrectnessReply,
    DocumentsReply,
    ExtractionReply,
    NeededReply,
    QuestionsReply,
    Reply,
    VerificationReply,
    reply_schema,
)
from ragsonde.scorers.judge.verify import verify_documents, verify_numbers, verify_tags
from ragsonde.scorers.judge.windows import Window, exchange_blocks, fit_windows, numbered, read_tag, sentence_tags
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, MetricKey, NotApplicable, Outcome, Reason, Scored

R = TypeVar("R", bound=Reply)

DECOMPOSED_RUBRICS = (
    "extract_claims",
    "verify_claims",
    "regenerate_questions",
    "needed_sentences",
    "document_relevance",
    "context_recall",
    "answer_correctness",
)
_SIMILARITY_WEIGHT = 0.25
"""Share of the cosine in answer correctness (RAGAS: 0.75 F1 + 0.25 similarity)."""


class DecomposedJudge:
    """Judges one interaction by several questions, asked at once where they do not need each other."""

    keys = (
        MetricKey.FAITHFULNESS,
        MetricKey.ANSWER_RELEVANCE,
        MetricKey.CONTEXT_RELEVANCE,
        MetricKey.CONTEXT_PRECISION,
        MetricKey.CONTEXT_RECALL,
        MetricKey.ANSWER_CORRECTNESS,
    )

    def __init__(self, judge: Judge, *, draw: DrawNonce = draw_nonce) -> None:
        self._judge = judge
        self._draw = draw

    async def outcomes(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """The outcome of each key."""
        reason = reading.unscorable(needs_contexts=False)
        if reason is None and reading.not_scorable_answer() is Reason.EMPTY_ANSWER:
            reason = Reason.EMPTY_ANSWER
        if reason is not None:
            return dict.fromkeys(self.keys, NotApplicable(reason))
        questions = (
            self._faithfulness,
            self._relevance,
            self._context_precision,
            self._context_recall,
            self._answer_correctness,
        )
        parts = await all_of([question(reading, deadline) for question in questions])
        return {key: outcome for part in parts for key, outcome in part.items()}

    async def _faithfulness(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        async def outcome() -> Outcome:
            def verify(reply: ExtractionReply) -> None:
                if reply.factual and not reply.claims:
                    raise ExtractorEmptyError('claims: empty, although "factual" is true')
                verify_coverage(reading, reply)

            found = await self._ask(
                "extract_claims", exchange_blocks(reading), ExtractionReply, reading, deadline, verify=verify
            )
            if not found.claims:
                return NotApplicable(Reason.REFUSAL if reading.abstention.refusal else Reason.NO_CLAIMS)
            grounding = Grounding(reading)
            blocks = {"claims": numbered("claims", [claim.claim for claim in found.claims])}
            replies = await self._per_window(
                "verify_claims",
                blocks,
                VerificationReply,
                reading,
                deadline,
                verify=lambda reply, _window: verify_numbers(
                    "claims", [v.claim for v in reply.claims], len(found.claims)
                ),
            )
            judged = []
            for number, claim in enumerate(found.claims, start=1):
                verdicts = [v for reply in replies for v in reply.claims if v.claim == number]
                statement = grounding.statement(claim.claim, claim.said)
                findings = [
                    grounding.finding(v.verdict, v.evidence, v.reason, claim=claim.claim, statement=statement)
                    for v in verdicts
                ]
                judged.append(grounding.judged(claim.claim, claim.said, claim.cited, findings).claim)
            return faithfulness(reading, judged, None)

        if reading.documents is None:
            return {MetricKey.FAITHFULNESS: NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)}
        return {MetricKey.FAITHFULNESS: await _guarded(outcome)}

    async def _relevance(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """Context relevance, and answer relevance, which needs to know whether the contexts could have answered."""
        question = reading.interaction.question or ""
        if not question.strip():
            none = NotApplicable(Reason.NO_QUESTION)
            return {MetricKey.CONTEXT_RELEVANCE: none, MetricKey.ANSWER_RELEVANCE: none}
        of_contexts = await _guarded(lambda: self._context_relevance(reading, deadline))
        of_answer = await _guarded(lambda: self._answer_relevance(reading, question, of_contexts, deadline))
        return {MetricKey.CONTEXT_RELEVANCE: of_contexts, MetricKey.ANSWER_RELEVANCE: of_answer}

    async def _context_relevance(self, reading: Reading, deadline: Deadline) -> Outcome:
        """Context sentences needed ÷ all context sentences."""
        needed: set[str] = set()
        if reading.documents:
            replies = await self._per_window(
                "needed_sentences",
                {"question": exchange_blocks(reading)["question"]},
                NeededReply,
                reading,
                deadline,
                verify=lambda reply, window: verify_tags(reply.needed, window),
            )
            needed = {read_tag(tag) for reply in replies for tag in reply.needed}
        tags = sentence_tags(reading)
        return context_relevance(reading, len(needed & tags), len(tags))

    async def _answer_relevance(
        self, reading: Reading, question: str, of_contexts: Outcome, deadline: Deadline
    ) -> Outcome:
        """Mean cosine of the question and those regenerated from the answer.

        0 for a non-committal answer, unless the contexts could not have answered: then abstaining was right.
        """
        if self._judge.config.embeddings is None:
            return NotApplicable(Reason.NO_MODEL, "scoring.judge.embeddings is not configured")
        number = self._judge.config.questions

        def verify(reply: QuestionsReply) -> None:
            if len(reply.questions) != number or not all(text.strip() for text in reply.questions):
                raise InvalidReplyError(f"questions: exactly {number} questions")

        answer = {"answer": exchange_blocks(reading)["answer"]}
        reply = await self._ask(
            "regenerate_questions",
            answer,
            QuestionsReply,
            reading,
            deadline,
            verify=verify,
            parameters={"number": str(number)},
        )
        if reply.noncommittal:
            if isinstance(of_contexts, Failed):
                return of_contexts
            if isinstance(of_contexts, Scored) and of_contexts.value == 0:
                return NotApplicable(Reason.REFUSAL, "non-committal, and the contexts hold no answer")
            return Scored(0.0, "noncommittal")
        own, *others = await self._judge.embed([question, *reply.questions], deadline=deadline)
        mean = sum(_cosine(own, other) for other in others) / number
        return Scored(min(1.0, mean), None, f"{number} questions regenerated")

    async def _context_precision(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        async def outcome() -> Outcome:
            if not (reading.interaction.question or "").strip():
                return NotApplicable(Reason.NO_QUESTION)
            if not reading.documents:
                return context_precision(reading, ())
            replies = await self._per_window(
                "document_relevance",
                {"question": exchange_blocks(reading)["question"]},
                DocumentsReply,
                reading,
                deadline,
                verify=lambda reply, window: verify_documents(reply.documents, window),
            )
            relevant = {verdict.document for reply in replies for verdict in reply.documents if verdict.relevant}
            return context_precision(reading, [n in relevant for n in range(1, len(reading.documents) + 1)])

        return {MetricKey.CONTEXT_PRECISION: await _guarded(outcome)}

    async def _context_recall(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """Reference sentences attributable to the contexts ÷ all reference sentences."""

        async def outcome() -> Outcome:
            reference = reading.interaction.reference
            if not reference or not reference.strip():
                return NotApplicable(Reason.NO_REFERENCE)
            if reading.documents is None:
                return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
            sentences = [s.text for s in Reading(replace(reading.interaction, answer=reference)).answer_sentences]
            if not reading.documents:
                return Scored(0.0, "no_context")
            count = len(sentences)
            replies = await self._per_window(
                "context_recall",
                {"question": exchange_blocks(reading)["question"], "sentences": numbered("sentences", sentences)},
                AttributionReply,
                reading,
                deadline,
                verify=lambda reply, _window: verify_numbers("sentences", [v.sentence for v in reply.sentences], count),
            )
            held = {verdict.sentence for reply in replies for verdict in reply.sentences if verdict.attributable}
            return Scored(len(held) / count, None, f"{len(held)} of {count} reference sentences attributable")

        return {MetricKey.CONTEXT_RECALL: await _guarded(outcome)}

    async def _answer_correctness(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """F1 over statements against the reference, with the cosine of both texts where embeddings are configured."""

        async def outcome() -> Outcome:
            reference = reading.interaction.reference
            if not reference or not reference.strip():
                return NotApplicable(Reason.NO_REFERENCE)

            def verify(reply: CorrectnessReply) -> None:
                if not (reply.true_positives or reply.false_positives or reply.false_negatives):
                    raise InvalidReplyError("true_positives, false_positives, false_negatives: all are empty")

            blocks = {**exchange_blocks(reading), "reference": (Block("reference", reference),)}
            reply = await self._ask("answer_correctness", blocks, CorrectnessReply, reading, deadline, verify=verify)
            right = len(reply.true_positives)
            value = right / (right + 0.5 * (len(reply.false_positives) + len(reply.false_negatives)))
            if self._judge.config.embeddings is None:
                return Scored(value, "f1")
            ours, theirs = await self._judge.embed([reading.answer, reference], deadline=deadline)
            mixed = (1 - _SIMILARITY_WEIGHT) * value + _SIMILARITY_WEIGHT * _cosine(ours, theirs)
            return Scored(min(1.0, mixed), "f1_and_similarity")

        return {MetricKey.ANSWER_CORRECTNESS: await _guarded(outcome)}

    async def _ask(
        self,
        rubric: str,
        blocks: Mapping[str, tuple[Block, ...]],
        model: type[R],
        reading: Reading,
        deadline: Deadline,
        *,
        verify: Callable[[R], None],
        parameters: Mapping[str, str] | None = None,
    ) -> R:
        prompt = self._judge.prompts.prompt(rubric, reading.language)
        filled = prompt.fill(blocks, schema=reply_schema(model), parameters=parameters, draw=self._draw)
        return await self._judge.ask(filled, model, deadline=deadline, verify=verify)

    async def _per_window(
        self,
        rubric: str,
        blocks: Mapping[str, tuple[Block, ...]],
        model: type[R],
        reading: Reading,
        deadline: Deadline,
        *,
        verify: Callable[[R, Window], None],
    ) -> list[R]:
        windows = fit_windows(self._judge, self._judge.prompts.prompt(rubric, reading.language), blocks, reading)

        async def one(window: Window) -> R:
            shown = {**blocks, "documents": window.blocks()}
            return await self._ask(rubric, shown, model, reading, deadline, verify=lambda reply: verify(reply, window))

        return await all_of([one(window) for window in windows])


async def _guarded(outcome: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """The outcome, or the one that the judge's error stands for."""
    try:
        return await outcome()
    except JudgeError as error:
        return error.outcome()


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Cosine of two vectors, held to [0, 1]: a negative one says unrelated, as 0 does."""
    norms = math.hypot(*one) * math.hypot(*other)
    if not norms:
        return 0.0
    return min(1.0, max(0.0, math.fsum(a * b for a, b in zip(one, other, strict=True)) / norms))
