"""A claim in the words of the contexts, where one of two says it by a denial: "no longer in force" and "repealed"."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ragsonde.scorers.listed import read_toml

_WORD = re.compile(r"[^\W\d_]{4,}")
_HINT = 4
"""Letters of a hint that are looked for."""
_UNSPACED_FROM = "\u2e80"


class _Same(NamedTuple):
    """One table of ``equals.toml``."""

    hints: Sequence[str]
    phrases: Sequence[re.Pattern[str]]


def in_words_of(claim: str, texts: Iterable[str]) -> str:
    """The claim with a phrase that the texts lack put as they put it; the claim itself where there is none."""
    lowered = claim.lower()
    if len(lowered) != len(claim):
        return claim
    for phrases in _hinted_at(lowered):
        found = next(filter(None, (phrase.search(lowered) for phrase in phrases)), None)
        if found is None:
            continue
        told = [match for text in map(str.lower, texts) for phrase in phrases if (match := phrase.search(text))]
        if told and found.re not in {match.re for match in told}:
            return claim[: found.start()] + told[0][0] + claim[found.end() :]
        return claim
    return claim


def _hinted_at(lowered: str) -> Iterator[Sequence[re.Pattern[str]]]:
    starts, signs = _hints()
    for word in _WORD.findall(lowered):
        for same in starts.get(word[:_HINT], ()):
            yield same.phrases
    for sign, same in () if lowered.isascii() else signs:
        if sign in lowered:
            yield same.phrases


@cache
def _hints() -> tuple[Mapping[str, Sequence[_Same]], Sequence[tuple[str, _Same]]]:
    """The tables by the beginnings of their hints, and by hints that are signs of a script without spaces."""
    starts: defaultdict[str, list[_Same]] = defaultdict(list)
    signs = []
    for same in _listed():
        for hint in same.hints:
            if hint[0] >= _UNSPACED_FROM:
                signs.append((hint, same))
            elif same not in starts[hint[:_HINT]]:
                starts[hint[:_HINT]].append(same)
    return starts, signs


@cache
def _listed() -> Sequence[_Same]:
    listed = read_toml(__package__, "equals.toml")["same"]
    return [_Same(same["hints"].split(), [re.compile(_whole(phrase)) for phrase in same["phrases"]]) for same in listed]


def _whole(phrase: str) -> str:
    """Whole words, but in scripts that write none."""
    return phrase if phrase[-1] >= _UNSPACED_FROM or phrase[0] >= _UNSPACED_FROM else rf"(?<!\w)(?:{phrase})(?!\w)"
