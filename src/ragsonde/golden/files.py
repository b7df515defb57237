"""Golden sets as files: one item a line."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.golden.item import SCHEMA_VERSION, GoldenItem
from ragsonde.golden.rows import Rows, write_lines

_REMEDIES = {
    "missing": "add it",
    "extra_forbidden": "remove it or correct its name; the fields are " + ", ".join(GoldenItem.model_fields),
    "string_too_short": "write something, or leave the field out",
    "enum": "choose one of these",
    "literal_error": f"this version reads schema_version {SCHEMA_VERSION}",
    "string_pattern_mismatch": "write it in the form shown",
}


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """The items of a file and what could not be read. Ids are unique among ``items``."""

    items: tuple[GoldenItem, ...]
    bad: tuple[BadRecord, ...] = ()

    def by_id(self) -> dict[str, GoldenItem]:
        """The items by their ids."""
        return {item.id: item for item in self.items}


def read_set(path: Path) -> GoldenSet:
    """Read a golden set. A bad line never hides the others: each is reported with line, field and remedy.

    Raises:
        ConfigError: the file cannot be read at all.
    """
    rows = Rows(path)
    seen: dict[str, str] = {}
    items: list[GoldenItem] = []
    for place, row in rows:
        try:
            item = GoldenItem.model_validate(dict(row))
        except ValidationError as error:
            for problem in problems(error):
                rows.reject(place, problem)
            continue
        if item.id in seen:
            rows.reject(place, f"field id: {item.id!r} stands already at {seen[item.id]}; give each item its own id")
            continue
        seen[item.id] = place
        items.append(item)
    return GoldenSet(tuple(items), tuple(rows.bad))


def read_valid_set(path: Path) -> GoldenSet:
    """Read a golden set all of which must be valid.

    Raises:
        ConfigError: the file cannot be read, is empty, or a line of it is not valid.
    """
    golden = read_set(path)
    if golden.bad:
        more = f" (and {len(golden.bad) - 1} more)" if len(golden.bad) > 1 else ""
        raise ConfigError(f"{golden.bad[0]}{more}; `ragsonde golden validate {path}` lists all")
    if not golden.items:
        raise ConfigError(f"{path} holds no golden item")
    return golden


def problems(error: ValidationError) -> Iterator[str]:
    """Say of each wrong field what is wrong and what to do."""
    for item in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in item["loc"]) or "(whole item)"
        message = item["msg"].removeprefix("Value error, ")
        remedy = _REMEDIES.get(item["type"])
        yield f"field {where}: {message[:1].lower()}{message[1:]}" + (f"; {remedy}" if remedy else "")


def write_set(path: Path, items: Iterable[GoldenItem]) -> int:
    """Write items and return how many; the file appears under its name only when it is whole.

    Raises:
        ConfigError: the file cannot be written.
    """
    return write_lines(path, map(as_row, items))


def as_row(item: GoldenItem) -> dict[str, Any]:
    """An item as plain JSON values; fields that say nothing are left out, so that files stay readable."""
    values = item.model_dump(mode="json", exclude_defaults=True)
    return {"schema_version": item.schema_version, **values}
