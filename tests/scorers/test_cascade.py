import random
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import SamplingDecision
from ragsonde.scorers.cascade import JudgePolicy, JudgeSamplingConfig, JudgeStage
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import (
    Claim,
    Diagnosis,
    DiagnosisLabel,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.builders import interaction


def local(
    number: int, value: float, probability: float = 0.9, kept: float = 1.0, **values: object
) -> ScoredInteraction:
    verdict = Verdict.SUPPORTED if value == 1.0 else Verdict.NOT_FOUND
    claim = Claim("c", 0, 1, verdict, probability=probability)
    trace = f"{number:032x}"
    return ScoredInteraction(
        interaction=interaction(id=trace, trace_id=trace, **values),
        decision=SamplingDecision(True, kept),
        scores={MetricKey.FAITHFULNESS: Scored(value, claims=(claim,))},
        diagnosis=Diagnosis(DiagnosisLabel.UNKNOWN, "because"),
        answered=True,
        refusal=False,
    )


POLICY = JudgePolicy(JudgeSamplingConfig(), "salt")
NOT_COMPARED = {MetricKey.FAITHFULNESS: NotApplicable(Reason.OTHER_LANGUAGE)}


@pytest.mark.parametrize(
    ("scored", "probability", "stratum"),
    [
        (local(1, 1.0), 0.05, "base"),
        (local(1, 1.0, probability=0.5), 0.5, "grey_band"),
        (local(1, 0.0, probability=0.1), 0.2, "low_score"),
        (local(1, 1.0, feedback=-1.0), 1.0, "negative_feedback"),
        (replace(local(1, 1.0), refusal=True), 0.2, "refusal"),
        (replace(local(1, 1.0), scores=NOT_COMPARED), 0.2, "other_language"),
        (local(1, 1.0, probability=0.5, kept=0.1), 0.1, "grey_band"),
    ],
)
def test_the_highest_rule_decides_and_never_exceeds_what_was_kept(
    scored: ScoredInteraction, probability: float, stratum: str
) -> None:
    decision = POLICY.decide(scored)
    assert (decision.probability, decision.stratum) == (probability, stratum)


def test_sums_over_judged_interactions_weighted_by_their_draw_are_unbiased() -> None:
    # The judge disagrees with the local scorer, most of all where that is unsure; the draw depends on the local score.
    chance = random.Random(1)
    traffic = []
    for number in range(40_000):
        sure = chance.random() < 0.7
        truth = chance.random() < (0.05 if sure else 0.5)
        traffic.append((local(number, 1.0, probability=0.9 if sure else 0.5), float(truth)))
    true_rate = sum(truth for _, truth in traffic) / len(traffic)
    drawn = [(truth, decision) for scored, truth in traffic if (decision := POLICY.decide(scored)).kept]
    weights = [1 / decision.probability for _, decision in drawn]
    estimate = sum(w * truth for w, (truth, _) in zip(weights, drawn, strict=True)) / len(traffic)
    naive = sum(truth for truth, _ in drawn) / len(drawn)
    assert len(drawn) < len(traffic) / 4
    assert estimate == pytest.approx(true_rate, abs=0.012)  # four standard errors
    assert naive > true_rate + 0.1


class FakeJudge:
    """Answers what it is told, when it is let."""

    keys = (MetricKey.FAITHFULNESS, MetricKey.ANSWER_RELEVANCE)
    version = "merged.1:model"

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.free = threading.Event()
        self.free.set()
        self.asked = 0
        self.closed = False

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        self.asked += len(readings)
        if not self.free.wait(deadline.remaining_seconds()):
            return [dict.fromkeys(self.keys, Failed(FailureKind.TIMEOUT))] * len(readings)
        return [dict.fromkeys(self.keys, self.outcome)] * len(readings)

    def score_rubrics(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[str, Outcome]]:
        return [{"politeness": Scored(0.75)}] * len(readings)

    def close(self) -> None:
        self.closed = True


class Sink:
    def __init__(self) -> None:
        self.scored: dict[str, ScoredInteraction] = {}
        self.changed = threading.Condition()

    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        with self.changed:
            self.scored[scored.interaction.id] = scored
            done()
            self.changed.notify_all()

    def wait(self, count: int) -> None:
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.scored) >= count, 20)


