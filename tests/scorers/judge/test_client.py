"""The client retries what can pass, stops at what cannot, keeps its deadline, its budget and its secrets."""

import asyncio
import logging
import traceback
from collections.abc import Callable, Coroutine
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.telemetry import (
    BreakerChanged,
    BudgetExhausted,
    BudgetLimited,
    BudgetSpent,
    JudgeCalled,
    JudgeStatus,
)
from ragsonde.scorers.judge.client import JudgeClient
from ragsonde.scorers.judge.credentials import secret_headers
from ragsonde.scorers.judge.errors import (
    ContextOverflowError,
    InvalidReplyError,
    JudgeError,
    JudgeTimeoutError,
    JudgeUnavailableError,
    OverBudgetError,
)
from ragsonde.scorers.judge.wire import ChatPrompt
from ragsonde.testing.judge_script import Script
from tests.scorers.judge.judging import InProcess, MovableClock, Recorder, config, script

PROMPT = ChatPrompt(system="Judge.\nTask: other, version 1.", user="Check word: abc", schema_name="other", schema={})
KEY = "sk-very-secret"


class Bench:
    """A client in front of a scripted server, on a clock that only sleeping moves."""

    def __init__(self, told: Script, **fields: Any) -> None:
        self.server = InProcess(told)
        self.clock = MovableClock()
        self.recorder = Recorder()
        self.settings = config(**fields)

    def run(self, work: Callable[[JudgeClient], Coroutine[Any, Any, Any]]) -> Any:
        async def session() -> Any:
            client = self.server.judge(
                self.settings, clock=self.clock, sleep=self.clock.sleep, listener=self.recorder
            )._client
            try:
                return await work(client)
            finally:
                await client.aclose()

        return asyncio.run(session())

    def complete(self, seconds: float = 100.0) -> Any:
        return self.run(lambda client: client.complete(PROMPT, seconds=seconds))

    def statuses(self) -> list[JudgeStatus]:
        return [event.status for event in self.recorder.of(JudgeCalled)]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_what_may_pass_is_tried_again_with_growing_spread_waits(status: int) -> None:
    bench = Bench(script([{"fault": "status", "status": status, "first": 3}]))
    bench.complete()
    assert bench.server.stats()["calls"] == 4
    assert len(bench.clock.slept) == 3
    for attempt, waited in enumerate(bench.clock.slept, start=1):
        assert 0 <= waited <= 0.5 * 2**attempt


@pytest.mark.parametrize("form", ["7", "date"])
def test_retry_after_is_honoured_in_both_forms(form: str) -> None:
    value = formatdate(1_800_000_007, usegmt=True) if form == "date" else form
    bench = Bench(script([{"fault": "status", "status": 429, "first": 1, "retry_after": value}]))
    bench.complete()
    assert 7.0 <= sum(bench.clock.slept) <= 7.7 + 1e-9


def test_a_wait_that_would_outlast_the_deadline_is_not_begun() -> None:
    bench = Bench(script([{"fault": "status", "status": 429, "retry_after": "3600"}]))
    with pytest.raises(JudgeUnavailableError, match="429"):
        bench.complete(seconds=50)
    assert bench.server.stats()["calls"] == 1
    assert bench.clock.slept == []


def test_attempts_are_bounded() -> None:
    bench = Bench(script([{"fault": "status", "status": 500}]), retries={"max_attempts": 3})
    with pytest.raises(JudgeUnavailableError):
        bench.complete()
    assert bench.server.stats()["calls"] == 3


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_what_cannot_succeed_is_asked_once_and_opens_the_breaker(status: int) -> None:
    bench = Bench(script([{"fault": "status", "status": status, "first": 1}]), breaker={"cooldown_seconds": 30})

    async def calls(client: JudgeClient) -> list[str]:
        seen = []
        for pause in (0, 0, 31, 0):
            bench.clock.move(pause)
            try:
                await client.complete(PROMPT, seconds=10)
                seen.append("ok")
            except JudgeUnavailableError as error:
                seen.append(str(error))
        return seen

    first, second, *rest = bench.run(calls)
    assert str(status) in first
    assert second.startswith("not asked, since")
    assert rest == ["ok", "ok"]
    assert bench.server.stats()["calls"] == 3
    assert [event.state.value for event in bench.recorder.of(BreakerChanged)] == [
        "closed", "open", "half_open", "closed"
    ]  # fmt: skip
    assert JudgeStatus.BREAKER_OPEN in bench.statuses()


def test_a_judge_that_is_down_opens_the_breaker_after_some_questions() -> None:
    bench = Bench(script([{"fault": "status", "status": 503}]), retries={"max_attempts": 1}, breaker={"failures": 3})

    async def calls(client: JudgeClient) -> None:
        for _ in range(6):
            with pytest.raises(JudgeUnavailableError):
                await client.complete(PROMPT, seconds=10)

    bench.run(calls)
    assert bench.server.stats()["calls"] == 3


def test_a_hanging_judge_is_left_at_the_deadline_and_counted() -> None:
    bench = Bench(script([{"fault": "hang"}]), timeouts={"total_seconds": 0.05})
    with pytest.raises(JudgeTimeoutError):
        bench.complete()
    assert bench.statuses() == [JudgeStatus.TIMEOUT]


