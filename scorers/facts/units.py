"""Quantities: a number with its magnitude ("69 million", "3,5 тыс."), its unit or currency, and its bound (≤)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ragsonde.scorers.facts.lexicon import Meaning, fold, magnitude_words, unit_words
from ragsonde.scorers.facts.numbers import Numeral, ascii_digits, same_value

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Measure:
    """One reading of a quantity, in the base unit of its dimension; ``dimension`` is empty where there is no unit."""

    value: float
    dimension: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text gives it, with all that belongs to it; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    readings: tuple[Measure, ...]
    bound: str = ""
    """``max`` (≤, <), ``min`` (≥, >) or empty."""
    spelled: bool = False
    ordinal: bool = False
    rounding: float = 0.0
    """Half a unit of the last digit, relative to the value, where a magnitude word makes it a round figure; else 0."""

    @property
    def dimensions(self) -> frozenset[str]:
        """The dimensions that the unit may have; empty for a bare number."""
        return frozenset(reading.dimension for reading in self.readings if reading.dimension)

    @property
    def year(self) -> int | None:
        """The year that a bare whole number from 1000 to 2199 may be; None where it can't."""
        if self.dimensions or self.spelled or self.ordinal:
            return None
        return next((int(r.value) for r in self.readings if r.value.is_integer() and 1000 <= r.value < 2200), None)

    def agrees_with(self, other: "Quantity") -> bool:
        """Whether both can mean the same amount; a bare number agrees with the same number of any unit."""
        if self.bound and other.bound and self.bound != other.bound:
            return False
        tolerance = max(self.rounding, other.rounding)
        for left in self.readings:
            for right in other.readings:
                if left.dimension and right.dimension and left.dimension != right.dimension:
                    continue
                if same_value(left.value, right.value):
                    return True
                if tolerance and abs(left.value - right.value) <= tolerance * max(abs(left.value), abs(right.value)):
                    return True
        return bool(self.dimensions) != bool(other.dimensions) and self._bare_number_agrees(other)

    def _bare_number_agrees(self, other: "Quantity") -> bool:
        """``30`` in a table agrees with ``30 days``: the unit may stand in the heading."""
        return any(same_value(left, right) for left in self.written_values for right in other.written_values)

    @property
    def written_values(self) -> tuple[float, ...]:
        """The values as written, before magnitude and unit."""
        return tuple(reading.value for reading in self.readings if not reading.dimension) or self._unscaled

    @property
    def _unscaled(self) -> tuple[float, ...]:
        from ragsonde.scorers.facts.numbers import find_numerals

        numerals = find_numerals(self.text)
        return numerals[0].values if numerals else ()