def stage(judge: FakeJudge, sink: Sink, *, probability: float = 1.0, **values: float) -> JudgeStage:
    sampling = JudgeSamplingConfig(
        probability=probability,
        grey_probability=probability,
        low_score_probability=probability,
        refusal_probability=probability,
    )
    given = {"workers": 2, "timeout_seconds": 30.0, "queue_size": 100} | values
    return JudgeStage(
        "judge", judge, JudgePolicy(sampling, "salt"), sink, diagnosis=DiagnosisConfig(), clock=SystemClock(), **given
    )


def test_a_verdict_replaces_the_local_score_which_is_kept_beside_it() -> None:
    judge, sink = FakeJudge(Scored(0.25)), Sink()
    subject = stage(judge, sink)
    subject.start()
    subject.submit(local(1, 1.0), lambda: None)
    sink.wait(1)
    subject.shutdown(Deadline(10))
    (scored,) = sink.scored.values()
    assert scored.scores[MetricKey.FAITHFULNESS] == Scored(0.25)
    views = dict(scored.by_scorer())
    assert views["local"].scores[MetricKey.FAITHFULNESS].value == 1.0  # type: ignore[union-attr]
    assert views["judge"].scores["politeness"] == Scored(0.75)  # type: ignore[index]
    assert views["judge"].decision.probability == 1.0
    assert scored.scorer_versions["judge"] == "merged.1:model"
    assert judge.closed


def test_what_is_not_drawn_goes_on_at_once_and_says_so() -> None:
    judge, sink = FakeJudge(Scored(0.25)), Sink()
    subject = stage(judge, sink, probability=1e-9)
    subject.submit(local(1, 1.0), lambda: None)
    (scored,) = sink.scored.values()
    assert judge.asked == 0
    assert scored.scores[MetricKey.FAITHFULNESS].value == 1.0  # type: ignore[union-attr]
    outcome = dict(scored.by_scorer())["judge"].scores[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, NotApplicable)
    assert outcome.reason is Reason.SAMPLED_OUT


def test_a_judge_that_fails_leaves_the_local_score_standing() -> None:
    sink = Sink()
    subject = stage(FakeJudge(Failed(FailureKind.JUDGE_UNAVAILABLE)), sink)
    subject.start()
    subject.submit(local(1, 1.0), lambda: None)
    sink.wait(1)
    subject.shutdown(Deadline(10))
    (scored,) = sink.scored.values()
    assert scored.scores[MetricKey.FAITHFULNESS].value == 1.0  # type: ignore[union-attr]
    assert isinstance(dict(scored.by_scorer())["judge"].scores[MetricKey.FAITHFULNESS], Failed)
    assert isinstance(scored.scores[MetricKey.ANSWER_RELEVANCE], Failed)


def test_a_hanging_judge_fills_its_queue_and_holds_up_nobody_else() -> None:
    judge, sink = FakeJudge(Scored(0.25)), Sink()
    judge.free.clear()
    subject = stage(judge, sink, queue_size=3)
    subject.start()
    for number in range(50):
        subject.submit(local(number, 1.0), lambda: None)
    sink.wait(50 - 2 - 3)
    judge.free.set()
    sink.wait(50)
    subject.shutdown(Deadline(10))
    failures = [
        outcome.kind
        for scored in sink.scored.values()
        if isinstance(outcome := dict(scored.by_scorer())["judge"].scores[MetricKey.FAITHFULNESS], Failed)
    ]
    assert 45 <= len(failures) <= 47
    assert set(failures) == {FailureKind.JUDGE_UNAVAILABLE}


def test_a_shutdown_with_a_hanging_judge_ends_and_marks_nothing_done() -> None:
    judge, sink = FakeJudge(Scored(0.25)), Sink()
    judge.free.clear()
    subject = stage(judge, sink, queue_size=5, workers=1)
    subject.start()
    done: list[int] = []
    for number in range(2):
        subject.submit(local(number, 1.0), lambda: done.append(1))
    subject.shutdown(Deadline(0.3))
    assert done == []
    judge.free.set()
