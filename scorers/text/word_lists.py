"""Words by language as data, compiled to one pattern a language: what negates, what begins a condition."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache
from typing import NamedTuple

import regex

from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.language import language_family
from ragsonde.scorers.text.latin import latin_words

_Section = dict[str, list[str]]
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
    if "'" in text or not text.isascii():
        return True
    telling = _telling(file, language_family(language))
    words = latin_words(text)
    phrases = telling.phrases
    if any(rest <= words for first in words & phrases.keys() for rest in phrases[first]):
        return True
    if any(word.startswith(telling.prefixes) for word in words):
        return True
    lowered = text.lower()
    return any(part in lowered for part in telling.infixes)


class _Telling(NamedTuple):
    """What a list finds in a text of plain English letters: by its first word all words of it, and parts of words."""

    phrases: Mapping[str, Sequence[Set[str]]]
    prefixes: tuple[str, ...]
    infixes: tuple[str, ...]


@cache
def _telling(file: str, family: str) -> _Telling:
    chosen = _chosen(file, family)
    phrases: dict[str, list[Set[str]]] = {}
    for written in _written(chosen, "words"):
        if words := _WORD.findall(written):
            phrases.setdefault(words[0], []).append(frozenset(words))
    plain = {kind: tuple(filter(str.isascii, _written(chosen, kind))) for kind in ("prefixes", "infixes")}
    return _Telling(phrases, plain["prefixes"], plain["infixes"])


def _written(sections: Iterable[_Section], kind: str) -> Iterable[str]:
    """All that some sections list of a kind, in small letters, as written and folded."""
    listed = dict.fromkeys(word for section in sections for word in section.get(kind, ()))
    return dict.fromkeys(form.lower() for word in listed for form in (word, word.translate(_FOLDED)))


@cache
def _compiled(file: str, family: str) -> regex.Pattern[str]:
    pattern = _pattern(_chosen(file, family))
    if pattern is None:
        raise ValueError(f"{file} lists no words for {family}")
    return pattern


def _chosen(file: str, family: str) -> Sequence[_Section]:
    sections = word_sections(file)
    if family not in sections:
        return list(sections.values())
    section = sections[family]
    return [section | {"words": [*section.get("words", ()), *section.get("told", ())]}]


def _pattern(sections: Iterable[_Section]) -> regex.Pattern[str] | None:
    """All that some sections list; None where that is nothing."""
    alternatives = [alternative for section in sections for alternative in _alternatives(section)]
    folded = [alternative.translate(_FOLDED) for alternative in alternatives]
    return regex.compile("|".join(dict.fromkeys(alternatives + folded)), flags=regex.IGNORECASE) if folded else None


@cache
def word_sections(file: str) -> Mapping[str, _Section]:
    """A file as it is: by language family, lists by name."""
    return read_toml(__package__, file)


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
    if infixes := "|".join(map(regex.escape, section.get("infixes", ()))):
        found.append(rf"\b\p{{L}}{{1,30}}(?:{infixes})\p{{L}}{{0,6}}\b")
    return found + list(section.get("inside", ()))
