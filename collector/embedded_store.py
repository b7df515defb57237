"""The file behind the embedded log: schema, connections, and the one place where SQLite's errors become ours.

One SQLite database in WAL mode holds topics, partitions, records and the committed offsets of consumer groups. Readers
and writers may be different threads and processes; each opens a ``LogFile`` of its own. A write is on disk when
``append`` returns (``synchronous=FULL``), so neither a killed process nor a power cut loses an acknowledged record.
"""

import itertools
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from ragsonde.collector.errors import ConfigError, FullError, PermanentError, RetryableError
from ragsonde.collector.source import Message, TopicPartition

_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE partitions (
    id INTEGER PRIMARY KEY, topic TEXT NOT NULL, partition INTEGER NOT NULL, next_offset INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
) STRICT;
CREATE TABLE records (
    id INTEGER PRIMARY KEY, partition_id INTEGER NOT NULL REFERENCES partitions (id), "offset" INTEGER NOT NULL,
    timestamp_ms INTEGER NOT NULL, "key" BLOB, headers BLOB, value BLOB NOT NULL,
    UNIQUE (partition_id, "offset")
) STRICT;
CREATE TABLE commits (
    group_id TEXT NOT NULL, partition_id INTEGER NOT NULL REFERENCES partitions (id), "offset" INTEGER NOT NULL,
    PRIMARY KEY (group_id, partition_id)
) STRICT, WITHOUT ROWID;
"""
_CHUNK = 500
"""Records removed in one transaction, so that no writer waits long."""
_COUNT_UNREAD = """
SELECT count(*) FROM records r
WHERE r.id <= ?
AND EXISTS (SELECT 1 FROM commits c WHERE c.partition_id = r.partition_id AND c."offset" <= r."offset")
"""
_DONE_WITH = """
SELECT p.id, coalesce(min(c."offset"), p.next_offset)
FROM partitions p LEFT JOIN commits c ON c.partition_id = p.id GROUP BY p.id
"""
"""For each partition the offset below which no group has anything to read."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One record as it lies in the file."""

    key: TopicPartition
    offset: int
    timestamp_ms: int
    message_key: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    value: bytes


