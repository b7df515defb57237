"""Words for months, weekdays, units, currencies and magnitudes, from the Unicode CLDR (by way of Babel) and units.toml.

The words of all languages are read into one table: a text need not say its language, and may mix several. A word that
means different things in different languages ("billion", "mil") keeps all its meanings; whoever compares two facts
asks whether any pair of meanings agrees.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from babel import Locale

from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.listed import read_toml

_LOCALES = (
    "en de fr es it pt nl ca ro pl cs sk sl hr bs sr mk bg ru uk be lt lv et fi hu el tr sv da nb is "
    "ms id vi th zh zh_Hant ja ko hi bn ur ta ar fa he hy ka kk"
)
"""CLDR locales whose words are read."""

Meaning = tuple[str, float]
"""A dimension (``time``, ``length``, ``money:EUR``, …) and the factor to the dimension's base unit."""


@cache
def _own_table() -> Mapping[str, Mapping[str, Any]]:
    return read_toml(__package__, "units.toml")


def _own_words(section: str) -> Mapping[str, tuple[str, ...]]:
    """The folded words of a section of units.toml."""
    return {
        key: tuple(fold(word.strip()) for word in words.split("|") if word.strip())
        for key, words in _own_table()[section].items()
    }


@cache
def _units() -> Mapping[str, Meaning]:
    """CLDR unit ids with their dimension and factor."""
    return {unit: (str(dimension), float(factor)) for unit, (dimension, factor) in _own_table()["units"].items()}


_PEOPLE = frozenset({"man", "men"})
"""Also months, as Swedish and Lithuanian shorten them once their accents are folded."""


def _locale_data() -> Iterator[Mapping[str, Any]]:
    for name in _LOCALES.split():
        # Babel has no public access to the patterns of a unit; the data file itself is CLDR's and stable.
        yield Locale.parse(name)._data  # noqa: SLF001


def _tells(word: str) -> bool:
    """Whether an abbreviation is no other language's word, as far as its length tells; short ones are in units.toml."""
    return word not in _PEOPLE and (len(word) >= 3 or not (word.isascii() and word.isalpha()))


def _pattern_words(patterns: Any) -> Iterator[str]:
    """The words around the number in patterns like ``{0} days``, for every plural form."""
    if isinstance(patterns, str):
        word = fold(re.sub(r"\{0\}", " ", patterns)).strip(" .\u200e\u200f\u061c\xa0\u202f")
        if word and "{" not in word:
            yield re.sub(r"\s+", " ", word)
    elif hasattr(patterns, "items"):
        for form, pattern in patterns.items():
            if form not in {"per", "gender"}:
                yield from _pattern_words(pattern)


Meanings = Mapping[str, frozenset[Meaning]]


def _frozen(table: dict[str, set[Meaning]]) -> Meanings:
    return {word: frozenset(meanings) for word, meanings in table.items()}


@cache
def unit_words() -> Meanings:
    """Folded unit and currency words with their meanings."""
    table: dict[str, set[Meaning]] = {}
    units = _units()
    for unit, words in _own_words("words").items():
        for word in words:
            table.setdefault(word, set()).add(units[unit])
    for code, words in _own_words("currencies").items():
        for word in (code.lower(), *words):
            table.setdefault(word, set()).add((f"money:{code}", 1.0))
    for codes, words in _own_words("hundredths").items():
        for word in words:
            table.setdefault(word, set()).update((f"money:{code.strip()}", 0.01) for code in codes.split("|"))
    for data in _locale_data():
        _add_units(table, data)
        _add_currencies(table, data)
    return _frozen(table)


def _add_units(table: dict[str, set[Meaning]], data: Mapping[str, Any]) -> None:
    units = _units()
    # "20 degrees" leaves the scale to the reader.
    scales = {units["temperature-celsius"], units["temperature-fahrenheit"]}
    table["°"] |= scales
    for unit, meaning in units.items():
        widths = data["unit_patterns"].get(unit, {})
        for word in {word for width in ("long", "short") for word in _pattern_words(widths.get(width, {}))}:
            if _tells(word):
                table.setdefault(word, set()).update({meaning} | (scales if unit == "angle-degree" else set()))


