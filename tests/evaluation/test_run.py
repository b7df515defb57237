"""A stopped evaluation goes on where it was, and only what has changed is scored anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.errors import ConfigError
from ragsonde.evaluation.run import Runner
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Outcome, Scored
from ragsonde.scorers.scoring import ScorerSet
from tests.evaluation.evaluating import answer, gold, session


class CountingScorer:
    """Scores everything 1 and notes what it saw; stops the run at ``stop_at``."""

    name = "counting"
    keys = (MetricKey.FAITHFULNESS,)

    def __init__(self, version: str = "1", stop_at: str | None = None) -> None:
        self.version = version
        self.seen: list[str] = []
        self._stop_at = stop_at

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        for reading in readings:
            if reading.interaction.id == self._stop_at:
                raise KeyboardInterrupt
            self.seen.append(reading.interaction.id)
        return [{MetricKey.FAITHFULNESS: Scored(1.0)} for _ in readings]


def runner(scorer: CountingScorer, batch_size: int = 2, workers: int = 1) -> Runner:
    scorers = ScorerSet([scorer], diagnosis=DiagnosisConfig(), clock=SystemClock())
    return Runner(scorers, batch_size, workers, 60.0)


INTERACTIONS = [answer(f"i{number}") for number in range(6)]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    results = tmp_path / "deep" / "results.jsonl"
    with pytest.raises(KeyboardInterrupt):
        runner(CountingScorer(stop_at="i4")).run(INTERACTIONS, results)
    again, steps = CountingScorer(), []
    scored = runner(again).run(INTERACTIONS, results, steps.append)
    assert [known.interaction.id for known in scored] == [f"i{number}" for number in range(6)]
    assert again.seen == ["i4", "i5"]
    assert sum(steps) == 6


def test_another_version_another_answer_and_a_cut_line_are_scored_anew(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    runner(CountingScorer()).run(INTERACTIONS, results)
    results.write_bytes(results.read_bytes()[:-40])  # killed within the last line
    changed = [answer("i0", text="The warranty is two years."), *INTERACTIONS[1:]]
    again = CountingScorer()
    runner(again).run(changed, results)
    assert again.seen == ["i0", "i5"]
    nothing = CountingScorer()
    runner(nothing).run(changed, results)
    assert nothing.seen == []
    newer = CountingScorer(version="2")
    runner(newer).run(changed, results)
    assert len(newer.seen) == 6


def test_results_are_in_order_however_many_work(tmp_path: Path) -> None:
    many = [answer(f"i{number}") for number in range(40)]
    scored = runner(CountingScorer(), workers=8).run(many, tmp_path / "results.jsonl")
    assert [known.interaction.id for known in scored] == [one.id for one in many]


def test_an_edited_golden_item_is_scored_anew(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    given = [answer("a"), answer("b", "warranty")]
    session().evaluate(given, results, golden=[gold("a"), gold("b", "warranty")])
    lines = len(results.read_bytes().splitlines())
    session().evaluate(given, results, golden=[gold("a"), gold("b", "warranty")])
    assert len(results.read_bytes().splitlines()) == lines
    report = session().evaluate(given, results, golden=[gold("a", reference="Within 60 days."), gold("b", "warranty")])
    assert len(results.read_bytes().splitlines()) == lines + 1
    assert {s.key: s.estimate.mean for s in report.summaries if s.estimate}[MetricKey.ANSWER_CORRECTNESS] == 0.5


def test_two_interactions_with_one_id_and_strangers_alone_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'a' stands 2 times"):
        session().evaluate([answer("a"), answer("a")], tmp_path / "results.jsonl")
    with pytest.raises(ConfigError, match="neither an id nor a question"):
        session().evaluate([answer("a")], tmp_path / "results.jsonl", golden=[gold("b", "warranty")])
