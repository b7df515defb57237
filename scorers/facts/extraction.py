"""All checkable facts of a text, each character given to one fact only."""

from collections.abc import Iterable, Sequence, Set
from functools import cache
from typing import NamedTuple, Protocol, TypeVar

from ragsonde.scorers.facts.agreement import Measured
from ragsonde.scorers.facts.amounts import amount_words, find_amounts
from ragsonde.scorers.facts.clock_words import clock_words
from ragsonde.scorers.facts.dates import Date, TimeOfDay, Weekday, find_dates, find_times, find_weekdays, weekday_forms
from ragsonde.scorers.facts.magnitudes import magnitudes_alone
from ragsonde.scorers.facts.names import Code, Name, find_codes, find_names, may_hold_address
from ragsonde.scorers.facts.number_words import number_words
from ragsonde.scorers.facts.numbers import find_numerals, may_hold_century
from ragsonde.scorers.facts.quantity import Quantity
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.facts.taken import Taken
from ragsonde.scorers.facts.units import find_quantities


class Fact(Protocol):
    """What all facts have: the text as written and where it stands."""

    @property
    def text(self) -> str:
        """As written."""
        ...

    @property
    def start(self) -> int:
        """Offset of the first character."""
        ...

    @property
    def end(self) -> int:
        """Offset after the last character."""
        ...


class Measurements(NamedTuple):
    """The facts of a text that have a value, in order of their place."""

    quantities: tuple[Quantity, ...] = ()
    dates: tuple[Date, ...] = ()
    times: tuple[TimeOfDay, ...] = ()
    weekdays: tuple[Weekday, ...] = ()
    codes: tuple[Code, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.quantities or self.dates or self.times or self.weekdays or self.codes)

    def all(self) -> tuple[Measured, ...]:
        """Those of every kind, kind by kind."""
        return (*self.quantities, *self.dates, *self.times, *self.weekdays, *self.codes)

    def like(self, fact: Measured) -> Sequence[Measured]:
        """Those of the kinds that may bear a fact out."""
        match fact:
            case Quantity() if self.times and fact.minutes:
                return (*self.quantities, *self.dates, *self.times)
            case Quantity() | Date():
                return (*self.quantities, *self.dates)
            case TimeOfDay():
                return (*self.times, *(quantity for quantity in self.quantities if quantity.minutes))
            case Weekday():
                return self.weekdays
            case Code():
                return self.codes

    def without_asides(self) -> "Measurements":
        """Those that need something to bear them out."""
        if not any(quantity.aside for quantity in self.quantities):
            return self
        return self._replace(quantities=tuple(quantity for quantity in self.quantities if not quantity.aside))

    def between(self, start: int, end: int) -> "Measurements":
        """Those that lie within a stretch of the text."""
        return Measurements(
            tuple(fact for fact in self.quantities if start <= fact.start and fact.end <= end),
            tuple(fact for fact in self.dates if start <= fact.start and fact.end <= end),
            tuple(fact for fact in self.times if start <= fact.start and fact.end <= end),
            tuple(fact for fact in self.weekdays if start <= fact.start and fact.end <= end),
            tuple(fact for fact in self.codes if start <= fact.start and fact.end <= end),
        )


class Facts(NamedTuple):
    """All facts of a text."""

    measurements: Measurements
    names: tuple[Name, ...]


_FactT = TypeVar("_FactT", bound=Fact)


def _free(facts: Iterable[_FactT], taken: Taken) -> tuple[_FactT, ...]:
    """The facts that share no character with those before; their characters are taken from now on."""
    return tuple(fact for fact in facts if taken.take(fact.start, fact.end))


def find_measurements(text: str) -> Measurements:
    """Dates, times, codes, weekdays and quantities of a text; the first kind that fits takes the characters."""
    scan = Scan(text)
    in_words = not text.isascii() or scan.has_word_among(_telling_words())
    if not (in_words or scan.digits or may_hold_address(text) or may_hold_century(text)):
        return _NONE
    taken = Taken(len(text))
    dates: tuple[Date, ...] = ()
    times: tuple[TimeOfDay, ...] = ()
    if scan.digits:  # most sentences have none
        dates = _free(find_dates(scan), taken)
    if in_words or scan.digits:
        times = _free(find_times(scan), taken)
    codes = _free(find_codes(scan), taken)
    weekdays = _free(find_weekdays(scan), taken) if in_words else ()
    amounts = _free(find_amounts(scan), taken) if in_words else ()
    quantities = find_quantities(text, _free(find_numerals(scan, in_words=in_words), taken))
    if amounts:
        quantities = sorted([*quantities, *amounts], key=lambda quantity: quantity.start)
    return Measurements(tuple(quantities), dates, times, weekdays, codes)


_NONE = Measurements()


@cache
def _telling_words() -> Set[str]:
    """What facts told in words cannot be without, in ASCII."""
    return frozenset[str]().union(amount_words(), number_words(), weekday_forms(), magnitudes_alone(), clock_words())


def find_facts(text: str, *, ordinary: frozenset[str] = frozenset(), capitalises_nouns: bool = False) -> Facts:
    """All facts of a text; the options are those of ``find_names``."""
    measurements = find_measurements(text).without_asides()
    names = find_names(text, ordinary=ordinary, capitalises_nouns=capitalises_nouns)
    taken = Taken(len(text))
    for group in (measurements.dates, measurements.times, measurements.weekdays, measurements.codes):
        _free(group, taken)
    return Facts(measurements, _free((name for name in names if not _is_unit(name, measurements.quantities)), taken))


def _is_unit(name: Name, quantities: Iterable[Quantity]) -> bool:
    """Whether a name is the unit of a figure: "TL" in "2 TL"."""
    return any(each.start <= name.start and name.end <= each.end for each in quantities if each.meanings)
