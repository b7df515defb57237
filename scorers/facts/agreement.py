"""Whether two facts bear each other out, across kinds, notations, units and languages."""

from ragsonde.scorers.facts.bounds import opposed
from ragsonde.scorers.facts.dates import Date, TimeOfDay, Weekday
from ragsonde.scorers.facts.names import Code
from ragsonde.scorers.facts.quantity import Quantity

Measured = Quantity | Date | TimeOfDay | Weekday | Code
"""A fact with a value."""


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
