"""Numbers from 11 to 99 made of several words: "treinta y cinco", "quatre-vingt-dix", "on iki", "خمسة وثلاثون".

A language's words are put together with each other only, so that a word that is something else in another language
(Turkish "on", Serbian "pet") is read as a number nowhere but in such company.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Any

from ragsonde.scorers.facts.script import WORD, fold
from ragsonde.scorers.listed import read_toml

_MOST_WORDS = 5
_FROM_TWENTY = 8
_REACH = 48
"""Characters to either side of a number word in which the rest of the number stands."""
_GAPS = frozenset({" ", "-", "‑", "\u00a0", "'", "’", "ʼ"})
_WORD = re.compile(WORD)
_APOSTROPHES = re.compile("['’ʼ]")


def compound_around(text: str, start: int, end: int) -> tuple[int, int, int] | None:
    """The longest number of several words that the word ``text[start:end]`` is part of: where it stands, its value."""
    words = [*reversed([*_neighbours(text, start, end, -1)]), (start, end), *_neighbours(text, start, end, 1)]
    if len(words) == 1:
        return None
    own = words.index((start, end))
    folded = [fold(text[first:last]) for first, last in words]
    found = compounds()
    spans = ((first, last) for first in range(own + 1) for last in range(len(words), own, -1) if last - first > 1)
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        if last - first <= _MOST_WORDS and (value := found.get(" ".join(folded[first:last]))):
            return words[first][0], words[last - 1][1], value
    return None


def _neighbours(text: str, start: int, end: int, step: int) -> Iterator[tuple[int, int]]:
    """The words next to a word, nearest first, as long as they may be part of such a number."""
    parts = _parts()
    if step > 0:
        places = [match.span() for match in _WORD.finditer(text, end, end + _REACH)]
    else:
        places = [match.span() for match in _WORD.finditer(text, max(0, start - _REACH), start)][::-1]
    for first, last in places[: _MOST_WORDS - 1]:
        gap = text[end:first] if step > 0 else text[last:start]
        if gap not in _GAPS or fold(text[first:last]) not in parts:
            return
        yield first, last
        start, end = first, last


@cache
def compounds() -> Mapping[str, int]:
    """Numbers of several words, folded, one space between them, with their values."""
    return {phrase: value for phrase, value in _all() if " " in phrase}


@cache
def glued_numbers() -> Mapping[str, int]:
    """Numbers of one word that are put together: "trentacinque", "vijfendertig"."""
    return {phrase: value for phrase, value in _all() if " " not in phrase and value > 20}


@cache
def tens() -> Mapping[str, int]:
    """The words for 20 to 90 that are numbers by themselves too; Turkish "elli" and "kırk" are names as well."""
    found: dict[str, int] = {}
    for language in _languages():
        words = language["tens"].split()
        for joint in language["joints"] if len(words) == _FROM_TWENTY else ():
            for value, forms in enumerate(words, 2):
                # Arabic "and" is part of the word after it.
                before = ("", joint.strip()) if joint[:1] == " " and joint[-1:] != " " else ("",)
                found |= {
                    _key(and_ + form): value * 10 for form in forms.split("/") for and_ in before if "+" not in form
                }
    return {word: value for word, value in found.items() if len(word) > 3 and " " not in word}


@cache
def _parts() -> Set[str]:
    return frozenset(word for phrase in compounds() for word in phrase.split())


@cache
def _all() -> Sequence[tuple[str, int]]:
    return [(_key(phrase), value) for language in _languages() for phrase, value in _of_language(language)]


@cache
def _languages() -> Sequence[Mapping[str, Any]]:
    return list(read_toml(__package__, "number_compounds.toml").values())


def _key(phrase: str) -> str:
    words = _APOSTROPHES.sub(" ", phrase).replace("+", " ").split()
    return " ".join(map(fold, words))


def _of_language(language: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    ones = [forms.split("/") for forms in language["ones"].split()]
    tens = [forms.split("/") for forms in language["tens"].split()]
    for size, ten_forms in enumerate(tens, 10 - len(tens)):
        yield from ((ten, size * 10) for ten in ten_forms if "+" in ten)
        for value, one_forms in enumerate(ones, 1):
            for ten in ten_forms:
                for one in one_forms:
                    parts = (ten, one) if language["order"] == "ten one" else (one, ten)
                    yield from ((joint.join(parts), size * 10 + value) for joint in language["joints"])
    for value, forms in enumerate(language.get("teens", "").split(), 11):
        yield from ((form, value) for form in forms.split("/"))
    for base, stem in language.get("teens_after", {}).items():
        for value, teen in enumerate(language["teens_words"].split(), int(base) + 10):
            yield f"{stem} {teen}", value
    for number, forms in language.get("others", {}).items():
        yield from ((form, int(number)) for form in forms.split())
