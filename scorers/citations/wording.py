"""What the words inside brackets name: documents by number, id, title, file, or author and year."""

from dataclasses import dataclass
from enum import StrEnum

import regex

from ragsonde.scorers.citations.catalogue import Catalogue, fold_name, latin_digits
from ragsonde.scorers.citations.grammar import (
    AUTHOR_YEAR,
    AUTHOR_YEAR_UNCASED,
    BROKEN,
    DAGGER,
    FILE,
    LABELLED,
    MONTH_OR_PLACE,
    NAMED_ID,
    NOT_IDS,
    NUMBERS,
    PAGED,
    SEEN,
    SOURCE,
    TITLE,
    expand_numbers,
)


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
class Named:
    """What a bracket names, and how; ``cited`` as in ``Marker``."""

    style: MarkerStyle
    cited: tuple[str, ...] = ()


class Wording:
    """Reads what stands inside brackets, with the retrieved documents at hand. None: nothing that cites."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def in_square_brackets(self, content: str) -> Named | None:
        """``[doc-1]``, ``[Source 2]``, ``[1†L3]``, ``[Walker 2008]``, ``[late-fees, p. 3]``; not plain numbers."""
        ids = _parts(content)
        if all(map(self.is_id, ids)):
            return Named(MarkerStyle.ID, tuple(ids))
        if labelled := LABELLED.fullmatch(content) or SEEN.fullmatch(content):
            return _numbers(labelled["numbers"])
        if source := SOURCE.fullmatch(content):
            return _source(source["name"].strip())
        if file := FILE.fullmatch(content):
            return Named(MarkerStyle.SOURCE, (file["name"],))
        if dagger := DAGGER.fullmatch(content):
            return self._daggered(dagger)
        if BROKEN.fullmatch(content):
            # A template that had no number to fill in.
            return Named(MarkerStyle.NUMBER, (content,))
        if works := self._works(content):
            return works
        if named := PAGED.fullmatch(content) or NAMED_ID.fullmatch(content):
            return self._called(next(name.strip() for name in named.groups() if name))
        known = self._catalogue.by_text(content) if TITLE.search(content) else None
        return Named(MarkerStyle.SOURCE, (known.key,)) if known else None

    def in_lenticular_brackets(self, content: str) -> Named | None:
        """``【1†source】``, ``【4:0†handbook.pdf】``, ``【《某经》第3卷】``."""
        if dagger := DAGGER.fullmatch(content):
            return self._daggered(dagger)
        if NUMBERS.fullmatch(content):
            return Named(MarkerStyle.LENTICULAR, tuple(expand_numbers(content)))
        if self._catalogue.by_id(content) or self._catalogue.looks_like_id(content):
            return Named(MarkerStyle.ID, (content,))
        if LABELLED.fullmatch(content):
            return Named(MarkerStyle.LENTICULAR, tuple(expand_numbers(content)))
        if title := TITLE.search(content):
            known = self._catalogue.by_text(title[0])
            return Named(MarkerStyle.SOURCE, (known.key,)) if known else Named(MarkerStyle.UNKNOWN)
        return Named(MarkerStyle.UNKNOWN) if "†" in content or regex.search(r"\p{Nd}", content) else None

    def in_round_brackets(self, content: str) -> Named | None:
        """``(doc-1)``, ``(Source: title.pdf)``, ``(Walker, 2008)``: they hold much else, so only what is telling."""
        ids = _parts(content)
        if all(map(self._is_telling_id, ids)):
            return Named(MarkerStyle.ID, tuple(ids))
        if source := SOURCE.fullmatch(content):
            return _source(source["name"].strip())
        if (labelled := LABELLED.fullmatch(content)) and not content[0].isdigit():
            return _numbers(labelled["numbers"])
        if regex.search(r"[\[【［]", content):
            return None
        if works := self._works(content):
            return works
        paged = PAGED.fullmatch(content)
        name = (paged["name"] or paged["cjk"]) if paged else ""
        return Named(MarkerStyle.ID, (name,)) if name and self._catalogue.by_id(name) else None

    def in_tags(self, content: str) -> Named | None:
        """``<cite>2</cite>``; in ``<cite index="0-1">The fee is 20 EUR.</cite>`` the text is the answer's own."""
        if NUMBERS.fullmatch(content):
            return _numbers(content)
        if labelled := LABELLED.fullmatch(content):
            return _numbers(labelled["numbers"])
        if self.is_id(content):
            return Named(MarkerStyle.ID, (content,))
        if file := FILE.fullmatch(content):
            return Named(MarkerStyle.SOURCE, (file["name"],))
        return self._works(content)

    def is_id(self, name: str) -> bool:
        """Whether a name is a document's id, or has the shape of the ids in use."""
        if not name or NOT_IDS.fullmatch(name):
            return False
        return self._catalogue.by_id(name) is not None or self._catalogue.looks_like_id(name)

    def _is_telling_id(self, name: str) -> bool:
        if not name or name.isdecimal() or len(fold_name(name)) < 2:
            return False
        known = self._catalogue.by_id(name) is not None
        return known or (bool(regex.search(r"\p{Nd}", name)) and self._catalogue.looks_like_id(name))

    def _daggered(self, dagger: regex.Match[str]) -> Named:
        name = dagger[3].strip()
        entry = self._catalogue.by_name(name) if name and name.casefold() not in ("source", "l") else None
        # "4:0" is the first result of the fourth message: counted from nought.
        number = str(int(latin_digits(dagger[2])) + 1) if dagger[1] else latin_digits(dagger[2])
        return Named(MarkerStyle.LENTICULAR, (entry.key if entry else number,))

    def _called(self, name: str) -> Named:
        """What the wording itself calls a document: by a page in it, or as an id."""
        if NUMBERS.fullmatch(name):
            return _numbers(name)
        if self.is_id(name):
            return Named(MarkerStyle.ID, (name,))
        known = self._catalogue.by_name(name)
        return Named(MarkerStyle.SOURCE, (known.key,)) if known else Named(MarkerStyle.UNKNOWN)

    def _works(self, content: str) -> Named | None:
        """Works by author and year; None where the bracket says something else."""
        if AUTHOR_YEAR.match(content) is None and AUTHOR_YEAR_UNCASED.match(content) is None:
            return None
        parts = (part.strip() for part in regex.split("[;；؛]", content))
        found = (AUTHOR_YEAR.match(part) or AUTHOR_YEAR_UNCASED.match(part) for part in parts)
        works = tuple(f"{work['author']} {work['year']}" for work in found if work is not None and self._is_work(work))
        return Named(MarkerStyle.AUTHOR_YEAR, works) if works else None

    def _is_work(self, work: regex.Match[str]) -> bool:
        """Not "(May 2008)", nor "(Berlin 1936)" unless a document goes by that name."""
        if work["more"] or work["page"]:
            return True
        if MONTH_OR_PLACE.fullmatch(work["author"]):
            return False
        return bool(work["comma"]) or self._catalogue.by_author(work["author"], work["year"]) is not None


def _parts(content: str) -> list[str]:
    return [part.strip() for part in regex.split(r"[,;]\s*", content)]


def _numbers(written: str) -> Named:
    return Named(MarkerStyle.NUMBER, tuple(expand_numbers(written)))


def _source(name: str) -> Named:
    inner = name.strip("[]【】")
    if labelled := LABELLED.fullmatch(inner):
        return _numbers(labelled["numbers"])
    return _numbers(inner) if NUMBERS.fullmatch(inner) else Named(MarkerStyle.SOURCE, (name,))
