"""Dates, times of day and weekdays, in the notations and languages that the CLDR knows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ragsonde.scorers.facts.bounds import bound_of
from ragsonde.scorers.facts.clock import unspaced_times
from ragsonde.scorers.facts.clock_words import find_clock_words
from ragsonde.scorers.facts.day_lists import days_before
from ragsonde.scorers.facts.lexicon import month_words, weekday_words
from ragsonde.scorers.facts.scan import Scan, scanned
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.facts.taken import Taken

CalendarDay = tuple[int | None, int | None, int | None]
"""Year, month, day; None for a part that the text does not give."""


@dataclass(frozen=True, slots=True)
class Date:
    """A date or a part of one; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    readings: tuple[CalendarDay, ...]
    """Every date that the notation allows: 3/4/2020 is in March or in April."""
    bound: str = ""
    """Whether something begins (``from``, ``min``) or ends there (``until``, ``max``); empty for neither."""

    def agrees_with(self, other: "Date") -> bool:
        """Whether ``other`` gives every part that this date gives, with the same value."""
        return any(
            all(own is None or own == given for own, given in zip(left, right, strict=True))
            for left in self.readings
            for right in other.readings
        )

    def contradicts(self, other: "Date") -> bool:
        """Whether no reading of the two can be the same day: a part that both give differs."""
        return not any(
            all(own is None or given is None or own == given for own, given in zip(left, right, strict=True))
            for left in self.readings
            for right in other.readings
        )

    @property
    def years(self) -> frozenset[int]:
        """The years that it may lie in."""
        return frozenset(year for year, _, _ in self.readings if year is not None)


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day in minutes since midnight; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    minutes: frozenset[int]
    """More than one where the text doesn't say which half of the day."""
    bound: str = ""
    """As that of a date."""
    in_words: bool = False
    """Named rather than told in figures, as "noon" is, so that other words may say the same."""


@dataclass(frozen=True, slots=True)
class Weekday:
    """A weekday named in any language: 0 is Monday; ``text == source[start:end]``."""

    text: str
    start: int
    end: int
    number: int
    bound: str = ""
    """As that of a date."""


