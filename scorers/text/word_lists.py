"""Words by language as data, compiled to one pattern a language: what negates, what begins a condition."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import regex

from ragsonde.scorers.text.language import language_family

_Section = Mapping[str, list[str]]
_FOLDED = str.maketrans({"ß": "ss", "ı": "i"})
"""What folding turns into other letters: words are looked for in folded text, too."""
_WORD = re.compile(r"[^\W\d_]+")
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "‘": "'", "´": "'"})


def with_plain_apostrophes(text: str) -> str:
    """``text`` as the lists write it; one character for one, so that offsets stay."""
    return text if text.isascii() else text.translate(_APOSTROPHES)


@cache
def word_pattern(file: str, language: str) -> regex.Pattern[str]:
    """The words of a file for a language, an ISO 639 code; case does not count.

    Where the language is unknown, or not among those listed, the words of every language.
    """
    return _compiled(file, language_family(language))


def may_hold_word(file: str, language: str, text: str) -> bool:
    """A quick look before a slow search: whether ``word_pattern`` may find something in a text."""
    words = _whole_words(file, language_family(language))
    if words is None or "'" in text or not text.isascii():
        return True
    return not words.isdisjoint(_WORD.findall(text.lower()))


@cache
def _whole_words(file: str, family: str) -> frozenset[str] | None:
    """The first words of what the pattern finds, in small letters; None where it finds parts of words too."""
    sections = word_sections(file)
    chosen: Iterable[_Section] = [sections[family]] if family in sections else sections.values()
    if any(section.keys() - {"words"} for section in chosen):
        return None
    words = [word for section in chosen for word in section["words"]]
    firsts = (_WORD.search(written.lower()) for word in words for written in (word, word.translate(_FOLDED)))
    return frozenset(first[0] for first in firsts if first is not None)


@cache
def _compiled(file: str, family: str) -> regex.Pattern[str]:
    sections = word_sections(file)
    chosen: Iterable[_Section] = [sections[family]] if family in sections else sections.values()
    alternatives = [alternative for section in chosen for alternative in _alternatives(section)]
    folded = [alternative.translate(_FOLDED) for alternative in alternatives]
    return regex.compile("|".join(dict.fromkeys(alternatives + folded)), flags=regex.IGNORECASE)


@cache
def word_sections(file: str) -> Mapping[str, _Section]:
    """A file as it is: by language family, lists by name."""
    return tomllib.loads(files("ragsonde.scorers.text").joinpath(file).read_text(encoding="utf-8"))


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
