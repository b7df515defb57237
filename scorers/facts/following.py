"""The word right after a number: a unit or a magnitude of any language, with the endings that it may have."""

import re
from collections.abc import Mapping
from typing import TypeVar

from ragsonde.scorers.facts.lexicon import Meaning, unit_words
from ragsonde.scorers.facts.script import MARKS, fold

_T = TypeVar("_T")
GAP = "[ \u00a0\u2009\u202f]?[-‑]?[ \u00a0\u2009\u202f]?"
_AFTER = re.compile(
    rf"{GAP}([^\W\d_](?:[^\W\d_]|[{MARKS}'’·/²³]|(?<=m)[23](?!\d))*|[°%‰٪％€$£¥₽₴₺₹₩₪฿₫₱₸₼₾₮℃℉](?:\s?[CFcf]\b)?)"
)
_HARAKAT = re.compile("[\u064b-\u0652]")
"""Vowel signs of Arabic, which few write."""
_TURKISH = re.compile(
    "['’]?(?:[yn]?[aeıiu]|[yns]?[ıiu]n?[aeıiu]?|[td][ae]n?|l[ıiu]k(?:t[ıiu]r)?|(?:l[ae]r)?(?:[ıiu]n?)?(?:[td][ıiu]r)?)"
)
"""Endings of Turkish words, folded: "6 aydır", "40 avrodur", "5 km'den", "4 milyondur"."""
_SHORTEST_STEM = 3
_LONGEST_ENDING = 8
_MOST_SIGNS = 12
"""Length of the longest unit of a script without spaces."""
_ADJECTIVE = re.compile("[ \u00a0][^\\W\\d_]{3,}[ \u00a0]([^\\W\\d_]{3,})(?![^\\W_])")
_SECOND_WORD = re.compile("[ \u00a0]([^\\W\\d_]+)")


def look_up(
    plain: str, end: int, table: Mapping[str, frozenset[_T]], *, inflected: bool = True
) -> tuple[frozenset[_T], int]:
    """Meanings of the word (or two words, or CJK signs) right after ``end``, and where it stops."""
    match = _AFTER.match(plain, end)
    if match is None:
        return frozenset(), end
    word = _HARAKAT.sub("", fold(match[1]))
    if ord(word[0]) >= 0x0E00 and word[0].isalpha():
        return _look_up_unspaced(word, match.start(1), table)
    second = _SECOND_WORD.match(plain, match.end())
    if second and (found := table.get(f"{word} {fold(second[1])}")):
        return found, second.end()
    for length in range(len(word), max(2, len(word) - 4) if inflected and len(word) > 3 else len(word) - 1, -1):
        if length / len(word) < 0.55:
            break
        if found := table.get(word[:length]):
            return found, match.end()
    for length in range(len(word) - 1, max(1, len(word) - _LONGEST_ENDING), -1):
        enough = length >= _SHORTEST_STEM or word[:2] == "ay" or word[length] in "'’"
        if enough and (found := table.get(word[:length])) and _TURKISH.fullmatch(word, length):
            return found, match.end()
    return frozenset(), end


def unit_after_adjective(plain: str, end: int) -> tuple[frozenset[Meaning], int]:
    """A unit of time behind one other word: "15 vacation days", "20 radnih dana"; nothing where there is none."""
    match = _ADJECTIVE.match(plain, end)
    meanings = unit_words().get(fold(match[1]), frozenset()) if match else frozenset()
    timed = frozenset(meaning for meaning in meanings if meaning[0] in ("time", "months"))
    return (timed, match.end()) if match and timed else (frozenset(), end)


def _look_up_unspaced(word: str, start: int, table: Mapping[str, frozenset[_T]]) -> tuple[frozenset[_T], int]:
    for length in range(min(_MOST_SIGNS, len(word)), 0, -1):
        if found := table.get(word[:length]):
            return found, start + length
    return frozenset(), start
