"""Where the fault lies: every row of the table, and never an exception or a guess."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.model import Capture, Interaction
from ragsonde.scorers.diagnosis import DiagnosisConfig, diagnose
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import (
    Diagnosis,
    DiagnosisLabel,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
)
from tests.builders import interaction

FAITHFUL, RELEVANT = MetricKey.FAITHFULNESS, MetricKey.ANSWER_RELEVANCE
NEEDED, PRECISE, RECALLED = MetricKey.CONTEXT_RELEVANCE, MetricKey.CONTEXT_PRECISION, MetricKey.CONTEXT_RECALL
REFUSED, CORRECT, HIT = MetricKey.REFUSAL_CORRECTNESS, MetricKey.ANSWER_CORRECTNESS, MetricKey.HIT_AT_K

ANSWERED = interaction()
REFUSAL = interaction(answer="I don't know.")
EMPTY_RETRIEVAL = interaction(contexts=())
REFUSAL_WITHOUT_CONTEXTS = interaction(answer="I don't know.", contexts=())
SMALL_TALK = interaction(question="Hi", answer="Hello there! What can I do for you today?")
ASKS_BACK = interaction(question="Where is my order?", answer="Could you tell me its number?")
GREETING = interaction(question="Hi", answer="Hello! How can I help you?", contexts=())

Values = Mapping[MetricKey, float | Outcome]


def diagnosis(given_interaction: Interaction, values: Values, config: DiagnosisConfig | None = None) -> Diagnosis:
    scores = {key: Scored(v) if isinstance(v, float) else v for key, v in values.items()}
    return diagnose(Reading(given_interaction), scores, config)


NO_CLAIMS = NotApplicable(Reason.NO_CLAIMS)
BROKEN = Failed(FailureKind.JUDGE_UNAVAILABLE)

ROWS: list[tuple[str, Interaction, Values, DiagnosisLabel, MetricKey | None]] = [
    ("all good",
     ANSWERED, {FAITHFUL: 1.0, RELEVANT: 0.9, PRECISE: 1.0, NEEDED: 0.3},
     DiagnosisLabel.OK, None),
    ("few needed sentences, but ranked first",
     ANSWERED, {FAITHFUL: 1.0, RELEVANT: 0.9, PRECISE: 1.0, NEEDED: 0.02},
     DiagnosisLabel.OK, None),
    ("small talk",
     GREETING, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.9},
     DiagnosisLabel.OK, None),
    ("small talk, contexts of no use",
     SMALL_TALK, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.7, PRECISE: 0.0, NEEDED: 0.0},
     DiagnosisLabel.OK, None),
    ("small talk that a model finds off topic",
     SMALL_TALK, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.2, PRECISE: 0.0, NEEDED: 0.0},
     DiagnosisLabel.UNKNOWN, RELEVANT),
    ("small talk of which gold labels speak",
     SMALL_TALK, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.7, HIT: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, HIT),
    ("asks back",
     ASKS_BACK, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.9, PRECISE: 0.0},
     DiagnosisLabel.OK, None),
    ("cheerful remark, contexts of no use",
     ANSWERED, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.0, PRECISE: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, PRECISE),
    ("irrelevant contexts, invented answer",
     ANSWERED, {FAITHFUL: 0.0, RELEVANT: 0.9, PRECISE: 0.0, NEEDED: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, PRECISE),
    ("irrelevant contexts, parroted",
     ANSWERED, {FAITHFUL: 1.0, RELEVANT: 0.1, NEEDED: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, NEEDED),
    ("nothing retrieved, invented answer",
     EMPTY_RETRIEVAL, {FAITHFUL: 0.0, RELEVANT: 0.9, NEEDED: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, NEEDED),
    ("nothing retrieved, refusal",
     REFUSAL_WITHOUT_CONTEXTS, {},
     DiagnosisLabel.RETRIEVAL_MISS, None),
    ("justified refusal blames the retriever",
     REFUSAL, {REFUSED: 1.0, PRECISE: 0.0, NEEDED: 0.0},
     DiagnosisLabel.RETRIEVAL_MISS, REFUSED),
    ("gold document not retrieved",
     ANSWERED, {HIT: 0.0, FAITHFUL: 0.2, RELEVANT: 0.9, PRECISE: 1.0},
     DiagnosisLabel.RETRIEVAL_MISS, HIT),
    ("reference not in the contexts",
     ANSWERED, {RECALLED: 0.2, FAITHFUL: 0.2, RELEVANT: 0.9},
     DiagnosisLabel.RETRIEVAL_MISS, RECALLED),
    ("relevant document ranked last",
     ANSWERED, {FAITHFUL: 0.3, RELEVANT: 0.9, PRECISE: 0.2, NEEDED: 0.3},
     DiagnosisLabel.RETRIEVAL_NOISE, PRECISE),
    ("few needed sentences, no precision",
     ANSWERED, {FAITHFUL: 0.3, RELEVANT: 0.9, NEEDED: 0.04},
     DiagnosisLabel.RETRIEVAL_NOISE, NEEDED),
    ("good answer from contexts called irrelevant",
     ANSWERED, {FAITHFUL: 1.0, RELEVANT: 0.9, PRECISE: 0.0},
     DiagnosisLabel.RETRIEVAL_NOISE, PRECISE),
    ("invented in spite of good contexts",
     ANSWERED, {FAITHFUL: 0.3, RELEVANT: 0.9, PRECISE: 1.0},
     DiagnosisLabel.GENERATION_UNFAITHFUL, FAITHFUL),
    ("unfaithful before off topic",
     ANSWERED, {FAITHFUL: 0.3, RELEVANT: 0.1, PRECISE: 1.0},
     DiagnosisLabel.GENERATION_UNFAITHFUL, FAITHFUL),
    ("off topic",
     ANSWERED, {FAITHFUL: 1.0, RELEVANT: 0.1, PRECISE: 1.0},
     DiagnosisLabel.GENERATION_OFF_TOPIC, RELEVANT),
    ("cheerful remark",
     ANSWERED, {FAITHFUL: NO_CLAIMS, RELEVANT: 0.0, PRECISE: 1.0},
     DiagnosisLabel.GENERATION_OFF_TOPIC, RELEVANT),
    ("unjustified refusal",
     REFUSAL, {REFUSED: 0.0, PRECISE: 1.0, RELEVANT: 0.0},
     DiagnosisLabel.UNJUSTIFIED_REFUSAL, REFUSED),
    ("unjustified refusal among noise",
     REFUSAL, {REFUSED: 0.0, PRECISE: 0.2},
     DiagnosisLabel.UNJUSTIFIED_REFUSAL, REFUSED),
    ("right from memory",
     ANSWERED, {CORRECT: 1.0, FAITHFUL: 0.0, RELEVANT: 0.9, PRECISE: 0.0},
     DiagnosisLabel.CORRECT_BUT_UNGROUNDED, CORRECT),
    ("right from memory, nothing retrieved",
     EMPTY_RETRIEVAL, {CORRECT: 1.0, FAITHFUL: 0.0},
     DiagnosisLabel.CORRECT_BUT_UNGROUNDED, CORRECT),
    ("faithfulness failed",
     ANSWERED, {FAITHFUL: BROKEN, RELEVANT: 0.9, PRECISE: 1.0},
     DiagnosisLabel.UNKNOWN, FAITHFUL),
    ("relevance not scored",
     ANSWERED, {FAITHFUL: 1.0, PRECISE: 1.0},
     DiagnosisLabel.UNKNOWN, RELEVANT),
    ("retrieval not scored",
     ANSWERED, {FAITHFUL: 0.0, RELEVANT: 0.9},
     DiagnosisLabel.UNKNOWN, NEEDED),
    ("refusal not judged",
     REFUSAL, {PRECISE: 1.0},
     DiagnosisLabel.UNKNOWN, REFUSED),
    ("contexts not captured",
     interaction(contexts=None), {FAITHFUL: NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)},
     DiagnosisLabel.UNKNOWN, NEEDED),
    ("content not captured",
     interaction(capture=Capture.CONTENT_NOT_CAPTURED), {},
     DiagnosisLabel.UNKNOWN, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given_interaction", "values", "label", "metric"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_each_pattern_of_metrics_has_its_diagnosis(
    given_interaction: Interaction, values: Values, label: DiagnosisLabel, metric: MetricKey | None
) -> None:
    found = diagnosis(given_interaction, values)
    assert (found.label, found.metric) == (label, metric), found.because


def test_the_deciding_metric_is_named_with_its_value() -> None:
    found = diagnosis(ANSWERED, {FAITHFUL: 0.25, RELEVANT: 0.9, PRECISE: 1.0})
    assert "faithfulness is 0.25" in found.because
    assert found.remedy is not None


def test_what_is_missing_is_named_with_the_reason() -> None:
    found = diagnosis(ANSWERED, {FAITHFUL: 1.0, RELEVANT: NotApplicable(Reason.NO_MODEL), PRECISE: 1.0})
    assert "answer_relevance" in found.because
    assert "no_model" in found.because


def test_thresholds_come_from_the_configuration() -> None:
    values: Values = {FAITHFUL: 0.6, RELEVANT: 0.9, PRECISE: 1.0}
    assert diagnosis(ANSWERED, values).label is DiagnosisLabel.GENERATION_UNFAITHFUL
    assert diagnosis(ANSWERED, values, DiagnosisConfig(faithfulness=0.5)).label is DiagnosisLabel.OK


outcomes = st.one_of(
    st.floats(0, 1).map(Scored),
    st.sampled_from(Reason).map(NotApplicable),
    st.sampled_from(FailureKind).map(Failed),
)


@given(
    st.dictionaries(st.sampled_from(MetricKey), outcomes),
    st.sampled_from(
        [ANSWERED, REFUSAL, EMPTY_RETRIEVAL, REFUSAL_WITHOUT_CONTEXTS, GREETING, *(row[1] for row in ROWS)]
    ),
)
def test_every_combination_of_outcomes_gives_a_diagnosis(
    scores: dict[MetricKey, Outcome], given_interaction: Interaction
) -> None:
    found = diagnose(Reading(given_interaction), scores)
    assert found.because
    assert (found.remedy is None) == (found.label in (DiagnosisLabel.OK, DiagnosisLabel.UNKNOWN))
    if found.metric is not None and found.label is not DiagnosisLabel.UNKNOWN:
        assert isinstance(scores[found.metric], Scored)
    if found.label is DiagnosisLabel.OK:
        assert isinstance(scores[RELEVANT], Scored)
