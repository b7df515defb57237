"""Magnitudes that stand for one without a number: "a million", "half a billion", "миллион человек", "مليون نسمة"."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from ragsonde.scorers.facts.compounds import compounds
from ragsonde.scorers.facts.lexicon import lone_magnitude_lists, magnitude_words
from ragsonde.scorers.facts.number_words import number_words
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.facts.script import WORD, fold

_REACH = 32
_BEFORE = re.compile(rf"(?:(?P<second>{WORD})[ \u00a0-])?(?P<last>{WORD})[ \u00a0-]$")
_DIGIT_BEFORE = re.compile(r"\d[ \u00a0-]?$")


def lone_magnitudes(scan: Scan) -> Iterator[tuple[int, int, tuple[float, ...]]]:
    """Where a magnitude stands for one, or for half of it, and the values that it may have."""
    for start, end, needs_article in scan.words_among(magnitudes_alone()):
        first, count = _counted(scan.text, start, needs_article=needs_article)
        if count:
            factors = magnitude_words().get(fold(scan.text[start:end])) or _in_another_case(scan.text[start:end])
            if factors:
                yield first, end, tuple(count * factor for factor in sorted(factors))


def _counted(text: str, start: int, *, needs_article: bool) -> tuple[int, float]:
    """Where the words before a magnitude that belong to it begin, and how many they make it; 0 where unknown."""
    if _DIGIT_BEFORE.search(text, max(0, start - 2), start):
        return start, 0.0
    words = _BEFORE.search(text, max(0, start - _REACH), start)
    if words is None:
        return start, 0.0 if needs_article else 1.0
    lists = lone_magnitude_lists()
    last, second = fold(words["last"]), fold(words["second"] or "")
    if last in lists["halves"]:
        return words.start("last"), 0.5
    if last in lists["articles"]:
        if second in lists["halves"] or last == "half":
            return words.start("second"), 0.5
        unknown = second in number_words() or second in lists["several"]
        return (start, 0.0) if unknown else (words.start("last"), 1.0)
    if needs_article or last in number_words() or last in lists["several"] or last in magnitude_words():
        return start, 0.0
    return (start, 0.0) if f"{second} {last}" in compounds() else (start, 1.0)


def _in_another_case(word: str) -> frozenset[float]:
    return magnitude_words().get(fold(word)[:-1], frozenset())


@cache
def magnitudes_alone() -> Mapping[str, bool]:
    """The words, folded, and whether they need an article in front of them."""
    lists = lone_magnitude_lists()
    return dict.fromkeys(lists["by_itself"], False) | dict.fromkeys(lists["after_article"], True)
