"""What a claim says about the fields of a record, held to their values."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ragsonde.scorers.detector.records import Field, Record, Scalar, words_of_name
from ragsonde.scorers.facts.dates import TimeOfDay, Weekday, find_times, find_weekdays
from ragsonde.scorers.text.negation import has_negation

_CLAUSE = re.compile(r"[,;:.!?()—–。，；、！？]|\b(?:but|however|although|while|though)\b")
_SQUASH = re.compile(r"[^\w]+|_")
_CLOCK = re.compile(r"(?<![\d:.-])([01]?[0-9]|2[0-4]):([0-5]?[0-9])(?![\d:])")
_NOTHING_WORDS = frozenset({"", "null", "unknown", "n/a"})
_NO_WORDS = frozenset({"no", "none", "false", "n", "not available", "unavailable"})
_YES_WORDS = frozenset({"yes", "true", "y", "free", "paid", "available"})
_MIN_NAME = 4
"""Letters from which a field's name, written together, is looked for in a claim."""
_RANGE_GAP = 12
"""Characters between two weekdays that may still be "Monday to Friday", if neither "and" nor a comma is among them."""
_ENUMERATES = re.compile(r"[,;&/、，]|\b(?:and|or|und|oder|et|y|e|i|a|и|dan|ve|和)\b")
_EVERY_DAY = re.compile(
    r"(?<!\w)(?:daily|every ?day|(?:7|seven) days a week|täglich|jeden Tag|tous les jours|todos los días|ogni giorno|"
    r"todos os dias|codziennie|denně|svakog dana|svakodnevno|ежедневно|каждый день|щодня|her gün|setiap hari|"
    r"يوميا|يومياً)(?!\w)|每天|每日|毎日|매일|ทุกวัน",
    re.IGNORECASE,
)
_HALF_DAY = 720


@dataclass(frozen=True, slots=True)
class RecordFindings:
    """What one claim says of records."""

    unknown: int = 0
    """Fields whose value is null, and which the claim speaks about all the same."""
    asserted: int = 0
    """Fields that are false, of which the claim says no such thing."""
    denied: int = 0
    """Fields that are true, in a clause with a negation."""
    borne_out: int = 0
    """Fields that the claim names and that bear it out, and times of day that the record gives."""
    wrong_times: int = 0
    """Times of day in the claim that no field gives."""
    wrong_days: int = 0
    """Weekdays for which the record gives other times than the claim, or none."""


NOTHING_FOUND = RecordFindings()


class RecordCheck:
    """Holds claims to the records among the contexts of one interaction."""

    def __init__(self, records: Sequence[Record], language: str = "und") -> None:
        self._language = language
        fields = [field for record in records for field in record.fields]
        self._flags = _flags(fields)
        self._times = frozenset(
            m for field in fields if isinstance(field.value, str) for m in _clock_times(field.value)
        )
        self._days = _days(fields)

    def find(self, claim: str) -> RecordFindings:
        """Hold one claim to the records."""
        unknown = asserted = denied = borne_out = 0
        for clause in _CLAUSE.split(claim):
            squashed = _SQUASH.sub("", clause).lower()
            if not squashed:
                continue
            negated: bool | None = None
            for flag in self._flags:
                if not flag.named_in(squashed):
                    continue
                if negated is None:
                    negated = has_negation(clause, self._language)
                unknown += flag.value is None
                asserted += flag.value is False and not negated
                denied += flag.value is True and negated
                borne_out += flag.value is not None and flag.value is not negated
        right_times, wrong_times, wrong_days = self._hours(claim) if self._times else (0, 0, 0)
        borne_out += right_times
        return RecordFindings(unknown, asserted, denied, borne_out, wrong_times, wrong_days)

    def gives(self, fact: str) -> bool:
        """Whether a stretch of a claim is a time of day that a field gives, in whatever notation."""
        times = find_times(fact)
        return bool(times) and all(_given(time, self._times) for time in times)

    def _hours(self, claim: str) -> tuple[int, int, int]:
        """Times that the record gives, times that it does not, and days for which it gives others."""
        times = [time for time in find_times(claim) if not _is_duration(claim, time)]
        wrong_times = sum(not _given(time, self._times) for time in times)
        if not self._days:
            return len(times) - wrong_times, wrong_times, 0
        days = _spoken_days(claim, find_weekdays(claim))
        if not days and (every := _EVERY_DAY.search(claim)):
            days = [_Days(tuple(range(7)), every.start(), every.end())]
        wrong_days = 0
        for day, near in _paired(days, times):
            there = self._days.get(day)
            if there is None:
                wrong_days += bool(near)
            elif near and not all(_given(time, there) for time in near):
                wrong_days += 1
        return 0 if wrong_days else len(times) - wrong_times, wrong_times, wrong_days


@dataclass(frozen=True, slots=True)
class _Flag:
    """A field that is true, false or null, or a group of which all are false or null."""

    names: tuple[str, ...]
    value: bool | None

    def named_in(self, squashed: str) -> bool:
        return any(name in squashed for name in self.names)


