"""One suite for the judge over real HTTP and without a network, in both wire formats.

What passes here on the in-process server may stand in for the real one in other tests.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Outcome, Scored
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from tests.scorers.judge.judging import InProcess, config, reading, script

EXAMPLE = reading(
    "The tower was finished in 1889. It is 300 m high.",
    ["The tower was finished in 1889. It is 330 m high.", "Cats sleep."],
    "When was the tower finished?",
)
QUICK = {"retries": {"initial_seconds": 0.001, "max_seconds": 0.002}}


class Backend(Protocol):
    @contextmanager
    def scorer(self, faults: Sequence[Mapping[str, Any]], **fields: Any) -> Iterator[JudgeScorer]: ...

    def stats(self) -> Mapping[str, int]: ...


class HttpBackend:
    def __init__(self, server: JudgeServer) -> None:
        self._server = server

    @contextmanager
    def scorer(self, faults: Sequence[Mapping[str, Any]], **fields: Any) -> Iterator[JudgeScorer]:
        self._server.control(script(faults))
        self._server.reset()
        settings: JudgeConfig = config(base_url=self._server.base_url, **{**QUICK, **fields})
        judge = JudgeScorer(build_judge(settings))
        yield judge
        judge.close()

    def stats(self) -> Mapping[str, int]:
        return self._server.stats()


class InProcessBackend:
    def __init__(self) -> None:
        self._server = InProcess(script())

    @contextmanager
    def scorer(self, faults: Sequence[Mapping[str, Any]], **fields: Any) -> Iterator[JudgeScorer]:
        self._server = InProcess(script(faults))
        judge = JudgeScorer(self._server.judge(config(**{**QUICK, **fields})))
        yield judge
        judge.close()

    def stats(self) -> Mapping[str, int]:
        return self._server.stats()


@pytest.fixture(scope="module")
def http() -> Iterator[JudgeServer]:
    with running_judge_server() as server:
        yield server


@pytest.fixture(params=["http", "in_process"])
def backend(request: pytest.FixtureRequest) -> Backend:
    return HttpBackend(request.getfixturevalue("http")) if request.param == "http" else InProcessBackend()


@pytest.fixture(params=["openai", "anthropic"])
def api(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def judged(backend: Backend, faults: Sequence[Mapping[str, Any]] = (), **fields: Any) -> Outcome:
    with backend.scorer(faults, **fields) as judge:
        (result,) = judge.score([EXAMPLE], Deadline(20))
    return result[MetricKey.FAITHFULNESS]


@pytest.mark.parametrize(
    ("rule", "calls"),
    [
        (None, 1),
        ({"fault": "slow", "seconds": 0.01}, 1),
        ({"fault": "fenced"}, 1),
        ({"fault": "reasoning"}, 1),
        ({"fault": "thought"}, 1),
        ({"fault": "two_objects"}, 1),
        ({"fault": "echo"}, 1),
        ({"fault": "control_characters"}, 1),
        ({"fault": "trailing_comma"}, 1),
        ({"fault": "encoded"}, 1),
        ({"fault": "no_check"}, 1),
        ({"fault": "no_usage"}, 1),
        ({"fault": "no_temperature"}, 2),
        ({"fault": "status", "status": 500, "first": 2}, 3),
        ({"fault": "status", "status": 429, "first": 1, "retry_after": "0"}, 2),
        ({"fault": "status", "status": 429, "first": 1}, 2),
        ({"fault": "hidden_error", "status": 503, "first": 1}, 2),
        ({"fault": "cut", "first": 1}, 2),
        ({"fault": "wrong_count", "first": 1}, 2),
    ],
)
def test_a_judge_with_quirks_gives_the_right_verdict(
    backend: Backend, api: str, rule: Mapping[str, Any] | None, calls: int
) -> None:
    outcome = judged(backend, [rule] if rule else [], api=api)
    assert isinstance(outcome, Scored), outcome
    assert outcome.value == 0.5
    assert backend.stats()["calls"] == calls


def test_a_judge_without_structured_output_gives_the_right_verdict(backend: Backend, api: str) -> None:
    outcome = judged(backend, [{"fault": "no_structure"}], api=api)
    assert isinstance(outcome, Scored)
    assert backend.stats()["calls"] == (3 if api == "openai" else 2)


@pytest.mark.parametrize(
    ("rule", "kind", "calls"),
    [
        ({"fault": "length"}, FailureKind.TRUNCATED, 2),
        ({"fault": "cut"}, FailureKind.TRUNCATED, 2),
        ({"fault": "empty"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "not_json"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "wrong_shape"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "wrong_count"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "unknown_label"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "top_level_array"}, FailureKind.INVALID_REPLY, 2),
        ({"fault": "status", "status": 401}, FailureKind.JUDGE_UNAVAILABLE, 1),
        ({"fault": "status", "status": 404}, FailureKind.JUDGE_UNAVAILABLE, 1),
        ({"fault": "status", "status": 429, "code": "insufficient_quota"}, FailureKind.JUDGE_UNAVAILABLE, 1),
        ({"fault": "status", "status": 500}, FailureKind.JUDGE_UNAVAILABLE, 4),
        ({"fault": "status", "status": 413}, FailureKind.CONTEXT_OVERFLOW, 1),
    ],
)
def test_a_judge_that_fails_is_a_typed_failure(
    backend: Backend, api: str, rule: Mapping[str, Any], kind: FailureKind, calls: int
) -> None:
    outcome = judged(backend, [rule], api=api)
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind is kind
    assert backend.stats()["calls"] == calls


def test_a_hanging_judge_is_a_timeout(backend: Backend, api: str) -> None:
    outcome = judged(backend, [{"fault": "hang"}], api=api, timeouts={"total_seconds": 0.2})
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.TIMEOUT


def test_a_connection_that_breaks_is_tried_again(http: JudgeServer) -> None:
    backend = HttpBackend(http)
    outcome = judged(backend, [{"fault": "disconnect", "first": 1}])
    assert isinstance(outcome, Scored)
    assert backend.stats()["calls"] == 2


def test_a_window_of_faults_ends_by_itself(backend: Backend) -> None:
    rule = {"fault": "status", "status": 503, "until_seconds": 0.2}
    patient = {"retries": {"initial_seconds": 0.2, "max_seconds": 0.4, "max_attempts": 20}}
    outcome = judged(backend, [rule], **patient)
    assert isinstance(outcome, Scored)
