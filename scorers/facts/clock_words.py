"""Times of day in words: "noon", "midnight", "half past two", "halb drei", "половина третьего", "เที่ยงคืน"."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ragsonde.scorers.facts.scan import Scan
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.listed import read_toml

_REACH = 40
"""Characters to either side of a word within which its phrase lies."""
_HALF_DAY, _DAY = 720, 1440
_NAMED: Mapping[str, frozenset[int]] = {"noon": frozenset({_HALF_DAY}), "midnight": frozenset({0, _DAY})}
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af]")
_FIGURE = "[0-9]{1,2}"


class Phrase(NamedTuple):
    """One way to say a time of day."""

    pattern: re.Pattern[str]
    hours: Mapping[str, int]
    """Words for the hour that the phrase names, folded; empty where it names none."""
    offset: int
    """Minutes past that hour; negative before it."""
    minutes: frozenset[int]
    """Minutes since midnight, where it names no hour."""


def find_clock_words(scan: Scan) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Times of day in words, with their minutes since midnight: two where either half of the day is meant."""
    if not scan.text.isascii() and _UNSPACED.search(scan.plain) is not None:
        for phrase in _unspaced_phrases():
            yield from ((match.start(), match.end(), phrase.minutes) for match in phrase.pattern.finditer(scan.plain))
    for start, end, phrases in scan.words_among(clock_words()):
        matches = ((phrase, _around(scan.plain, start, end, phrase)) for phrase in phrases)
        for phrase, match in matches:
            if match is not None and (minutes := _minutes(match, phrase)):
                yield match.start(), match.end(), minutes
                break


def _around(text: str, start: int, end: int, phrase: Phrase) -> re.Match[str] | None:
    matches = phrase.pattern.finditer(text, max(0, start - _REACH), end + _REACH)
    return next((match for match in matches if match.start() <= start and end <= match.end()), None)


def _minutes(match: re.Match[str], phrase: Phrase) -> frozenset[int]:
    if not phrase.hours:
        return phrase.minutes
    written = match["h"]
    hour = int(written) if written.isdigit() else phrase.hours[_key(written)]
    if hour > 24:
        return frozenset()
    time = (hour * 60 + phrase.offset) % _DAY
    return frozenset({time, (time + _HALF_DAY) % _DAY} if hour <= 12 else {time})


@cache
def clock_words() -> Mapping[str, Sequence[Phrase]]:
    """The longest word of each phrase, folded, with its phrases: without any of them a text has none."""
    found: dict[str, list[Phrase]] = {}
    for words, phrase in (*_named(), *_told()):
        if not _UNSPACED.search(words):
            key = fold(max(_WORD.findall(words.replace("{h}", " ")), key=len))
            found.setdefault(key, []).append(phrase)
    return found


@cache
def _unspaced_phrases() -> Sequence[Phrase]:
    return [phrase for words, phrase in _named() if _UNSPACED.search(words)]


@cache
def _table() -> Mapping[str, Any]:
    return read_toml(__package__, "clock_words.toml")


def _named() -> Iterator[tuple[str, Phrase]]:
    """Noon and midnight."""
    table = _table()
    others = "".join(rf"(?<!\b{re.escape(word)} )" for word in _split(table["not_after"]))
    for name, minutes in _NAMED.items():
        for words in _split(table[name]):
            written = re.escape(words) if _UNSPACED.search(words) else rf"(?<![\w-]){others}{_spaced(words)}(?!\w)"
            yield words, Phrase(re.compile(written, re.IGNORECASE), {}, 0, minutes)


def _told() -> Iterator[tuple[str, Phrase]]:
    """Minutes to and past an hour."""
    for language in _table().values():
        if isinstance(language, str):
            continue
        hours = {_key(form): hour for hour, forms in enumerate(language["hours"].split(), 1) for form in _forms(forms)}
        names = "|".join(_spaced(form) for forms in language["hours"].split() for form in _forms(forms))
        for offset, phrases in language.items():
            for phrase in phrases if offset.lstrip("-").isdigit() else ():
                hour = names if phrase in language.get("words_only", ()) else f"{names}|{_FIGURE}"
                written = _spaced(phrase).replace(re.escape("{h}"), f"(?P<h>{hour})")
                pattern = re.compile(rf"(?<![\w-]){written}(?!\w)", re.IGNORECASE)
                yield phrase, Phrase(pattern, hours, int(offset), frozenset())


def _forms(forms: str) -> Sequence[str]:
    return [form.replace("_", " ") for form in forms.split("/")]


def _split(words: str) -> Sequence[str]:
    return [word.strip() for word in words.split("|")]


def _spaced(words: str) -> str:
    """The words as a pattern, as written and as typed without accents."""
    return "[ \u00a0]".join(
        "|".join(map(re.escape, sorted({word, fold(word)}))).join(("(?:", ")")) for word in words.split()
    )


def _key(words: str) -> str:
    return " ".join(map(fold, words.replace("\u00a0", " ").split()))
