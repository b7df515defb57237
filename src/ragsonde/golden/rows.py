"""Rows from files of any usual shape: JSON lines, a JSON array, CSV, TSV, Parquet."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord, parquet_rows
from ragsonde.collector.interaction_row import json_fault
from ragsonde.whole_file import whole_file

Row = tuple[str, Mapping[str, Any]]
"""Where it stands (``line 3``) and what it holds."""

_BOM = b"\xef\xbb\xbf"
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_LARGEST_CELL = 1 << 27


@dataclass
class Rows:
    """Reads the rows of a file; what cannot be read is collected in ``bad`` while reading goes on."""

    path: Path
    bad: list[BadRecord] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)
    """The columns that the rows read so far have, in order."""

    def __iter__(self) -> Iterator[Row]:
        """Yield each row with its place.

        A JSON object at the top may hold the rows in the only list that it has (``{"goldens": […]}``).

        Raises:
            ConfigError: the file cannot be read at all.
        """
        for place, row in self._read():
            self.columns |= dict.fromkeys(row)
            yield place, row

    def _read(self) -> Iterator[Row]:
        if (separator := _SEPARATORS.get(self.path.suffix.lower())) is not None:
            yield from self._separated(separator)
            return
        with open_file(self.path) as stream:
            head = stream.read(4)
        if head == b"PAR1":
            yield from parquet_rows(self.path)
        elif self.path.suffix.lower() == ".json" or head.removeprefix(_BOM).lstrip().startswith(b"["):
            yield from self._from_document()
        else:
            yield from self._from_lines()

    def reject(self, place: str, problem: str) -> None:
        """Note that the record at a place is bad."""
        self.bad.append(BadRecord(str(self.path), place, problem))

    def _from_lines(self) -> Iterator[Row]:
        with open_file(self.path) as stream:
            for number, line in enumerate(stream, start=1):
                text = line.removeprefix(_BOM).strip()
                if not text:
                    continue
                try:
                    value = orjson.loads(text)
                except orjson.JSONDecodeError as error:
                    self.reject(f"line {number}", f"{json_fault(error)}; one JSON object a line is expected")
                    continue
                yield from self._object(f"line {number}", value)

    def _from_document(self) -> Iterator[Row]:
        with open_file(self.path) as stream:
            content = stream.read().removeprefix(_BOM)
        try:
            value = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            if _is_object(content.split(b"\n", 1)[0]):  # JSON lines under the wrong ending
                yield from self._from_lines()
            else:
                self.reject("file", f"not valid JSON: {error}")
            return
        if isinstance(value, dict):
            lists = [inner for inner in value.values() if isinstance(inner, list)]
            value = lists[0] if len(lists) == 1 else [value]
        for number, row in enumerate(value if isinstance(value, list) else [value], start=1):
            yield from self._object(f"item {number}", row)

    def _object(self, place: str, value: Any) -> Iterator[Row]:
        if isinstance(value, dict):
            yield place, value
        else:
            self.reject(place, f"a JSON object is expected, not {type(value).__name__}")

    def _separated(self, separator: str) -> Iterator[Row]:
        csv.field_size_limit(_LARGEST_CELL)
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as stream:
                reader = csv.DictReader(stream, delimiter=separator)
                self.columns |= dict.fromkeys(reader.fieldnames or ())
                for row in reader:
                    place = f"line {reader.line_num}"
                    if None in row:
                        self.reject(place, "more cells than the header has columns; quote cells that hold a separator")
                    else:
                        yield place, {name: value for name, value in row.items() if value not in {None, ""}}
        except OSError as error:
            raise ConfigError(f"cannot read {self.path}: {error.strerror}") from error
        except (UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(f"cannot read {self.path} as UTF-8 text with columns: {error}") from error


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading.

    Raises:
        ConfigError: it cannot be opened.
    """
    try:
        return path.open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write one JSON object a line and return how many; the file appears under its name only when it is whole.

    Raises:
        ConfigError: the file cannot be written.
    """
    count = 0
    with whole_file(path) as stream:
        for row in rows:
            stream.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            count += 1
    return count
