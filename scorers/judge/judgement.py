"""What a judge found out about one interaction, and the outcomes that follow from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.scorers.judge.citing import citation_outcomes
from ragsonde.scorers.judge.grounding import JudgedClaim
from ragsonde.scorers.judge.prompt import load_rubric
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, MetricKey, NotApplicable, Outcome, Reason, Scored, Verdict

MERGED_KEYS = (
    MetricKey.FAITHFULNESS,
    MetricKey.ANSWER_RELEVANCE,
    MetricKey.CONTEXT_RELEVANCE,
    MetricKey.CONTEXT_PRECISION,
    MetricKey.CONTEXT_UTILISATION,
    MetricKey.CITATION_PRESENCE,
    MetricKey.CITATION_COVERAGE,
    MetricKey.CITATION_ACCURACY,
    MetricKey.REFUSAL_CORRECTNESS,
)

_OF_CLAIMS = (
    MetricKey.FAITHFULNESS,
    MetricKey.CONTEXT_UTILISATION,
    MetricKey.CITATION_PRESENCE,
    MetricKey.CITATION_COVERAGE,
    MetricKey.CITATION_ACCURACY,
)
_NOTHING_TO_CHECK_AGAINST = (NotApplicable(Reason.CONTEXTS_NOT_CAPTURED), NotApplicable(Reason.NO_CONTEXT))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge found out, pooled over all windows."""

    claims: tuple[JudgedClaim, ...]
    relevant: tuple[bool, ...]
    """For each document, in rank order."""
    needed: int
    """Context sentences needed to answer the question."""
    sentences: int
    """All context sentences."""
    extent: str
    """``fully``, ``partly`` or ``no``: how far the answer addresses the question."""
    abstains: str
    """``wholly``, ``partly`` or ``no``."""
    contexts_answer: bool
    """Whether the documents hold the answer."""

    @property
    def pure_refusal(self) -> bool:
        """The answer abstains and states nothing."""
        return self.abstains != "no" and not self.claims

    @property
    def nothing_stated(self) -> Reason | None:
        """Why there is nothing to check; None where there are claims."""
        if self.claims:
            return None
        return Reason.REFUSAL if self.abstains != "no" else Reason.NO_CLAIMS


def merged_outcomes(
    reading: Reading, judgement: Judgement, without_claims: Outcome | None = None
) -> dict[MetricKey, Outcome]:
    """The outcome of each merged metric; ``without_claims`` is that of what needs claims, where some are missing."""
    has_question = bool((reading.interaction.question or "").strip())
    outcomes: dict[MetricKey, Outcome] = {
        MetricKey.FAITHFULNESS: faithfulness(
            reading, [judged.claim for judged in judgement.claims], judgement.nothing_stated
        ),
        MetricKey.ANSWER_RELEVANCE: _answer_relevance(reading, judgement),
        MetricKey.CONTEXT_RELEVANCE: context_relevance(reading, judgement.needed, judgement.sentences),
        MetricKey.CONTEXT_PRECISION: context_precision(reading, judgement.relevant),
        MetricKey.CONTEXT_UTILISATION: _context_utilisation(reading, judgement),
        MetricKey.REFUSAL_CORRECTNESS: _refusal_correctness(reading, judgement),
        **citation_outcomes(reading, judgement.claims, judgement.nothing_stated),
    }
    if not has_question:
        for key in (
            MetricKey.ANSWER_RELEVANCE,
            MetricKey.CONTEXT_RELEVANCE,
            MetricKey.CONTEXT_PRECISION,
            MetricKey.REFUSAL_CORRECTNESS,
        ):
            outcomes[key] = NotApplicable(Reason.NO_QUESTION)
    if without_claims is not None:
        outcomes |= {key: without_claims for key in _OF_CLAIMS if outcomes[key] not in _NOTHING_TO_CHECK_AGAINST}
    return outcomes


def faithfulness(reading: Reading, claims: Sequence[Claim], nothing_stated: Reason | None) -> Outcome:
    """Supported claims ÷ all claims (RAGAS, arXiv 2309.15217, section 3); 0 ``ungrounded`` without any document."""
    if nothing_stated is not None:
        return NotApplicable(nothing_stated)
    if reading.documents is None:
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    supported = sum(claim.verdict is Verdict.SUPPORTED for claim in claims)
    contradicted = sum(claim.verdict is Verdict.CONTRADICTED for claim in claims)
    if not reading.documents:
        label = "ungrounded"
    elif contradicted:
        label = "contradicted"
    else:
        label = "supported" if supported == len(claims) else "unsupported"
    explanation = f"{supported} of {len(claims)} claims supported, {contradicted} contradicted"
    return Scored(supported / len(claims), label, explanation, claims=tuple(claims))


def context_relevance(reading: Reading, needed: int, sentences: int) -> Outcome:
    """Context sentences needed ÷ all context sentences (RAGAS, arXiv 2309.15217, section 3)."""
    if reading.documents is None:
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    if not any((document.text or "").strip() for document in reading.documents):
        return Scored(0.0, "no_context", "the retrieval returned no text")
    return Scored(needed / sentences, None, f"{needed} of {sentences} context sentences needed")


def context_precision(reading: Reading, relevant: Sequence[bool]) -> Outcome:
    """Average precision over the documents' verdicts, in rank order; 0 where none is relevant."""
    if reading.documents is None:
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    if not reading.documents:
        return NotApplicable(Reason.NO_CONTEXT)
    hits, total = 0, 0.0
    for rank, is_relevant in enumerate(relevant, start=1):
        if is_relevant:
            hits += 1
            total += hits / rank
    return Scored(total / hits if hits else 0.0, None, f"{hits} of {len(relevant)} documents relevant")


def _answer_relevance(reading: Reading, judgement: Judgement) -> Outcome:
    """How far the answer addresses the question; 0 for an abstention although the contexts hold the answer."""
    if judgement.pure_refusal:
        if reading.documents and judgement.contexts_answer:
            return Scored(0.0, "noncommittal", "the answer abstains although the contexts hold an answer")
        return NotApplicable(Reason.REFUSAL)
    return Scored(load_rubric("merged").labels[judgement.extent], judgement.extent)


def _context_utilisation(reading: Reading, judgement: Judgement) -> Outcome:
    """Documents that support at least one claim ÷ all documents."""
    if reading.documents is None:
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    if not reading.documents:
        return NotApplicable(Reason.NO_CONTEXT)
    if judgement.nothing_stated is not None:
        return NotApplicable(judgement.nothing_stated)
    used = frozenset[int]().union(*(judged.supporting for judged in judgement.claims))
    return Scored(len(used) / len(reading.documents), None, f"{len(used)} of {len(reading.documents)} documents used")


def _refusal_correctness(reading: Reading, judgement: Judgement) -> Outcome:
    """1 where an abstention is right, since the contexts do not hold the answer; 0 where they do."""
    if not judgement.pure_refusal:
        return NotApplicable(Reason.NO_REFUSAL)
    if reading.documents is None:
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
    if reading.documents and judgement.contexts_answer:
        return Scored(0.0, "unjustified", "the contexts hold the answer")
    return Scored(1.0, "justified", "the contexts do not hold the answer")
