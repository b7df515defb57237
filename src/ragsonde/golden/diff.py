"""What differs between two golden sets, item by item and field by field; and putting two edits of one set together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ragsonde.golden.files import as_row
from ragsonde.golden.item import GoldenItem

WHOLE_ITEM = "(item)"
"""Stands for a field's name in a conflict that is about an item as a whole."""
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs; null stands for a field that is not set."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item whose fields differ."""

    id: str
    fields: tuple[FieldChange, ...]


@dataclass(frozen=True, slots=True)
class SetDiff:
    """What differs between two sets. Order of items and of fields does not count."""

    added: tuple[GoldenItem, ...]
    removed: tuple[GoldenItem, ...]
    changed: tuple[ItemChange, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def diff(before: Mapping[str, GoldenItem], after: Mapping[str, GoldenItem]) -> SetDiff:
    """Compare two sets by id."""
    both = [(before[id_], after[id_]) for id_ in before if id_ in after]
    return SetDiff(
        added=tuple(item for id_, item in after.items() if id_ not in before),
        removed=tuple(item for id_, item in before.items() if id_ not in after),
        changed=tuple(ItemChange(old.id, changes) for old, new in both if (changes := field_changes(old, new))),
    )


def field_changes(before: GoldenItem, after: GoldenItem) -> tuple[FieldChange, ...]:
    """The fields in which two items differ."""
    old, new = as_row(before), as_row(after)
    names = [name for name in GoldenItem.model_fields if old.get(name) != new.get(name)]
    return tuple(FieldChange(name, old.get(name), new.get(name)) for name in names)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field that both sides have set differently, or an item that one side removed and the other edited."""

    id: str
    field: str
    """``WHOLE_ITEM`` where the whole item is at stake."""
    ours: Any
    theirs: Any
    base: Any = None


@dataclass(frozen=True, slots=True)
class Merge:
    """Two sets as one. With conflicts, ``items`` holds ours in their place."""

    items: tuple[GoldenItem, ...]
    conflicts: tuple[Conflict, ...]


def merge(
    ours: Mapping[str, GoldenItem], theirs: Mapping[str, GoldenItem], base: Mapping[str, GoldenItem] | None = None
) -> Merge:
    """Put two edits of a set together.

    With the set that both started from (``base``), a field that only one side has changed takes that side's value, and
    an item that one side has removed and the other left alone is removed. Without it every difference in a common
    item is a conflict, and nothing is removed. What has been set both ways is never settled silently; nor are two edits
    that are valid apart and together make an item that is not.
    """
    items: list[GoldenItem] = []
    conflicts: list[Conflict] = []
    for id_ in dict.fromkeys([*ours, *theirs]):
        mine, other, origin = ours.get(id_), theirs.get(id_), (base or {}).get(id_)
        if mine is not None and other is not None:
            item, found = _merge_item(mine, other, origin)
            items.append(item)
            conflicts += found
        else:
            kept, found = _one_sided(id_, mine, other, origin)
            items += kept
            conflicts += found
    return Merge(tuple(items), tuple(conflicts))


def _merge_item(
    mine: GoldenItem, other: GoldenItem, origin: GoldenItem | None
) -> tuple[GoldenItem, Sequence[Conflict]]:
    rows = as_row(mine), as_row(other), as_row(origin) if origin is not None else None
    merged, conflicts = dict(rows[0]), []
    for name in GoldenItem.model_fields:
        ours, theirs = (row.get(name, _ABSENT) for row in rows[:2])
        before = rows[2].get(name, _ABSENT) if rows[2] is not None else None
        if ours == theirs or (rows[2] is not None and theirs == before):
            continue
        if rows[2] is not None and ours == before:
            merged[name] = theirs
        else:
            conflicts.append(Conflict(mine.id, name, _shown(ours), _shown(theirs), _shown(before)))
    values = {name: value for name, value in merged.items() if value is not _ABSENT}
    try:
        return GoldenItem.model_validate(values), conflicts
    except ValidationError:
        return mine, [*conflicts, Conflict(mine.id, WHOLE_ITEM, rows[0], rows[1], rows[2])]


def _one_sided(
    id_: str, mine: GoldenItem | None, other: GoldenItem | None, origin: GoldenItem | None
) -> tuple[list[GoldenItem], list[Conflict]]:
    """An item that only one side has: new there, or removed on the other side."""
    there = mine or other
    if there is None or origin is None:
        return [] if there is None else [there], []
    if not field_changes(origin, there):
        return [], []
    conflict = Conflict(
        id_,
        WHOLE_ITEM,
        "removed" if mine is None else "edited",
        "removed" if other is None else "edited",
        "present",
    )
    return [] if mine is None else [mine], [conflict]


def _shown(value: Any) -> Any:
    return None if value is _ABSENT else value
