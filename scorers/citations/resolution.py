"""From markers to retrieved documents, and to the statements they stand at."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import regex

from ragsonde.collector.model import Document
from ragsonde.scorers.citations.catalogue import Catalogue, Entry, Missing, fold_name, latin_digits
from ragsonde.scorers.citations.markers import Marker, MarkerStyle
from ragsonde.scorers.score import Citation
from ragsonde.scorers.text.spans import Spans, Statement

_NO_NOTES: Mapping[str, str] = MappingProxyType({})
_URL = regex.compile(r"https?://[^\s<>()\[\]\"]{1,2000}")
_LINK = regex.compile(r"\[([^\[\]]{0,300})\]\(([^()\s]{1,2000})")
_LABELLED_NUMBER = regex.compile(r"\p{L}{1,20}[\s_#.-]{0,3}(\p{Nd}{1,4})")
_WORDLIKE = regex.compile(r"[\p{L}\p{N}]")


def resolve(
    markers: Sequence[Marker], documents: Sequence[Document], notes: Mapping[str, str] = _NO_NOTES
) -> tuple[Citation, ...]:
    """One citation for each document that each marker names.

    ``documents`` are all that were retrieved, in rank order; ``notes`` what footnotes and numbers stand for. A name
    that leads to no retrieved document is fabricated (``context_id`` None). Markers of unknown style, and names that
    cannot be compared with anything the documents carry, give no citation: ``undecided_markers`` lists them.
    """
    catalogue = Catalogue(documents)
    return tuple(citation for marker in markers for citation in citations_of(marker, catalogue, notes))


def undecided_markers(
    markers: Sequence[Marker], documents: Sequence[Document], notes: Mapping[str, str] = _NO_NOTES
) -> tuple[Marker, ...]:
    """Markers of which nothing can be said: unknown style, or nothing to compare their names with."""
    catalogue = Catalogue(documents)
    return tuple(marker for marker in markers if not any(True for _ in citations_of(marker, catalogue, notes)))


def citations_of(marker: Marker, catalogue: Catalogue, notes: Mapping[str, str] = _NO_NOTES) -> Iterator[Citation]:
    """The citations of one marker."""
    for cited in marker.cited:
        found = _target(marker.style, cited, catalogue, notes)
        if found is not Missing.UNDECIDED:
            key = found.key if isinstance(found, Entry) else None
            yield Citation(marker.text, marker.start, marker.end, cited, key)


def look_up(name: str, catalogue: Catalogue) -> Entry | Missing:
    """The document that free text names: a link, an address, an id, a title, ``Document 3``, ``[3]``."""
    bare = latin_digits(name.strip(" []［］【】()."))
    if bare.isdecimal():
        return catalogue.by_number(bare) or Missing.FABRICATED
    for text, url in _LINK.findall(name):
        entry = catalogue.by_address(url) or catalogue.by_name(text)
        if entry is not None:
            return entry
    addresses = [found[0].rstrip(".,;:") for found in _URL.finditer(name)]
    entry = next((e for e in map(catalogue.by_address, addresses) if e is not None), None)
    entry = entry or catalogue.by_id(name) or catalogue.by_name(name) or catalogue.by_address(name)
    if entry is not None:
        return entry
    number = _LABELLED_NUMBER.fullmatch(fold_name(name))
    if number:
        return catalogue.by_number(number[1]) or Missing.FABRICATED
    return Missing.FABRICATED if catalogue.has_names or not len(catalogue) else Missing.UNDECIDED


def _target(style: MarkerStyle, cited: str, catalogue: Catalogue, notes: Mapping[str, str]) -> Entry | Missing:
    match style:
        case MarkerStyle.NUMBER | MarkerStyle.SUPERSCRIPT | MarkerStyle.LENTICULAR | MarkerStyle.FOOTNOTE:
            return _numbered(style, cited, catalogue, notes)
        case MarkerStyle.ID | MarkerStyle.LINK:
            return catalogue.by_number(cited) or Missing.FABRICATED
        case MarkerStyle.SOURCE:
            return look_up(cited, catalogue)
        case MarkerStyle.AUTHOR_YEAR:
            author, _, year = cited.rpartition(" ")
            found = catalogue.by_author(author, year)
            nothing_fits = catalogue.has_authors or not len(catalogue)
            return found or (Missing.FABRICATED if nothing_fits else Missing.UNDECIDED)
        case MarkerStyle.UNKNOWN:
            return Missing.UNDECIDED


def _numbered(style: MarkerStyle, cited: str, catalogue: Catalogue, notes: Mapping[str, str]) -> Entry | Missing:
    if cited in notes:
        # The answer's own list says what the number stands for; only where that cannot be told does the rank count.
        noted = look_up(notes[cited], catalogue)
        if noted is not Missing.UNDECIDED:
            return noted
    entry = catalogue.by_number(cited)
    if entry is not None:
        return entry
    if style is MarkerStyle.FOOTNOTE and not cited.isdecimal():
        return catalogue.by_name(cited) or Missing.UNDECIDED
    return Missing.FABRICATED


def statement_of(marker: Marker, answer: str, statements: Sequence[Statement], marks: Spans) -> Statement | None:
    """The statement that ``marker`` stands in or follows with only other markers (``marks``) and stops between.

    ``statements`` stand in the answer's order.
    """
    after = bisect_right(statements, marker.start, key=lambda statement: statement.start)
    if not after:
        return None
    before = statements[after - 1]
    if marker.end <= before.end:
        return before
    between = marks.cut_from(answer, before.end, marker.start)
    return None if _WORDLIKE.search(between) else before
