"""Citation markers: where an answer names the documents it leans on.

Brackets are used for much else: array indices, intervals, check boxes, place holders, mathematics, links. What is not
plainly a citation is left alone; what plainly is one, in a form that names nothing we can look up, is a marker of
unknown style rather than none.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import regex

from ragsonde.collector.model import Document
from ragsonde.scorers.citations.catalogue import Catalogue, latin_digits
from ragsonde.scorers.citations.definitions import find_definitions
from ragsonde.scorers.citations.grammar import (
    BEFORE_WORD,
    CIRCLED_ENDS,
    CODE,
    CODE_WORD,
    DASH,
    FIGURE_BEFORE,
    INTERVAL_WORD,
    NUMBER_CODE,
    NUMBERS,
    PATTERN,
    UNIT_BEFORE,
    YEAR_OR_DAY,
    expand_numbers,
    may_hold_citations,
)
from ragsonde.scorers.citations.wording import MarkerStyle, Named, Wording
from ragsonde.scorers.text.blocks import BlockKind, find_blocks
from ragsonde.scorers.text.marks import SUPERSCRIPT
from ragsonde.scorers.text.spans import Spans

__all__ = ["Marker", "MarkerStyle", "find_markers"]


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker; ``text == answer[start:end]``."""

    text: str
    start: int
    end: int
    style: MarkerStyle
    cited: tuple[str, ...]
    """What it names, as written: numbers in Latin digits, ids, titles; empty for an unknown style."""


def find_markers(answer: str, documents: Sequence[Document] = ()) -> tuple[Marker, ...]:
    """The markers of an answer, in order. ``documents`` tells which ids are in use.

    Definitions of footnotes and lists of sources are no citations themselves (``definitions.py`` reads those).
    """
    return _MarkerFinder(answer, Catalogue(documents)).find()


