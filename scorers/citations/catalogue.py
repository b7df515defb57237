"""The retrieved documents as a citation may name them: by id, rank, title, file, address or author."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import regex

from ragsonde.collector.model import Document

_NAME_KEYS = regex.compile(
    r"(?:^|[._])(?:id|source|title|name|url|uri|link|path|file|filename|doc(?:ument)?|key|href|page_title|heading)(?:_?(?:id|name|path|url|title))?$",
    flags=regex.IGNORECASE,
)
_AUTHOR_KEYS = regex.compile(r"author|creator|writer", flags=regex.IGNORECASE)
_ADDRESS = regex.compile(r"^(?:https?:)?//(?:www\.)?|^www\.", flags=regex.IGNORECASE)
_ADDRESS_TAIL = regex.compile(r"[?#].*$")
_DIGITS = regex.compile(r"\p{Nd}+")
_WORD_ID = regex.compile(r"[\p{L}\p{N}]+(?:[-_./:][\p{L}\p{N}]+)+")
_FILE_ID = regex.compile(r"\p{L}\.\p{L}{2,5}$|/")
_MIN_TITLE = 4
_MAX_SEARCHED = 200_000


class Missing(Enum):
    """Why a name leads to no document."""

    FABRICATED = "fabricated"
    """No such document was retrieved."""
    UNDECIDED = "undecided"
    """The documents carry nothing that the name could be compared with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A retrieved document under the name that a ``Citation`` gives it."""

    key: str
    """Its id; its rank as a string where it has none."""
    document: Document
    names: frozenset[str]
    addresses: frozenset[str]


class Catalogue:
    """Looks up the names that citations use. ``documents`` are all that were retrieved, in rank order."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.entries = tuple(_entry(document) for document in documents)
        # The first of two documents with one id wins, so the later is entered first.
        self._by_id = {fold_name(entry.document.id): entry for entry in reversed(self.entries) if entry.document.id}
        self._by_key = {entry.key: entry for entry in self.entries}

    def __len__(self) -> int:
        return len(self.entries)

    def document(self, key: str) -> Document | None:
        """The document of a citation's ``context_id``."""
        entry = self._by_key.get(key)
        return entry.document if entry else None

    def by_id(self, name: str) -> Entry | None:
        """The document with this id; case does not count."""
        return self._by_id.get(fold_name(name))

    def by_number(self, number: str) -> Entry | None:
        """The document with this id, or else at this rank (1 for the first)."""
        entry = self.by_id(number)
        if entry is not None:
            return entry
        if not number.isdecimal() or len(number) > 6:
            return None
        ranks = {e.document.rank: e for e in reversed(self.entries)}
        position = int(number)
        if position in ranks:
            return ranks[position]
        return self.entries[position - 1] if 1 <= position <= len(self.entries) else None

    def by_address(self, address: str) -> Entry | None:
        """The document at this address: scheme, ``www.``, query, fragment and a last slash do not count."""
        wanted = fold_address(address)
        return next((entry for entry in self.entries if wanted and wanted in entry.addresses), None)

    def by_name(self, name: str) -> Entry | None:
        """The document of this id, title, file name or source; a part of a title counts where it is long enough."""
        wanted = fold_name(name)
        if not wanted:
            return None
        exact = next((entry for entry in self.entries if wanted in entry.names), None)
        if exact is not None or len(wanted) < _MIN_TITLE:
            return exact
        return next(
            (e for e in self.entries if any(len(n) >= _MIN_TITLE and (n in wanted or wanted in n) for n in e.names)),
            None,
        )

    def by_author(self, author: str, year: str) -> Entry | None:
        """The document by this author of this year, or that itself cites them so."""
        surname = fold_name(author)
        for entry in self.entries:
            authors = " ".join(_values(entry.document, _AUTHOR_KEYS))
            described = f"{fold_name(authors)} {' '.join(entry.names)}"
            if surname in described and year in f"{described} {entry.document.metadata}":
                return entry
        near = regex.compile(rf"{regex.escape(author)}[^.\n]{{0,60}}{year}", flags=regex.IGNORECASE)
        return next((e for e in self.entries if near.search((e.document.text or "")[:_MAX_SEARCHED])), None)

    def by_text(self, phrase: str) -> Entry | None:
        """The document whose title, or opening, holds this phrase."""
        wanted = fold_name(phrase)
        return next(
            (
                e
                for e in self.entries
                if wanted and (any(wanted in n for n in e.names) or wanted in fold_name((e.document.text or "")[:500]))
            ),
            None,
        )

    @cached_property
    def has_names(self) -> bool:
        """Whether any document carries a title, file name or source, or has a file name for an id."""
        ids = (entry.document.id or "" for entry in self.entries)
        return any(_values(entry.document, _NAME_KEYS) for entry in self.entries) or any(map(_FILE_ID.search, ids))

    @cached_property
    def has_authors(self) -> bool:
        """Whether any document carries its author."""
        return any(_values(entry.document, _AUTHOR_KEYS) for entry in self.entries)

    @cached_property
    def id_shapes(self) -> frozenset[str]:
        """The ids in use with their digits, and for ids of several words their letters, left out."""
        return frozenset(
            shape for entry in self.entries if entry.document.id for shape in [id_shape(entry.document.id)] if shape
        )

    def looks_like_id(self, name: str) -> bool:
        """Whether ``name`` has the shape of the ids in use (``doc-99`` where ``doc-1`` is one)."""
        return bool(name) and id_shape(name) in self.id_shapes


