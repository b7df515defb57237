"""Two bare numbers that belong together, a ratio or a score: "1:3" is not "3:1", and "2:1" not "2:0"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ragsonde.scorers.facts import Measured, Quantity
from ragsonde.scorers.faithfulness.words import is_content, split_words

_MAY_HOLD = re.compile(r"\d\s?[:：–—‑-]\s?\d")
_JOINT = re.compile(r"\s?[:：–—‑-]\s?")
_OTHER_JOINT = re.compile(r"\s?(?:[:：–—‑-]|to|zu|gegen|a|à|к|на|na|do|for|i|比|对|対)\s?")
_REACH = 200
"""Characters before the passage's pair in which the words stand that it belongs to."""
Pair = tuple[Quantity, Quantity]


def may_hold_pair(text: str) -> bool:
    """A quick look: whether two numbers of a text may belong together."""
    return _MAY_HOLD.search(text) is not None


def differing_pair(
    claim: str, own: Sequence[Measured], passage: str, near: Sequence[Measured]
) -> tuple[str, str] | None:
    """The claim's pair and the only one of the passage, as written, where these differ; None where nothing is told.

    ``passage`` is the text that ``near`` was found in, up to the end of the deciding sentences.

    A claim that names what the numbers belong to in another order may turn them round as well.
    """
    stated = [*_pairs(claim, own, _JOINT)]
    given = [*_pairs(passage, near, _OTHER_JOINT)] if stated else []
    if len(stated) != 1 or len(given) != 1:
        return None
    mine, theirs = ([quantity.written[0] for quantity in pair] for pair in (stated[0], given[0]))
    sentence = passage[given[0][0].start - _REACH if given[0][0].start > _REACH else 0 :]
    if mine == theirs or set(mine).isdisjoint(theirs) or not _same_order(claim, sentence, stated[0]):
        return None
    return claim[stated[0][0].start : stated[0][1].end], passage[given[0][0].start : given[0][1].end]


def _pairs(text: str, facts: Sequence[Measured], joint: re.Pattern[str]) -> Iterator[Pair]:
    for one, other in pairwise(fact for fact in facts if isinstance(fact, Quantity)):
        bare = not (one.meanings or other.meanings or one.year or other.year)
        if bare and joint.fullmatch(text, one.end, other.start):
            yield one, other


def _same_order(claim: str, passage: str, pair: Pair) -> bool:
    """Whether the claim has the content words that both have in the order of the passage."""
    places: dict[str, int] = {}
    for number, word in enumerate(split_words(passage)):
        places.setdefault(word.key, number)
    words = (word.key for word in split_words(f"{claim[: pair[0].start]} {claim[pair[1].end :]}"))
    order = [places[word] for word in words if is_content(word) and word in places]
    return order == sorted(order)
