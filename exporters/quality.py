"""What one scored interaction adds to the numbers: read here once, for the metrics and for the pages alike."""

from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum

from ragsonde.collector.model import Interaction
from ragsonde.scorers.detector.model import shipped_model
from ragsonde.scorers.score import (
    Citation,
    Claim,
    Failed,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from ragsonde.scorers.text.language import UNDETERMINED

UNSEEN_REASONS = frozenset(
    {
        Reason.NO_MODEL,
        Reason.OTHER_LANGUAGE,
        Reason.CONTENT_NOT_CAPTURED,
        Reason.CONTEXTS_NOT_CAPTURED,
        Reason.INCOMPLETE,
        Reason.SAMPLED_OUT,
        Reason.OVER_BUDGET,
    }
)
"""Reasons for which a metric could have had a value, had we been able to look. They lower the coverage; the others
(a refusal has no claims to check) say that there is nothing to measure."""

_AGAINST_GOLD_IDS = frozenset(
    {MetricKey.HIT_AT_K, MetricKey.RECALL_AT_K, MetricKey.PRECISION_AT_K, MetricKey.MRR, MetricKey.NDCG_AT_K}
)
_AGAINST_REFERENCE = frozenset({MetricKey.CONTEXT_RECALL, MetricKey.ANSWER_CORRECTNESS})

NO_REASON = "none"
"""The ``reason`` label of a scored outcome."""


class OutcomeKind(StrEnum):
    """The three forms of an outcome, as label values."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    FAILED = "failed"


class AnswerResult(StrEnum):
    """What is known of an answer's grounding."""

    GROUNDED = "grounded"
    HALLUCINATED = "hallucinated"
    NOT_JUDGED = "not_judged"


class CitationKind(StrEnum):
    """What became of one citation."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    FABRICATED = "fabricated"
    UNJUDGED = "unjudged"


class RefusalKind(StrEnum):
    """Whether an abstention was right."""

    JUSTIFIED = "justified"
    UNJUSTIFIED = "unjustified"
    UNJUDGED = "unjudged"


def weight(scored: ScoredInteraction) -> float:
    """Return how many interactions of the traffic this one stands for: 1/p, and 0 for one that was not kept."""
    return 1.0 / scored.decision.probability if scored.decision.kept else 0.0


def outcome_labels(outcome: Outcome) -> tuple[str, str]:
    """Return the outcome's kind and reason, both from closed sets."""
    if isinstance(outcome, Scored):
        return OutcomeKind.SCORED, NO_REASON
    if isinstance(outcome, NotApplicable):
        return OutcomeKind.NOT_APPLICABLE, outcome.reason
    return OutcomeKind.FAILED, outcome.kind


def eligible(outcome: Outcome) -> bool:
    """Whether the metric has a meaning for the interaction, be it known or not: what coverage is measured against."""
    if isinstance(outcome, NotApplicable):
        return outcome.reason in UNSEEN_REASONS
    return isinstance(outcome, Scored | Failed)


def eligible_in_traffic(key: str, outcome: Outcome, interaction: Interaction) -> bool:
    """As ``eligible``, where no golden set gives references.

    A metric that needs a reference has no meaning without it, whatever else of the interaction was not captured.
    """
    if isinstance(outcome, NotApplicable) and not _has_reference(key, interaction):
        return False
    return eligible(outcome)


def _has_reference(key: str, interaction: Interaction) -> bool:
    """Whether an interaction has the reference that a metric needs; most need none."""
    if key in _AGAINST_GOLD_IDS:
        return bool(interaction.relevant_ids)
    return key not in _AGAINST_REFERENCE or interaction.reference is not None


def claims(scored: ScoredInteraction) -> tuple[Claim, ...]:
    """Return the claims of the answer that faithfulness judged."""
    outcome = scored.scores.get(MetricKey.FAITHFULNESS)
    return outcome.claims if isinstance(outcome, Scored) else ()


def answer_result(scored: ScoredInteraction) -> AnswerResult:
    """Tell whether the answer is hallucinated: whether any claim of it is not supported by the contexts."""
    outcome = scored.scores.get(MetricKey.FAITHFULNESS)
    if not isinstance(outcome, Scored):
        return AnswerResult.NOT_JUDGED
    if outcome.claims:
        unsupported = any(claim.verdict is not Verdict.SUPPORTED for claim in outcome.claims)
    else:
        unsupported = outcome.value < 1.0
    return AnswerResult.HALLUCINATED if unsupported else AnswerResult.GROUNDED


class Validation(StrEnum):
    """Whether the local detector's probabilities were checked against people's labels in a language."""

    VALIDATED = "validated"
    NOT_VALIDATED = "not_validated"
    UNKNOWN = "unknown"
    """The language could not be told."""


def validation(language: str) -> Validation:
    """Return whether the local detector was checked in a language (ISO 639)."""
    primary = language.partition("-")[0].lower()
    if primary == UNDETERMINED:
        return Validation.UNKNOWN
    return Validation.VALIDATED if primary in shipped_model().languages else Validation.NOT_VALIDATED


def judge_pair(scored: ScoredInteraction) -> tuple[AnswerResult, AnswerResult] | None:
    """Return what the first and the second judge say of one answer; None where not both gave a verdict."""
    results = [
        result
        for judgement in scored.judgements[:2]
        if (result := answer_result(replace(scored, scores=judgement.scores))) is not AnswerResult.NOT_JUDGED
    ]
    return (results[0], results[1]) if len(results) == 2 else None


def citations(scored: ScoredInteraction) -> Iterator[tuple[Citation, CitationKind]]:
    """Yield the answer's citations with their kind, from the scorer that knows most of them."""
    for key in (MetricKey.CITATION_ACCURACY, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_PRESENCE):
        outcome = scored.scores.get(key)
        if isinstance(outcome, Scored) and outcome.citations:
            contexts_known = scored.interaction.contexts is not None
            for citation in outcome.citations:
                yield citation, _citation_kind(citation, contexts_known=contexts_known)
            return


def _citation_kind(citation: Citation, *, contexts_known: bool) -> CitationKind:
    if citation.context_id is None:
        return CitationKind.FABRICATED if contexts_known else CitationKind.UNJUDGED
    if citation.supported is None:
        return CitationKind.UNJUDGED
    return CitationKind.SUPPORTED if citation.supported else CitationKind.UNSUPPORTED


def refusal_kind(scored: ScoredInteraction) -> RefusalKind | None:
    """Tell whether an abstention was right; None where the answer did not abstain, or is not known."""
    if not scored.refusal:
        return None
    outcome = scored.scores.get(MetricKey.REFUSAL_CORRECTNESS)
    if not isinstance(outcome, Scored):
        return RefusalKind.UNJUDGED
    return RefusalKind.JUSTIFIED if outcome.value >= 0.5 else RefusalKind.UNJUSTIFIED
