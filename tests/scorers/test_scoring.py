import threading
from collections.abc import Callable, Mapping, Sequence

import pytest

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Capture
from ragsonde.collector.telemetry import Dropped, DropReason, ScorerRan
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.engine import EngineConfig, ScoringEngine
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import (
    DiagnosisLabel,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
)
from ragsonde.scorers.scorer import Scorer
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest
from tests.builders import interaction
from tests.fakes import EventRecorder, FakeClock


class ConstantScorer:
    """Gives one value for one metric, and does to chosen answers what a test asks for."""

    version = "1"

    def __init__(self, name: str, key: MetricKey, value: float, *, fails_on: str | None = None) -> None:
        self.name = name
        self.keys = (key,)
        self._value = value
        self._fails_on = fails_on
        self.seen: list[int] = []

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        self.seen.append(len(readings))
        if any(reading.interaction.answer == self._fails_on for reading in readings):
            raise RuntimeError("a scorer's own fault")
        return [{self.keys[0]: Scored(self._value)} for _ in readings]


def scorer_set(*scorers: Scorer, recorder: EventRecorder | None = None) -> ScorerSet:
    return ScorerSet(scorers, diagnosis=DiagnosisConfig(), clock=FakeClock(), listener=recorder or EventRecorder())


def test_outcomes_of_all_scorers_are_put_together_and_the_later_one_wins() -> None:
    first = ConstantScorer("first", MetricKey.FAITHFULNESS, 0.1)
    second = ConstantScorer("second", MetricKey.FAITHFULNESS, 0.9)
    third = ConstantScorer("third", MetricKey.ANSWER_RELEVANCE, 0.5)
    (scored,) = scorer_set(first, second, third).score([ScoringRequest(interaction())], Deadline(1))
    assert scored.scores == {MetricKey.FAITHFULNESS: Scored(0.9), MetricKey.ANSWER_RELEVANCE: Scored(0.5)}
    assert scored.scorer_versions == {"first": "1", "second": "1", "third": "1"}
    assert scored.answered is True
    assert scored.refusal is False


def test_a_scorer_that_raises_fails_only_its_own_metric_of_only_the_interaction_it_stumbles_over() -> None:
    broken = ConstantScorer("broken", MetricKey.FAITHFULNESS, 1.0, fails_on="poison")
    sound = ConstantScorer("sound", MetricKey.ANSWER_RELEVANCE, 0.5)
    requests = [ScoringRequest(interaction(answer=answer)) for answer in ("It is 30 days.", "poison", "It is 30 days.")]
    results = scorer_set(broken, sound).score(requests, Deadline(1))
    assert [type(scored.scores[MetricKey.FAITHFULNESS]) for scored in results] == [Scored, Failed, Scored]
    failed = results[1].scores[MetricKey.FAITHFULNESS]
    assert isinstance(failed, Failed)
    assert failed.kind is FailureKind.INTERNAL_ERROR
    assert all(scored.scores[MetricKey.ANSWER_RELEVANCE] == Scored(0.5) for scored in results)


def test_a_scorer_that_forgets_a_metric_or_a_reading_is_a_failure_not_a_gap() -> None:
    class Forgetful(ConstantScorer):
        def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
            return [{} for _ in readings]

    (scored,) = scorer_set(Forgetful("forgetful", MetricKey.FAITHFULNESS, 1.0)).score(
        [ScoringRequest(interaction())], Deadline(1)
    )
    assert isinstance(scored.scores[MetricKey.FAITHFULNESS], Failed)


@pytest.mark.parametrize(
    ("capture", "answer", "reason"),
    [
        (Capture.CONTENT_NOT_CAPTURED, None, Reason.CONTENT_NOT_CAPTURED),
        (Capture.INCOMPLETE, "Customers have 30 da", Reason.INCOMPLETE),
    ],
)
def test_what_cannot_be_scored_reaches_no_scorer_and_says_why_for_every_metric(
    capture: Capture, answer: str | None, reason: Reason
) -> None:
    scorer = ConstantScorer("scorer", MetricKey.FAITHFULNESS, 1.0)
    recorder = EventRecorder()
    (scored,) = scorer_set(scorer, recorder=recorder).score(
        [ScoringRequest(interaction(capture=capture, answer=answer, remedy="Switch it on."))], Deadline(1)
    )
    assert scored.scores == {MetricKey.FAITHFULNESS: NotApplicable(reason, "Switch it on.")}
    assert scorer.seen == []
    assert recorder.of(ScorerRan) == []
    assert scored.answered is None
    assert scored.refusal is None
    assert scored.diagnosis.label is DiagnosisLabel.UNKNOWN


class CollectingSink:
    def __init__(self) -> None:
        self.scored: list[ScoredInteraction] = []

    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        self.scored.append(scored)
        done()


class BrokenSink:
    def submit(self, scored: ScoredInteraction, done: Callable[[], None]) -> None:
        raise RuntimeError("the sink is broken")


def run_engine(sink: CollectingSink | BrokenSink, count: int, recorder: EventRecorder, workers: int = 2) -> list[int]:
    scorers = scorer_set(ConstantScorer("scorer", MetricKey.FAITHFULNESS, 1.0))
    engine = ScoringEngine(
        scorers, sink, config=EngineConfig(workers=workers, batch_size=4), clock=SystemClock(), listener=recorder
    )
    done: list[int] = []
    all_done = threading.Event()

    def note(number: int) -> None:
        done.append(number)
        if len(done) == count:
            all_done.set()

    engine.start()
    engine.start()
    for number in range(count):
        engine.submit(ScoringRequest(interaction(id=f"{number:032x}")), lambda number=number: note(number))
    assert all_done.wait(10)
    engine.shutdown(Deadline(10))
    engine.shutdown(Deadline(10))
    return done


def test_every_interaction_is_scored_and_done_once() -> None:
    sink = CollectingSink()
    done = run_engine(sink, 50, EventRecorder())
    assert sorted(done) == list(range(50))
    assert sorted(scored.interaction.id for scored in sink.scored) == [f"{number:032x}" for number in range(50)]


def test_a_broken_sink_is_counted_and_frees_what_it_held() -> None:
    recorder = EventRecorder()
    done = run_engine(BrokenSink(), 10, recorder)
    assert sorted(done) == list(range(10))
    drops = [event for event in recorder.events if isinstance(event, Dropped)]
    assert {(event.stage, event.reason) for event in drops} == {("scoring", DropReason.INTERNAL_ERROR)}
    assert sum(event.count for event in drops) == 10


def test_a_shutdown_finishes_what_is_queued() -> None:
    sink = CollectingSink()
    engine = ScoringEngine(
        scorer_set(ConstantScorer("scorer", MetricKey.FAITHFULNESS, 1.0)),
        sink,
        config=EngineConfig(workers=3),
        clock=SystemClock(),
    )
    for number in range(20):
        engine.submit(ScoringRequest(interaction(id=str(number))), lambda: None)
    engine.start()
    engine.shutdown(Deadline(10))
    assert len(sink.scored) == 20