_YEAR = r"(?P<y>[12][0-9]{3})"
_NUMERIC = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<![0-9]){_YEAR}[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<d>[12][0-9]|3[01]|0?[1-9])(?![0-9])",
        rf"(?<![0-9.]){_YEAR}\s?[年년]\s?(?:(?P<m>1[0-2]|0?[1-9])\s?[月월]\s?(?:(?P<d>[12][0-9]|3[01]|0?[1-9])\s?[日号號일])?)?",
        r"(?<![0-9])(?P<m>1[0-2]|0?[1-9])\s?[月월]\s?(?P<d>[12][0-9]|3[01]|0?[1-9])\s?[日号號일]",
        r"(?<![0-9.])(?P<d>[12][0-9]|3[01]|0?[1-9])\.\s?(?P<m>1[0-2]|0?[1-9])\.\s?(?P<y>[12][0-9]{3})(?![0-9])",
        r"(?<![0-9.])(?P<d>[12][0-9]|3[01]|0?[1-9])\.(?P<m>1[0-2]|0[1-9])\.(?P<yy>[0-9]{2})(?![0-9])",
        r"(?<![0-9/.,-])(?P<m>1[0-2]|0?[1-9])/(?P<y>(?:19|20)[0-9]{2})(?![0-9/])",
    )
)
_EITHER_WAY = re.compile(
    r"(?<![0-9/-])(?P<a>[0-9]{1,2})(?P<sep>[/-])(?P<b>[0-9]{1,2})(?P=sep)(?P<y>[12][0-9]{3})(?![0-9])"
)
_DAY_AND_MONTH = re.compile(
    r"(?<![0-9.])(?P<d>[12][0-9]|3[01]|0?[1-9])\.\s?(?P<m>1[0-2]|0?[1-9])\.(?![0-9])"
    r"|(?<![0-9/])(?P<d2>[12][0-9]|3[01]|0?[1-9])/(?P<m2>0[1-9])(?![0-9/])"
)
_LEADS_TO_DAY = frozenset(
    {
        "am",
        "bis",
        "zum",
        "vom",
        "der",
        "den",
        "dem",
        "ab",
        "seit",
        "nach",
        "vor",
        "do",
        "od",
        "dnia",
        "dne",
        "på",
        "til",
    }
)
"""Words before a day and a month in figures ("bis 31.03."), which else are a number at the end of a sentence."""
_JOINED_FIGURES = re.compile(r"[0-9][-/.]\s?[0-9]")
"""What dates in ASCII digits cannot match without."""
_VIETNAMESE = re.compile(
    r"(?:ngày\s+(?P<d>[0-9]{1,2})\s+)?tháng\s+(?P<m>[0-9]{1,2})(?:\s+năm\s+(?P<y>[0-9]{4}))?", re.IGNORECASE
)
_PARTICLE = r"(?:de|del|of|di|d'|da|do|von)\s+"
_DAY_FIRST = re.compile(
    rf"(?<![0-9.,])(?P<d>[12][0-9]|3[01]|0?[1-9])(?:\.|st|nd|rd|th|er|º|ª|-?(?:го|е|й))?[ \u00a0]?(?:{_PARTICLE})?"
    rf"(?P<word>[^\W\d_]{{3,}})\.?(?:,?[ \u00a0](?:{_PARTICLE})?(?P<y>[12][0-9]{{3}})(?![0-9.,]?[0-9]))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    r"(?P<word>[^\W\d_]{3,})\.?,?[ \u00a0](?:(?P<d>[12][0-9]|3[01]|0?[1-9])(?:st|nd|rd|th)?,?[ \u00a0])?"
    rf"(?:{_PARTICLE})?(?P<y>[12][0-9]{{3}})(?![0-9.,]?[0-9])"
    r"|(?P<word2>[A-Z][a-z]{2,})\.?[ \u00a0](?P<d2>[12][0-9]|3[01]|0?[1-9])(?:st|nd|rd|th)?(?![0-9.,:]?[0-9%])"
)
_SHORT_MONTHS = frozenset({"jul", "jun", "mai", "maj", "may", "mei", fold("май"), "мая"})
"""Folded months of three letters that are no other word next to a number."""
_DAY_COMES_FIRST = frozenset({"pro", "set", "out", "ago"})
"""Folded short months of languages that name the day first: before a number they are another word ("plan Pro 25")."""
_MONTH_STARTS = re.compile(r"(?<![^\W\d_])[^\W\d_]|[A-Z](?=[a-z]{2})")
_CLOCK = re.compile(
    r"(?<![0-9:.,])(?P<h>[01]?[0-9]|2[0-3])(?P<sep>[:.]|[ \u00a0\u202f]?h[ \u00a0\u202f]?)"
    r"(?P<min>[0-5][0-9])(?::[0-5][0-9])?(?![0-9:%]|[.,][0-9])"
    r"(?P<after>\s?(?:[ap]\.?m\b\.?|Uhr|час|ч\b|hod|h\b|时|點|น\.))?(?![ \u00a0]?min)",
    re.IGNORECASE,
)
_HOUR = re.compile(r"(?<![0-9:.,])(?P<h>[01]?[0-9]|2[0-4])\s?(?P<after>[ap]\.?m\b\.?|Uhr\b|o['’]clock)", re.IGNORECASE)
_FIRST_HOUR = re.compile(
    r"(?<![0-9:.,–-])(?P<h>[01]?[0-9]|2[0-4])(?=\s?[-–]\s?(?P<last>[01]?[0-9]|2[0-4])\s?(?P<after>[ap]\.?m\b|Uhr\b))",
    re.IGNORECASE,
)
"""The first of a range whose last alone says that it is an hour: "2–4 pm"."""
_CJK_WEEKDAY = re.compile(r"(?:星期|周|週|礼拜)([一二三四五六日天])|([月火水木金土日])曜|([월화수목금토일])요일")
_THAI_WEEKDAY = re.compile("วัน(จันทร์|อังคาร|พุธ|พฤหัส(?:บดี)?|ศุกร์|เสาร์|อาทิตย์)")
_THAI_DAYS = {"จันทร์": 0, "อังคาร": 1, "พุธ": 2, "พฤหัส": 3, "ศุกร์": 4, "เสาร์": 5, "อาทิตย์": 6}
_CJK_WEEKDAY_SIGNS = "期周週拜曜요"
"""What it cannot match without."""
_CJK_DAYS = {
    sign: number
    for signs in ("一二三四五六日", "月火水木金土日", "월화수목금토일")
    for number, sign in enumerate(signs)
}


