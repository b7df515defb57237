"""Full hours of a clock that stand as bare numbers ("from 9 to 17"), and the clock of scripts without spaces."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from ragsonde.scorers.facts.number_words import read_cjk
from ragsonde.scorers.facts.script import fold
from ragsonde.scorers.facts.thai import find_thai_times

_FOLLOWS = re.compile(r"\s*(?:$|[.,;:!?)\]\n–—-])|\s+(?P<word>[^\W\d_]+)")
_WORD_BEFORE = re.compile(r"(?<![^\W\d_])([^\W\d_]+)\.?\s?$|\d\s?[-–—]\s?$")
_LONGEST = 3
"""Letters of a word of grammar after a full hour: "at 9 on Mondays", but not "to 9 guests"."""
_HOURS = re.compile(
    r"\s?(?:h|heures?|horas?|ore|uur|hodin\w?|hodín|sati?|sata|час\w{0,3}|годин\w{0,2}|godzin\w?|ura|uri|kl)(?!\w)",
    re.IGNORECASE,
)
"""Words that mean hours on a clock as well as those that something takes."""
_UNSPACED = re.compile(
    "(?P<part>上午|早上|早晨|凌晨|清晨|中午|下午|晚上|傍晚|午前|午後|오전|오후)?\\s?"
    "(?<![0-9:.,第])(?P<h>[0-9]{1,2}|[零〇一二两三四五六七八九十]{1,3})\\s?"
    "(?:[点點时時](?![间間])|시(?!간))(?P<sharp>[钟鐘整])?"
    "(?:\\s?(?P<half>半|반)|\\s?(?P<m>[0-9]{1,2}|[零〇一二三四五六七八九十]{1,3})\\s?[分분])?"
    "(?!建议|意见|要求|原因|内容|注意|理由|结论)"
)
_MAY_BE_UNSPACED = re.compile("[点點时時시]|โมง|ทุ่ม|ตี|นาฬิกา")
_THAI_SIGNS = frozenset({"โมง", "ทุ่ม", "ตี", "นาฬิกา"})
_LATER = frozenset({"下午", "晚上", "傍晚", "午後", "오후"})


def may_be_hour(plain: str, start: int, stop: int, end: int) -> bool:
    """Whether the number ``plain[start:stop]``, with its unit up to ``end``, stands as a full hour does."""
    if end > stop:
        return _HOURS.fullmatch(plain, stop, end) is not None
    before = _WORD_BEFORE.search(plain, max(0, start - 16), start)
    if before is None or (before[1] and fold(before[1]) not in _leads()):
        return False
    after = _FOLLOWS.match(plain, end)
    return after is not None and (
        not after["word"] or len(after["word"]) <= _LONGEST or fold(after["word"]) in _leads()
    )


@cache
def _leads() -> frozenset[str]:
    """Words before a full hour, folded."""
    lines = files(__package__).joinpath("clock.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(fold(word) for line in lines if not line.startswith("#") for word in line.split())


def unspaced_times(plain: str) -> Iterator[tuple[int, int, frozenset[int]]]:
    """Times of day in Chinese, Japanese, Korean and Thai, with their minutes since midnight."""
    if plain.isascii() or (found := _MAY_BE_UNSPACED.search(plain)) is None:
        return
    if found[0] in _THAI_SIGNS:
        yield from find_thai_times(plain)
        return
    for match in _UNSPACED.finditer(plain):
        hour, minute = _value(match["h"]), 30 if match["half"] else _value(match["m"] or "0")
        spelled = not match["h"].isdigit()
        if hour is None or minute is None or hour > 24 or minute > 59:
            continue
        if spelled and not (match["part"] or match["half"] or match["m"] or match["sharp"]):
            continue  # 三点 may be three points
        if match["part"]:
            hours = {hour % 12 + 12 if match["part"] in _LATER and hour <= 12 else hour}
        else:
            hours = {hour, hour + 12} if 1 <= hour <= 11 else {hour}
        yield match.start(), match.end(), frozenset(one * 60 + minute for one in hours)


def _value(written: str) -> int | None:
    return int(written) if written.isdigit() else read_cjk(written.replace("两", "二"))
