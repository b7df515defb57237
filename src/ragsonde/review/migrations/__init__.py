"""Brings a review store to the newest shape, one numbered step after the other.

A step is a file of SQL that both databases understand. All steps of a start run in one transaction behind a lock, so
that replicas that start at once neither meet nor see a half-made schema, and a step that fails leaves nothing behind.
"""

import importlib.resources
from collections.abc import Sequence

import sqlalchemy as sa

from ragsonde.collector.errors import ConfigError
from ragsonde.review.schema import SCHEMA

_LOCK = 0x7261_6773_6F6E_6465 >> 1
"""The advisory lock in PostgreSQL: the program's name, within a signed 64-bit number."""


def steps() -> Sequence[str]:
    """Return the SQL of each step, the first one first."""
    files = importlib.resources.files(__name__)
    named = sorted((file.name, file) for file in files.iterdir() if file.name.endswith(".sql"))
    return [file.read_text("utf-8") for _, file in named]


def migrate(connection: sa.Connection, known: Sequence[str]) -> None:
    """Run the steps that the store has not seen; ``connection`` is in a transaction that may write.

    Raises:
        ConfigError: a newer program has made the store.
    """
    is_postgres = connection.dialect.name == "postgresql"
    if is_postgres:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
    version = _version(connection)
    if version > len(known):
        raise ConfigError(
            f"the review store has format {version}, this program knows {len(known)}: a newer one has used it; "
            "update this program, or name another review.database_url"
        )
    for step in known[version:]:
        for statement in _statements(step):
            connection.exec_driver_sql(statement.replace("{blob}", "BYTEA" if is_postgres else "BLOB"))
    if version < len(known):
        connection.execute(sa.delete(SCHEMA))
        connection.execute(sa.insert(SCHEMA).values(version=len(known)))


def is_version(connection: sa.Connection, version: int) -> bool:
    """Whether the store has this version."""
    return _version(connection) == version


def _version(connection: sa.Connection) -> int:
    """Return how many steps the store has seen; 0 for an empty one."""
    if not sa.inspect(connection).has_table(SCHEMA.name):
        return 0
    return int(connection.execute(sa.select(SCHEMA.c.version)).scalar_one())


def _statements(step: str) -> list[str]:
    lines = [line for line in step.splitlines() if not line.lstrip().startswith("--")]
    return [statement for statement in "\n".join(lines).split(";") if statement.strip()]
