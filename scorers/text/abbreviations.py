"""Which full stops do not end a sentence, as data by language."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files

from ragsonde.scorers.text.language import UNDETERMINED, language_family


@dataclass(frozen=True, slots=True)
class Abbreviations:
    """The word lists of ``abbreviations.toml`` that hold for one language; its head says what each list means."""

    open: frozenset[str] = frozenset()
    number: frozenset[str] = frozenset()
    closing: frozenset[str] = frozenset()
    ordinal: frozenset[str] = frozenset()
    leader: frozenset[str] = frozenset()
    starter: frozenset[str] = frozenset()


@cache
def _sections() -> Mapping[str, Mapping[str, list[str]]]:
    data = files("ragsonde.scorers.text").joinpath("abbreviations.toml").read_text(encoding="utf-8")
    return tomllib.loads(data)


@cache
def abbreviations(language: str) -> Abbreviations:
    """The lists for ``language`` and for every language; all lists together where it is unknown or has none.

    Abbreviations with a full stop inside (``z.B``, ``т.е``) and sentence starters count whatever the language: they
    can hardly be anything else, and a short text is easily taken for its neighbour.
    """
    sections = _sections()
    family = language_family(language)
    known = language != UNDETERMINED and family in sections
    chosen = [sections["any"], sections[family]] if known else list(sections.values())
    merged: dict[str, frozenset[str]] = {}
    for field in fields(Abbreviations):
        words = {word for section in chosen for word in section.get(field.name, ())}
        if field.name in ("open", "closing"):
            words |= {word for section in sections.values() for word in section.get(field.name, ()) if "." in word}
        elif field.name == "starter":
            words |= {word for section in sections.values() for word in section.get(field.name, ())}
        merged[field.name] = frozenset(words)
    return Abbreviations(**merged)
