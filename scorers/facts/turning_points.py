"""What is said on the two sides of a figure: "opens at 9" is "not before 9", "free under 26; from that age 3 euros"."""

import re
from collections.abc import Mapping
from functools import cache

from ragsonde.scorers.listed import read_toml

_BEFORE, _AFTER = 60, 30
"""Characters before and after a figure in which the verb stands that begins or ends there."""
_FURTHER = 90
"""Characters after a figure in which a text goes on to what lies beyond it."""
_CLAUSE = re.compile(r"[,;:!?。，；]|\.\s")


def begins_at(text: str, start: int, end: int) -> bool:
    """Whether the clause of a figure says that something begins or opens."""
    return _near("begins", text, start, end)


def ends_at(text: str, start: int, end: int) -> bool:
    """Whether the clause of a figure says that something ends or closes."""
    return _near("ends", text, start, end)


def beyond(text: str, end: int, last: int) -> int | None:
    """Where a text, after a figure and up to ``last``, turns to what lies beyond it; None where it does not."""
    found = _patterns()["beyond"].search(text.lower(), end, min(last, end + _FURTHER))
    return None if found is None else found.start()


def _near(kind: str, text: str, start: int, end: int) -> bool:
    before = _CLAUSE.split(text[max(0, start - _BEFORE) : start])[-1]
    after = _CLAUSE.split(text[end : end + _AFTER], maxsplit=1)[0]
    return any(_patterns()[kind].search(part.lower()) for part in (before, after))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    listed = read_toml(__package__, "turning_points.toml")
    return {
        kind: re.compile("|".join((rf"(?<!\w)(?:{'|'.join(lists['words'])})(?!\w)", *lists["unspaced"])))
        for kind, lists in listed.items()
    }