def find_dates(text: str | Scan) -> list[Date]:
    """Every date of a text, in order, without overlap; a lone year is no date but a number."""
    scan = scanned(text)
    taken = Taken(len(scan.text))
    found: list[Date] = []
    in_digits = (*_numeric(scan), *_either_way(scan), *_days_of_months(scan)) if _may_be_in_digits(scan.plain) else ()
    for start, end, readings in (*in_digits, *_worded(scan)):
        if readings and taken.take(start, end):
            found.append(Date(scan.text[start:end], start, end, readings, _bound(scan, start, end)))
    return sorted(found, key=lambda date: date.start)


def _may_be_in_digits(plain: str) -> bool:
    """A quick look before several: whether two figures of a text stand together as those of a date do."""
    return not plain.isascii() or _JOINED_FIGURES.search(plain) is not None


_Found = tuple[int, int, tuple[CalendarDay, ...]]


def _bound(scan: Scan, start: int, end: int) -> str:
    return bound_of(scan.plain, start, end, date=True)


def _part(match: re.Match[str], name: str) -> int | None:
    value = match.groupdict().get(name)
    return int(value) if value else None


def _numeric(scan: Scan) -> Iterator[_Found]:
    plain = scan.plain
    for pattern in _NUMERIC:
        yield from (found for match in scan.matches(pattern, scan.digits) if (found := _numeric_date(match, plain)))
    if "á" in plain or "Á" in plain:
        yield from (found for match in _VIETNAMESE.finditer(plain) if (found := _numeric_date(match, plain)))


def _numeric_date(match: re.Match[str], plain: str) -> _Found | None:
    year, month, day = _part(match, "y"), _part(match, "m"), _part(match, "d")
    if (short := _part(match, "yy")) is not None:
        year = 2000 + short if short < 50 else 1900 + short
    if month is None and day is None and not plain[match.end() - 1].isdigit() and year is None:
        return None
    return (match.start(), match.end(), ((year, month, day),)) if month is None or 1 <= month <= 12 else None


def _days_of_months(scan: Scan) -> Iterator[_Found]:
    """Days without a year: "bis 31.03.", "31/03"."""
    for match in scan.matches(_DAY_AND_MONTH, scan.digits):
        if match["m2"]:
            day, month = int(match["d2"]), int(match["m2"])
            yield match.start(), match.end(), ((None, month, day), *([(None, day, month)] if day <= 12 else []))
        elif (before := scan.plain[: match.start()].rsplit(None, 1)) and before[-1].lower() in _LEADS_TO_DAY:
            yield match.start(), match.end() - 1, ((None, int(match["m"]), int(match["d"])),)


def _either_way(scan: Scan) -> Iterator[_Found]:
    for match in scan.matches(_EITHER_WAY, scan.digits):
        first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
        pairs = dict.fromkeys(((second, first), (first, second)))
        yield (
            match.start(),
            match.end(),
            tuple((year, month, day) for month, day in pairs if 1 <= month <= 12 and 1 <= day <= 31),
        )


def _months(word: str) -> Sequence[int]:
    """The months that a word may name, in any language and most cases ("januara", "Ocak'ta"); mostly one or none."""
    folded = fold(word)
    table = month_words()
    for length in range(len(folded), max(len(folded) - 3, 4), -1):
        if (numbers := table.get(folded[:length])) is not None:
            return sorted(numbers)
    return sorted(table.get(folded, ()))


def _worded(scan: Scan) -> Iterator[_Found]:
    for match in scan.matches(_DAY_FIRST, scan.digits):
        months = _months(match["word"])
        # Three letters next to a number are too often another word ("3 mar", "5 set"): they need the year as well.
        if months and (match["y"] or len(match["word"]) > 3 or fold(match["word"]) in _SHORT_MONTHS):
            year = _part(match, "y")
            yield match.start(), match.end(), tuple((year, month, int(match["d"])) for month in months)
            for start, end, listed in days_before(scan.plain, match.start("d")):
                yield start, end, tuple((year, month, listed) for month in months)
    for match in _months_first(scan):
        word = match["word"] or match["word2"]
        if (match["y"] or fold(word) not in _DAY_COMES_FIRST) and (months := _months(word)):
            day = _part(match, "d") or _part(match, "d2")
            yield match.start(), match.end(), tuple((_part(match, "y"), month, day) for month in months)


