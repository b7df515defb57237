"""A claim of all where the passage speaks of some, or only of a few: "all members" for "some of the members"."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.faithfulness.words import is_content, match_strength, split_words
from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.latin import latin_words

_WORD = re.compile(r"[^\W\d_]+")
_RECIPROCAL = frozenset({"other", "otra", "otro"})
"""After "each": "each other"."""
_REACH = 3
"""Words after a quantifier among which the first content word is what it speaks of: "all of the members"."""
_UNSPACED_REACH = 2
"""Signs after one, in scripts without spaces."""


@dataclass(frozen=True, slots=True)
class Quantifier:
    """A word that says of how many of its kind something holds."""

    kind: str
    """``all``, ``some`` or ``only``."""
    written: str
    head: str
    """The word that it speaks of, folded; empty where there is none ("everyone")."""
    opens: bool
    """It is the first word."""
    limits: bool
    """A condition or a group follows: "only if", "only for"."""


def widened(claim: str, passage: Callable[[], Sequence[Quantifier]]) -> tuple[str, str] | None:
    """The words of claim and passage between which the scope is widened; None where it isn't.

    ``passage`` gives the quantifiers of the passage, where they are needed.

    Only a claim that says "all" itself can be found so: one that leaves a restriction out may well mean it.
    """
    said = quantifiers_of(claim)
    own = [found for found in said if found.kind == "all"]
    if not own:
        return None
    theirs = passage()
    restricted = not any(found.kind == "only" for found in said)
    for mine in own:
        if any(found.kind == "all" and _alike(mine.head, found.head) for found in theirs):
            continue
        for found in theirs:
            partial = found.kind == "some" and bool(found.head) and _alike(mine.head, found.head)
            only = found.kind == "only" and restricted and (found.limits or (found.opens and mine.opens))
            if partial or only:
                return mine.written, found.written
    return None


def _alike(one: str, other: str) -> bool:
    return one == other or match_strength(one, other) > 0


def quantifiers_of(text: str) -> list[Quantifier]:
    """The quantifiers of a text, in order; those of scripts without spaces last."""
    if text.isascii() and _kinds().keys().isdisjoint(latin_words(text)):
        return []
    return list(_quantifiers(text))


def _quantifiers(text: str) -> Iterator[Quantifier]:
    words, limits = _kinds(), _limits()
    for match in _WORD.finditer(text):
        kind = words.get(fold(match[0]))
        if kind is None:
            continue
        after = _WORD.search(text, match.end())
        if not (after and fold(after[0]) in _RECIPROCAL):
            limiting = after is not None and fold(after[0]) in limits
            opens = _WORD.search(text, 0, match.start()) is None
            yield Quantifier(kind, match[0], _head(text, match.end()), opens, limiting)
    for match in () if text.isascii() else _unspaced().finditer(text):
        head = text[match.end() : match.end() + _UNSPACED_REACH]
        yield Quantifier(str(match.lastgroup), match[0], head, match.start() == 0, limits=False)


def _head(text: str, end: int) -> str:
    after: Sequence[str] = [word.key for word in split_words(text[end : end + 60])][:_REACH]
    return next((key for key in after if is_content(key)), "")


@cache
def _data() -> dict[str, str | list[str]]:
    return read_toml(__package__, "quantifiers.toml")


@cache
def _kinds() -> dict[str, str]:
    data = _data()
    return {fold(word): kind for kind in ("only", "some", "all") for word in str(data[kind]).split()}


@cache
def _limits() -> frozenset[str]:
    return frozenset(map(fold, str(_data()["limits"]).split()))


@cache
def _unspaced() -> re.Pattern[str]:
    data = _data()
    groups = (f"(?P<{kind}>{'|'.join(map(re.escape, data[f'{kind}_unspaced']))})" for kind in ("all", "some", "only"))
    return re.compile("|".join(groups))