class _MarkerFinder:
    def __init__(self, answer: str, catalogue: Catalogue) -> None:
        self._answer = answer
        self._catalogue = catalogue
        self._wording = Wording(catalogue)
        self._readers = {
            "link": self._link,
            "footnote": self._footnote,
            "lenticular": self._lenticular,
            "bracket": self._bracket,
            "sup": self._sup,
            "cite": self._cite,
            "circled": self._circled,
            "super": self._super,
            "private": self._private,
            "paren": self._paren,
            "address": self._address,
        }

    def find(self) -> tuple[Marker, ...]:
        if not may_hold_citations(self._answer):
            return ()
        found = [marker for match in PATTERN.finditer(self._answer) for marker in self._markers(match)]
        if not found:
            return ()
        ranges = Spans(find_definitions(self._answer).ranges)
        kept = [marker for marker in found if not ranges.touches(marker.start, marker.end)]
        return tuple(self._ranged(before, marker) for before, marker in zip([None, *kept], kept, strict=False))

    def _ranged(self, before: Marker | None, marker: Marker) -> Marker:
        """``[1]–[3]``: the second marker names what lies between as well."""
        if before is None or {before.style, marker.style} != {MarkerStyle.NUMBER}:
            return marker
        numbers = [*before.cited, *marker.cited]
        if len(numbers) != 2 or not DASH.fullmatch(self._answer, before.end, marker.start):
            return marker
        return replace(marker, cited=tuple(expand_numbers("-".join(numbers))[1:]))

    @cached_property
    def _blocked(self) -> Spans:
        """Code and mathematics."""
        if not any(bracket in self._answer for bracket in "`$\\~"):
            return Spans()
        code = [(b.start, b.end) for b in find_blocks(self._answer) if b.kind is BlockKind.CODE]
        return Spans([*code, *((found.start(), found.end()) for found in CODE.finditer(self._answer))])

    def _markers(self, match: regex.Match[str]) -> Iterator[Marker]:
        if self._blocked.touches(match.start(), match.start() + 1):
            return
        kind = next(name for name in self._readers if match[name] is not None)
        yield from self._readers[kind](match)

    def _marker(self, match: regex.Match[str], style: MarkerStyle, cited: Sequence[str]) -> Marker:
        return Marker(match[0], match.start(), match.end(), style, tuple(dict.fromkeys(cited)))

    def _link(self, match: regex.Match[str]) -> Iterator[Marker]:
        """A link cites where it leads to a retrieved document, or is one's number or id; else it is just a link."""
        url, text = match["url"], match["link_text"].strip("[]^ ")
        entry = self._catalogue.by_address(url) or self._catalogue.by_id(text)
        if entry is None and text.isdecimal():
            entry = self._catalogue.by_number(latin_digits(text))
        if entry is not None and not match["link"].startswith("!"):
            yield self._marker(match, MarkerStyle.LINK, [entry.key])

    def _address(self, match: regex.Match[str]) -> Iterator[Marker]:
        entry = self._catalogue.by_address(match[0].rstrip(".,;:!?>'\""))
        if entry is not None:
            yield self._marker(match, MarkerStyle.LINK, [entry.key])

    def _footnote(self, match: regex.Match[str]) -> Iterator[Marker]:
        yield self._marker(match, MarkerStyle.FOOTNOTE, [latin_digits(match["note"])])

    def _named(self, match: regex.Match[str], named: Named | None) -> Iterator[Marker]:
        if named is not None:
            yield self._marker(match, named.style, named.cited)

    def _lenticular(self, match: regex.Match[str]) -> Iterator[Marker]:
        yield from self._named(match, self._wording.in_lenticular_brackets(match["inner"].strip()))

    def _bracket(self, match: regex.Match[str]) -> Iterator[Marker]:
        content = match["content"].strip()
        if not NUMBERS.fullmatch(content):
            yield from self._named(match, self._wording.in_square_brackets(content))
        elif not self._is_index_or_interval(match, content) and not self._is_year_or_code(content):
            yield self._marker(match, MarkerStyle.NUMBER, expand_numbers(content))

    def _is_year_or_code(self, content: str) -> bool:
        """``In [2023] it opened`` and ``[1-800-555]`` cite nothing, unless a document goes by that number."""
        if NUMBER_CODE.fullmatch(content):
            return True
        number = latin_digits(content)
        looks_like_date = YEAR_OR_DAY.fullmatch(number) is not None
        return looks_like_date and self._catalogue.by_number(number) is None

    def _is_index_or_interval(self, match: regex.Match[str], content: str) -> bool:
        before = self._answer[max(0, match.start() - 40) : match.start()]
        numbers = [latin_digits(found[0]) for found in regex.finditer(r"\p{Nd}+", content)]
        if len(numbers) == 2 and "0" in numbers and self._catalogue.by_id("0") is None:
            return True
        if len(numbers) == 2 and INTERVAL_WORD.search(before):
            return True
        if before.endswith("]") and match.start() and self._chain_is_index(match.start()):
            return True
        word = BEFORE_WORD.search(before)
        if word is None:
            return False
        after = self._answer[match.end() : match.end() + 3]
        if content.strip() == "0" or regex.match(r"\.\p{L}|\s?[=({]|\[\D", after):
            return True
        return word[0].isascii() and CODE_WORD.fullmatch(word[0]) is not None

    def _chain_is_index(self, start: int) -> bool:
        """``matrix[0][1]``: what follows an index is an index."""
        first = self._answer.rfind("[", max(0, start - 40), start)
        while first > 0 and self._answer[first - 1] == "]":
            first = self._answer.rfind("[", max(0, first - 40), first)
        match = PATTERN.match(self._answer, first) if first >= 0 else None
        return match is not None and match["bracket"] is not None and not list(self._bracket(match))

    def _sup(self, match: regex.Match[str]) -> Iterator[Marker]:
        inner = match["sup_inner"].strip().strip("[]^()")
        if NUMBERS.fullmatch(inner) and not UNIT_BEFORE.search(self._answer[max(0, match.start() - 5) : match.start()]):
            yield self._marker(match, MarkerStyle.SUPERSCRIPT, expand_numbers(inner))

    def _cite(self, match: regex.Match[str]) -> Iterator[Marker]:
        yield from self._named(match, self._wording.in_tags(match["cite_inner"].strip().strip("[]^()")))

    def _circled(self, match: regex.Match[str]) -> Iterator[Marker]:
        """``①`` cites at the end of what it stands at; before a word, or first in a line, it numbers a list."""
        before = self._answer[max(0, match.start() - 12) : match.start()]
        line_begins = not before.rpartition("\n")[2].strip()
        if line_begins or not CIRCLED_ENDS.match(self._answer, match.end()) or FIGURE_BEFORE.search(before):
            return
        numbers = [str(int(unicodedata.numeric(sign))) for sign in match[0] if unicodedata.numeric(sign, 0)]
        if any(sign in (e.document.text or "") for e in self._catalogue.entries for sign in match[0] if sign.strip()):
            return  # the documents speak of it themselves
        known = all(self._catalogue.by_number(number) for number in numbers)
        yield self._marker(match, MarkerStyle.SUPERSCRIPT if known else MarkerStyle.UNKNOWN, numbers if known else [])

    def _super(self, match: regex.Match[str]) -> Iterator[Marker]:
        before = self._answer[max(0, match.start() - 5) : match.start()]
        after = self._answer[match.end() : match.end() + 1]
        # "m²", "10⁶", "x³" measure and count; a citation follows a word or a stop.
        if (
            not before.strip()
            or before[-1:] == "⁻"
            or UNIT_BEFORE.search(before)
            or (after.isalnum() and not after.isupper())
        ):
            return
        cited = []
        for run in regex.findall(rf"{SUPERSCRIPT}+", match[0]):
            number = latin_digits(run)
            singles = [digit for digit in number if digit != "0"]
            several = len(number) > 1 and int(number) > len(self._catalogue) >= max(map(int, singles), default=0)
            cited.extend(singles if several and len(self._catalogue) else [number])
        yield self._marker(match, MarkerStyle.SUPERSCRIPT, cited)

    def _private(self, match: regex.Match[str]) -> Iterator[Marker]:
        yield self._marker(match, MarkerStyle.UNKNOWN, [])

    def _paren(self, match: regex.Match[str]) -> Iterator[Marker]:
        content = match["paren_inner"].strip()
        named = self._wording.in_round_brackets(content)
        yield from self._named(match, named)
        if named is None and regex.search(r"[\[【［]|http", content):
            # "(see [2])": the marker is the one inside.
            inner = PATTERN.finditer(self._answer, match.start() + 1, match.end() - 1)
            yield from (marker for found in inner for marker in self._markers(found))