class LogFile:
    """One connection to the log. Its methods may be called from any thread, one at a time.

    Every method raises RetryableError when the file stays locked by others or the disk fails for the moment,
    FullError when the disk is full, and PermanentError when the file is damaged.
    """

    def __init__(self, path: Path, partitions: int, busy_timeout_seconds: float = 5.0) -> None:
        """Open the file, making it where there is none.

        Raises:
            ConfigError: it cannot be opened, or is not a log of this version.
        """
        self.path = path
        self._partitions = partitions
        self._lock = threading.RLock()
        self._turns = itertools.count()
        with errors_of(path, opening=True):
            # What users asked and were told lies in here.
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._connection = sqlite3.connect(
                path, timeout=busy_timeout_seconds, isolation_level=None, check_same_thread=False
            )
        try:
            with errors_of(path, opening=True):
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        """Close the connection. Idempotent."""
        with self._lock:
            self._connection.close()

    def create_topic(self, topic: str) -> None:
        """Make the topic's partitions where it has none. Their number stays as it was made."""
        with self._transaction() as connection:
            self._partition_ids(connection, topic)

    def append(self, messages: Sequence[Message], timestamp_ms: int) -> None:
        """Write messages, all or none, and return once they are on disk."""
        with self._transaction() as connection:
            for message in messages:
                ids = self._partition_ids(connection, message.topic)
                turn = next(self._turns) if message.key is None else zlib.crc32(message.key)
                partition_id = ids[turn % len(ids)]
                (offset,) = connection.execute(
                    "UPDATE partitions SET next_offset = next_offset + 1 WHERE id = ? RETURNING next_offset - 1",
                    (partition_id,),
                ).fetchone()
                connection.execute(
                    'INSERT INTO records (partition_id, "offset", timestamp_ms, "key", headers, value)'
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (partition_id, offset, timestamp_ms, message.key, _pack(message.headers), message.value),
                )

    def read(self, key: TopicPartition, offset: int, limit: int, max_bytes: int) -> list[StoredRecord]:
        """Return records from ``offset`` on, in order: ``limit`` and ``max_bytes`` at most, but one if there is any."""
        found: list[StoredRecord] = []
        size = 0
        with self._statements() as connection:
            rows = connection.execute(
                'SELECT r."offset", r.timestamp_ms, r."key", r.headers, r.value FROM records r'
                " JOIN partitions p ON p.id = r.partition_id"
                ' WHERE p.topic = ? AND p.partition = ? AND r."offset" >= ? ORDER BY r."offset" LIMIT ?',
                (key.topic, key.partition, offset, limit),
            )
            with closing(rows):
                for place, timestamp_ms, message_key, headers, value in rows:
                    size += len(value)
                    if found and size > max_bytes:
                        break
                    found.append(StoredRecord(key, place, timestamp_ms, message_key, _unpack(headers), value))
        return found

    def ends(self, topics: Sequence[str]) -> Mapping[TopicPartition, int]:
        """Return the partitions of these topics, each with the offset that its next record will get."""
        marks = ", ".join("?" * len(topics))
        with self._statements() as connection:
            rows = connection.execute(
                f"SELECT topic, partition, next_offset FROM partitions WHERE topic IN ({marks})",  # noqa: S608 - marks only
                tuple(topics),
            )
            return {TopicPartition(topic, partition): end for topic, partition, end in rows.fetchall()}

    def join(self, group_id: str, key: TopicPartition) -> int:
        """Return a group's committed offset, noting the group as a reader from the oldest record where it is new."""
        with self._transaction() as connection:
            connection.execute(
                'INSERT INTO commits (group_id, partition_id, "offset")'
                " SELECT ?, p.id, coalesce("
                '(SELECT min(r."offset") FROM records r WHERE r.partition_id = p.id), p.next_offset)'
                " FROM partitions p WHERE p.topic = ? AND p.partition = ? ON CONFLICT DO NOTHING",
                (group_id, key.topic, key.partition),
            )
            row = connection.execute(
                'SELECT c."offset" FROM commits c JOIN partitions p ON p.id = c.partition_id'
                " WHERE c.group_id = ? AND p.topic = ? AND p.partition = ?",
                (group_id, key.topic, key.partition),
            ).fetchone()
        return int(row[0])

    def commit(self, group_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Store a group's offsets, all or none."""
        with self._transaction() as connection:
            connection.executemany(
                'INSERT INTO commits (group_id, partition_id, "offset")'
                " SELECT ?, id, ? FROM partitions WHERE topic = ? AND partition = ?"
                ' ON CONFLICT DO UPDATE SET "offset" = excluded."offset"',
                [(group_id, offset, key.topic, key.partition) for key, offset in offsets.items()],
            )

    def used_bytes(self) -> int:
        """Return the size of what the file holds, free pages left out."""
        with self._statements() as connection:
            page, count, free = (
                int(connection.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_size", "page_count", "freelist_count")
            )
        return page * (count - free)

    def delete_older(self, cutoff_ms: int) -> int:
        """Delete records written before ``cutoff_ms``; return how many of them some group had still to read."""
        lost = 0
        while True:
            with self._transaction() as connection:
                oldest = connection.execute(
                    "SELECT id, timestamp_ms FROM records ORDER BY id LIMIT ?", (_CHUNK,)
                ).fetchall()
                expired = list(itertools.takewhile(lambda row: row[1] < cutoff_ms, oldest))
                if expired:
                    lost += self._delete(connection, expired[-1][0])
            if len(expired) < _CHUNK:
                return lost

    def delete_oldest_read(self) -> bool:
        """Delete the oldest records that no group has still to read; return whether there were any."""
        query = 'SELECT id FROM records WHERE partition_id = ? AND "offset" < ? ORDER BY "offset" LIMIT ?'
        with self._transaction() as connection:
            done_with = connection.execute(_DONE_WITH).fetchall()
            rows = [row for mark in done_with for row in connection.execute(query, (*mark, _CHUNK)).fetchall()]
            connection.executemany("DELETE FROM records WHERE id = ?", sorted(rows)[:_CHUNK])
        return bool(rows)

    def delete_oldest(self) -> int:
        """Delete the oldest records; return how many of them some group had still to read."""
        with self._transaction() as connection:
            (last,) = connection.execute(
                "SELECT max(id) FROM (SELECT id FROM records ORDER BY id LIMIT ?)", (_CHUNK,)
            ).fetchone()
            return 0 if last is None else self._delete(connection, last)

    def _delete(self, connection: sqlite3.Connection, last_id: int) -> int:
        """Delete all records up to an id; return how many of them were unread."""
        (lost,) = connection.execute(_COUNT_UNREAD, (last_id,)).fetchone()
        connection.execute("DELETE FROM records WHERE id <= ?", (last_id,))
        return int(lost)

    def _prepare(self) -> None:
        connection = self._connection
        (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        if mode != "wal":
            raise ConfigError(f"{self.path}: this file system does not support SQLite's WAL mode; use a local disk")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA journal_size_limit = 16777216")
        connection.execute("BEGIN IMMEDIATE")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in filter(str.strip, _SCHEMA.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        connection.execute("COMMIT")
        if version not in (0, _SCHEMA_VERSION):
            raise ConfigError(
                f"{self.path} has format {version}, this version reads {_SCHEMA_VERSION}; name another file"
            )

    def _partition_ids(self, connection: sqlite3.Connection, topic: str) -> list[int]:
        query = "SELECT id FROM partitions WHERE topic = ? ORDER BY partition"
        rows = connection.execute(query, (topic,)).fetchall()
        if not rows:
            connection.executemany(
                "INSERT INTO partitions (topic, partition) VALUES (?, ?)",
                [(topic, number) for number in range(self._partitions)],
            )
            rows = connection.execute(query, (topic,)).fetchall()
        return [row[0] for row in rows]

    @contextmanager
    def _statements(self) -> Iterator[sqlite3.Connection]:
        with self._lock, errors_of(self.path):
            yield self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._statements() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # Some failures (a full disk) have rolled back already.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


@contextmanager
def errors_of(path: Path, *, opening: bool = False) -> Iterator[None]:
    """Turn SQLite's errors into ours.

    Raises:
        ConfigError: the file cannot be opened or written (only while opening).
        FullError: the disk is full.
        RetryableError: the file is locked, or the disk fails for the moment.
        PermanentError: the file is damaged, or closed.
    """
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        code = getattr(error, "sqlite_errorcode", None)
        code = code & 0xFF if code is not None else None
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise RetryableError(f"{path} is locked by another process") from error
        if code == sqlite3.SQLITE_FULL:
            raise FullError(f"the disk of {path} is full; free some space", retry_after_seconds=30.0) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            remedy = "move it away to start with an empty log"
            kind = ConfigError if opening else PermanentError
            raise kind(f"{path} is damaged or not a log ({error}); {remedy}") from error
        if opening:
            raise ConfigError(
                f"{path} cannot be opened ({error}); name a data directory that can be written"
            ) from error
        if code == sqlite3.SQLITE_IOERR:
            raise RetryableError(f"{path}: {error}; check the disk") from error
        raise PermanentError(f"{path}: {error}") from error


def _pack(headers: Sequence[tuple[str, bytes]]) -> bytes | None:
    return orjson.dumps([[name, value.hex()] for name, value in headers]) if headers else None


def _unpack(packed: bytes | None) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, bytes.fromhex(value)) for name, value in orjson.loads(packed)) if packed else ()
