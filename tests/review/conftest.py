"""An empty database for each test: SQLite and a real PostgreSQL."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragsonde.review.store import ReviewStore
from tests.fakes import FakeClock
from tests.review.stores import open_reviews

Opener = Callable[..., ReviewStore]


def new_database(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    """The address of an empty database."""
    if kind == "sqlite":
        return f"sqlite:///{folder}/review.sqlite3"
    server: str = request.getfixturevalue("postgres")
    name = f"review_{uuid.uuid4().hex}"
    with psycopg.connect(server.replace("+psycopg", ""), autocommit=True) as admin:
        admin.execute(f"CREATE SCHEMA {name}")  # quicker than a database, and as empty
    return f"{server}?options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return new_database(request.param, request, tmp_path)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_000_000.0)


@pytest.fixture
def open_store(address: str, clock: FakeClock) -> Iterator[Opener]:
    """Opens stores on one database, all on one clock."""
    opened: list[ReviewStore] = []

    def opener(**fields: Any) -> ReviewStore:
        opened.append(open_reviews(address, clock, **fields))
        return opened[-1]

    yield opener
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Opener) -> ReviewStore:
    return open_store()
