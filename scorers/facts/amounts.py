"""Amounts that no numeral says: shares ("a third", "三分之二"), times ("twice"), spans ("an hour and a half")."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from ragsonde.scorers.facts.lexicon import Meaning
from ragsonde.scorers.facts.number_words import read_cjk
from ragsonde.scorers.facts.quantity import Quantity
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.listed import read_toml

_DAY = 86400.0
_MEANINGS: Mapping[str, Meaning] = {
    "shares": ("share", 1.0),
    "times": ("times", 1.0),
    "hours": ("time", 3600.0),
    "years": ("months", 12.0),
    "intervals": ("interval", _DAY),
    "frequencies": ("interval", _DAY),
}
_PERIODS: Mapping[Fraction, Meaning] = {
    Fraction(1): ("time", _DAY),
    Fraction(7): ("time", 7 * _DAY),
    Fraction(487, 16): ("months", 1.0),
    Fraction(1461, 4): ("months", 12.0),
}
"""Frequencies, which are kept in days, as the calendar names them."""
_PARTS = re.compile(
    "(?P<whole>[0-9]{1,3}|[二三四五六七八九十]{1,3})(?:分之|分の|분의 ?)"
    "(?P<parts>[0-9]{1,3}|[一二三四五六七八九十]{1,3})"
)
"""Chinese, Japanese and Korean name the whole first: 三分之二 are two of three. 百分之 is a percentage."""
_TENTHS_LEFT = re.compile(
    "(?<![0-9.一二三四五六七八九])([1-9](?:[.]?[1-9])?|[一二三四五六七八九]{1,2})\\s?折(?![叠疊旧舊断射扣腾合算磨])"
)
_HALF_PRICE = re.compile("半价|半價|半額|반값")
_HALF, _PRICES = Fraction(1, 2), (("paid", 1.0), ("off", 1.0))
_ROUND = 0.015
"""How far, relative to it, a figure may lie that stands for a third: 33 %, 0.67."""
_REACH = 40
"""Characters to either side of a word within which its phrase lies, and the word that has to follow."""
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


class Phrase(NamedTuple):
    """One way to say an amount."""

    pattern: re.Pattern[str]
    value: Fraction
    meaning: Meaning
    aside: bool
    """Whether it only bears out what others say."""


def find_amounts(scan: Scan) -> Iterator[Quantity]:
    """Shares and counts of times in a text, kind by kind. Percentages, and "three times", are quantities anyway."""
    if not scan.text.isascii() and _UNSPACED.search(scan.plain) is not None:
        yield from _parts(scan)
        yield from _tenths_left(scan) if "折" in scan.plain else ()
        yield from (_quantity(scan, m, _HALF, ("share", 1.0), *_PRICES) for m in _HALF_PRICE.finditer(scan.plain))
        for phrase in _unspaced_phrases():
            for match in phrase.pattern.finditer(scan.plain):
                yield _quantity(scan, match, phrase.value, phrase.meaning, aside=phrase.aside)
    for start, end, phrases in scan.words_among(amount_words()):
        for phrase in phrases:
            if (said := _around(scan.plain, start, end, phrase)) is not None:
                yield _quantity(scan, said, phrase.value, phrase.meaning, aside=phrase.aside)
                break


def _around(text: str, start: int, end: int, phrase: Phrase) -> re.Match[str] | None:
    """Where the word at a place is part of a phrase."""
    matches = phrase.pattern.finditer(text, max(0, start - _REACH), end + _REACH)
    return next((match for match in matches if match.start() <= start and end <= match.end()), None)


def _tenths_left(scan: Scan) -> Iterator[Quantity]:
    """Chinese reductions name what is left of a price: 八折 is 20 % off, 七五折 25 %."""
    for match in _TENTHS_LEFT.finditer(scan.plain):
        signs = match[1].replace(".", "")
        digits = "".join(sign if sign.isdigit() else str(read_cjk(sign)) for sign in signs)
        left = Fraction(int(digits), 10 ** len(digits))
        # One value stands for both: the factors make it what is left, and what is taken off.
        yield _quantity(scan, match, left, ("paid", 1.0), ("off", float((1 - left) / left)))


def _parts(scan: Scan) -> Iterator[Quantity]:
    for match in _PARTS.finditer(scan.plain):
        whole, parts = _number(match["whole"]), _number(match["parts"])
        if whole and parts and parts < whole:
            yield _quantity(scan, match, Fraction(parts, whole), _MEANINGS["shares"])


def _number(written: str) -> int:
    return int(written) if written.isdigit() else read_cjk(written) or 0


def _quantity(scan: Scan, match: re.Match[str], value: Fraction, *meanings: Meaning, aside: bool = False) -> Quantity:
    return Quantity(
        scan.text[match.start() : match.end()],
        match.start(),
        match.end(),
        (float(value),),
        meanings=frozenset(meanings),
        spelled=True,
        aside=aside,
        rounding=_ROUND if value.denominator % 3 == 0 else 0.0,
    )


class _Entry(NamedTuple):
    """A phrase of the file, with what may or must come next."""

    words: str
    sign: str | None
    following: str
    value: Fraction
    meaning: Meaning
    aside: bool

    @property
    def unspaced(self) -> bool:
        return _UNSPACED.search(self.words) is not None

    def phrase(self) -> Phrase:
        return Phrase(self._pattern(), self.value, self.meaning, self.aside)

    def _pattern(self) -> re.Pattern[str]:
        following = "|".join(map(re.escape, self.following.split()))
        if self.unspaced:
            counted = "(?<![个個])" if self.words[0] == "半" else ""  # 两个半小时 are two and a half hours
            return re.compile(counted + re.escape(self.words) + (f"(?!{following})" if self.sign else ""))
        forms = sorted({self.words, _plain(self.words)})
        written = "|".join(re.escape(form).replace(r"\ ", "[ \u00a0-]") for form in forms)
        looks = {None: "", ">": rf"(?=[ \u00a0](?:{following})\b)", "!>": rf"(?![ \u00a0](?:{following})\b)"}
        return re.compile(rf"(?<!\w)(?:{written})(?!\w){looks[self.sign]}", re.IGNORECASE)


@cache
def _entries() -> Sequence[_Entry]:
    """The longest phrase first: "dvije trećine" before "trećine"."""
    table = read_toml(__package__, "amounts.toml")
    entries = [
        _Entry(*_read(entry), Fraction(value), _MEANINGS[kind], aside=kind == "frequencies")
        for kind, values in table.items()
        for value, of_value in values.items()
        for entry in of_value
    ]
    return sorted(entries, key=lambda entry: -len(entry.words))


def _read(entry: str) -> tuple[str, str | None, str]:
    words, sign, following = re.match("([^!>]*)(!?>)?(.*)", entry).groups()  # type: ignore[union-attr]
    return words.strip(), sign, following


@cache
def amount_words() -> Mapping[str, Sequence[Phrase]]:
    """The longest word of each phrase, folded, with its phrases: without any of them a text has none."""
    found: dict[str, list[Phrase]] = {}
    for entry in _entries():
        if not entry.unspaced:
            found.setdefault(fold(max(re.split("[ ']", entry.words), key=len)), []).append(entry.phrase())
    return found


@cache
def per_phrases() -> Mapping[str, Meaning]:
    """The phrases of frequencies, folded, with the time that something is counted per: "daily", "per week"."""
    return {fold(entry.words): _PERIODS[entry.value] for entry in _entries() if entry.aside}


@cache
def _unspaced_phrases() -> Sequence[Phrase]:
    return [entry.phrase() for entry in _entries() if entry.unspaced]


def _plain(phrase: str) -> str:
    """The phrase as it is typed without accents."""
    return " ".join(fold(word) for word in phrase.split())
