"""Days that share the month of the last one: "24 and 25 December", "3, 4 und 5. Mai"."""

import re
from collections.abc import Iterator

_DAY = r"(?<![\w.,:/€$£%+-])(?P<day>0?[1-9]|[12][0-9]|3[01])\.?"
_LAST_BUT_ONE = re.compile(
    rf"{_DAY}\s(?:and|und|et|y|e|&|i|a|и|та|en|og|och|ja|ve|oraz)\s(?:the\s|el\s|le\s|am\s)?$", re.IGNORECASE
)
_BEFORE = re.compile(rf"{_DAY},\s$")
_LONGEST = 14
"""Characters from a day to the next."""


def days_before(plain: str, start: int) -> Iterator[tuple[int, int, int]]:
    """The days listed before the one at ``start``, nearest first: where each stands, and its number."""
    pattern = _LAST_BUT_ONE
    while (found := pattern.search(plain, max(0, start - _LONGEST), start)) is not None:
        start, end = found.span("day")
        yield start, end, int(found["day"])
        pattern = _BEFORE
