"""Numbers written in words: the small ones of a dozen languages, and Chinese and Japanese numerals of any size.

Words that are also something else in another language (Turkish "on", German "bin", Spanish "once", the articles for
"one") are left out: a missed number costs less than an invented one.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from ragsonde.scorers.facts.compounds import compound_around, glued_numbers, tens
from ragsonde.scorers.facts.scan import Scan, scanned
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.facts.thai import find_thai_numbers

_SPACES = frozenset({" ", "\u00a0"})
_GAPS = _SPACES | {"-", "‑"}
_AFTER_HUNDREDS = _GAPS | {" and ", " e ", " i ", " und "}
_HUNDRED_BEFORE = frozenset({"cent", "cientos", "sto", "yuz", "مائة", "مئة", "صد"})
_FRENCH_HUNDREDS = re.compile(
    r"(?P<hundreds>(?:(?:deux|trois|quatre|cinq|sept|huit|neuf)[ \u00a0-]cents?"
    r"|six[ \u00a0-]cents?(?=[ \u00a0-](?:dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|\w+ante|euros?|"
    r"francs|mille|personnes|places)\b)))(?!\w)",
    re.IGNORECASE,
)
"""Two hundred to nine hundred; "six cents" is six hundred only where what follows is French."""
_LAST_WORD = re.compile("(?<![^\\W\\d_])([^\\W\\d_]+)[- \u00a0]$")
_HUNDREDS = frozenset({100})
_CJK_DIGITS = {
    "〇": 0,
    "零": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "兩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_CJK_SMALL = {"十": 10, "百": 100, "千": 1_000}
_CJK_LARGE = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_CJK = re.compile(
    "(?P<whole>[〇零一二两兩三四五六七八九十百千万萬亿億兆]+)"
    "(?:[点點](?P<fraction>[〇零一二三四五六七八九]{1,9})(?![十半刻分钟]|[〇零一二三四五六七八九]))?"
)
"""A point makes a decimal, except in the time of day: 三点五十分."""
_TOO_LARGE = 10**15
_COUNTED_BY_ONE = re.compile("个月|個月|[ヶかカ]月|个?小时|個?小時|時間|个?星期|個?星期|週間|年間|年期")
"""Before these a lone 一 is a count, and no part of a word (一般, 一天)."""
_COUNTED_BY_TEN = frozenset("年天日周週岁歲歳个個名人次元円小")
"""Signs before which a lone 十 is a count, and no part of a word (十分)."""
_CJK_IDIOM_MARKS = frozenset("万萬亿億兆百千")


@cache
def number_words() -> Mapping[str, float]:
    """Words for numbers, folded, with their values; those that need others beside them are in ``compounds``."""
    table: dict[str, float] = {}
    for line in files(__package__).joinpath("number_words.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            value, _, words = line.partition(":")
            table |= {fold(word): float(value) for word in words.split()}
    return {**tens(), **_german_compounds(table), **glued_numbers(), **table}


def _german_compounds(table: dict[str, float]) -> dict[str, float]:
    ones = {"ein": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9}
    tens = ("zwanzig", "dreissig", "vierzig", "funfzig", "sechzig", "siebzig", "achtzig", "neunzig")
    return {f"{one}und{ten}": table[ten] + value for ten in tens for one, value in ones.items()}


def read_cjk(numeral: str) -> int | None:
    """The value of a Chinese or Japanese numeral (``三千五百万`` is 35,000,000); None where it is not one."""
    if all(sign in _CJK_DIGITS for sign in numeral):
        return int("".join(str(_CJK_DIGITS[sign]) for sign in numeral))
    total = section = digit = 0
    for sign in numeral:
        if sign in _CJK_DIGITS:
            digit = _CJK_DIGITS[sign]
        elif sign in _CJK_SMALL:
            section += (digit or 1) * _CJK_SMALL[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _CJK_LARGE[sign] if section + digit or not total else 0
            if not total:
                return None
            section = digit = 0
    return total + section + digit


def _spelled_cjk(text: str) -> Iterator[tuple[int, int, float]]:
    for match in _CJK.finditer(text):
        numeral, fraction = match[0], match["fraction"]
        if fraction is not None:
            whole = read_cjk(match["whole"])
            if whole is not None and whole < _TOO_LARGE:
                decimals = "".join(str(_CJK_DIGITS[sign]) for sign in fraction)
                yield match.start(), match.end(), float(f"{whole}.{decimals}")
            continue
        # A single sign is more often part of a word (一般, 百姓) than a count, unless a digit is what it is (三 days).
        if numeral[0] in _CJK_IDIOM_MARKS or numeral in ("〇", "零"):
            continue
        if numeral == "一" and not _COUNTED_BY_ONE.match(text, match.end()):
            continue
        if numeral == "十" and text[match.end() : match.end() + 1] not in _COUNTED_BY_TEN:
            continue
        value = read_cjk(numeral)
        if value is not None and value < _TOO_LARGE:
            yield match.start(), match.end(), float(value)


def spelled_numerals(text: str | Scan) -> Iterator[tuple[int, int, float]]:
    """Numbers in words as (start, end, value), in order of their script; "twenty-five" and "twenty five" are 25."""
    scan = scanned(text)
    yield from _spelled_words(scan)
    if not scan.text.isascii():
        yield from _spelled_cjk(scan.text)
        yield from find_thai_numbers(scan.text)


def _spelled_words(scan: Scan) -> Iterator[tuple[int, int, float]]:
    """Number words that stand together as one number; those that don't make one are unknown, all of them."""
    pending: tuple[int, int, float | None] | None = None
    for start, end, value in _words_and_compounds(scan):
        if pending is not None:
            first, last, so_far = pending
            gap = scan.text[last:start]
            joints = _AFTER_HUNDREDS if so_far is not None and so_far % 100 == 0 and value < 100 else _GAPS
            joined = None if so_far is None or gap not in joints else _join(so_far, value)
            if joined is not None or gap in _SPACES:  # "two-three days" are a range
                pending = (first, end, joined)
                continue
            if so_far is not None:
                yield first, last, float(so_far)
        pending = (start, end, value)
    if pending is not None and pending[2] is not None:
        yield pending[0], pending[1], float(pending[2])


