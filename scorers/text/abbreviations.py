"""Which full stops do not end a sentence, as data by language."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.language import UNDETERMINED, language_family

_Kind = Literal["open", "number", "closing", "ordinal", "leader", "starter"]


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """The word lists of ``abbreviations.toml`` that hold for one language; its head says what each list means."""

    open: frozenset[str] = frozenset()
    number: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    ordinal: frozenset[str] = frozenset()
    leader: frozenset[str] = frozenset()
    starter: frozenset[str] = frozenset()
    edges: frozenset[str] = frozenset()
    """The first and the last words of what ``open``, ``number`` and ``closing`` list, without the stops."""


@cache
def _sections() -> Mapping[str, Mapping[str, list[str]]]:
    return read_toml(__package__, "abbreviations.toml")


@cache
def abbreviations(language: str) -> Abbreviations:
    """The lists for ``language`` and for every language; all lists together where it is unknown or has none.

    Abbreviations with a full stop inside (``z.B``, ``т.е``) and sentence starters count whatever the language: they
    can hardly be anything else, and a short text is easily taken for its neighbour.
    """
    sections = _sections()
    family = language_family(language)
    known = language != UNDETERMINED and family in sections
    return _merged([sections["any"], sections[family]] if known else list(sections.values()))


@cache
def _of_every_language() -> Abbreviations:
    """The words that count whatever the language."""
    return _merged([_sections()["any"]])


def _merged(chosen: Sequence[Mapping[str, list[str]]]) -> Abbreviations:
    sections = _sections()
    merged: dict[str, frozenset[str]] = {}
    for field in fields(Abbreviations)[:-1]:
        words = {word for section in chosen for word in section.get(field.name, ())}
        if field.name in ("open", "closing"):
            words |= {word for section in sections.values() for word in section.get(field.name, ()) if "." in word}
        elif field.name == "starter":
            words |= {word for section in sections.values() for word in section.get(field.name, ())}
        merged[field.name] = frozenset(words)
    listed = merged["open"] | merged["number"] | merged["closing"]
    edges = frozenset(part.strip(".") for words in listed for part in (words.split(" ")[0], words.split(" ")[-1]))
    return Abbreviations(**merged, edges=edges)


class ListedWords:
    """The lists that hold for one text, of whose language ``language`` is asked only where the languages differ.

    To tell a language takes long, and most words are in no language's lists, or in those of all.
    """

    def __init__(self, language: Callable[[], str]) -> None:
        self._language = language

    def hold(self, kind: _Kind, words: Iterable[str]) -> bool:
        """Whether one of some words is in a list."""
        listed = _words(abbreviations(UNDETERMINED), kind).intersection(words)
        if not listed or not listed.isdisjoint(_words(_of_every_language(), kind)):
            return bool(listed)
        return not listed.isdisjoint(_words(abbreviations(self._language()), kind))


def _words(lists: Abbreviations, kind: _Kind) -> frozenset[str]:
    words: frozenset[str] = getattr(lists, kind)
    return words


def may_be_listed(word: str) -> bool:
    """Whether a word begins or ends what the lists of some language hold."""
    return word in abbreviations(UNDETERMINED).edges
