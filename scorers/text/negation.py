"""Negating words in many languages: what a quote may not leave out, and what turns a claim round."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import regex

from ragsonde.scorers.text.language import UNDETERMINED, language_family
from ragsonde.scorers.text.spans import Sentence

_Section = Mapping[str, list[str]]
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "´": "'"})


def find_negations(text: str, language: str = UNDETERMINED) -> tuple[Sentence, ...]:
    """The negating words of ``text``, in order; ``language`` is an ISO 639 code.

    Where the language is unknown, or not among those listed, the words of every language count: better a negation too
    many, which makes a caller careful, than one too few.
    """
    # One character for one, so that offsets stay.
    pattern = _pattern(language_family(language))
    plain = text.translate(_APOSTROPHES)
    return tuple(Sentence(text[m.start() : m.end()], m.start(), m.end()) for m in pattern.finditer(plain))


def has_negation(text: str, language: str = UNDETERMINED) -> bool:
    """Whether ``text`` holds a negating word (see ``find_negations``)."""
    return _pattern(language_family(language)).search(text.translate(_APOSTROPHES)) is not None


@cache
def _sections() -> Mapping[str, _Section]:
    data = files("ragsonde.scorers.text").joinpath("negation.toml").read_text(encoding="utf-8")
    return tomllib.loads(data)


@cache
def _pattern(family: str) -> regex.Pattern[str]:
    sections = _sections()
    chosen: Iterable[_Section] = [sections[family]] if family in sections else sections.values()
    alternatives = [alternative for section in chosen for alternative in _alternatives(section)]
    return regex.compile("|".join(alternatives), flags=regex.IGNORECASE)


def _alternatives(section: _Section) -> list[str]:
    # Longest first, so that "noch nie" is found whole.
    words = sorted(section.get("words", ()), key=len, reverse=True)
    found = (
        [rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{'|'.join(map(regex.escape, words))})(?![\p{{L}}\p{{M}}\p{{N}}])"]
        if words
        else []
    )
    prefixes = "|".join(map(regex.escape, section.get("prefixes", ())))
    if prefixes:
        exact = "|".join(map(regex.escape, section.get("except", ())))
        starts = "|".join(map(regex.escape, section.get("except_prefixes", ())))
        guard = (rf"(?!(?:{exact})\b)" if exact else "") + (rf"(?!{starts})" if starts else "")
        found.append(rf"(?<![\p{{L}}\p{{M}}]){guard}(?:{prefixes})[\p{{L}}\p{{M}}'\u200c]{{2,40}}")
    return found + list(section.get("inside", ()))