def _words_and_compounds(scan: Scan) -> Iterator[tuple[int, int, float]]:
    free = 0
    for start, end, value in scan.words_among(number_words()):
        if start >= free:
            compound = compound_around(scan.text, start, end)
            found: tuple[int, int, float] = (start, end, value)
            if compound is not None and compound[0] >= free:
                found = compound
            hundreds = _FRENCH_HUNDREDS.match(scan.text, start)
            if hundreds is not None and 1 < value < 10:
                found = start, hundreds.end("hundreds"), 100 * value
            yield _with_hundred(scan.text, *found, free)
            free = found[1]


def _with_hundred(text: str, start: int, end: int, value: float, free: int) -> tuple[int, int, float]:
    """A number with a word for 100 in front of it that is something else by itself: "cent vingt", "yüz yirmi".

    What stands before ``free`` belongs to another number.
    """
    before = _LAST_WORD.search(text, max(free, start - 12), start)
    if before is not None and value < 100 and fold(before[1]) in _HUNDRED_BEFORE:
        return before.start(1), end, 100 + value
    return start, end, value


def _join(so_far: float, value: float) -> float | None:
    """``twenty`` and ``five`` give 25, ``two`` and ``hundred`` 200; None where the words don't make one number."""
    if value in _HUNDREDS and 2 <= so_far <= 9:
        return so_far * value
    if so_far % 100 == 0 and value < 100:
        return so_far + value
    if so_far % 10 == 0 and so_far % 100 >= 20 and value < 10:
        return so_far + value
    return None
