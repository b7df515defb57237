"""A result is kept as long as it may be, and losing one only costs a call."""

import sqlite3
from pathlib import Path

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.judge.cache import MemoryCache, ResultCache, SqliteCache, open_cache
from ragsonde.scorers.judge.config import CacheConfig
from tests.scorers.judge.judging import MovableClock


def make(kind: str, folder: Path, clock: MovableClock, **fields: float) -> ResultCache:
    config = CacheConfig.model_validate(fields)
    return MemoryCache(config, clock=clock) if kind == "memory" else SqliteCache(folder / "c.db", config, clock=clock)


@pytest.fixture(params=["memory", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_result_is_found_until_it_is_too_old(kind: str, tmp_path: Path) -> None:
    clock = MovableClock()
    cache = make(kind, tmp_path, clock, max_age_seconds=60)
    assert cache.get("k") is None
    cache.put("k", "värde")
    cache.put("k", "другое")
    assert cache.get("k") == "другое"
    clock.move(61)
    assert cache.get("k") is None
    cache.close()


def test_the_least_recently_used_result_makes_room(kind: str, tmp_path: Path) -> None:
    clock = MovableClock()
    cache = make(kind, tmp_path, clock, max_entries=100)
    for number in range(100):
        clock.move(1)
        cache.put(f"k{number}", "v")
    clock.move(1)
    assert cache.get("k0") == "v"
    for number in range(100, 257):
        clock.move(1)
        cache.put(f"k{number}", "v")
        if number % 20 == 0:
            cache.get("k0")
    assert cache.get("k0") == "v"
    assert cache.get("k1") is None
    cache.close()


def test_results_outlive_the_process_in_a_file(tmp_path: Path) -> None:
    config = CacheConfig(path=tmp_path / "c.db")
    for value in (None, "v"):
        cache = open_cache(config, clock=MovableClock())
        assert cache.get("k") == value
        cache.put("k", "v")
        cache.close()


def test_a_locked_file_costs_a_call_and_no_more(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "c.db", CacheConfig(), clock=MovableClock())
    cache._database.execute("PRAGMA busy_timeout = 0")
    other = sqlite3.connect(tmp_path / "c.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    cache.put("k", "v")
    assert cache.get("k") is None
    other.execute("ROLLBACK")
    other.close()
    cache.close()


def test_an_unusable_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_text("not a database, but long enough to be read as one" * 50)
    with pytest.raises(ConfigError, match=r"judge\.cache\.path"):
        open_cache(CacheConfig(path=tmp_path / "c.db"), clock=MovableClock())
