"""How much of a claim stands in a passage in the order in which the claim says it."""

from collections.abc import Sequence, Set
from itertools import chain, pairwise

from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.words import is_content


def share_in_order(claim: Sequence[str], document: AnalysedText, first: int, last: int, absent: Set[str]) -> float:
    """Share of neighbouring words of a claim, not both grammar, that are neighbours in some sentences too.

    ``absent`` are words of which the sentences hold no form.
    """
    pairs = [pair for pair in pairwise(claim) if is_content(pair[0]) or is_content(pair[1])]
    may_be_there = [pair for pair in pairs if absent.isdisjoint(pair)]
    if not may_be_there:
        return 0.0
    there = set(pairwise(chain.from_iterable(document.keys[first : last + 1])))
    return sum([pair in there or _stands_for_one(pair, there, document) for pair in may_be_there]) / len(pairs)


def _stands_for_one(pair: tuple[str, str], pairs: Set[tuple[str, str]], document: AnalysedText) -> bool:
    """Whether forms of two words stand among pairs of words of a document; words of grammar have no forms."""
    left, right = (document.held(key).forms if is_content(key) else (key,) for key in pair)
    return any((one, other) in pairs for one in left for other in right)