def _flags(fields: Sequence[Field]) -> list[_Flag]:
    """The fields that only say yes, no or nothing, by the names under which a claim may speak of them."""
    named = [field for field in fields if field.path]
    told = [(field, _truth(field.value)) for field in named]
    flagged = [(field, truth) for field, truth in told if truth is not _Truth.OTHER]
    prose = " ".join(str(field.value).lower() for field, truth in told if truth is _Truth.OTHER)
    common = _common_words(field.path[-1] for field, _ in flagged)
    flags: list[_Flag] = []
    for field, truth in flagged:
        # One word may well be another thing's name ("street"), two in a row hardly.
        names = [name for name in _names(field.name, common) if len(field.name) > 1 or name not in prose]
        if names := [name for name in names if len(name) >= _MIN_NAME]:
            flags.append(_Flag(tuple(names), _VALUES[truth]))
    return [*flags, *_empty_groups(told, prose)]


def _empty_groups(told: Sequence[tuple[Field, "_Truth"]], prose: str) -> Iterator[_Flag]:
    """Groups of fields of which none is true: "BusinessParking" with nothing but false."""
    groups: dict[tuple[str, ...], list[_Truth]] = {}
    for field, truth in told:
        groups.setdefault(field.path[:-1], []).append(truth)
    for path, truths in groups.items():
        words = words_of_name(path[-1]) if path else ()
        if words and {_Truth.YES, _Truth.OTHER}.isdisjoint(truths):
            name = words[-1]
            if len(name) >= _MIN_NAME and name not in prose:
                yield _Flag((name,), None if _Truth.NOTHING in truths else False)


class _Truth(Enum):
    """What a value says as an answer to its key."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    OTHER = "other"


_VALUES = {_Truth.YES: True, _Truth.NO: False, _Truth.NOTHING: None}


def _truth(value: Scalar) -> _Truth:
    if value is None:
        return _Truth.NOTHING
    if isinstance(value, bool):
        return _Truth.YES if value else _Truth.NO
    if isinstance(value, str):
        word = value.strip().lower()
        # Some records hold literals of Python within strings: "u'free'".
        word = word.removeprefix("u").strip("'\" ") if word.startswith(("u'", "'")) else word
        if word in _NO_WORDS:
            return _Truth.NO
        if word in _YES_WORDS:
            return _Truth.YES
        if word in _NOTHING_WORDS:
            return _Truth.NOTHING
    return _Truth.OTHER


def _common_words(keys: Iterable[str]) -> frozenset[str]:
    """Words with which several keys begin ("Restaurants…"): they name no field by themselves."""
    counts: dict[str, int] = {}
    for key in dict.fromkeys(keys):
        words = words_of_name(key)
        if len(words) > 1:
            counts[words[0]] = counts.get(words[0], 0) + 1
    return frozenset(word for word, count in counts.items() if count > 1)


def _names(words: tuple[str, ...], common: frozenset[str]) -> tuple[str, ...]:
    whole = words[1:] if len(words) > 1 and words[0] in common else words
    name = "".join(whole)
    return (name, name.removesuffix("s")) if len(name) > _MIN_NAME else (name,)


def _clock_times(text: str) -> list[int]:
    return [(int(m[1]) * 60 + int(m[2])) % 1440 for m in _CLOCK.finditer(text.replace("-", " - ").replace("–", " - "))]


def _days(fields: Sequence[Field]) -> Mapping[int, frozenset[int]]:
    """The times of each weekday that is a key."""
    days: dict[int, frozenset[int]] = {}
    for field in fields:
        if field.path and isinstance(field.value, str) and (times := _clock_times(field.value)):
            found = find_weekdays(field.path[-1])
            if len(found) == 1 and found[0].text.strip() == field.path[-1].strip():
                days[found[0].number] = days.get(found[0].number, frozenset()) | frozenset(times)
    return days


def _given(time: TimeOfDay, times: Iterable[int]) -> bool:
    return any((minutes - there) % _HALF_DAY == 0 for minutes in time.minutes for there in times)


def _is_duration(claim: str, time: TimeOfDay) -> bool:
    return claim[time.end : time.end + 3].lstrip("-").startswith("hr")


@dataclass(frozen=True, slots=True)
class _Days:
    numbers: tuple[int, ...]
    start: int
    end: int


def _spoken_days(claim: str, found: Sequence[Weekday]) -> list[_Days]:
    """Weekdays and ranges of them ("Monday to Friday"), in order."""
    days: list[_Days] = []
    at = 0
    while at < len(found):
        first = found[at]
        following = found[at + 1] if at + 1 < len(found) else None
        gap = claim[first.end : following.start] if following else ""
        if following and len(gap) <= _RANGE_GAP and not _ENUMERATES.search(gap):
            count = (following.number - first.number) % 7
            days.append(_Days(tuple((first.number + n) % 7 for n in range(count + 1)), first.start, following.end))
            at += 2
        else:
            days.append(_Days((first.number,), first.start, first.end))
            at += 1
    return days


def _paired(days: Sequence[_Days], times: Sequence[TimeOfDay]) -> Iterable[tuple[int, Sequence[TimeOfDay]]]:
    """Each day with the times that are said of it: those up to the next day that has times of its own."""
    pending: list[_Days] = []
    for number, day in enumerate(days):
        pending.append(day)
        after = days[number + 1].start if number + 1 < len(days) else None
        near = [t for t in times if t.start >= day.end and (after is None or t.end <= after)]
        if near:
            yield from ((n, near) for one in pending for n in one.numbers)
            pending = []
    if pending and len(pending) == len(days):  # "from 9 to 5 on Monday": all times come before
        yield from ((n, times) for one in pending for n in one.numbers)
