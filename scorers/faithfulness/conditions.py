"""Conditions that narrow a general rule: "below 1.6 mm the limit is 1.5 %", where the contexts set that limit always.

A rule that holds in general holds under the condition as well, so a condition that the contexts don't mention is no
invented fact, as long as another figure of the claim is borne out.
"""

import re
from collections.abc import Sequence

from ragsonde.scorers.facts import Measurements, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.words import function_words, split_words

_BEFORE = re.compile(
    r"(?:[<>≤≥]|(?<!\w)(?:below|under|above|over|from|up to|until|than|unter|über|ab|bis|von|moins de|plus de|"
    r"à partir de|hasta|desde|por debajo de|por encima de|fino a|oltre|sotto|até|acima de|abaixo de|poniżej|powyżej|"
    r"od|do|ispod|iznad|"
    r"preko|nad|pod|pri|от|до|свыше|ниже|более|менее|при|kadar|hingga|bawah|atas|至|超过|低于|高于))\s*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:and (?:above|up|over|more)|or (?:more|less)|und mehr|以下|以上|及以上|altında|üstünde|i więcej|и выше)",
    re.IGNORECASE,
)


def unmentioned_conditions(claim: str, measured: Measurements, evidence: Evidence) -> Sequence[Quantity]:
    """The figures of a claim that are conditions, are in no context, and stand beside a figure that is."""
    known = [other for document in evidence.documents for other in document.measurements.all()]
    unknown = [q for q in measured.quantities if not any(agrees(q, other) for other in known)]
    if len(unknown) == len(measured.quantities):
        return ()
    return tuple(
        quantity
        for quantity in unknown
        if _BEFORE.search(claim, max(0, quantity.start - 24), quantity.start) or _AFTER.match(claim, quantity.end)
    )


def words_of_conditions(claim: str, conditions: Sequence[Quantity]) -> frozenset[str]:
    """The words (folded) of conditions: the figure, its unit, and the content word after it ("1.6 mm thickness")."""
    keys: set[str] = set()
    for quantity in conditions:
        keys.update(word.key for word in split_words(claim[quantity.start : quantity.end]))
        after = (word.key for word in split_words(claim[quantity.end : quantity.end + 40]))
        keys.update(key for _, key in zip(range(2), after, strict=False) if key not in function_words())
    return frozenset(keys)
