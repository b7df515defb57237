"""Amounts that no numeral says: shares ("a third", "三分之二") and how many times ("twice", "einmal im Jahr")."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib.resources import files

from ragsonde.scorers.facts.lexicon import Meaning
from ragsonde.scorers.facts.number_words import read_cjk
from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.facts.units import Quantity

_MEANINGS: Mapping[str, Meaning] = {"shares": ("share", 1.0), "times": ("times", 1.0)}
_PARTS = re.compile(
    "(?P<whole>[0-9]{1,3}|[二三四五六七八九十]{1,3})(?:分之|分の|분의 ?)"
    "(?P<parts>[0-9]{1,3}|[一二三四五六七八九十]{1,3})"
)
"""Chinese, Japanese and Korean name the whole first: 三分之二 are two of three. 百分之 is a percentage."""
_ROUND = 0.015
"""How far, relative to it, a figure may lie that stands for a third: 33 %, 0.67."""
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af]")


def find_amounts(scan: Scan) -> Iterator[Quantity]:
    """Shares and counts of times in a text, kind by kind. Percentages, and "three times", are quantities anyway."""
    if not scan.text.isascii() and _UNSPACED.search(scan.plain) is not None:
        yield from _parts(scan)
        yield from _said(scan, _unspaced_phrases())
    if scan.words_among(_telling_words()):
        yield from _said(scan, _spaced_phrases())


def _parts(scan: Scan) -> Iterator[Quantity]:
    for match in _PARTS.finditer(scan.plain):
        whole, parts = _number(match["whole"]), _number(match["parts"])
        if whole and parts and parts < whole:
            yield _quantity(scan, match, Fraction(parts, whole), _MEANINGS["shares"])


def _number(written: str) -> int:
    return int(written) if written.isdigit() else read_cjk(written) or 0


Phrases = Sequence[tuple[re.Pattern[str], Fraction, Meaning]]


def _said(scan: Scan, phrases: Phrases) -> Iterator[Quantity]:
    for pattern, value, meaning in phrases:
        for match in pattern.finditer(scan.plain):
            yield _quantity(scan, match, value, meaning)


def _quantity(scan: Scan, match: re.Match[str], value: Fraction, meaning: Meaning) -> Quantity:
    return Quantity(
        scan.text[match.start() : match.end()],
        match.start(),
        match.end(),
        (float(value),),
        meanings=frozenset({meaning}),
        spelled=True,
        rounding=_ROUND if value.denominator % 3 == 0 else 0.0,
    )


@cache
def _table() -> Mapping[str, Mapping[str, Sequence[str]]]:
    return tomllib.loads(files(__package__).joinpath("amounts.toml").read_text(encoding="utf-8"))


@cache
def _telling_words() -> Mapping[str, None]:
    """The longest word of each phrase, folded: where a text has none of them, it has no phrase."""
    entries = (entry for values in _table().values() for entries in values.values() for entry in entries)
    phrases = (re.split("!?>", entry)[0] for entry in entries)
    return {fold(max(phrase.split(), key=len)): None for phrase in phrases if _UNSPACED.search(phrase) is None}


@cache
def _spaced_phrases() -> Phrases:
    return _compiled(unspaced=False)


@cache
def _unspaced_phrases() -> Phrases:
    return _compiled(unspaced=True)


def _compiled(*, unspaced: bool) -> Phrases:
    found: list[tuple[re.Pattern[str], Fraction, Meaning]] = []
    for kind, values in _table().items():
        for value, entries in values.items():
            chosen = [entry for entry in entries if (_UNSPACED.search(entry) is not None) == unspaced]
            # The longer phrase first: "üçte biri" before "üçte bir".
            patterns = [_pattern(entry, unspaced=unspaced) for entry in sorted(chosen, key=len, reverse=True)]
            if patterns:
                found.append((re.compile("|".join(patterns), re.IGNORECASE), Fraction(value), _MEANINGS[kind]))
    return found


def _pattern(entry: str, *, unspaced: bool) -> str:
    phrase, sign, next_words = re.match("([^!>]*)(!?>)?(.*)", entry).groups()  # type: ignore[union-attr]
    words = "|".join(map(re.escape, next_words.split()))
    if unspaced:
        return re.escape(phrase.strip()) + (f"(?!{words})" if sign else "")
    forms = "|".join(re.escape(form).replace(r"\ ", "[ \u00a0-]") for form in sorted({phrase.strip(), _plain(phrase)}))
    follows = {None: "", ">": rf"(?=[ \u00a0](?:{words})\b)", "!>": rf"(?![ \u00a0](?:{words})\b)"}[sign]
    return rf"(?<!\w)(?:{forms})(?!\w){follows}"


def _plain(phrase: str) -> str:
    """The phrase as it is typed without accents."""
    return " ".join(fold(word) for word in phrase.split())
