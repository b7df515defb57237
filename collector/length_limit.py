"""Texts that the SDK's attribute length limit cut.

Cut JSON is seen as such where it is read; plain text does not show that it was cut. Three things give the limit away:
JSON that was cut in the same question, different texts of exactly the same, largest length of which one ends within a
sentence, and a single one that does at a length that people set as a limit.
"""

from collections.abc import Sequence

from ragsonde.collector.prompt import folded
from ragsonde.collector.units import Unit

_SHORTEST_SHARED = 32
"""Characters below which two texts of one length are more likely chance than a limit."""
_SHORTEST_CUSTOMARY = 128
_VENDORS_LIMITS = (255, 4095)


def any_is_cut(texts: Sequence[str], unit: Unit) -> bool:
    """Whether one of the texts read from an answered question is as long as the limit, or ends what is: a prompt."""
    limits = _limits(unit)
    if not limits:
        return False
    if any(len(text) in limits for text in texts):
        return True
    read = tuple(map(folded, texts))
    return any(folded(text).endswith(read) for text in _texts_of(unit) if len(text) in limits)


def _limits(unit: Unit) -> set[int]:
    """Return the lengths at which texts were cut; usually none."""
    found = {length for node in unit.nodes for length in node.reading.cut_lengths}
    texts = _texts_of(unit)
    longest = max(map(len, texts), default=0)
    longest_texts = [text for text in texts if len(text) == longest]
    is_shared = longest >= _SHORTEST_SHARED and len(longest_texts) > 1 and any(map(_ends_midway, longest_texts))
    if is_shared or (_is_customary(longest) and _ends_midway(longest_texts[0])):
        found.add(longest)
    return found


def _texts_of(unit: Unit) -> set[str]:
    return {value for node in unit.nodes for value in node.span.attributes.values() if isinstance(value, str)}


def _is_customary(length: int) -> bool:
    """Whether a length is one that people and vendors set: a power of two, half thousands or KiB."""
    if length < _SHORTEST_CUSTOMARY:
        return False
    is_round = length.bit_count() == 1 or length % 500 == 0 or length % 1024 == 0
    return is_round or length in _VENDORS_LIMITS


def _ends_midway(text: str) -> bool:
    return text[-1].isalnum() or text[-1] == " "
