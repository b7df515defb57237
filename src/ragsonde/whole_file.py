"""Files that appear under their name only when they are whole."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ragsonde.collector.errors import ConfigError


def partial_of(path: Path) -> Path:
    """Where a file is written before it is whole: beside it, or beside what a link leads to."""
    place = path.resolve()
    return place.with_name(f"{place.name}.partial")


@contextmanager
def whole_file(path: Path, *, keep_partial: bool = False) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` once everything is written and on disk.

    What is no ordinary file, such as a pipe or ``/dev/null``, is written as it comes and never replaced. Where writing
    is broken off nothing stays, or, with ``keep_partial``, what was written so far stays as ``partial_of(path)``.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as stream:
                yield stream
        else:
            with _beside(path, keep_partial=keep_partial) as stream:
                yield stream
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def _beside(path: Path, *, keep_partial: bool) -> Iterator[BinaryIO]:
    partial = partial_of(path)
    try:
        with partial.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path.resolve())
    except BaseException:
        if partial.exists() and not (keep_partial and partial.stat().st_size):
            partial.unlink()
        raise
