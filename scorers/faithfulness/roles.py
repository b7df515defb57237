"""A claim that gives each of two parts the other's place: "Bolt sued Acme" for "Acme sued Bolt".

Word order tells who does what only in some languages; where endings tell it (Russian, Polish, German), nothing is said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from ragsonde.scorers.faithfulness.words import function_words, is_content, key_of

ORDER_TELLS_ROLES = frozenset({"en", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "nb", "ms", "id", "vi"})
_TOKEN = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
_MOST_BETWEEN = 5
_DIRECTED_WORDS = "to into before after than nach à vers para hacia verso naar till til ke kepada đến"
_EVEN_WORDS = (
    "and or with like versus vs between beside near meet meets met marry married marries merge merged equal equals "
    "border borders resemble resembles et ou avec comme entre y o con como e com och eller med dan atau dengan en of "
    "rencontre épouse casó sposò"
)
_COPULA_WORDS = (
    "is are was were be been being est sont était es son era eran è sono erano é são zijn waren är var er ialah adalah "
    "là has have had ont ha han tem têm heeft hebben har"
)
_DETERMINER_WORDS = "the a an le la les l un une des el los las lo il gli i o os as um uma de het een den det en ett et"
_DIRECTED = frozenset(map(key_of, _DIRECTED_WORDS.split()))
"""Words that alone tell two parts apart: "from Leeds to Hull"."""
_EVEN = frozenset(map(key_of, _EVEN_WORDS.split()))
"""Words whose parts may change places."""
_COPULAS = frozenset(map(key_of, _COPULA_WORDS.split()))
_DETERMINERS = frozenset(map(key_of, _DETERMINER_WORDS.split()))
_PASSIVE_WORDS = "by par por pelo pela da dal dalla dallo door av af oleh bởi"
_PASSIVE = frozenset(map(key_of, _PASSIVE_WORDS.split()))
_LIGHT = _DETERMINERS | _COPULAS | _PASSIVE


_Part = tuple[str, int, int]
"""A word or a name, folded, with its place."""


class Parts(NamedTuple):
    """The words of a text, with names of several words as one."""

    text: str
    parts: Sequence[_Part]
    once: AbstractSet[str]
    """Those that say something and stand there once."""


@dataclass(frozen=True, slots=True)
class _Relation:
    first: str
    between: tuple[str, ...]
    """The words between the parts, without articles, auxiliaries and the "by" of the passive."""
    second: str
    written: str


def swapped(claim: Parts, passage: Parts) -> tuple[str, str] | None:
    """The stretches of claim and passage in which two parts have changed places; None where none have."""
    common = claim.once & passage.once
    if len(common) < 2:
        return None
    own_order, their_order = _order(claim.parts), _order(passage.parts)
    passive = not (_PASSIVE.isdisjoint(own_order) and _PASSIVE.isdisjoint(their_order))
    own_places = {key: place for place, key in enumerate(own_order) if key in common}
    their_places = {key: place for place, key in enumerate(their_order) if key in common}
    if not passive and list(own_places) == list(their_places):
        return None
    # Where nothing turns them round, only parts of which the other text has the second first have changed places.
    own = list(_relations(claim, their_places, turned=not passive))
    theirs = list(_relations(passage, own_places, turned=not passive)) if own else []
    said = {(relation.first, relation.between, relation.second) for relation in theirs}
    for mine in own:
        if (mine.first, mine.between, mine.second) in said:
            continue
        for other in theirs:
            if (mine.second, mine.between, mine.first) == (other.first, other.between, other.second):
                return mine.written, other.written
    return None


def _order(parts: Sequence[_Part]) -> list[str]:
    return [part[0] for part in parts]


def _relations(read: Parts, among: Mapping[str, int], *, turned: bool) -> Iterator[_Relation]:
    """Every pair of some parts with what stands between them; in the passive the one who acts comes first.

    ``among`` are the parts with their places in another text; ``turned`` leaves out the pairs of the same order there.
    """
    text, parts, _ = read
    for at, (first, start, _) in enumerate(parts):
        if (place := among.get(first)) is None:
            continue
        for stop in range(at + 2, min(at + 2 + _MOST_BETWEEN, len(parts))):
            second, _, end = parts[stop]
            other = among.get(second)
            if other is None or (turned and place < other):
                continue
            between = [key for key, _, _ in parts[at + 1 : stop]]
            if (relation := _relation(first, between, second, text[start:end])) is not None:
                yield relation


def _relation(first: str, between: Sequence[str], second: str, written: str) -> _Relation | None:
    if _EVEN.intersection(between) or any(key.isdigit() for key in between):
        return None
    told = tuple(key for key in between if key not in _LIGHT)
    if not any(map(is_content, told)):
        directed = len(told) == 1 and told[0] in _DIRECTED
        return _Relation(first, told, second, written) if directed else None
    passives = sum(key in _PASSIVE for key in between)
    if passives > 1:  # "by card, by invoice": no passive, or more than one
        return None
    if passives:  # "was built by", "built by"
        first, second = second, first
    return _Relation(first, told, second, written)


def read_parts(text: str) -> Parts:
    """Read a text for ``swapped``."""
    parts: list[_Part] = []
    named = False
    grammar = function_words()
    fold = str.lower if text.isascii() else key_of
    at = 0
    for written in _TOKEN.findall(text):
        start = text.find(written, at)  # nothing of a token stands between two
        before, at = at, start + len(written)
        key = fold(written)
        is_name = written[0].isupper() and key not in grammar
        if is_name and named and text[before:start] == " ":
            first, start, _ = parts.pop()
            key = f"{first} {key}"
        parts.append((key, start, at))
        named = is_name
    seen: set[str] = set()
    again: set[str] = set()
    for key, _, _ in parts:
        (again if key in seen else seen).add(key)
    return Parts(text, parts, set(filter(is_content, seen - again)))
