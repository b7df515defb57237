"""A quantity: what it measures, every value that it may have, and whether another means the same."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import zip_longest

from ragsonde.scorers.facts.bounds import opposed
from ragsonde.scorers.facts.digits import ascii_digits
from ragsonde.scorers.facts.lexicon import Meaning
from ragsonde.scorers.facts.numbers import same_value

_BEYOND = 0.1
"""How far, relative to it, a value may lie beyond a bound that speaks of it: "over 130" of 131, "nearly 100" of 98."""
_INEXACT = frozenset({"min", "max"})
"""The bounds that say that a figure is not the value itself."""
_CLOCK = re.compile("([01]?[0-9]|2[0-3])[.]([0-5][0-9])")
_LONE_MARK = re.compile(r"(?<=\d)[.,٫](?=\d)")
AS_WRITTEN = frozenset({1.0})
"""The factors of a number without a magnitude."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a text gives it, with all that belongs to it; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    written: tuple[float, ...]
    """Every value that the numeral may have, before magnitude and unit."""
    factors: frozenset[float] = AS_WRITTEN
    """Every power of ten that the magnitude word may stand for ("billion" is 1e9 or 1e12)."""
    meanings: frozenset[Meaning] = frozenset()
    """Every unit that the word after (or sign before) the number may be; empty for a bare number."""
    per: frozenset[Meaning] = frozenset()
    """What it is counted per, where ``meanings`` are ratios: "5 mg a day" is of the mass in so many days."""
    bound: str = ""
    """``max`` (≤, <), ``min`` (≥, >), ``from`` or ``until`` where something begins or ends, or empty."""
    spelled: bool = False
    ordinal: bool = False
    aside: bool = False
    """Whether it only bears out what other texts say, and needs nothing to bear it out: "daily" beside "every day"."""
    numbering: bool = False
    """Whether it numbers something, so that 1.10 is not 1.1: a version, a section."""
    hour: bool = False
    """Whether it stands as a full hour of a clock does: "from 9 to 17", "в 8 часов"."""
    rounding: float = 0.0
    """How far, relative to it, a value may lie that this one is a round figure for; 0 for an exact one."""

    @property
    def values(self) -> tuple[float, ...]:
        """Every value with its magnitude, before the unit."""
        if self.factors is AS_WRITTEN or self.factors == AS_WRITTEN:
            return self.written
        return tuple(value * factor for value in self.written for factor in sorted(self.factors))

    @property
    def mark(self) -> str:
        """The point or comma of the numeral, where it has just one; empty otherwise."""
        marks = _LONE_MARK.findall(ascii_digits(self.text))
        return marks[0] if len(marks) == 1 else ""

    @property
    def dimensions(self) -> frozenset[str]:
        """What may be measured: ``time``, ``money:EUR``, …; empty for a bare number.

        What is measured per something else is measured as well: ``money:EUR/time`` comes with ``money:EUR``.
        """
        return _dimensions_of(self.meanings)

    @property
    def year(self) -> int | None:
        """The year that a bare whole number from 1000 to 2199 may be; None where it can't."""
        if self.meanings or self.spelled or self.ordinal or self.factors != {1.0} or _LONE_MARK.search(self.text):
            return None  # "2,000" is a number
        return next((int(value) for value in self.written if value.is_integer() and 1000 <= value < 2200), None)

    @property
    def minutes(self) -> frozenset[int]:
        """The times of day, in minutes, that a bare "9.30" or the 9 of "at 9" may be; empty where it can't."""
        if self.hour:
            time = int(self.written[0]) * 60
            return frozenset({time, time + 720} if time < 720 else {time, time % 1440})
        match = None if self.meanings or self.spelled or self.factors != {1.0} else _CLOCK.fullmatch(self.text.strip())
        if match is None:
            return frozenset()
        time = int(match[1]) * 60 + int(match[2])
        return frozenset({time, time + 720} if int(match[1]) < 12 else {time})

    def agrees_with(self, other: "Quantity") -> bool:
        """Whether both can mean the same amount; a bare number agrees with that number of any unit."""
        return not opposed(self.bound, other.bound) and self.same_amount(other)

    def same_amount(self, other: "Quantity") -> bool:
        """Whether both can mean the same amount, whatever their bounds."""
        if self.numbering and other.numbering and self.written == other.written:
            return same_numbering(self.text, other.text)
        if not (self.meanings and other.meanings):
            return self._close(other, 1.0, 1.0)
        shared = False
        for dimension, scale in self.meanings:
            for other_dimension, other_scale in other.meanings:
                if dimension == other_dimension:
                    shared = True
                    if self._close(other, scale, other_scale):
                        return True
        return not shared and (_same_temperature(self, other) or _same_but_for_per(self, other))

    def _close(self, other: "Quantity", scale: float, other_scale: float) -> bool:
        """Whether a value of both is the same once scaled, but for rounding, or lies little beyond this one's bound."""
        tolerance = max(self.rounding, other.rounding)
        beyond = self.bound if self.bound in _INEXACT and not other.bound else ""
        own_values, other_values = self.values, other.values
        if (len(self.written) > 1 or len(other.written) > 1) and self.mark != other.mark:
            own_values, other_values = _likeliest(self), _likeliest(other)
        for value in own_values:
            left = value * scale
            for other_value in other_values:
                right = other_value * other_scale
                apart = abs(left - right)
                if apart <= tolerance * abs(right) or same_value(left, right):
                    return True
                if beyond and apart <= _BEYOND * abs(left) and (left < right) == (beyond == "min"):
                    return True
        return False


@lru_cache(maxsize=1024)
def _dimensions_of(meanings: frozenset[Meaning]) -> frozenset[str]:
    return frozenset(part for dimension, _ in meanings for part in (dimension, dimension.partition("/")[0]))


def same_numbering(one: str, other: str) -> bool:
    """Whether two numbers of versions or sections are the same: 2.0 is 2, but 1.10 is not 1.1."""
    pairs = zip_longest(ascii_digits(one).split("."), ascii_digits(other).split("."), fillvalue="0")
    return all(left.strip() == right.strip() for left, right in pairs)


def _likeliest(quantity: Quantity) -> tuple[float, ...]:
    """Its values without those of a mere possibility: "1,200" is 1.2 beside "1,200" only, not beside "1.2"."""
    values = quantity.values
    return values[: len(quantity.factors)] if quantity.mark and len(quantity.written) > 1 else values


def _same_but_for_per(one: Quantity, other: Quantity) -> bool:
    """Whether one of the two leaves out what it is counted per: "10 mg/kg" and "10 mg for each kilogram"."""
    if _is_ratio(one) == _is_ratio(other):
        return False
    ratio, plain = (one, other) if _is_ratio(one) else (other, one)
    counted = frozenset(
        (dimension.partition("/")[0], scale * per_scale)
        for dimension, scale in ratio.meanings
        for per, per_scale in ratio.per
        if dimension.endswith(f"/{per}")
    )
    return bool(counted) and replace(ratio, meanings=counted).same_amount(plain)


def _is_ratio(quantity: Quantity) -> bool:
    return any("/" in dimension for dimension, _ in quantity.meanings)


def _same_temperature(one: Quantity, other: Quantity) -> bool:
    """Degrees Celsius and Fahrenheit that are the same to the nearest degree."""
    if "celsius" in other.dimensions and "fahrenheit" in one.dimensions:
        one, other = other, one
    if not ("celsius" in one.dimensions and "fahrenheit" in other.dimensions):
        return False
    return any(abs(c - (f - 32) / 1.8) <= 0.6 for c in one.values for f in other.values)
