"""What every store of a budget promises: in memory, in an SQLite file, in PostgreSQL."""

import asyncio
import json
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragsonde.collector.telemetry import BudgetKind
from ragsonde.scorers.judge.budget import BudgetStore, MemoryBudgetStore, Spend
from ragsonde.scorers.judge.budget_sql import open_budget_store
from ragsonde.scorers.judge.config import DailyBudgetConfig
from tests.scorers.judge.judging import config

DAY, NEXT_DAY = "2027-01-15", "2027-01-16"
NO_LIMITS = DailyBudgetConfig()
SQL = ("sqlite", "postgres")

Opener = Callable[..., BudgetStore]


def opener(kind: str, request: pytest.FixtureRequest, folder: Path) -> Opener:
    """Return what opens a store; two with the same account share what is spent, where they can."""
    if kind == "memory":
        return lambda account="", **fields: MemoryBudgetStore()
    url = f"sqlite:///{folder}/budget.db" if kind == "sqlite" else request.getfixturevalue("postgres")

    def open_store(account: str | None = None, **fields: Any) -> BudgetStore:
        store = {"url": url, "account": account or uuid.uuid4().hex, **fields}
        return open_budget_store(config(budget={"store": store}), {})

    return open_store


@pytest.fixture(params=["memory", *SQL])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    return opener(request.param, request, tmp_path)


@pytest.fixture(params=SQL)
def open_sql(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    return opener(request.param, request, tmp_path)


@pytest.fixture
def store(open_store: Opener) -> Iterator[BudgetStore]:
    opened = open_store()
    yield opened
    opened.close()
    opened.close()


def total(store: BudgetStore, day: str = DAY) -> Spend:
    return asyncio.run(store.adjust(day, Spend()))


def test_amounts_are_added_while_they_keep_within_the_limits(store: BudgetStore) -> None:
    limits = DailyBudgetConfig(calls=2, tokens=100, money=1.0)
    assert asyncio.run(store.reserve(DAY, Spend(1, 60, 0.5), limits)) is None
    assert asyncio.run(store.reserve(DAY, Spend(1, 41, 0.5), limits)) is BudgetKind.TOKENS
    assert asyncio.run(store.reserve(DAY, Spend(1, 40, 0.75), limits)) is BudgetKind.MONEY
    assert asyncio.run(store.reserve(DAY, Spend(1, 40, 0.5), limits)) is None
    assert asyncio.run(store.reserve(DAY, Spend(1, 0, 0.0), limits)) is BudgetKind.CALLS
    assert total(store) == Spend(2, 100, 1.0)


def test_an_amount_beyond_a_limit_is_refused_on_a_fresh_day_as_well(store: BudgetStore) -> None:
    assert asyncio.run(store.reserve(DAY, Spend(1, 5), DailyBudgetConfig(calls=0))) is BudgetKind.CALLS
    assert total(store) == Spend()


def test_without_limits_everything_is_counted(store: BudgetStore) -> None:
    for _ in range(3):
        assert asyncio.run(store.reserve(DAY, Spend(1, 2**40, 0.1), NO_LIMITS)) is None
    assert total(store) == Spend(3, 3 * 2**40, pytest.approx(0.3))


def test_a_day_begins_at_nothing_and_what_is_settled_late_does_not_touch_it(store: BudgetStore) -> None:
    limits = DailyBudgetConfig(calls=1)
    assert asyncio.run(store.reserve(DAY, Spend(1, 10), limits)) is None
    assert asyncio.run(store.reserve(NEXT_DAY, Spend(1, 7), limits)) is None
    assert asyncio.run(store.adjust(DAY, Spend(0, -5))) == Spend(1, 7)
    assert asyncio.run(store.reserve(NEXT_DAY, Spend(1, 7), limits)) is BudgetKind.CALLS


amounts = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=12)


