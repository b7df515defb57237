"""A figure of a table under the name of another row: "B costs 10 EUR", where the row of A says 10 EUR."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Measured, agrees, find_measurements
from ragsonde.scorers.faithfulness.words import Word, split_words

_RULE = re.compile(r"[\s|:+=-]*")
_LEAST_ROWS = 2


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row below the head of a table."""

    text: str
    figures: Sequence[Measured]
    words: frozenset[str]
    """Those outside its figures, folded."""


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


def _keys(words: Sequence[Word]) -> list[str]:
    return [word.key for word in words if not word.key.isdigit()]
