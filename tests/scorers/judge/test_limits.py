"""Concurrency, breaker, budget and prices: what keeps a judge from being asked too much."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.telemetry import BreakerState, BudgetKind
from ragsonde.scorers.judge.breaker import CircuitBreaker
from ragsonde.scorers.judge.budget import Budget, MemoryBudgetStore, Spend
from ragsonde.scorers.judge.concurrency import AdaptiveLimiter
from ragsonde.scorers.judge.config import BreakerConfig, ConcurrencyConfig, DailyBudgetConfig
from ragsonde.scorers.judge.errors import JudgeUnavailableError, OverBudgetError
from ragsonde.scorers.judge.prices import find_embedding_price, find_price
from tests.scorers.judge.judging import MovableClock, config


@given(st.lists(st.booleans(), max_size=200), st.integers(1, 8), st.integers(8, 64))
def test_the_limit_stays_between_one_and_its_maximum(successes: list[bool], initial: int, maximum: int) -> None:
    clock = MovableClock()
    limiter = AdaptiveLimiter(ConcurrencyConfig(initial=initial, maximum=maximum), clock=clock)
    for success in successes:
        clock.move(1)
        if success:
            limiter.succeeded()
        else:
            limiter.overloaded(clock.now, None)
        assert 1 <= limiter.limit <= maximum


def test_calls_of_one_overload_halve_the_limit_once() -> None:
    clock = MovableClock()
    limiter = AdaptiveLimiter(ConcurrencyConfig(initial=16, maximum=16), clock=clock)
    began = clock.now
    clock.move(1)
    for _ in range(10):
        limiter.overloaded(began, None)
    assert limiter.limit == 8
    limiter.overloaded(clock.now, None)
    assert limiter.limit == 4


def test_no_more_calls_run_than_the_limit_allows_and_a_pause_holds_all() -> None:
    clock = MovableClock()
    limiter = AdaptiveLimiter(ConcurrencyConfig(initial=2, maximum=2), clock=clock, sleep=clock.sleep)
    limiter.overloaded(clock.now, 5.0)
    running, most = 0, 0

    async def call() -> None:
        nonlocal running, most
        async with limiter.slot():
            assert clock.now >= 1005.0
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1

    async def all_calls() -> None:
        await asyncio.gather(*(call() for _ in range(10)))

    asyncio.run(all_calls())
    assert most == 1
    assert running == 0


def test_a_breaker_opens_probes_once_and_closes() -> None:
    clock, states = MovableClock(), list[BreakerState]()
    breaker = CircuitBreaker(BreakerConfig(failures=3, cooldown_seconds=30), clock=clock, on_change=states.append)
    for _ in range(2):
        breaker.failed("down", permanent=False, probe=breaker.admit())
    breaker.succeeded()
    for _ in range(3):
        breaker.failed("down", permanent=False, probe=breaker.admit())
    with pytest.raises(JudgeUnavailableError, match="since down"):
        breaker.admit()
    clock.move(31)
    assert breaker.admit()
    with pytest.raises(JudgeUnavailableError):
        breaker.admit()
    breaker.failed("still down", permanent=False, probe=True)
    with pytest.raises(JudgeUnavailableError, match="still down"):
        breaker.admit()
    clock.move(31)
    assert breaker.admit()
    breaker.abandoned(probe=True)
    assert breaker.admit()
    breaker.succeeded()
    assert not breaker.admit()
    assert states == [
        BreakerState.OPEN,
        BreakerState.HALF_OPEN,
        BreakerState.OPEN,
        BreakerState.HALF_OPEN,
        BreakerState.CLOSED,
    ]


def test_what_cannot_succeed_opens_the_breaker_at_once() -> None:
    breaker = CircuitBreaker(BreakerConfig(failures=100), clock=MovableClock())
    breaker.failed("HTTP 401", permanent=True, probe=False)
    assert breaker.state is BreakerState.OPEN


def test_a_call_from_before_does_not_end_a_probe_that_runs() -> None:
    clock = MovableClock()
    breaker = CircuitBreaker(BreakerConfig(failures=1, cooldown_seconds=1), clock=clock)
    old = breaker.admit()
    breaker.failed("down", permanent=False, probe=False)
    clock.move(2)
    breaker.admit()
    breaker.abandoned(probe=old)
    with pytest.raises(JudgeUnavailableError):
        breaker.admit()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=40), st.integers(0, 200))
def test_reservations_never_pass_the_limit_and_settle_to_the_truth(calls: list[tuple[int, int]], limit: int) -> None:
    async def spend() -> tuple[int, int]:
        store = MemoryBudgetStore()
        budget = Budget(DailyBudgetConfig(tokens=limit), store=store, clock=MovableClock())
        truth = 0
        for most, actual in calls:
            try:
                reservation = await budget.reserve(Spend(1, most))
            except OverBudgetError:
                assert truth + most > limit
                continue
            truth += min(most, actual)
            await budget.settle(reservation, Spend(1, min(most, actual)))
        return truth, (await store.adjust("2027-01-15", Spend())).tokens

    truth, kept = asyncio.run(spend())
    assert truth == kept <= limit


def test_a_budget_begins_anew_each_utc_day_and_late_settlements_do_not_touch_it() -> None:
    clock, exhausted = MovableClock(), list[BudgetKind]()

    async def days() -> Spend:
        store = MemoryBudgetStore()
        budget = Budget(DailyBudgetConfig(calls=1), store=store, clock=clock, on_exhausted=exhausted.append)
        yesterday = await budget.reserve(Spend(1, 10))
        with pytest.raises(OverBudgetError, match="calls"):
            await budget.reserve(Spend(1, 10))
        clock.move(86_400)
        today = await budget.reserve(Spend(1, 7))
        await budget.settle(yesterday, Spend(1, 3))
        return await budget.settle(today, Spend(1, 5))

    assert asyncio.run(days()) == Spend(1, 5)
    assert exhausted == [BudgetKind.CALLS]


def test_an_unknown_price_is_said_and_never_guessed() -> None:
    assert find_price(config()) is None
    assert find_price(config(model="gpt-4.1-mini")) is None, "another host may charge something else"
    listed = find_price(config(model="gpt-4.1-mini", base_url="https://api.openai.com/v1"))
    assert listed is not None
    assert listed.cost(1_000_000, 1_000_000) == pytest.approx(2.0)
    with pytest.raises(ConfigError, match=r"judge\.price"):
        find_price(config(budget={"money": 5}))
    with pytest.raises(ConfigError, match=r"judge\.embeddings\.price_per_million"):
        find_embedding_price(config(budget={"money": 5}, embeddings={"model": "e"}))
    own = find_price(config(budget={"money": 5}, price={"input_per_million": 1, "output_per_million": 3}))
    assert own is not None
    assert own.cost(1000, 1000) == pytest.approx(0.004)
