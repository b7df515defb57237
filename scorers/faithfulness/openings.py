"""What an opening says of its end: "open from 8 to 6" is "closes at 6", "every day but Sunday" "closed on Sunday"."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ragsonde.scorers.facts import find_weekdays
from ragsonde.scorers.listed import read_toml

_FIGURE = r"(?:[01]?\d|2\d|3[01])(?!\d)"
_NEAR = 40
"""Characters from a verb of closing to its hour."""
_HALF_DAY = 12


@dataclass(frozen=True, slots=True)
class _Rules:
    """What ``openings.toml`` says."""

    closing: re.Pattern[str]
    ends: re.Pattern[str]
    excepted: re.Pattern[str]
    excepting: Sequence[str]


@cache
def _rules() -> _Rules:
    listed = read_toml(__package__, "openings.toml")
    before, marks, after = ("|".join(listed[name]) for name in ("until", "marks", "after"))
    return _Rules(
        closing=re.compile("|".join(listed["closing"])),
        ends=re.compile(
            rf"(?:(?<!\w)(?:{before})\s+(?:[^\W\d]{{1,5}}\s+)?|(?:{marks})\s*)({_FIGURE})|(?<!\d)({_FIGURE})[^\d,.;、。]{{0,5}}?(?:{after})"
        ),
        excepted=re.compile("|".join(listed["excepted"])),
        excepting=tuple(listed["excepting"]),
    )


def ends_opening(closing: str, word: str, opening: str) -> bool:
    """Whether ``word``, in a text on closing, only tells the end of the opening that another text tells of.

    The hour or the day of the month after it must be where that opening ends; hours are compared on a clock of twelve.
    """
    rules = _rules()
    text = closing.lower()
    at = text.find(word.lower())
    if at < 0 or not rules.closing.fullmatch(word.lower()):
        return False
    ends = {_hour(one or other) for one, other in rules.ends.findall(opening.lower())}
    return bool(ends) and not ends.isdisjoint(_hours(text, at, at + len(word)))


def _hours(text: str, start: int, end: int) -> Sequence[int]:
    """The first figure after a verb, or else the last before it."""
    after = re.search(rf"(?<!\d){_FIGURE}", text[end : end + _NEAR])
    if after is not None:
        return [_hour(after[0])]
    before = re.findall(rf"(?<![\d:.]){_FIGURE}", text[max(0, start - _NEAR) : start])
    return [_hour(figure) for figure in before[-1:]]


def _hour(figure: str) -> int:
    return int(figure) % _HALF_DAY


def taken_out(passage: str, claim: str, excepting: Iterable[tuple[str, str]]) -> str | None:
    """What a passage takes out of what it says, as the claim writes it: "every day but Sunday"; None where nothing.

    ``excepting`` are the words after and before each word for "except"; what they take out is found by the day it is.
    """
    rules, lowered = _rules(), passage.lower()
    told = any(hint in lowered for hint in rules.excepting)
    words = [next(filter(None, groups)) for groups in rules.excepted.findall(lowered)] if told else []
    at = next((at for at in map(claim.lower().find, words) if at >= 0), None)
    if at is not None:
        return claim[at:].split(maxsplit=1)[0]
    sides = [(word, "") for word in words] + list(excepting)
    days = find_weekdays(claim) if sides else []
    for after, before in sides if days else ():
        named = {day.number for day in find_weekdays(after) or find_weekdays(before)}
        if (day := next((day for day in days if day.number in named), None)) is not None:
            return day.text
    return None
