"""The connection to the review store: SQLite in a file, or PostgreSQL; transactions, and errors as ours."""

import importlib.util
import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RagsondeError, RetryableError
from ragsonde.review.migrations import is_version, migrate, steps

_log = logging.getLogger(__name__)

_CONNECTIONS = 8
_WRITES = "ragsonde_writes"
_EXPORT_LOCK = 0x7261_6773_7265_7669 >> 1
"""The advisory lock of PostgreSQL behind which replicas add interactions one after the other."""


class Database:
    """A store that is brought to the newest shape at its first use. Thread-safe.

    A PostgreSQL that is away keeps nobody from starting.

    Raises:
        ConfigError: the address is malformed, the driver is not installed, or the SQLite file cannot be used.
    """

    def __init__(self, address: str, *, timeout_seconds: float, migrations: Sequence[str] | None = None) -> None:
        url = _url(address)
        self.is_postgres = url.get_backend_name() == "postgresql"
        self._steps = steps() if migrations is None else migrations
        self._timeout_seconds = timeout_seconds
        self._prepared = False
        self._lock = threading.Lock()
        self._engine = _postgres(url, timeout_seconds) if self.is_postgres else _sqlite(url, timeout_seconds)
        if not self.is_postgres:
            try:
                self.prepare()
            except RetryableError:
                _log.info("the review store is busy; it is made ready at its first use")
            except RagsondeError as error:
                self.close()
                raise ConfigError(f"the review store {url.database} cannot be used: {error}") from error

    def prepare(self) -> None:
        """Bring the tables to the newest shape, at the first call.

        Raises:
            ConfigError: a newer program has made the store.
            RetryableError: the database is away.
        """
        if self._prepared:
            return
        if not self._lock.acquire(timeout=self._timeout_seconds):
            raise RetryableError("the review store does not answer: another thread waits for it as well")
        try:
            with self._errors(), self._transaction(write=False) as connection:
                is_newest = is_version(connection, len(self._steps))
            if not is_newest:
                with self._errors(), self._transaction(write=True, patient=True) as connection:
                    migrate(connection, self._steps)
            self._prepared = True
        finally:
            self._lock.release()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """Give a connection that sees one state of the store.

        Raises:
            RetryableError: the database is away, busy or full.
            PermanentError: it refuses for good.
        """
        self.prepare()
        with self._errors(), self._transaction(write=False) as connection:
            yield connection

    @contextmanager
    def writing(self, *, exporting: bool = False) -> Iterator[sa.Connection]:
        """Give a connection whose statements all count, or none of them. ``exporting``: one process after the other.

        Raises:
            RetryableError: the database is away, busy or full.
            PermanentError: it refuses for good.
        """
        self.prepare()
        with self._errors(), self._transaction(write=True) as connection:
            if exporting and self.is_postgres:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_EXPORT_LOCK)))
            yield connection

    def upsert(self, connection: sa.Connection, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
        """Add rows, or put them in the place of those with the same keys."""
        statement = self.insert(table)
        keys = [column.name for column in table.primary_key.columns]
        others = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keys}
        given = list(rows)
        if given:
            connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=others), given)

    def insert(self, table: sa.Table) -> "postgresql.Insert | sqlite.Insert":
        """Return an insert statement that knows ``on_conflict_…``."""
        return postgresql.insert(table) if self.is_postgres else sqlite.insert(table)

    def close(self) -> None:
        """Let go of the connections. May be called twice."""
        self._engine.dispose()

    @contextmanager
    def _transaction(self, *, write: bool, patient: bool = False) -> Iterator[sa.Connection]:
        """Begin and end a transaction; ``patient``: its statements may take as long as they need."""
        with self._engine.connect().execution_options(**{_WRITES: write}) as connection, connection.begin():
            if self.is_postgres:  # set here rather than at connecting, which poolers in front of it refuse
                wait = int(self._timeout_seconds * 1000)
                limits = f"SET LOCAL lock_timeout = {wait}; SET LOCAL statement_timeout = {0 if patient else wait}"
                connection.exec_driver_sql(limits if write else f"{limits}; SET TRANSACTION READ ONLY")
            yield connection

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            raise _ours(error) from error


def _ours(error: sa.exc.SQLAlchemyError) -> Exception:
    """Tell whether the same call may succeed later. An error's own text may hold the address."""
    cause = getattr(error, "orig", None) or error
    away = RetryableError(
        f"the review store does not answer ({type(cause).__name__}): is its database running, and its address right?"
    )
    refusal = PermanentError(f"the review store refuses ({type(cause).__name__})")
    if isinstance(cause, sqlite3.Error):
        return (
            _of_sqlite(cause.sqlite_errorcode & 0xFF, away, refusal) if hasattr(cause, "sqlite_errorcode") else refusal
        )
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError):
        return away
    return away if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated else refusal


def _of_sqlite(code: int, away: RetryableError, refusal: PermanentError) -> Exception:
    if code == sqlite3.SQLITE_FULL:
        return FullError("the disk of the review store is full; free some space", retry_after_seconds=30.0)
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return PermanentError("the review store is damaged or no database; move it away to start with an empty one")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return PermanentError("the review store's file cannot be opened for writing; name one that can")
    return away if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR) else refusal


def _url(address: str) -> sa.URL:
    try:
        url = sa.make_url(address)
    except (sa.exc.ArgumentError, ValueError):
        raise ConfigError(
            "review.database_url: no valid address; write postgresql://user:password@host/name or sqlite:////path/file"
        ) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise ConfigError(f"review.database_url: {url.drivername} is not known; use sqlite or postgresql")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise ConfigError("review.database_url: a file is needed, such as sqlite:////data/review.sqlite3")
    return url


def _sqlite(url: sa.URL, timeout_seconds: float) -> sa.Engine:
    folder = Path(url.database or "").parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"review.database_url: cannot make {folder}: {error.strerror}") from error
    engine = sa.create_engine(
        url,
        connect_args={"timeout": timeout_seconds},
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=timeout_seconds,
    )

    @sa.event.listens_for(engine, "connect")
    def prepare(connection: Any, _: object) -> None:
        connection.isolation_level = None  # transactions are begun below, and not by the driver's guess
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_size_limit = 16777216")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _postgres(url: sa.URL, timeout_seconds: float) -> sa.Engine:
    if importlib.util.find_spec("psycopg") is None:
        raise ConfigError("review.database_url: PostgreSQL needs a driver: pip install 'ragsonde[postgres]'")
    limits = {
        "connect_timeout": max(2, round(timeout_seconds)),
        "tcp_user_timeout": int(timeout_seconds * 1000),
        "prepare_threshold": None,  # poolers in front of it may not know prepared statements
    }
    return sa.create_engine(
        url,
        connect_args=limits,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_size=_CONNECTIONS,
        max_overflow=0,
        pool_timeout=timeout_seconds,
    )
