"""Scored interactions to export: builders with defaults, and Hypothesis strategies for any of them."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from ragsonde.collector.model import Capture, Document, Interaction, SamplingDecision
from ragsonde.scorers.score import (
    Citation,
    Claim,
    Diagnosis,
    DiagnosisLabel,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.builders import interaction


def claim(text: str = "within 30 days", start: int = 18, verdict: Verdict = Verdict.SUPPORTED, **values: Any) -> Claim:
    return Claim(text=text, start=start, end=start + len(text), verdict=verdict, **values)


def scored(
    id: str = "0af7651916cd43dd8448eb211c80319c",  # noqa: A002 - the field's own name
    *,
    faithfulness: float | None = 1.0,
    verdicts: tuple[Verdict, ...] | None = None,
    probability: float = 1.0,
    scores: Mapping[MetricKey, Outcome] | None = None,
    diagnosis: DiagnosisLabel = DiagnosisLabel.OK,
    **values: Any,
) -> ScoredInteraction:
    """Build a scored interaction; what is not a field of it is a field of its interaction."""
    if verdicts is None:
        verdicts = (Verdict.SUPPORTED if faithfulness == 1.0 else Verdict.NOT_FOUND,)
    if scores is None:
        scores = {}
        if faithfulness is not None:
            claims = tuple(claim(verdict=verdict) for verdict in verdicts)
            scores = {MetricKey.FAITHFULNESS: Scored(faithfulness, claims=claims)}
    own = {"answered", "refusal", "language", "rescored", "scored_at"}
    mine = {key: values.pop(key) for key in list(values) if key in own}
    return ScoredInteraction(
        interaction=interaction(id=id, **values),
        decision=SamplingDecision(kept=True, probability=probability),
        scores=scores,
        diagnosis=Diagnosis(diagnosis, "because"),
        **{"answered": True, "refusal": False, "language": "en", "scored_at": 1_000.0} | mine,
    )


# Hypothesis --------------------------------------------------------------------------------------------------

texts = st.text(max_size=40)
"""Any text that UTF-8 can hold."""
optional_texts = st.none() | texts
unit = st.floats(0, 1)
offsets = st.integers(0, 10_000)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
metadata = st.dictionaries(texts, json_values, max_size=3)
documents = st.builds(
    Document,
    text=optional_texts,
    rank=st.integers(1, 100),
    id=optional_texts,
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
    metadata=metadata,
)
claims = st.builds(
    Claim,
    text=texts,
    start=offsets,
    end=offsets,
    verdict=st.sampled_from(Verdict),
    probability=st.none() | unit,
    quote=optional_texts,
    context_ids=st.lists(texts, max_size=3).map(tuple),
    reason=optional_texts,
    stretches=st.none() | st.lists(st.tuples(offsets, offsets), max_size=3).map(tuple),
)
citations = st.builds(
    Citation,
    marker=texts,
    start=offsets,
    end=offsets,
    cited=texts,
    context_id=optional_texts,
    supported=st.none() | st.booleans(),
)
outcomes: st.SearchStrategy[Outcome] = (
    st.builds(
        Scored,
        value=unit,
        label=optional_texts,
        explanation=optional_texts,
        claims=st.lists(claims, max_size=3).map(tuple),
        citations=st.lists(citations, max_size=3).map(tuple),
    )
    | st.builds(NotApplicable, reason=st.sampled_from(Reason), explanation=optional_texts)
    | st.builds(Failed, kind=st.sampled_from(FailureKind), explanation=optional_texts)
)
optional_ids = st.none() | st.lists(texts, max_size=3).map(tuple)
interactions = st.builds(
    Interaction,
    id=texts,
    question=optional_texts,
    answer=optional_texts,
    contexts=st.none() | st.lists(documents, max_size=3).map(tuple),
    trace_id=texts,
    span_id=texts,
    capture=st.sampled_from(Capture),
    convention=texts,
    remedy=optional_texts,
    app=texts,
    app_version=optional_texts,
    environment=optional_texts,
    conversation_id=optional_texts,
    model=optional_texts,
    start_ns=st.integers(0, 2**63 - 1),
    end_ns=st.integers(0, 2**63 - 1),
    system_instructions=optional_texts,
    cited_ids=optional_ids,
    feedback=st.none() | st.floats(-1, 1),
    reference=optional_texts,
    relevant_ids=optional_ids,
    metadata=metadata,
)
decisions = st.builds(SamplingDecision, kept=st.booleans(), probability=st.floats(0.001, 1), stratum=texts)
scored_interactions = st.builds(
    ScoredInteraction,
    interaction=interactions,
    decision=decisions,
    scores=st.dictionaries(st.sampled_from(MetricKey), outcomes, max_size=6),
    diagnosis=st.builds(
        Diagnosis,
        label=st.sampled_from(DiagnosisLabel),
        because=texts,
        metric=st.none() | st.sampled_from(MetricKey),
        remedy=optional_texts,
    ),
    answered=st.none() | st.booleans(),
    refusal=st.none() | st.booleans(),
    language=texts,
    rescored=st.booleans(),
    scored_at=st.floats(0, 4e9),
    scorer_versions=st.dictionaries(texts, texts, max_size=3),
    local_scores=st.just({}),
    judgements=st.lists(
        st.builds(
            Judgement,
            scorer=texts,
            scores=st.dictionaries(st.sampled_from([*MetricKey, "politeness"]), outcomes, max_size=3),
            decision=decisions,
        ),
        min_size=1,
        max_size=2,
    ).map(tuple),
)
