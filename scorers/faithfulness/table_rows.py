"""A figure of a table under the name of another row or column: "B costs 10 EUR", where the row of A says 10 EUR."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Measured, Quantity, TimeOfDay, agrees, find_measurements
from ragsonde.scorers.faithfulness.polarity import forms_of_one
from ragsonde.scorers.faithfulness.words import Word, function_words, split_words

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
    bounds: Sequence[tuple[int, int]]
    """Where its cells begin and end, as offsets into its text."""

    def figures_under(self, column: int) -> Sequence[Measured]:
        """The figures of one cell; none where the row is too short."""
        start, end = self.bounds[column] if column < len(self.bounds) else (0, 0)
        return [figure for figure in self.figures if start <= figure.start < end]

    @property
    def name(self) -> str:
        """What its first cell says."""
        return _CELL.split(self.text.strip(" |\t"))[0].strip()


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a head."""

    columns: Sequence[frozenset[str]]
    """The words of each cell of its head, folded."""
    figures: Sequence[Sequence[Measured]]
    """The figures of each cell of its head, as years are."""
    rows: Sequence[TableRow]

    def named_by(self, said: frozenset[str]) -> Sequence[TableRow]:
        """The rows that have a word of some which no other row has."""
        return [row for row in self.rows if said & (row.words - _words_of_others(row, self.rows))]

    def columns_named_by(self, said: frozenset[str], figures: Sequence[Measured]) -> Sequence[int]:
        """The columns but the first whose head has one of some figures, or a form of a word that no other head has."""
        named: list[int] = []
        for at, words in enumerate(self.columns):
            others = frozenset[str]().union(*self.columns[:at], *self.columns[at + 1 :])
            by_word = any(forms_of_one(key, word) for key in said for word in words - others)
            if at and (by_word or any(_holds(figures, figure) for figure in self.figures[at])):
                named.append(at)
        return named

    def heads_hold(self, figure: Measured) -> bool:
        """Whether a figure stands in the head."""
        return any(_holds(figures, figure) for figures in self.figures)


def row_of_another(figures: Sequence[Measured], claim: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The claim's figure and the row that the claim names but that does not hold it; None where there is none.

    A row is named by words of the claim that no other row of the table has.
    """
    said = _said(claim) if tables else frozenset[str]()
    for table in tables:
        named = table.named_by(said)
        if len(named) != 1:
            continue
        for figure in figures:
            holding = [row for row in table.rows if _holds(row.figures, figure)]
            if holding and named[0] not in holding:
                return figure.text.strip(), named[0].text.strip()
    return None


def column_of_another(figures: Sequence[Measured], claim: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The claim's figure, and the one that stands where the row and the column that it names meet; None where none.

    Only a claim with one figure beside those of the head, which the table has elsewhere, and which names one row and
    one column is looked at.
    """
    said = _said(claim) if tables else frozenset[str]()
    for table in tables:
        stated = [figure for figure in figures if not table.heads_hold(figure)]
        rows, columns = table.named_by(said), table.columns_named_by(said, figures)
        if not len(stated) == len(rows) == len(columns) == 1:
            continue
        (figure,), there = stated, rows[0].figures_under(columns[0])
        if there and not _holds(there, figure) and any(_holds(row.figures, figure) for row in table.rows):
            return figure.text.strip(), there[0].text.strip()
    return None


def _said(claim: str) -> frozenset[str]:
    """The words of a claim by which it may name a row or a column: not "a", but the "A" of "zone A"."""
    grammar = function_words()
    return frozenset(
        _keys(
            word
            for word in split_words(claim)
            if word.end - word.start > 1 or word.key not in grammar or (word.start > 0 and claim[word.start].isupper())
        )
    )


def _holds(figures: Sequence[Measured], figure: Measured) -> bool:
    return any(agrees(figure, other) for other in figures)


def unnamed_row(
    figures: Sequence[Measured], stated: Sequence[Measured], said: str, tables: Sequence[Table]
) -> tuple[str, str, TableRow, TableRow] | None:
    """A figure that stands in one row only, where others have another of its kind, and no row is named; None else.

    With the other figure, and both rows. ``stated`` are the figures of the whole answer: one that gives the other
    figure too hides no row. ``said`` is what may name a row.
    """
    keys = frozenset(_keys(split_words(said))) if tables else frozenset[str]()
    said_beginnings = _beginnings(keys)
    for rows in (table.rows for table in tables):
        own = {key for row in rows for key in row.words - _words_of_others(row, rows)}
        if any(key[:_SAME_BEGINNING] == word[:_SAME_BEGINNING] for key in keys for word in own):
            continue
        told = [_beginnings(row.words) & said_beginnings for row in rows]
        for figure in figures:
            holding = [row for row in rows if _holds(row.figures, figure)]
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


def _words_of_others(row: TableRow, rows: Sequence[TableRow]) -> frozenset[str]:
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
    return [_table(lines) for lines in tables if len(lines) > _LEAST_ROWS]


def _table(lines: Sequence[str]) -> Table:
    head = lines[0]
    cells = [head[start:end] for start, end in _cells(head)]
    columns = [frozenset(_keys(split_words(cell))) for cell in cells]
    return Table(columns, [find_measurements(cell).all() for cell in cells], [_row(line) for line in lines[1:]])


def _cells(line: str) -> Sequence[tuple[int, int]]:
    """Where the cells of a line begin and end; bars at its ends bound none."""
    start = len(line) - len(line.lstrip(" ").removeprefix("|"))
    end = len(line.rstrip(" ").removesuffix("|"))
    cuts = [found.span() for found in _CELL.finditer(line, start, end)]
    return list(zip([start, *(after for _, after in cuts)], [*(before for before, _ in cuts), end], strict=True))


def _row(line: str) -> TableRow:
    figures = find_measurements(line).all()
    words = [w for w in split_words(line) if not any(f.start < w.end and w.start < f.end for f in figures)]
    return TableRow(line, figures, frozenset(_keys(words)), _cells(line))


def _beginnings(keys: Iterable[str]) -> frozenset[str]:
    return frozenset(key[:_SAME_BEGINNING] for key in keys)


def _keys(words: Iterable[Word]) -> list[str]:
    return [word.key for word in words if not word.key.isdigit()]