@given(amounts, st.integers(0, 150))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_reservations_at_once_never_pass_the_limit_and_settle_to_the_truth(
    open_store: Opener, calls: list[tuple[int, int]], limit: int
) -> None:
    store = open_store()
    limits = DailyBudgetConfig(tokens=limit)

    async def call(most: int, actual: int) -> int:
        if await store.reserve(DAY, Spend(1, most), limits) is not None:
            return 0
        during = await store.adjust(DAY, Spend())
        assert during.tokens <= limit
        await store.adjust(DAY, Spend(0, min(most, actual) - most))
        return min(most, actual)

    async def all_calls() -> int:
        return sum(await asyncio.gather(*(call(*one) for one in calls)))

    spent = asyncio.run(all_calls())
    assert total(store).tokens == spent <= limit
    store.close()


# Stores that are shared ---------------------------------------------------------------------------------------


def test_stores_of_one_account_share_it_and_others_do_not(open_sql: Opener) -> None:
    account = uuid.uuid4().hex
    mine, replica, other = open_sql(account), open_sql(account), open_sql()
    limits = DailyBudgetConfig(calls=1)
    assert asyncio.run(mine.reserve(DAY, Spend(1, 10, 0.5), limits)) is None
    assert asyncio.run(replica.reserve(DAY, Spend(1), limits)) is BudgetKind.CALLS
    assert asyncio.run(other.reserve(DAY, Spend(1), limits)) is None
    assert total(replica) == Spend(1, 10, 0.5)
    for one in (mine, replica, other):
        one.close()


def test_what_was_spent_outlives_a_restart(open_sql: Opener) -> None:
    account = uuid.uuid4().hex
    before = open_sql(account)
    asyncio.run(before.reserve(DAY, Spend(1, 10), NO_LIMITS))
    before.close()
    after = open_sql(account)
    assert total(after) == Spend(1, 10)
    after.close()


def test_totals_of_days_long_gone_are_removed(open_sql: Opener) -> None:
    account = uuid.uuid4().hex
    store = open_sql(account, keep_days=30)
    days = [(date(2027, 1, 1) + timedelta(days=number)).isoformat() for number in (0, 15, 45)]
    for day in days:
        asyncio.run(store.reserve(day, Spend(1), NO_LIMITS))
    with store._engine.connect() as connection:  # type: ignore[attr-defined]
        query = sa.text("SELECT day FROM ragsonde_judge_budget WHERE account = :account ORDER BY day")
        assert list(connection.execute(query, {"account": account}).scalars()) == days[1:]
    store.close()


RACER = """
import asyncio, json, sys
from ragsonde.scorers.judge.budget import Spend
from ragsonde.scorers.judge.budget_sql import open_budget_store
from ragsonde.scorers.judge.config import DailyBudgetConfig, JudgeConfig

told = json.loads(sys.argv[1])
config = {"model": "m", "base_url": "http://judge.test", "budget": {"store": told["store"]}}
store = open_budget_store(JudgeConfig.model_validate(config), {})
limits = DailyBudgetConfig(tokens=told["limit"])

async def race():
    granted = 0
    for _ in range(told["rounds"]):
        kinds = await asyncio.gather(*(store.reserve(told["day"], Spend(1, 7), limits) for _ in range(4)))
        granted += kinds.count(None)
    return granted

print("ready", flush=True)
sys.stdin.readline()
print(asyncio.run(race()))
store.close()
"""


@pytest.mark.parametrize("kind", SQL)
def test_two_processes_that_race_never_pass_the_limit_and_use_it_up(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/budget.db" if kind == "sqlite" else request.getfixturevalue("postgres")
    store = {"url": url, "account": uuid.uuid4().hex, "timeout_seconds": 60}
    limit = 7 * 50 + 3
    told = json.dumps({"store": store, "limit": limit, "rounds": 10, "day": DAY})
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, told],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONPATH": "src", "PATH": "/usr/bin:/bin"},
            cwd=Path(__file__).parents[2],
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    granted = [int(racer.communicate(timeout=120)[0]) for racer in racers]
    assert sum(granted) == 50
    left = open_budget_store(config(budget={"store": store}), {})
    assert total(left) == Spend(50, 350)
    left.close()
