"""Words that exclude each other in their exact forms, and such words cut out of runs that write no spaces."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files
from itertools import product

import regex

from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import Word, key_of

_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_FORMS = re.compile(r"(?P<stem>[^\s()]+)(?:\((?P<endings>[^)]*)\))?")
_NAMED = re.compile(r"\s*(?P<name>@\w+) = (?P<endings>\S*)\s*")
_LONGEST_PIECE = 3
"""Signs of a piece that is no word."""
_RELATION = re.compile(r"\s(//?|<>|>>|~)\s")
_PERMISSION = "//"
"""Sets apart what is permitted and what is forbidden, which exclude each other."""


class Relation(StrEnum):
    """When one word excludes the other."""

    ALWAYS = "/"
    UNLESS_TURNED = "<>"
    """Not where what stands around them has changed places too: "A bought B", "B was sold to A"."""
    IN_ORDER = ">>"
    """The same, of order in time: "A before B" is "B after A"."""
    BEFORE_THE_SAME = "~"
    """Where the same word comes after both: "with a ticket", "without a ticket"."""


@cache
def contraries() -> Mapping[str, Mapping[str, Relation]]:
    """Words with those that exclude them, as ``key_of`` gives them."""
    table: dict[str, dict[str, Relation]] = {}
    for one, sign, other in _groups():
        relation = Relation.ALWAYS if sign == _PERMISSION else Relation(sign)
        for left, right in product(one, other):
            table.setdefault(left, {})[right] = relation
            table.setdefault(right, {})[left] = relation
    return table


@cache
def permitting() -> Mapping[str, Sequence[str]]:
    """Words that permit, and words that forbid, each with the others of its language that say the same."""
    table: dict[str, Sequence[str]] = {}
    for one, sign, other in _groups():
        for side in (one, other) if sign == _PERMISSION else ():
            words = [word for word in side if not _UNSPACED.match(word)]
            table |= {word: (*table.get(word, ()), *words) for word in words}
    return table


def _groups() -> Iterator[tuple[Sequence[str], str, Sequence[str]]]:
    """The two sides of each group, with the sign between them."""
    for line in files(__package__).joinpath("contraries.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        named: dict[str, str] = {}
        for group in line.partition(":")[2].split(";"):
            if (ending := _NAMED.fullmatch(group)) is not None:
                named[ending["name"]] = ending["endings"]
                continue
            one, sign, other = (*_RELATION.split(f" {group.strip()} "), "/", "")[:3]
            yield _forms(one, named), sign, _forms(other, named)


def _forms(side: str, named: Mapping[str, str]) -> list[str]:
    """The words of a side, with all their forms; ``named`` are endings by name."""
    return [
        key_of(match["stem"] + ending).translate(simplified())
        for match in _FORMS.finditer(side)
        for ending in named.get(match["endings"] or "", match["endings"] or "").split("|")
    ]


@cache
def _in_runs() -> regex.Pattern[str]:
    words = {word for one, _, other in _groups() for word in (*one, *other) if _UNSPACED.match(word)}
    return regex.compile("|".join(sorted(words, key=len, reverse=True)))


def is_unspaced(text: str, start: int, end: int) -> bool:
    """Whether a stretch holds a sign of a script that is cut into pairs or triples of signs, as Chinese and Korean."""
    return not text.isascii() and _UNSPACED.search(text, start, end) is not None


def cut_out(text: str, words: Sequence[Word]) -> Sequence[Word]:
    """The words of a stretch, with listed ones cut out of their runs: none overlaps them."""
    signs = text.translate(simplified())
    listed = [Word(m[0], *m.span()) for m in _in_runs().finditer(signs, words[0].start, words[-1].end)]
    if not listed:
        return words
    rest: list[Word] = []
    for word in words:
        within = [cut for cut in listed if word.start < cut.end and cut.start < word.end]
        if not within:
            rest.append(word)
        elif word.end - word.start > _LONGEST_PIECE:  # a word of several parts: "は認められていません"
            rest += [
                Word(signs[start:end], start, end)
                for start, end in ((word.start, within[0].start), (within[-1].end, word.end))
                if start < end
            ]
    places = {at for word in (*rest, *listed) for at in range(word.start, word.end)}
    # A sign between two listed words, as that for "not" may be, has no pair of its own.
    left = {at for word in words for at in range(word.start, word.end)} - places
    rest += [Word(signs[at], at, at + 1) for at in left if _UNSPACED.match(signs[at])]
    return sorted((*rest, *listed), key=lambda word: word.start)