def id_shape(name: str) -> str | None:
    """``doc-#`` for ``doc-17``, ``a-a`` for ``late-fees``; None where the shape tells nothing (a number, a word)."""
    folded = fold_name(name)
    if _DIGITS.search(folded) and not folded.isdecimal() and " " not in folded:
        if regex.fullmatch(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", folded):
            return "uuid"
        return _DIGITS.sub("#", folded)
    if _WORD_ID.fullmatch(folded):
        return regex.sub(r"(?:[\p{L}\p{N}]+-)*[\p{L}\p{N}]+", "a", folded) if "-" not in folded else "a-a"
    return None


def fold_name(name: str) -> str:
    """Names compare without case, width and surrounding marks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split()).strip(" .,;:\"'“”„«»《》〈〉「」『』*_`")


def fold_address(address: str) -> str:
    """Addresses compare without scheme, ``www.``, query, fragment and last slash."""
    return _ADDRESS_TAIL.sub("", _ADDRESS.sub("", address.strip().strip("<>"))).rstrip("/").casefold()


def latin_digits(text: str) -> str:
    """Digits of every script, and superscripts, as 0 to 9."""
    return "".join(
        str(unicodedata.digit(c)) if not c.isascii() and unicodedata.digit(c, None) is not None else c for c in text
    )


def _entry(document: Document) -> Entry:
    values = list(_values(document, _NAME_KEYS))
    if document.id:
        values.append(document.id)
    names = {fold_name(value) for value in values}
    # A path or an address also goes by its last part: "docs/handbook.pdf" is cited as "handbook.pdf".
    names |= {fold_name(value.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]) for value in values}
    addresses = {fold_address(value) for value in values}
    return Entry(
        document.id or str(document.rank), document, frozenset(filter(None, names)), frozenset(filter(None, addresses))
    )


def _values(document: Document, keys: regex.Pattern[str]) -> list[str]:
    return list(_find_values(document.metadata, keys, depth=0))


def _find_values(metadata: object, keys: regex.Pattern[str], *, depth: int) -> Iterator[str]:
    if not isinstance(metadata, dict) or depth > 3:
        return
    for key, value in metadata.items():
        if isinstance(value, str) and 0 < len(value) <= 2000 and keys.search(str(key)):
            yield value
        elif isinstance(value, list) and keys.search(str(key)):
            yield from (item for item in value if isinstance(item, str))
        elif isinstance(value, dict):
            yield from _find_values(value, keys, depth=depth + 1)
