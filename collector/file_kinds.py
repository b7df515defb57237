"""What a file holds, told by its first bytes; and files that can be read twice, pipes too."""

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from ragsonde.collector.errors import ConfigError

HEAD_BYTES = 1 << 16
"""How much of a file ``kind_of`` and ``unreadable`` are to be shown."""

_PARQUET = b"PAR1"
_OTLP_KEYS = (b'"resourceSpans"', b'"resource_spans"', b'"resourceLogs"', b'"resource_logs"')
_BLANK = b"\xef\xbb\xbf \t\r\n"
_PACKED = {
    b"\x1f\x8b": "compressed with gzip: gunzip it first",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard: unpack it first (zstd -d)",
    b"\xfd7zXZ\x00": "compressed with xz: unpack it first (xz -d)",
    b"BZh": "compressed with bzip2: unpack it first (bunzip2)",
    b"PK\x03\x04": "a ZIP archive: unpack it first",
}
_WIDE = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"{\x00": "UTF-16",
    b"[\x00": "UTF-16",
}


class FileKind(StrEnum):
    """What a file of interactions may be."""

    PARQUET = "parquet"
    OTLP = "otlp"
    ARRAY = "array"
    LINES = "lines"


def kind_of(head: bytes) -> FileKind:
    """Tell what a file is by its first bytes; JSON lines where nothing else fits."""
    if head.startswith(_PARQUET):
        return FileKind.PARQUET
    if _looks_like_otlp(head):
        return FileKind.OTLP
    return FileKind.ARRAY if head.lstrip(_BLANK).startswith(b"[") else FileKind.LINES


def unreadable(head: bytes) -> str | None:
    """Say why a file cannot be read as it is, with the remedy; None where it may be."""
    packed = next((remedy for magic, remedy in _PACKED.items() if head.startswith(magic)), None)
    wide = next((name for mark, name in _WIDE.items() if head.startswith(mark)), None)
    return packed or (f"written in {wide}: save it as UTF-8 (iconv -f {wide} -t UTF-8)" if wide else None)


def check_readable(paths: Iterable[Path]) -> None:
    """Look whether files can be read, without opening any: a pipe gives what it holds only once.

    Raises:
        ConfigError: one does not exist, is a directory, or may not be read.
    """
    for path in paths:
        if not path.exists():
            problem = errno.ENOENT
        elif path.is_dir():
            problem = errno.EISDIR
        elif not os.access(path, os.R_OK):
            problem = errno.EACCES
        else:
            continue
        raise ConfigError(f"cannot read {path}: {os.strerror(problem)}")


def is_indented(stream: BinaryIO) -> bool:
    """Whether a file holds JSON objects over several lines rather than one a line; reads on from its start."""
    first = next((line for line in stream if line.strip(_BLANK)), b"").strip(_BLANK)
    stream.seek(0)
    return first == b"{"


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file so that it can be read from its start more than once; what cannot go back is read into memory.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        stream = path.open("rb")
        with stream:
            yield stream if stream.seekable() else io.BytesIO(stream.read())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror or error}") from error


def _looks_like_otlp(head: bytes) -> bool:
    """Whether a file is an OTLP export: JSON that names resources, or bytes that are no JSON at all."""
    text = head.lstrip(_BLANK)
    if not text:
        return False
    if text.startswith((b"{", b"[")):
        return any(key in head for key in _OTLP_KEYS)
    return text[:1] == b"\x0a" or b"\x00" in head or not _is_text(text[:64])


def _is_text(head: bytes) -> bool:
    return all(byte >= 0x20 or byte in b"\t\r\n" for byte in head)