def test_no_call_is_made_when_no_time_is_left() -> None:
    bench = Bench(script())
    with pytest.raises(JudgeTimeoutError):
        bench.complete(seconds=0)
    assert "calls" not in bench.server.stats()


def test_texts_that_a_content_filter_refuses_do_not_open_the_breaker() -> None:
    bench = Bench(script([{"fault": "status", "status": 400, "code": "content_filter"}]), breaker={"failures": 1})

    async def calls(client: JudgeClient) -> None:
        for _ in range(3):
            with pytest.raises(JudgeUnavailableError, match="content filter"):
                await client.complete(PROMPT, seconds=10)

    bench.run(calls)
    assert bench.server.stats()["calls"] == 3


def test_the_shape_is_asked_for_less_strictly_after_a_refusal_and_that_is_kept() -> None:
    bench = Bench(script([{"fault": "no_structure"}]))

    async def calls(client: JudgeClient) -> None:
        for _ in range(3):
            await client.complete(PROMPT, seconds=10)

    bench.run(calls)
    bodies = [seen["body"] for seen in bench.server.prompts()]
    assert [body.get("response_format", {}).get("type") for body in bodies] == [
        "json_schema",
        "json_object",
        None,
        None,
        None,
    ]


def test_a_configured_structure_is_not_given_up() -> None:
    bench = Bench(script([{"fault": "no_structure"}]), structure="json_schema")
    with pytest.raises(JudgeUnavailableError, match="400"):
        bench.complete()
    assert bench.server.stats()["calls"] == 1


def test_a_model_that_refuses_a_temperature_is_asked_without() -> None:
    bench = Bench(script([{"fault": "no_temperature"}]), api="anthropic")
    bench.complete()
    bodies = [seen["body"] for seen in bench.server.prompts()]
    assert ["temperature" in body for body in bodies] == [True, False]


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ({"fault": "status", "status": 400, "code": "context_length_exceeded"}, ContextOverflowError),
        ({"fault": "status", "status": 429, "code": "insufficient_quota"}, JudgeUnavailableError),
        ({"fault": "not_json"}, InvalidReplyError),
        ({"fault": "empty"}, InvalidReplyError),
        ({"fault": "hidden_error", "status": 401}, JudgeUnavailableError),
    ],
)
def test_what_is_no_reply_is_a_typed_error_without_retries(rule: dict[str, Any], kind: type[JudgeError]) -> None:
    bench = Bench(script([rule]))
    with pytest.raises(kind):
        bench.complete()
    assert bench.server.stats()["calls"] == 1


def test_an_error_hidden_in_a_success_is_retried_like_an_open_one() -> None:
    bench = Bench(script([{"fault": "hidden_error", "status": 429, "first": 1}]))
    bench.complete()
    assert bench.server.stats()["calls"] == 2


def test_a_reply_longer_than_the_bound_is_not_read() -> None:
    bench = Bench(script(overrides=[{"task": "other", "reply": {"label": "x" * 5000}}]), max_reply_bytes=2048)
    with pytest.raises(InvalidReplyError, match="2048"):
        bench.complete()


def test_budgets_stop_calls_before_they_are_made() -> None:
    bench = Bench(script(), budget={"calls": 2})

    async def calls(client: JudgeClient) -> None:
        await client.complete(PROMPT, seconds=10)
        await client.complete(PROMPT, seconds=10)
        with pytest.raises(OverBudgetError):
            await client.complete(PROMPT, seconds=10)
        bench.clock.move(86_400)
        await client.complete(PROMPT, seconds=10)

    bench.run(calls)
    assert bench.server.stats()["calls"] == 3
    assert [event.kind.value for event in bench.recorder.of(BudgetExhausted)] == ["calls"]
    assert [(event.kind.value, event.limit) for event in bench.recorder.of(BudgetLimited)] == [("calls", 2)]
    assert bench.statuses().count(JudgeStatus.OVER_BUDGET) == 1


def test_refused_calls_cost_nothing_and_answered_ones_what_the_server_counted() -> None:
    price = {"input_per_million": 1_000_000, "output_per_million": 1_000_000}
    bench = Bench(script([{"fault": "status", "status": 500, "first": 1}]), price=price)
    completion = bench.complete()
    tokens = completion.input_tokens + completion.output_tokens
    spent = bench.recorder.of(BudgetSpent)[-1]
    assert (spent.calls, spent.tokens) == (1, tokens)
    assert spent.money == pytest.approx(tokens)
    refused, answered = bench.recorder.of(JudgeCalled)
    assert (refused.input_tokens, refused.cost) == (None, None)
    assert answered.cost == pytest.approx(tokens)
    assert (answered.input_tokens, answered.output_tokens) == (
        bench.server.stats()["input_tokens"],
        bench.server.stats()["output_tokens"],
    )


def test_tokens_that_a_server_does_not_count_are_unknown_but_budgeted() -> None:
    bench = Bench(script([{"fault": "no_usage"}]))
    bench.complete()
    (called,) = bench.recorder.of(JudgeCalled)
    assert called.input_tokens is None
    assert bench.recorder.of(BudgetSpent)[-1].tokens > 0


