"""As a scorer the judge is on time, whole and tidy, whatever the server does."""

import threading
from collections.abc import Iterator

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.config import JudgeMode
from ragsonde.scorers.judge.merged import MergedJudge
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Scored
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import Script
from tests.scorers.judge.judging import InProcess, config, reading, scorer, script


@pytest.fixture(scope="module")
def server() -> Iterator[JudgeServer]:
    with running_judge_server() as running:
        yield running


@pytest.fixture
def fresh(server: JudgeServer) -> JudgeServer:
    server.control(Script())
    server.reset()
    return server


def make(server: JudgeServer, **fields: object) -> JudgeScorer:
    return JudgeScorer(build_judge(config(base_url=server.base_url, **fields)))


EXAMPLES = [
    reading(f"The room has {number} chairs.", [f"The room has {number} chairs."], "Chairs?") for number in range(20)
]


def test_a_batch_gives_one_result_per_reading_in_order(fresh: JudgeServer) -> None:
    judge = make(fresh)
    results = judge.score(EXAMPLES, Deadline(30))
    judge.close()
    assert [set(result) for result in results] == [set(judge.keys)] * len(EXAMPLES)
    for number, result in enumerate(results):
        outcome = result[MetricKey.FAITHFULNESS]
        assert isinstance(outcome, Scored)
        assert f"{number} chairs" in outcome.claims[0].text
    assert fresh.stats()["calls"] == len(EXAMPLES)


def test_a_hanging_server_frees_everything_at_the_deadline(fresh: JudgeServer) -> None:
    fresh.control(script([{"fault": "hang"}]))
    before = threading.active_count()
    judge = make(fresh)
    (result,) = judge.score(EXAMPLES[:1], Deadline(0.6))
    outcome = result[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMEOUT
    fresh.control(Script())
    (result,) = judge.score(EXAMPLES[:1], Deadline(30))
    assert isinstance(result[MetricKey.FAITHFULNESS], Scored)
    judge.close()
    assert threading.active_count() == before


def test_a_dripping_server_is_cut_off_although_it_is_never_silent(fresh: JudgeServer) -> None:
    fresh.control(script([{"fault": "drip", "seconds": 0.05}]))
    judge = make(fresh, timeouts={"read_seconds": 10.0, "total_seconds": 0.5})
    (result,) = judge.score(EXAMPLES[:1], Deadline(30))
    judge.close()
    outcome = result[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMEOUT


def test_what_was_judged_in_time_is_kept_when_the_rest_is_late(fresh: JudgeServer) -> None:
    fresh.control(script([{"fault": "hang", "every": 2}]))
    judge = make(fresh)
    results = judge.score(EXAMPLES[:6], Deadline(3))
    judge.close()
    kinds = [type(result[MetricKey.FAITHFULNESS]) for result in results]
    assert kinds.count(Scored) >= 2
    assert kinds.count(Failed) >= 1


def test_a_server_that_is_not_there_is_an_unavailable_judge() -> None:
    judge = JudgeScorer(build_judge(config(base_url="http://127.0.0.1:9/v1", retries={"max_attempts": 1})))
    (result,) = judge.score(EXAMPLES[:1], Deadline(20))
    judge.close()
    outcome = result[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.JUDGE_UNAVAILABLE


def test_it_may_be_called_from_several_threads_at_once(fresh: JudgeServer) -> None:
    judge = make(fresh, concurrency={"initial": 2, "maximum": 4})
    results: dict[int, object] = {}

    def work(number: int) -> None:
        (result,) = judge.score([EXAMPLES[number]], Deadline(30))
        results[number] = result[MetricKey.FAITHFULNESS]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    judge.close()
    assert all(isinstance(results[number], Scored) for number in range(8))


def test_one_interaction_that_breaks_the_code_does_not_fail_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = MergedJudge._judgement

    async def broken(self: MergedJudge, of: object, deadline: Deadline) -> object:
        if of is EXAMPLES[1]:
            raise KeyError("boom")
        return await whole(self, of, deadline)  # type: ignore[arg-type]

    monkeypatch.setattr(MergedJudge, "_judgement", broken)
    with scorer(InProcess(script())) as judge:
        first, second, third = judge.score(EXAMPLES[:3], Deadline(20))
    assert isinstance(first[MetricKey.FAITHFULNESS], Scored)
    assert isinstance(third[MetricKey.FAITHFULNESS], Scored)
    outcome = second[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.INTERNAL_ERROR


def test_no_time_and_no_readings_are_answered_at_once() -> None:
    server = InProcess(script())
    with scorer(server) as judge:
        assert judge.score([], Deadline(10)) == []
        (result,) = judge.score(EXAMPLES[:1], Deadline(0))
    assert all(isinstance(outcome, Failed) for outcome in result.values())
    assert "calls" not in server.stats()


def test_the_version_changes_with_mode_model_and_sampling() -> None:
    def version(**fields: object) -> str:
        with scorer(InProcess(script()), config(**fields)) as judge:
            return judge.version

    versions = {
        version(),
        version(model="other"),
        version(temperature=0.5),
        version(mode=JudgeMode.DECOMPOSED),
    }
    assert len(versions) == 4
    assert version() == version()


def test_closing_twice_and_unused_is_fine() -> None:
    made = JudgeScorer(InProcess(script()).judge(config()))
    made.close()
    made.close()
    late = made.score(EXAMPLES[:1], Deadline(1))
    assert all(isinstance(outcome, Failed) for outcome in late[0].values())


def test_results_survive_a_restart_in_a_file(fresh: JudgeServer, tmp_path: object) -> None:
    for _ in range(2):
        judge = make(fresh, cache={"path": f"{tmp_path}/cache.db"})
        judge.score(EXAMPLES[:3], Deadline(30))
        judge.close()
    assert fresh.stats()["calls"] == 3
