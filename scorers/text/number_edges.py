"""Whether a stretch of text stops inside a number: "reaches 1240" of "1240.5", "costs 5" of "costs 5 million"."""

from ragsonde.scorers.facts import Date, Measured, Measurements, agrees, find_measurements

_REACH = 40
"""Characters on either side of an edge in which a number that it cuts begins and ends."""


def cuts_number(text: str, start: int, end: int) -> bool:
    """Whether what ``text[start:end]`` reads as a number at one of its edges is another number in the whole text."""
    return any(_cut_at(text, edge, start, end) for edge in (start, end) if 0 < edge < len(text))


def _cut_at(text: str, edge: int, start: int, end: int) -> bool:
    begin = max(0, edge - _REACH)
    whole = find_measurements(text[begin : edge + _REACH])
    cut = [fact for fact in whole.all() if begin + fact.start < edge < begin + fact.end]
    if not cut:
        return False
    inner_start, inner_end = max(start, begin), min(end, edge + _REACH)
    inner = find_measurements(text[inner_start:inner_end])
    return any(_is_another(fact, begin, inner, inner_start, (inner_start, inner_end)) for fact in cut)


def _is_another(fact: Measured, offset: int, inner: Measurements, inner_offset: int, inside: tuple[int, int]) -> bool:
    """Whether the part of a fact that lies inside reads as something that the fact does not say."""
    first, last = max(fact.start + offset, inside[0]), min(fact.end + offset, inside[1])
    parts = [part for part in inner.all() if part.start + inner_offset < last and part.end + inner_offset > first]
    if not parts:  # "in May | 2020": what lies inside is no number of its own
        return False
    return not all(agrees(part, fact) or (isinstance(fact, Date) and isinstance(part, Date)) for part in parts)
