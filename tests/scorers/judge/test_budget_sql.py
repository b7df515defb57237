"""A shared budget when its database is busy, away or wrong, and a judge that depends on it."""

import asyncio
import socket
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from pydantic import ValidationError

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.telemetry import BudgetExhausted, BudgetKind, BudgetSpent, JudgeCalled, JudgeStatus
from ragsonde.scorers.judge.budget import BudgetStore, MemoryBudgetStore, Spend
from ragsonde.scorers.judge.budget_sql import open_budget_store
from ragsonde.scorers.judge.config import DailyBudgetConfig
from ragsonde.scorers.judge.errors import BudgetUnavailableError
from ragsonde.scorers.judge.scorer import JudgeScorer
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from tests.app.sidecars import wait_for
from tests.scorers.judge.judging import InProcess, Recorder, config, reading, script

DAY = "2027-01-15"
NO_LIMITS = DailyBudgetConfig()
EXAMPLE = reading("The tower is 330 m high.", ["The tower is 330 m high."])


def open_store(url: str, **fields: Any) -> BudgetStore:
    return open_budget_store(config(budget={"store": {"url": url, **fields}}), {})


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def locked(path: Path) -> Iterator[sqlite3.Connection]:
    """Hold the file's write lock, as another process would in the midst of a transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def test_the_event_loop_goes_on_while_the_file_is_locked_and_the_reservation_comes_about(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    store = open_store(f"sqlite:///{path}", timeout_seconds=60)

    async def work(other: sqlite3.Connection) -> BudgetKind | None:
        waiting = asyncio.create_task(store.reserve(DAY, Spend(1), NO_LIMITS))
        for _ in range(100):
            await asyncio.sleep(0)
            assert not waiting.done()
        other.execute("COMMIT")
        return await waiting

    with locked(path) as other:
        assert asyncio.run(work(other)) is None
    store.close()


def test_a_file_that_stays_locked_allows_nothing(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    store = open_store(f"sqlite:///{path}", timeout_seconds=0.1)
    with locked(path), pytest.raises(BudgetUnavailableError, match="OperationalError"):
        asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))
    assert asyncio.run(store.adjust(DAY, Spend())) == Spend()
    store.close()


def test_a_row_that_stays_locked_allows_nothing(postgres: str) -> None:
    account = uuid.uuid4().hex
    store = open_store(postgres, account=account, timeout_seconds=0.2)
    asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))
    with psycopg.connect(postgres.replace("+psycopg", "")) as other:
        other.execute("SELECT 1 FROM ragsonde_judge_budget WHERE account = %s FOR UPDATE", (account,))
        with pytest.raises(BudgetUnavailableError, match="QueryCanceled"):
            asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))
    assert asyncio.run(store.adjust(DAY, Spend())) == Spend(1)
    store.close()


def test_a_reservation_that_nobody_waits_for_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    store: Any = open_store(f"sqlite:///{path}", timeout_seconds=60)
    began, reserve = threading.Event(), store._reserve

    def begin(*told: Any) -> Any:
        began.set()
        return reserve(*told)

    store._reserve = begin

    async def abandon() -> None:
        waiting = asyncio.create_task(store.reserve(DAY, Spend(1, 10), NO_LIMITS))
        await asyncio.to_thread(began.wait, 60)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    with locked(path) as other:
        asyncio.run(abandon())
        other.execute("COMMIT")
        # The row is there once the reservation has come about, and at nothing once it has been given back.
        row = "SELECT tokens FROM ragsonde_judge_budget"
        assert wait_for(lambda: other.execute(row).fetchone() == (0,), "the reservation to be given back")
    store.close()


def test_a_database_that_is_away_allows_nothing_and_keeps_nobody_from_starting() -> None:
    store = open_store(f"postgresql://u:secret@127.0.0.1:{free_port()}/b")
    with pytest.raises(BudgetUnavailableError, match="OperationalError") as raised:
        asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))
    assert "secret" not in str(raised.value)
    store.close()


def test_a_database_that_says_nothing_is_left_in_time() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        store = open_store(f"postgresql://u@127.0.0.1:{deaf.getsockname()[1]}/b", timeout_seconds=0.1)
        with pytest.raises(BudgetUnavailableError, match="did not answer"):
            asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))
        store.close()


def test_a_closed_store_allows_nothing(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/budget.db")
    store.close()
    with pytest.raises(BudgetUnavailableError, match="closed"):
        asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS))


def test_an_account_that_may_not_make_tables_can_use_one(postgres: str) -> None:
    open_and_use(postgres)
    role = f"reader_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {role} LOGIN PASSWORD 'p'")
        admin.execute(f"GRANT SELECT, INSERT, UPDATE ON ragsonde_judge_budget TO {role}")
    open_and_use(postgres.replace("tester:tester-s3cret", f"{role}:p"))


def open_and_use(url: str) -> None:
    store = open_store(url, account=uuid.uuid4().hex)
    assert asyncio.run(store.reserve(DAY, Spend(1), NO_LIMITS)) is None
    store.close()


# Configuration ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("no address", "no valid address"),
        ("mysql://h/b", "mysql is not known"),
        ("postgresql+asyncpg://h/b", "postgresql.asyncpg is not known"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("sqlite:///{folder}/file/none/budget.db", "cannot make"),
        ("sqlite:///{folder}/file", "cannot be used as a database"),
    ],
)
def test_an_address_that_can_never_work_is_refused_at_start(url: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database, and no folder either")
    with pytest.raises(ConfigError, match=said):
        open_store(url.format(folder=tmp_path))


def test_the_address_may_stand_in_the_environment_and_is_masked(tmp_path: Path) -> None:
    settings = config(budget={"store": {"url_env": "BUDGET_URL"}})
    open_budget_store(settings, {"BUDGET_URL": f"sqlite:///{tmp_path}/budget.db"}).close()
    with pytest.raises(ConfigError, match="BUDGET_URL is not set"):
        open_budget_store(settings, {})
    assert "secret" not in repr(config(budget={"store": {"url": "postgresql://u:secret@h/b"}}))


@pytest.mark.parametrize("store", [{}, {"url": "sqlite:///a", "url_env": "B"}])
def test_exactly_one_address_is_wanted(store: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="either url or url_env"):
        config(budget={"store": store})


def test_without_a_store_each_process_has_its_own_budget() -> None:
    assert isinstance(open_budget_store(config(), {}), MemoryBudgetStore)


# A judge with a shared budget ---------------------------------------------------------------------------------


def judged(server: InProcess, events: Recorder, **fields: Any) -> Outcome:
    judge = JudgeScorer(server.judge(config(cache={"max_entries": 0}, **fields), listener=events))
    (result,) = judge.score([EXAMPLE], Deadline(60))
    judge.close()
    return result[MetricKey.FAITHFULNESS]


def test_judges_that_share_a_store_keep_one_budget(tmp_path: Path) -> None:
    server, events = InProcess(script()), Recorder()
    budget = {"calls": 1, "store": {"url": f"sqlite:///{tmp_path}/budget.db"}}
    assert isinstance(judged(server, events, budget=budget), Scored)
    outcome = judged(server, events, budget=budget)
    assert isinstance(outcome, NotApplicable)
    assert outcome.reason is Reason.OVER_BUDGET
    assert server.stats()["calls"] == 1
    assert [event.kind for event in events.of(BudgetExhausted)] == [BudgetKind.CALLS]
    assert [event.calls for event in events.of(BudgetSpent)] == [1]


def test_a_judge_whose_budget_cannot_be_checked_is_not_asked_and_that_is_no_empty_budget() -> None:
    server, events = InProcess(script()), Recorder()
    budget = {"calls": 1, "store": {"url": f"postgresql://u@127.0.0.1:{free_port()}/b"}}
    quick = {"max_attempts": 2, "initial_seconds": 0.001}
    outcome = judged(server, events, budget=budget, retries=quick)
    assert isinstance(outcome, Failed)
    assert outcome.kind is FailureKind.JUDGE_UNAVAILABLE
    assert "budget store" in (outcome.explanation or "")
    assert server.stats().get("calls", 0) == 0
    assert [event.status for event in events.of(JudgeCalled)] == [JudgeStatus.BUDGET_UNAVAILABLE] * 2
    assert events.of(BudgetExhausted) == []
