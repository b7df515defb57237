"""A budget in a database, for processes that share it: SQLite on one machine, PostgreSQL between machines.

A reservation is one statement, which adds the amount only where the sum keeps within the limits; the database lets no
two of them pass each other, so the sum never exceeds a limit, however many processes reserve at once. What is reserved
by a process that then dies stays spent for that day. A database that does not answer allows nothing: the error is
``BudgetUnavailableError``, and the judge's breaker then keeps questions from waiting for it one by one.
"""

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.telemetry import BudgetKind
from ragsonde.scorers.judge.budget import BudgetStore, MemoryBudgetStore, Spend, broken_limit
from ragsonde.scorers.judge.config import BudgetStoreConfig, DailyBudgetConfig, JudgeConfig
from ragsonde.scorers.judge.errors import BudgetUnavailableError

T = TypeVar("T")

_log = logging.getLogger(__name__)

_THREADS = 4
"""Statements under way at once. They are short; what hangs keeps no more threads than these."""
_GRACE_SECONDS = 1.0
"""Beyond the database's own time limit, for a network that swallows everything."""

_TABLE = sa.Table(
    "ragsonde_judge_budget",
    sa.MetaData(),
    sa.Column("account", sa.String(200), primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("calls", sa.BigInteger, nullable=False),
    sa.Column("tokens", sa.BigInteger, nullable=False),
    sa.Column("money", sa.Double, nullable=False),
)
_TOTALS = (_TABLE.c.calls, _TABLE.c.tokens, _TABLE.c.money)


def open_budget_store(config: JudgeConfig, environ: Mapping[str, str]) -> BudgetStore:
    """The store that the configuration asks for.

    Raises:
        ConfigError: its address is missing or malformed, its driver is not installed, or its file cannot be used.
    """
    store = config.budget.store
    if store is None:
        return MemoryBudgetStore()
    return SqlBudgetStore(_url(store, environ), store, account=store.account or config.model)


class SqlBudgetStore:
    """Keeps the daily spending of one account in a database.

    The table is made at the first use, where there is none. A PostgreSQL that is away does not keep the sidecar from
    starting.

    Raises:
        ConfigError: the driver is not installed, or the SQLite file cannot be used.
    """

    def __init__(self, url: sa.URL, config: BudgetStoreConfig, *, account: str) -> None:
        self._account = account
        self._config = config
        self._is_postgres = url.get_backend_name() == "postgresql"
        self._engine = _engine(url, config.timeout_seconds)
        self._is_prepared = False
        self._cleaned_day = ""
        self._executor = concurrent.futures.ThreadPoolExecutor(_THREADS, thread_name_prefix="ragsonde-budget")
        if not self._is_postgres:
            try:
                self._prepare()
            except sa.exc.SQLAlchemyError as error:
                self.close()
                raise ConfigError(
                    f"scoring.judge.budget.store.url: {url.database} cannot be used as a database: {_cause(error)}"
                ) from error

    async def reserve(self, day: str, amount: Spend, limits: DailyBudgetConfig) -> BudgetKind | None:
        """Add ``amount`` if it keeps within ``limits``; else name the limit it breaks.

        Where the caller does not wait for the end, a reservation that still comes about is given back.

        Raises:
            BudgetUnavailableError: the database cannot be asked.
        """

        def give_back(done: "concurrent.futures.Future[BudgetKind | None]") -> None:
            if not done.cancelled() and done.exception() is None and done.result() is None:
                with contextlib.suppress(RuntimeError):  # closed meanwhile: the reservation stands
                    self._executor.submit(self._give_back, day, amount)

        return await self._in_thread(partial(self._reserve, day, amount, limits), abandoned=give_back)

    async def adjust(self, day: str, amount: Spend) -> Spend:
        """Add ``amount`` to the day's total and give the newest day's.

        Raises:
            BudgetUnavailableError: the database cannot be asked.
        """
        return await self._in_thread(partial(self._adjust, day, amount))

    def close(self) -> None:
        """Let go of threads and connections. May be called twice."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._engine.dispose()

    async def _in_thread(
        self,
        work: Callable[[], T],
        *,
        abandoned: "Callable[[concurrent.futures.Future[T]], None]" = lambda _done: None,
    ) -> T:
        """Run ``work`` off the event loop; ``abandoned`` gets its future where nobody waits for the end."""
        try:
            future = self._executor.submit(work)
        except RuntimeError as error:
            raise BudgetUnavailableError("the judge's budget store has been closed") from error
        seconds = self._config.timeout_seconds + _GRACE_SECONDS
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), seconds)
        except (TimeoutError, asyncio.CancelledError) as error:
            future.add_done_callback(abandoned)
            if isinstance(error, asyncio.CancelledError):
                raise
            raise BudgetUnavailableError(f"the judge's budget store did not answer in {seconds:g} seconds") from error
        except sa.exc.SQLAlchemyError as error:
            raise BudgetUnavailableError(f"the judge's budget store cannot be asked: {_cause(error)}") from error

    # In a thread of the executor -----------------------------------------------------------------------------

    def _reserve(self, day: str, amount: Spend, limits: DailyBudgetConfig) -> BudgetKind | None:
        self._prepare()
        broken = broken_limit(amount, limits)
        if broken is not None:
            return broken
        with self._transaction() as connection:
            if connection.execute(self._add_within(day, amount, limits)).first() is None:
                # Here the row is locked by the statement above, so that this reads what that has seen.
                row = connection.execute(sa.select(*_TOTALS).where(*self._is_row(day))).one()
                broken = broken_limit(_spend(row) + amount, limits)
                if broken is None:
                    raise sa.exc.InvalidRequestError("a reservation within its limits was refused")
        self._clean_up(day)
        return broken

    def _add_within(self, day: str, amount: Spend, limits: DailyBudgetConfig) -> sa.Executable:
        """A statement that adds, and gives a row, only where the sum keeps within the limits."""
        insert = postgresql.insert(_TABLE) if self._is_postgres else sqlite.insert(_TABLE)
        pairs = zip(_TOTALS, (limits.calls, limits.tokens, limits.money), strict=True)
        added = {column.name: column + getattr(amount, column.name) for column in _TOTALS}
        return (
            insert.values(account=self._account, day=day, calls=amount.calls, tokens=amount.tokens, money=amount.money)
            .on_conflict_do_update(
                index_elements=["account", "day"],
                set_=added,
                where=sa.and_(
                    sa.true(), *(added[column.name] <= limit for column, limit in pairs if limit is not None)
                ),
            )
            .returning(_TABLE.c.calls)
        )

    def _adjust(self, day: str, amount: Spend) -> Spend:
        self._prepare()
        with self._transaction() as connection:
            connection.execute(
                sa.update(_TABLE)
                .where(*self._is_row(day))
                .values({column.name: column + getattr(amount, column.name) for column in _TOTALS})
            )
            newest = sa.select(*_TOTALS).where(_TABLE.c.account == self._account).order_by(_TABLE.c.day.desc()).limit(1)
            row = connection.execute(newest).first()
        return Spend() if row is None else _spend(row)

    def _give_back(self, day: str, amount: Spend) -> None:
        try:
            self._adjust(day, Spend() - amount)
        except sa.exc.SQLAlchemyError as error:
            _log.warning("a reservation nobody waited for could not be given back (%s): it stands", _cause(error))

    def _clean_up(self, day: str) -> None:
        """Remove totals of days long gone, once a day."""
        if self._cleaned_day == day:
            return
        oldest = (date.fromisoformat(day) - timedelta(days=self._config.keep_days)).isoformat()
        try:
            with self._transaction() as connection:
                connection.execute(sa.delete(_TABLE).where(_TABLE.c.account == self._account, _TABLE.c.day < oldest))
        except sa.exc.SQLAlchemyError as error:
            _log.info("old totals of the judge's budget could not be removed: %s", _cause(error))
        self._cleaned_day = day

    def _prepare(self) -> None:
        """Make the table where there is none. Asked first: an account that may not make tables can use one."""
        if self._is_prepared:
            return
        if not sa.inspect(self._engine).has_table(_TABLE.name):
            try:
                with self._transaction() as connection:
                    connection.execute(sa.schema.CreateTable(_TABLE, if_not_exists=True))
            except (sa.exc.IntegrityError, sa.exc.ProgrammingError):
                # PostgreSQL says so where another process was quicker by a moment.
                if not sa.inspect(self._engine).has_table(_TABLE.name):
                    raise
        self._is_prepared = True

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self._engine.begin() as connection:
            if self._is_postgres:  # set here rather than at connecting, which poolers in front of it refuse
                millis = int(self._config.timeout_seconds * 1000)
                connection.exec_driver_sql(f"SET LOCAL statement_timeout = {millis}")
            yield connection

    def _is_row(self, day: str) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
        return _TABLE.c.account == self._account, _TABLE.c.day == day


def _spend(row: Sequence[Any]) -> Spend:
    return Spend(int(row[0]), int(row[1]), float(row[2]))


def _cause(error: sa.exc.SQLAlchemyError) -> str:
    """The kind of an error: its text may hold the address."""
    return type(getattr(error, "orig", None) or error).__name__


def _url(config: BudgetStoreConfig, environ: Mapping[str, str]) -> sa.URL:
    if config.url is not None:
        text = config.url.get_secret_value()
    else:
        text = environ.get(config.url_env or "", "").strip()
        if not text:
            raise ConfigError(
                f"scoring.judge.budget.store.url_env: the environment variable {config.url_env} is not set or empty"
            )
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise ConfigError(
            "scoring.judge.budget.store.url: no valid address, such as sqlite:////data/budget.db"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise ConfigError(f"scoring.judge.budget.store.url: {url.drivername} is not known; use sqlite or postgresql")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ConfigError(
            "scoring.judge.budget.store.url: a shared budget needs a file, such as sqlite:////data/budget.db"
        )
    return url


def _engine(url: sa.URL, timeout_seconds: float) -> sa.Engine:
    pool = {"pool_size": _THREADS, "max_overflow": 0, "pool_timeout": timeout_seconds}
    if url.get_backend_name() == "sqlite":
        folder = Path(url.database or "").parent
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"scoring.judge.budget.store.url: cannot make {folder}: {error.strerror}") from error
        return sa.create_engine(url, connect_args={"timeout": timeout_seconds}, **pool)
    if importlib.util.find_spec("psycopg") is None:
        raise ConfigError("scoring.judge.budget.store.url: PostgreSQL needs a driver: pip install 'ragsonde[postgres]'")
    limits = {
        "connect_timeout": max(2, round(timeout_seconds)),
        "tcp_user_timeout": int(timeout_seconds * 1000),
        "prepare_threshold": None,  # poolers in front of it may not know prepared statements
    }
    return sa.create_engine(url, connect_args=limits, isolation_level="READ COMMITTED", pool_pre_ping=True, **pool)
