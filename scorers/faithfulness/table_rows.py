"""A figure of a table under the name of another row: "B costs 10 EUR", where the row of A says 10 EUR."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Measured, Quantity, TimeOfDay, agrees, find_measurements
from ragsonde.scorers.faithfulness.words import Word, split_words

_RULE = re.compile(r"[\s|:+=-]*")
_CELL = re.compile(r"[|\t]")
_LEAST_ROWS = 2
_SAME_BEGINNING = 3
"""Letters by which a word names a row: "professional" for "Pro"."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row below the head of a table."""

    text: str
    figures: Sequence[Measured]
    words: frozenset[str]
    """Those outside its figures, folded."""

    @property
    def name(self) -> str:
        """What its first cell says."""
        return _CELL.split(self.text.strip(" |\t"))[0].strip()


Table = Sequence[TableRow]


def row_of_another(figures: Sequence[Measured], claim: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The claim's figure and the row that the claim names but that does not hold it; None where there is none.

    A row is named by words of the claim that no other row of the table has.
    """
    if not tables:
        return None
    said = frozenset(_keys(split_words(claim)))
    for rows in tables:
        named = [row for row in rows if said & (row.words - _words_of_others(row, rows))]
        if len(named) != 1:
            continue
        for figure in figures:
            holding = [row for row in rows if any(agrees(figure, other) for other in row.figures)]
            if holding and named[0] not in holding:
                return figure.text.strip(), named[0].text.strip()
    return None


def unnamed_row(
    figures: Sequence[Measured], stated: Sequence[Measured], said: str, tables: Sequence[Table]
) -> tuple[str, str, TableRow, TableRow] | None:
    """A figure that stands in one row only, where others have another of its kind, and no row is named; None else.

    With the other figure, and both rows. ``stated`` are the figures of the whole answer: one that gives the other
    figure too hides no row. ``said`` is what may name a row.
    """
    keys = frozenset(_keys(split_words(said))) if tables else frozenset[str]()
    said_beginnings = _beginnings(keys)
    for rows in tables:
        own = {key for row in rows for key in row.words - _words_of_others(row, rows)}
        if any(key[:_SAME_BEGINNING] == word[:_SAME_BEGINNING] for key in keys for word in own):
            continue
        told = [_beginnings(row.words) & said_beginnings for row in rows]
        for figure in figures:
            holding = [row for row in rows if any(agrees(figure, other) for other in row.figures)]
            if len(holding) != 1 or _figures_of(figures, holding[0]) > 1:
                continue
            mine = told[rows.index(holding[0])]
            if all(row is holding[0] or not mine <= other for row, other in zip(rows, told, strict=True)):
                continue  # "outgoing international" is one row, though others have either word
            others = ((row, other) for row in rows if row is not holding[0] for other in row.figures)
            alike = ((row, other) for row, other in others if _same_kind(figure, other))
            there = next(((row, o) for row, o in alike if not any(agrees(o, mine) for mine in stated)), None)
            if there is not None:
                return figure.text.strip(), there[1].text.strip(), holding[0], there[0]
    return None


def _figures_of(figures: Sequence[Measured], row: TableRow) -> int:
    """How many of some figures a row holds: two name it."""
    return sum(any(agrees(figure, other) for other in row.figures) for figure in figures)


def _same_kind(one: Measured, other: Measured) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return bool(one.dimensions & other.dimensions)
    return isinstance(one, TimeOfDay) and isinstance(other, TimeOfDay)


def _words_of_others(row: TableRow, rows: Table) -> frozenset[str]:
    return frozenset[str]().union(*(other.words for other in rows if other is not row))


def find_tables(document: str) -> list[Table]:
    """The rows below the head of each table, which has bars or tabs between its cells."""
    if "|" not in document and "\t" not in document:
        return []
    tables: list[list[str]] = [[]]
    for line in document.splitlines():
        if line.strip(" |").count("|") or "\t" in line.strip():
            if not _RULE.fullmatch(line):
                tables[-1].append(line)
        elif tables[-1]:
            tables.append([])
    return [[_row(line) for line in table[1:]] for table in tables if len(table) > _LEAST_ROWS]


def _row(line: str) -> TableRow:
    figures = find_measurements(line).all()
    words = [w for w in split_words(line) if not any(f.start < w.end and w.start < f.end for f in figures)]
    return TableRow(line, figures, frozenset(_keys(words)))


def _beginnings(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key[:_SAME_BEGINNING] for key in keys)


def _keys(words: Sequence[Word]) -> list[str]:
    return [word.key for word in words if not word.key.isdigit()]
