"""Keeps results, so that the same content is judged once by the same model and prompt."""

import sqlite3
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Protocol

from ragsonde.collector.clock import Clock
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.config import CacheConfig

_SCHEMA = """
CREATE TABLE IF NOT EXISTS judge_results (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, stored_at REAL NOT NULL, used_at REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS judge_results_by_use ON judge_results (used_at);
"""
_SWEEP_EVERY = 256


class ResultCache(Protocol):
    """Texts by key. May be called from any thread; losing an entry only costs a call."""

    def get(self, key: str) -> str | None:
        """The text kept under ``key``; None where there is none, or it is too old."""
        ...

    def put(self, key: str, value: str) -> None:
        """Keep ``value``."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


class MemoryCache:
    """Keeps the most recently used results of this process."""

    def __init__(self, config: CacheConfig, *, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._entries: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """The text kept under ``key``."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            value, stored_at = entry
            if self._clock.wall() - stored_at > self._config.max_age_seconds:
                del self._entries[key]
                return None
            self._entries.move_to_end(key)
            return value

    def put(self, key: str, value: str) -> None:
        """Keep ``value``; the least recently used entry makes room."""
        with self._lock:
            self._entries[key] = (value, self._clock.wall())
            self._entries.move_to_end(key)
            while len(self._entries) > self._config.max_entries:
                self._entries.popitem(last=False)

    def close(self) -> None:
        """Nothing to let go of."""


class SqliteCache:
    """Keeps results in a file, for several processes and restarts.

    Raises:
        ConfigError: the file cannot be opened as a database.
    """

    def __init__(self, path: Path, config: CacheConfig, *, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._lock = threading.Lock()
        self._puts = 0
        try:
            self._database = sqlite3.connect(path, timeout=5.0, check_same_thread=False, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise ConfigError(f"scoring.judge.cache.path: {path} cannot be used as a cache: {error}") from error

    def get(self, key: str) -> str | None:
        """The text kept under ``key``; None also where the file cannot be read just now."""
        now = self._clock.wall()
        try:
            with self._lock:
                row = self._database.execute(
                    "UPDATE judge_results SET used_at = ? WHERE key = ? AND stored_at >= ? RETURNING value",
                    (now, key, now - self._config.max_age_seconds),
                ).fetchone()
        except sqlite3.Error:
            return None
        return str(row[0]) if row else None

    def put(self, key: str, value: str) -> None:
        """Keep ``value``; does nothing where the file cannot be written just now."""
        now = self._clock.wall()
        try:
            with self._lock:
                self._database.execute(
                    "INSERT OR REPLACE INTO judge_results VALUES (?, ?, ?, ?)", (key, value, now, now)
                )
                self._puts += 1
                if self._puts % _SWEEP_EVERY == 1:
                    self._sweep(now)
        except sqlite3.Error:
            return

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _sweep(self, now: float) -> None:
        self._database.execute("DELETE FROM judge_results WHERE stored_at < ?", (now - self._config.max_age_seconds,))
        self._database.execute(
            "DELETE FROM judge_results WHERE key IN "
            "(SELECT key FROM judge_results ORDER BY used_at DESC LIMIT -1 OFFSET ?)",
            (self._config.max_entries,),
        )


def open_cache(config: CacheConfig, *, clock: Clock) -> ResultCache:
    """The cache that the configuration asks for."""
    if config.path is not None and config.max_entries > 0:
        return SqliteCache(config.path, config, clock=clock)
    return MemoryCache(config, clock=clock)
