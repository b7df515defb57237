"""Scored interactions as lines of a local file."""

import fcntl
import logging
import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ragsonde.collector.clock import Deadline
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError, PermanentError, RetryableError
from ragsonde.exporters.recent_ids import RecentIds
from ragsonde.exporters.record import to_json_line
from ragsonde.exporters.record_reader import from_json_line
from ragsonde.scorers.score import ScoredInteraction

_log = logging.getLogger(__name__)


class Fsync(StrEnum):
    """When written lines are forced onto the disk."""

    NEVER = "never"
    """The system writes them in its own time: they survive a crash of this process, not one of the machine."""
    BATCH = "batch"
    """After every batch, before it counts as delivered."""


class JsonlConfig(Config):
    """The file exporter."""

    path: Path
    """The file that lines are appended to. Full files are kept beside it: ``scores.jsonl.1`` is the newest of them."""
    fsync: Fsync = Fsync.NEVER
    """``batch`` to survive a crash of the machine, ``never`` to be quicker. Default ``never``."""
    max_bytes: Annotated[int, Field(ge=1024, le=2**40)] = 64 * 2**20
    """Size in bytes at which a file is full. Default 64 MiB."""
    keep_files: Annotated[int, Field(ge=0, le=10_000)] = 10
    """Full files to keep; older ones are deleted. Default 10."""
    required: bool = False
    """Whether offsets wait for this file. Default false."""


class JsonlExporter:
    """Appends one line per interaction; no half-written line stays behind.

    A batch is one append. What a failed append leaves is cut off again at once, and what a crash leaves at the next
    start. An id that stands in the current file is not written again, unless it was scored anew: a reader takes the
    last line of an id.
    """

    name = "jsonl"

    def __init__(self, config: JsonlConfig) -> None:
        self.required = config.required
        self._config = config
        self._recent = RecentIds()
        self._file: int | None = None
        self._size = 0

    def start(self) -> None:
        """Open the file, cut off a torn last line, and read which ids it holds.

        Raises:
            ConfigError: the file cannot be opened, or another process writes to it.
        """
        if self._file is not None:
            return
        try:
            self._config.path.parent.mkdir(parents=True, exist_ok=True)
            self._open()
        except BlockingIOError as error:
            raise ConfigError(
                f"jsonl.path: another process writes to {self._config.path}; give each its own"
            ) from error
        except OSError as error:
            raise ConfigError(f"jsonl.path: cannot write to {self._config.path}: {error.strerror}") from error

    def export(self, batch: Sequence[ScoredInteraction], deadline: Deadline) -> None:  # noqa: ARG002 - local, quick
        """Append a batch.

        Raises:
            RetryableError: the file system refused (full, away); nothing of the batch is in the file.
        """
        new = {RecentIds.key(scored): scored for scored in batch if scored not in self._recent}
        lines = b"".join(to_json_line(scored) for scored in new.values())
        if not lines:
            return
        try:
            file = self._open() if self._file is None else self._file  # a failed rotation leaves none
            self._append(file, lines)
        except OSError as error:
            raise RetryableError(f"cannot append to {self._config.path}: {error.strerror}") from error
        for key in new:
            self._recent.add_key(key)
        self._rotate_if_full()

    def flush(self, deadline: Deadline) -> None:  # noqa: ARG002 - the system call has no deadline
        """Force what was written onto the disk.

        Raises:
            RetryableError: the file system refused.
        """
        if self._file is not None:
            try:
                os.fsync(self._file)
            except OSError as error:
                raise RetryableError(f"cannot flush {self._config.path}: {error.strerror}") from error

    def shutdown(self, deadline: Deadline) -> None:
        """Flush and close the file. Safe when never started, and twice."""
        try:
            self.flush(deadline)
        except RetryableError as error:
            _log.warning("%s", error)
        self._close()

    def _open(self) -> int:
        file = os.open(self._config.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._size = self._repair(file)
        except OSError:
            os.close(file)
            raise
        self._file = file
        return file

    def _repair(self, file: int) -> int:
        """Cut off a torn last line, remember the ids of the others; return the size."""
        whole = 0
        with os.fdopen(os.dup(file), "rb") as lines:
            lines.seek(0)
            for line in lines:
                if not line.endswith(b"\n"):
                    _log.warning("cutting off a half-written line at the end of %s", self._config.path)
                    os.ftruncate(file, whole)
                    break
                whole += len(line)
                try:
                    self._recent.add(from_json_line(line))
                except PermanentError as error:
                    _log.warning("%s holds a line that is not a record: %s", self._config.path, error)
        return whole

    def _append(self, file: int, lines: bytes) -> None:
        try:
            written = 0
            while written < len(lines):
                written += os.write(file, lines[written:])
            if self._config.fsync is Fsync.BATCH:
                os.fsync(file)
        except OSError:
            os.ftruncate(file, self._size)
            raise
        self._size += len(lines)

    def _rotate_if_full(self) -> None:
        """Move a full file aside. A failure costs nothing but the size: it is tried again after the next batch."""
        if self._size < self._config.max_bytes:
            return
        try:
            self._shift_full_files()
            self._close()
            self._open()
        except OSError as error:
            _log.warning("cannot rotate %s: %s", self._config.path, error)

    def _shift_full_files(self) -> None:
        path, keep = self._config.path, self._config.keep_files
        if keep == 0:
            path.unlink()
            return
        numbered = [path.with_name(f"{path.name}.{number}") for number in range(1, keep + 1)]
        for older, newer in zip(reversed(numbered[1:]), reversed(numbered[:-1]), strict=True):
            if newer.exists():
                newer.replace(older)
        path.replace(numbered[0])

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
