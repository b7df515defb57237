"""The store's shape: what migrations make is what the program expects, from every older file on."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from ragsonde.collector.errors import ConfigError
from ragsonde.review.database import Database
from ragsonde.review.migrations import steps
from ragsonde.review.schema import METADATA, SCHEMA

FURTHER = "CREATE TABLE ragsonde_review_extra (id TEXT NOT NULL, PRIMARY KEY (id));\n-- a remark; with a semicolon\n"
BROKEN = "CREATE TABLE ragsonde_review_half (id TEXT);\nCREATE TABLE no sense;"


OpenAt = Callable[..., Database]


@pytest.fixture
def open_at() -> Iterator[OpenAt]:
    """Opens databases with the given steps, and closes them in the end."""
    opened: list[Database] = []

    def opener(address: str, *migrations: str) -> Database:
        opened.append(Database(address, timeout_seconds=30, migrations=migrations))
        opened[-1].prepare()
        return opened[-1]

    yield opener
    for database in opened:
        database.close()


def version(database: Database) -> int:
    with database.reading() as connection:
        return int(connection.execute(sa.select(SCHEMA.c.version)).scalar_one())


def tables(database: Database) -> set[str]:
    with database.reading() as connection:
        return {name for name in sa.inspect(connection).get_table_names() if name.startswith("ragsonde_review_")}


def test_the_steps_make_the_tables_that_the_program_uses(address: str, open_at: OpenAt) -> None:
    database = open_at(address, *steps())
    assert tables(database) == set(METADATA.tables)
    with database.reading() as connection:
        inspector = sa.inspect(connection)
        for table in METADATA.tables.values():
            columns = inspector.get_columns(table.name)
            made = {column["name"]: column["nullable"] for column in columns}
            assert made == {column.name: column.nullable for column in table.columns}
            kinds = {column["name"]: column["type"] for column in columns}
            for column in table.columns:
                assert kinds[column.name]._type_affinity is column.type._type_affinity
            keys = inspector.get_pk_constraint(table.name)["constrained_columns"]
            assert keys == [column.name for column in table.primary_key.columns]
            indexes = {index["name"]: index["column_names"] for index in inspector.get_indexes(table.name)}
            assert indexes == {index.name: [column.name for column in index.columns] for index in table.indexes}


def test_a_store_of_each_older_version_is_brought_up_with_what_it_holds(address: str, open_at: OpenAt) -> None:
    every = [*steps(), FURTHER]
    for older in range(1, len(every)):
        before = open_at(address, *every[:older])
        with before.writing() as connection:
            connection.execute(sa.text("DELETE FROM ragsonde_review_seen"))
            connection.execute(sa.text("INSERT INTO ragsonde_review_seen VALUES ('kept', 1)"))
        before.close()
        after = open_at(address, *every[: older + 1])
        assert version(after) == older + 1
        with after.reading() as connection:
            assert connection.execute(sa.text("SELECT id FROM ragsonde_review_seen")).scalar() == "kept"
        after.close()
    assert "ragsonde_review_extra" in tables(open_at(address, *every))


def test_replicas_that_start_at_once_migrate_once(address: str, open_at: OpenAt) -> None:
    every = (*steps(), FURTHER)
    together = threading.Barrier(4)

    def start(_: int) -> int:
        together.wait()
        database = open_at(address, *every)
        return version(database)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(start, range(4))) == [len(every)] * 4


def test_a_step_that_fails_leaves_the_store_as_it_was(address: str, open_at: OpenAt) -> None:
    open_at(address, *steps()).close()
    with pytest.raises(Exception, match="review store"):
        open_at(address, *steps(), BROKEN)
    again = open_at(address, *steps())
    assert version(again) == len(steps())
    assert tables(again) == set(METADATA.tables)


def test_the_store_of_a_newer_program_is_refused(address: str, open_at: OpenAt) -> None:
    open_at(address, *steps(), FURTHER).close()
    with pytest.raises(ConfigError, match="newer one has used it; update this program"):
        open_at(address, *steps())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("no address", "no valid address"),
        ("mysql://u:secret@h/b", "mysql is not known"),
        ("sqlite://", "a file is needed"),
        ("sqlite:///{folder}/file/none/review.db", "cannot make"),
        ("sqlite:///{folder}/file", "damaged or no database"),
    ],
)
def test_an_address_that_can_never_work_is_refused(given: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database, and no folder either; long enough to be looked at by the library" * 20)
    with pytest.raises(ConfigError, match=said) as refused:
        Database(given.format(folder=tmp_path), timeout_seconds=1)
    assert "secret" not in str(refused.value)


def test_a_file_that_another_process_writes_to_is_waited_for(tmp_path: Path, open_at: OpenAt) -> None:
    path = tmp_path / "review.sqlite3"
    open_at(f"sqlite:///{path}", *steps()).close()
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    quick = Database(f"sqlite:///{path}", timeout_seconds=30)
    threading.Timer(0.3, other.execute, ["COMMIT"]).start()
    with quick.writing() as connection:
        connection.execute(sa.text("INSERT INTO ragsonde_review_seen VALUES ('late', 1)"))
    quick.close()
    other.close()