def _add_currencies(table: dict[str, set[Meaning]], data: Mapping[str, Any]) -> None:
    for code in _own_table()["currencies"]:
        names = [data["currency_names"].get(code), data["currency_symbols"].get(code)]
        names.extend(dict(data["currency_names_plural"].get(code, {})).values())
        for word in {fold(name).strip(" .") for name in names if name}:
            if _tells(word):
                table.setdefault(word, set()).add((f"money:{code}", 1.0))


@cache
def sign_lists() -> Mapping[str, frozenset[str]]:
    """Folded words that make a number negative, by the name of the list."""
    return {name: frozenset(words) for name, words in _own_words("signs").items()}


@cache
def numbering_words() -> frozenset[str]:
    """Folded words before a number that is no amount: a version, a section."""
    return frozenset(_own_words("numbering")["words"])


@cache
def lone_magnitude_lists() -> Mapping[str, frozenset[str]]:
    """Folded words for magnitudes without a number, and the words before them that matter, by the name of the list."""
    return {name: frozenset(words) for name, words in _own_words("alone").items()}


@cache
def magnitude_words() -> Mapping[str, frozenset[float]]:
    """Folded words for powers of ten that follow a number: thousand, mln, 万, juta."""
    table: dict[str, set[float]] = {}
    for power, words in _own_words("magnitudes").items():
        for word in words:
            table.setdefault(word, set()).add(10.0 ** int(power))
    for data in _locale_data():
        for width in ("long", "short"):
            for by_size in data["compact_decimal_formats"].get(width, {}).values():
                for size, pattern in by_size.items():
                    _add_magnitude(table, float(size), pattern.pattern)
    return {word: frozenset(factors) for word, factors in table.items()}


def _add_magnitude(table: dict[str, set[float]], size: float, pattern: str) -> None:
    zeros = pattern.count("0")
    word = fold(re.sub(r"[0'¤]", "", pattern.split(";", maxsplit=1)[0])).strip(" .\xa0\u202f\u200e\u200f")
    if zeros and word and _tells(word) and "." not in word:
        table.setdefault(word, set()).add(size / 10 ** (zeros - 1))


@cache
def month_words() -> Mapping[str, frozenset[int]]:
    """Folded month names, full and short, with 1 to 12; names that hold a digit (CJK) are not among them.

    A name may have two: "listopad" is October in Croatian and November in Polish and Czech.
    """
    table: dict[str, set[int]] = {}
    for data in _locale_data():
        for kind in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in dict(data["months"][kind].get(width, {})).items():
                    word = fold(name).strip(" .\u200f")
                    if len(word) >= 3 and not any(sign.isdigit() for sign in word) and " " not in word:
                        table.setdefault(word, set()).add(int(number))
    return {word: frozenset(numbers) for word, numbers in table.items()}


@cache
def weekday_words() -> Mapping[str, int]:
    """Folded full weekday names with 0 (Monday) to 6, and each without its last letter where it stays long enough."""
    table: dict[str, int] = {}
    for data in _locale_data():
        for kind in ("format", "stand-alone"):
            for number, name in dict(data["days"][kind].get("wide", {})).items():
                # "terça-feira", "thứ ba": the first part alone is another word
                word = fold(name)
                if word.isalpha() and len(word) >= 4:
                    table.setdefault(word, int(number))
    for word, number in tuple(table.items()):
        if len(word) >= (6 if word.isascii() else 5) and ord(word[0]) < 0x0590:
            table.setdefault(word[:-1], number)
    lines = files(__package__).joinpath("weekdays.txt").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(line for line in lines if not line.startswith("#")):
        for word in line.split():
            table.setdefault(fold(word), number)
    return table