def test_a_call_that_was_cut_off_keeps_its_input_on_the_books() -> None:
    bench = Bench(script([{"fault": "hang"}]), timeouts={"total_seconds": 0.05})
    with pytest.raises(JudgeTimeoutError):
        bench.complete()
    spent = bench.recorder.of(BudgetSpent)[-1]
    assert spent.calls == 1
    assert 0 < spent.tokens < 100


def test_overload_lowers_concurrency() -> None:
    bench = Bench(script([{"fault": "status", "status": 429, "first": 1}]), concurrency={"initial": 8})

    async def limit(client: JudgeClient) -> int:
        await client.complete(PROMPT, seconds=60)
        return client._limiter.limit

    assert bench.run(limit) == 4


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("status", [400, 401, 500])
def test_no_key_and_no_prompt_appears_in_errors_logs_or_views(
    api: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bench = Bench(
        script([{"fault": "status", "status": status}]), api=api, api_key=KEY, headers={"x-gateway": "sk-second"}
    )
    with pytest.raises(JudgeUnavailableError) as caught:
        bench.complete()
    shown = "".join(traceback.format_exception(caught.value)) + caplog.text + repr(bench.settings) + str(bench.settings)
    shown += bench.settings.model_dump_json()
    for secret in (KEY, "sk-second", "sk-secret"):
        assert secret not in shown
    assert PROMPT.user not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "header", "value"),
    [
        ({}, "authorization", f"Bearer {KEY}"),
        ({"auth_header": "api-key"}, "api-key", KEY),
        ({"api": "anthropic"}, "x-api-key", KEY),
    ],
)
def test_the_key_travels_in_the_header_that_the_server_wants(fields: dict[str, Any], header: str, value: str) -> None:
    bench = Bench(script(), api_key=KEY, **fields)
    bench.complete()
    sent = bench.server.prompts()[0]["headers"]
    assert {name: text for name, text in sent.items() if KEY in text} == {header: value}


def test_the_judges_key_never_goes_to_another_host() -> None:
    bench = Bench(script(), api_key=KEY, embeddings={"model": "e", "base_url": "http://other.test/v1"})
    bench.run(lambda client: client.embed(["a"], seconds=10))
    (seen,) = bench.server.prompts()
    assert seen["task"] == "embeddings"
    assert KEY not in str(seen["headers"])
    bench = Bench(script(), api_key=KEY, embeddings={"model": "e"})
    bench.run(lambda client: client.embed(["a"], seconds=10))
    assert KEY in str(bench.server.prompts()[0]["headers"])


def test_a_key_that_cannot_be_had_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"judge\.api_key_env.*MY_KEY"):
        secret_headers(config(api_key_env="MY_KEY"), {})
    with pytest.raises(ConfigError, match=r"judge\.api_key_file"):
        secret_headers(config(api_key_file=tmp_path / "none"), {})
    (tmp_path / "key").write_text(f"{KEY}\n")
    assert secret_headers(config(api_key_file=tmp_path / "key"), {})["authorization"].get_secret_value().endswith(KEY)
    with pytest.raises(ConfigError) as caught:
        secret_headers(config(api_key="sk-a\nb"), {})
    with pytest.raises(ConfigError, match=r"judge\.embeddings\.api_key_env"):
        InProcess(script()).judge(
            config(embeddings={"model": "e", "base_url": "http://other.test/v1", "api_key_env": "NOT_SET"}), environ={}
        )
    assert "sk-a" not in str(caught.value)
    assert secret_headers(config(), {}) == {}


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"base_url": "ftp://x"}, "base_url"),
        ({"structure": "tool"}, "structure"),
        ({"api": "anthropic", "structure": "json_schema"}, "structure"),
        ({"api_key": "a", "api_key_env": "b"}, "only one of"),
        ({"max_output_tokens": 40_000}, "max_output_tokens"),
        ({"api": "anthropic", "embeddings": {"model": "e"}}, "embeddings.base_url"),
        ({"concurrency": {"initial": 20, "maximum": 4}}, "initial"),
        ({"budgets": {}}, "budgets"),
        ({"temperature": float("nan")}, "temperature"),
    ],
)
def test_settings_that_cannot_work_are_refused(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        config(**fields)


def test_embeddings_come_back_in_order_and_have_a_breaker_of_their_own() -> None:
    told = script([{"fault": "status", "status": 404, "tasks": ["embeddings"], "first": 1}])
    bench = Bench(told, embeddings={"model": "e"}, breaker={"cooldown_seconds": 5})

    async def calls(client: JudgeClient) -> tuple[Any, Any]:
        with pytest.raises(JudgeUnavailableError):
            await client.embed(["a"], seconds=10)
        await client.complete(PROMPT, seconds=10)
        bench.clock.move(6)
        both = await client.embed(["one word", "other thing"], seconds=10)
        return both, await client.embed(["other thing"], seconds=10)

    both, single = bench.run(calls)
    assert both.vectors[1] == single.vectors[0]
    assert both.vectors[0] != both.vectors[1]
