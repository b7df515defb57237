"""Citation markers: where an answer names the documents it leans on.

Brackets are used for much else: array indices, intervals, check boxes, place holders, mathematics, links. What is not
plainly a citation is left alone; what plainly is one, in a form that names nothing we can look up, is a marker of
unknown style rather than none.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

import regex

from ragsonde.collector.model import Document
from ragsonde.scorers.citations.catalogue import Catalogue, fold_name, latin_digits
from ragsonde.scorers.citations.definitions import find_definitions
from ragsonde.scorers.citations.grammar import (
    AUTHOR_YEAR,
    BEFORE_WORD,
    BROKEN,
    CODE,
    CODE_WORD,
    DASH,
    FILE,
    INTERVAL_WORD,
    LABELLED,
    MONTH_OR_PLACE,
    NOT_IDS,
    NUMBER_CODE,
    NUMBERS,
    PAGED,
    PATTERN,
    SEEN,
    SOURCE,
    TITLE,
    UNIT_BEFORE,
    expand_numbers,
    may_hold_citations,
)
from ragsonde.scorers.text.blocks import BlockKind, find_blocks
from ragsonde.scorers.text.marks import SUPERSCRIPT
from ragsonde.scorers.text.spans import Spans


class MarkerStyle(StrEnum):
    """How a marker is written."""

    NUMBER = "number"
    """``[1]``, ``[1, 3]``, ``[1-3]``, ``[Source 2]``, in any brackets and any script's digits."""
    FOOTNOTE = "footnote"
    LENTICULAR = "lenticular"
    """``【1†source】``."""
    SUPERSCRIPT = "superscript"
    ID = "id"
    AUTHOR_YEAR = "author_year"
    """``(Walker, 2008, p. 34)``: what it names is ``Walker 2008``."""
    SOURCE = "source"
    """``(Source: title.pdf)``."""
    LINK = "link"
    UNKNOWN = "unknown"
    """Plainly a citation, in a form that names no document we can look up."""


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
        self._readers = {
            "link": self._link,
            "footnote": self._footnote,
            "lenticular": self._lenticular,
            "bracket": self._bracket,
            "sup": self._sup,
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

    def _lenticular(self, match: regex.Match[str]) -> Iterator[Marker]:
        inner = match["inner"].strip()
        dagger = regex.fullmatch(r"(?:(\p{Nd}{1,4}):)?(\p{Nd}{1,4})\s*[†‡]\s*(.{0,150})", inner)
        if dagger:
            name = dagger[3].strip()
            entry = self._catalogue.by_name(name) if name and name.casefold() not in ("source", "l") else None
            # "4:0" is the first result of the fourth message: counted from nought.
            number = str(int(latin_digits(dagger[2])) + 1) if dagger[1] else latin_digits(dagger[2])
            yield self._marker(match, MarkerStyle.LENTICULAR, [entry.key if entry else number])
        elif NUMBERS.fullmatch(inner):
            yield self._marker(match, MarkerStyle.LENTICULAR, expand_numbers(inner))
        elif self._catalogue.by_id(inner) or self._catalogue.looks_like_id(inner):
            yield self._marker(match, MarkerStyle.ID, [inner])
        elif LABELLED.fullmatch(inner):
            yield self._marker(match, MarkerStyle.LENTICULAR, expand_numbers(inner))
        elif title := TITLE.search(inner):
            known = self._catalogue.by_text(title[0])
            yield self._marker(
                match, MarkerStyle.SOURCE if known else MarkerStyle.UNKNOWN, [known.key] if known else []
            )
        elif "†" in inner or regex.search(r"\p{Nd}", inner):
            yield self._marker(match, MarkerStyle.UNKNOWN, [])

    def _bracket(self, match: regex.Match[str]) -> Iterator[Marker]:
        content = match["content"].strip()
        if NUMBERS.fullmatch(content):
            if not self._is_index_or_interval(match, content) and not self._is_year_or_code(content):
                yield self._marker(match, MarkerStyle.NUMBER, expand_numbers(content))
            return
        ids = [part.strip() for part in regex.split(r"[,;]\s*", content)]
        if all(self._is_id(part) for part in ids):
            yield self._marker(match, MarkerStyle.ID, ids)
        elif labelled := LABELLED.fullmatch(content):
            yield self._marker(match, MarkerStyle.NUMBER, expand_numbers(labelled["numbers"]))
        elif source := SOURCE.fullmatch(content):
            yield self._source(match, source["name"].strip())
        elif file := FILE.fullmatch(content):
            yield self._marker(match, MarkerStyle.SOURCE, [file["name"]])
        elif seen := SEEN.fullmatch(content):
            yield self._marker(match, MarkerStyle.NUMBER, expand_numbers(seen["numbers"]))
        elif paged := PAGED.fullmatch(content):
            yield self._marker(match, MarkerStyle.NUMBER, [latin_digits(paged["number"] or paged["cjk"])])
        elif BROKEN.fullmatch(content):
            # A template that had no number to fill in.
            yield self._marker(match, MarkerStyle.NUMBER, [content])
        elif AUTHOR_YEAR.match(content):
            yield from self._author_years(match, content)
        elif TITLE.search(content) and (known := self._catalogue.by_text(content)):
            yield self._marker(match, MarkerStyle.SOURCE, [known.key])

    def _is_id(self, name: str) -> bool:
        if not name or NOT_IDS.fullmatch(name):
            return False
        return self._catalogue.by_id(name) is not None or self._catalogue.looks_like_id(name)

    def _is_year_or_code(self, content: str) -> bool:
        """``In [2023] it opened`` and ``[1-800-555]`` cite nothing, unless a document goes by that number."""
        if NUMBER_CODE.fullmatch(content):
            return True
        number = latin_digits(content)
        return number.isdecimal() and 1500 <= int(number) < 2200 and self._catalogue.by_number(number) is None

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
        ids = [part.strip() for part in regex.split(r"[,;]\s*", content)]
        if all(self._is_parenthesised_id(part) for part in ids):
            yield self._marker(match, MarkerStyle.ID, ids)
        elif source := SOURCE.fullmatch(content):
            yield self._source(match, source["name"].strip())
        elif (labelled := LABELLED.fullmatch(content)) and not content[0].isdigit():
            yield self._marker(match, MarkerStyle.NUMBER, expand_numbers(labelled["numbers"]))
        elif regex.search(r"[\[【［]", content):
            # "(see [2])": the marker is the one inside.
            inner = PATTERN.finditer(self._answer, match.start() + 1, match.end() - 1)
            yield from (marker for found in inner for marker in self._markers(found))
        elif AUTHOR_YEAR.match(content):
            yield from self._author_years(match, content)
        elif "http" in content:
            inner = PATTERN.finditer(self._answer, match.start() + 1, match.end() - 1)
            yield from (marker for found in inner for marker in self._markers(found))

    def _source(self, match: regex.Match[str], name: str) -> Marker:
        inner = name.strip("[]【】")
        labelled = LABELLED.fullmatch(inner)
        if labelled or NUMBERS.fullmatch(inner):
            return self._marker(match, MarkerStyle.NUMBER, expand_numbers(labelled["numbers"] if labelled else inner))
        return self._marker(match, MarkerStyle.SOURCE, [name])

    def _is_parenthesised_id(self, name: str) -> bool:
        # Round brackets hold all sorts of words and numbers: only ids with a telling shape.
        if not name or name.isdecimal() or len(fold_name(name)) < 2:
            return False
        known = self._catalogue.by_id(name) is not None
        return known or (bool(regex.search(r"\p{Nd}", name)) and self._catalogue.looks_like_id(name))

    def _author_years(self, match: regex.Match[str], content: str) -> Iterator[Marker]:
        works = [AUTHOR_YEAR.match(part.strip()) for part in content.split(";")]
        found = [work for work in works if work is not None]
        named = [f"{work['author']} {work['year']}" for work in found if self._is_work(work)]
        if named:
            yield self._marker(match, MarkerStyle.AUTHOR_YEAR, named)

    def _is_work(self, work: regex.Match[str]) -> bool:
        """Not "(May 2008)", nor "(Berlin 1936)" unless a document goes by that name."""
        if MONTH_OR_PLACE.fullmatch(work["author"]):
            return False
        return (
            bool(work["comma"] or work["more"] or work["page"])
            or self._catalogue.by_author(work["author"], work["year"]) is not None
        )
