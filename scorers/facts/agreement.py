"""Whether two facts bear each other out, across kinds, notations, units and languages."""

from collections.abc import Sequence

from ragsonde.scorers.facts.bounds import (
    denial_sets_bound,
    denies_beyond,
    follows_denial,
    is_unclear,
    opposed,
    sets_period,
)
from ragsonde.scorers.facts.dates import Date, TimeOfDay, Weekday
from ragsonde.scorers.facts.names import Code
from ragsonde.scorers.facts.quantity import Quantity
from ragsonde.scorers.facts.turning_points import begins_at, ends_at

Measured = Quantity | Date | TimeOfDay | Weekday | Code
"""A fact with a value."""
_Bounded = Quantity | Date | TimeOfDay | Weekday


def agrees(own: Measured, other: Measured) -> bool:
    """Whether ``other`` gives all that ``own`` gives.

    A date bears out its year, and a lone year a date that is only a year; times agree when any half of the day does
    ("9.30" may be one).
    Nothing agrees with its opposite bound: "until 5 May" with "from 5 May".
    """
    if not (isinstance(own, Code) or isinstance(other, Code)) and opposed(own.bound, other.bound):
        return False
    return same_amount(own, other)


def same_amount(own: Measured, other: Measured) -> bool:
    """Whether two facts agree but for their bounds."""
    match own, other:
        case Quantity(), Quantity():
            return own.same_amount(other)
        case Quantity(), Date():
            return own.year is not None and own.year in other.years
        case Date(), Date():
            return own.agrees_with(other)
        case Date(), Quantity():
            return other.year is not None and (other.year, None, None) in own.readings
        case Quantity(), TimeOfDay():
            return bool(own.minutes & other.minutes)
        case TimeOfDay(), Quantity():
            return bool(own.minutes & other.minutes)
        case TimeOfDay(), TimeOfDay():
            return bool(own.minutes & other.minutes)
        case Weekday(), Weekday():
            return own.number == other.number
        case Code(), Code():
            return own.key == other.key
        case _:
            return False


def bounds_explain_denial(claim: str, own: Sequence[Measured], passage: str, others: Sequence[Measured]) -> bool:
    """Whether one of two texts denies what lies beyond a bound that the other sets: "not after 9:00", "until 9:00"."""
    return any(
        _set_alike(claim, mine, passage, other)
        for mine in own
        if not isinstance(mine, Code)
        for other in others
        if not isinstance(other, Code)
    )


def _set_alike(claim: str, mine: _Bounded, passage: str, other: _Bounded) -> bool:
    if not same_amount(mine, other):
        return False
    if denial_sets_bound(mine.bound, other.bound):
        return True
    if not (mine.bound and other.bound):
        texts = ((claim, mine, passage, other), (passage, other, claim, mine))
        return any(_ends_period(*each) or _turns_there(*each) for each in texts)
    if opposed(mine.bound, other.bound) or is_unclear(mine.bound) or is_unclear(other.bound):
        return False
    # The denial is part of one of the bounds: "not more than 5" and "at most 5".
    return follows_denial(claim, mine.start) or follows_denial(passage, other.start)


def _ends_period(denying: str, beyond: _Bounded, granting: str, period: _Bounded) -> bool:
    """Whether one text denies what the other grants for a period: "no refunds after 14 days", "within 14 days"."""
    return denies_beyond(denying, beyond.start, beyond.end) and sets_period(granting, period.start)


def _turns_there(denying: str, bounded: _Bounded, telling: str, turn: _Bounded) -> bool:
    """Whether one text denies what lies on the far side of where, in the other, something begins or ends."""
    bound = bounded.bound
    if turn.bound or not bound:
        return False
    if not is_unclear(bound) and not follows_denial(denying, bounded.start):
        return False
    if bound in ("until?", "max?", "from", "min"):
        return begins_at(telling, turn.start, turn.end)
    return ends_at(telling, turn.start, turn.end)
