"""Conditions that narrow a general rule: "below 1.6 mm the limit is 1.5 %", where the contexts set that limit always.

A rule that holds in general holds under the condition as well, so a condition that the contexts don't mention is no
invented fact, as long as another figure of the claim is borne out.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from ragsonde.scorers.facts import Measurements, Quantity
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.words import function_words, split_words

_SIGN = re.compile(r"[<>≤≥]\s*$")
"""A bound may narrow a rule ("for widths < 1.6 mm") or be what the rule says ("the value is ≤ 1.1 %")."""
_BEFORE = re.compile(
    r"(?:(?<!\w)(?:below|under|above|over|from|up to|until|than|unter|über|ab|bis|von|moins de|plus de|"
    r"à partir de|hasta|desde|por debajo de|por encima de|fino a|oltre|sotto|até|acima de|abaixo de|poniżej|powyżej|"
    r"od|do|ispod|iznad|"
    r"preko|nad|pod|pri|от|до|свыше|ниже|более|менее|при|kadar|hingga|bawah|atas|至|超过|低于|高于))\s*$",
    re.IGNORECASE,
)
_BEFORE_NOUN = re.compile(
    r"(?<!\w)(?:below|under|above|over|beyond|unter|über|sous|dessous|dessus|inférieure?|supérieure?|bajo|debajo|encima|"
    r"sotto|sopra|abaixo|acima|poniżej|powyżej|ispod|iznad|ниже|выше|свыше|менее|более|нижче|вище|bawah|atas)"
    r"(?:\s+[^\W\d_]+){1,3}\s*$",
    re.IGNORECASE,
)
"""A bound, what is measured, and then the figure: "below a thickness of"."""
_AFTER = re.compile(
    r"\s*(?:and (?:above|up|over|more)|or (?:more|less)|und mehr|以下|以上|及以上|altında|üstünde|i więcej|и выше)",
    re.IGNORECASE,
)


def unmentioned_conditions(claim: str, measured: Measurements, evidence: Evidence) -> Sequence[Quantity]:
    """The figures of a claim that are conditions, are in no context, and stand beside a figure that is what is said."""
    if len(measured.quantities) < 2:  # a condition stands beside the figure that it narrows
        return ()
    unknown = [quantity for quantity in measured.quantities if not evidence.giving(quantity)]
    borne_out = [q for q in measured.quantities if q not in unknown and not _narrows(claim, q)]
    if not (unknown and borne_out):
        return ()
    # "Over 6" is not unmentioned where the contexts say "under 6".
    unknown = [q for q in unknown if not (q.bound and evidence.giving(replace(q, bound="")))]
    stated = frozenset[str]().union(*(quantity.dimensions for quantity in borne_out))
    return tuple(
        quantity
        for quantity in unknown
        if _narrows(claim, quantity) or (_is_bound(claim, quantity) and not quantity.dimensions & stated)
    )


def _narrows(claim: str, quantity: Quantity) -> bool:
    """Whether words make the figure a condition."""
    before = _BEFORE.search(claim, max(0, quantity.start - 24), quantity.start)
    noun = _BEFORE_NOUN.search(claim, max(0, quantity.start - 60), quantity.start)
    return before is not None or noun is not None or _AFTER.match(claim, quantity.end) is not None


def _is_bound(claim: str, quantity: Quantity) -> bool:
    return _SIGN.search(claim, max(0, quantity.start - 4), quantity.start) is not None


def words_of_conditions(claim: str, conditions: Sequence[Quantity]) -> frozenset[str]:
    """The words (folded) of conditions: the figure, its unit, and the content word after it ("1.6 mm thickness")."""
    keys: set[str] = set()
    for quantity in conditions:
        keys.update(word.key for word in split_words(claim[quantity.start : quantity.end]))
        after = (word.key for word in split_words(claim[quantity.end : quantity.end + 40]))
        keys.update(key for _, key in zip(range(2), after, strict=False) if key not in function_words())
    return frozenset(keys)