def _months_first(scan: Scan) -> Iterator[re.Match[str]]:
    """What ``_MONTH_FIRST`` finds: it begins with one of the two words before a number."""
    plain = scan.plain
    free = after = 0
    for digit in scan.digits:
        before, after = after, digit + 1
        if digit < free or not plain[digit - 1 : digit].isspace():
            continue
        words = plain[before:digit].rsplit(None, 2)
        start = max(free, before + (len(words[0]) if len(words) > 2 else 0))
        matches = (_MONTH_FIRST.match(plain, word.start()) for word in _MONTH_STARTS.finditer(plain, start, digit))
        if (match := next(filter(None, matches), None)) is not None:
            free = match.end()
            yield match


def find_times(text: str | Scan) -> list[TimeOfDay]:
    """Every time of day of a text, in order: ``14:30``, ``2 p.m.``, ``9.15 Uhr``, ``14h30``."""
    scan = scanned(text)
    taken = Taken(len(scan.text))
    found: list[TimeOfDay] = []
    for match in (*scan.matches(_CLOCK, scan.digits), *scan.matches(_HOUR, scan.digits)):
        parts = match.groupdict()
        after = (parts["after"] or "").strip().lower()
        if parts.get("sep") == "." and not after:
            continue  # 9.15 is a number
        start, end = match.span()
        if taken.take(start, end):
            minutes = _minutes(int(match["h"]), int(parts.get("min") or 0), after, match["h"])
            found.append(TimeOfDay(scan.text[start:end], start, end, minutes, _bound(scan, start, end)))
    for match in scan.matches(_FIRST_HOUR, scan.digits):
        if taken.take(*match.span()):
            after, first, last = match["after"].lower(), int(match["h"]) % 12, int(match["last"])
            if after != "uhr" and (last == 12 or first > last):  # "10–2 pm"; "9–12 am" is said of noon
                after = {"p": "am", "a": "pm"}[after[0]] if last < 12 else ""
            minutes = _minutes(int(match["h"]), 0, after, match["h"])
            found.append(TimeOfDay(match[0], *match.span(), minutes, _bound(scan, *match.span())))
    for start, end, told in find_clock_words(scan):
        if taken.take(start, end):
            bound = _bound(scan, start, end)
            found.append(TimeOfDay(scan.text[start:end], start, end, told, bound, in_words=True))
    for start, end, told in unspaced_times(scan.plain):
        if taken.take(start, end):
            found.append(TimeOfDay(scan.text[start:end], start, end, told, _bound(scan, start, end)))
    return sorted(found, key=lambda time: time.start)


def _minutes(hour: int, minute: int, after: str, written: str) -> frozenset[int]:
    if after[:1] == "a" or after[:1] == "p":
        return frozenset({(hour % 12 + (12 if after[0] == "p" else 0)) * 60 + minute})
    both_halves = not after and 1 <= hour <= 11 and not written.startswith("0")
    return frozenset({hour * 60 + minute, *([(hour + 12) * 60 + minute] if both_halves else [])})


def find_weekdays(text: str | Scan) -> list[Weekday]:
    """Every weekday named in a text, in order, whatever the language and (mostly) the case."""
    scan = scanned(text)
    words = scan.words_among(weekday_forms())
    found = [
        Weekday(scan.text[start:end], start, end, number, _bound(scan, start, end)) for start, end, number in words
    ]
    if any(sign in scan.text for sign in _CJK_WEEKDAY_SIGNS):
        for match in _CJK_WEEKDAY.finditer(scan.text):
            sign = next(group for group in match.groups() if group)
            number = 6 if sign == "天" else _CJK_DAYS[sign]
            bound = _bound(scan, match.start(), match.end())
            found.append(Weekday(match[0], match.start(), match.end(), number, bound))
    for match in _THAI_WEEKDAY.finditer(scan.text) if "วัน" in scan.text else ():
        bound = _bound(scan, match.start(), match.end())
        number = _THAI_DAYS[match[1].removesuffix("บดี")]
        found.append(Weekday(match[0], match.start(), match.end(), number, bound))
    return sorted(found, key=lambda weekday: weekday.start)


@cache
def weekday_forms() -> Mapping[str, int]:
    """Weekdays with one more letter of a case or plural ending: wednesdays, середою."""
    table = dict(weekday_words())
    for word, number in weekday_words().items():
        if len(word) >= (5 if word.isascii() else 4):
            for ending in "aeiouymsnаеиоуыюйэін":
                table.setdefault(word + fold(ending), number)
    return table
