"""What detectors find, and how overlapping finds become one."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

WORD = r"A-Za-z0-9_À-ɏЀ-ӿ"
"""Characters that, beside a number, make it part of a word; scripts without spaces are not among them."""

_WORD_CHARACTER = re.compile(f"[{WORD}]")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")


@dataclass(frozen=True, slots=True)
class Finding:
    """A sensitive value at ``text[start:end]``; ``label`` names its kind in the placeholder, e.g. ``EMAIL``."""

    start: int
    end: int
    label: str


Detector = Callable[[str], Iterable[Finding]]
"""Finds sensitive values in a text. Takes time linear in the length of the text."""


class RedactionUnavailableError(ImportError):
    """A kind of value was asked for whose package is not installed; the message names the extra."""


class RedactionTimeoutError(Exception):
    """A pattern of the user's own took too long on a text; the text must not be used unredacted."""


def ends_at(text: str, position: int) -> bool:
    """Whether a number that ends before ``position`` stands on its own."""
    return _WORD_CHARACTER.match(text, position) is None


def with_ascii_digits(text: str) -> str:
    """Return ``text`` with the decimal digits of every script as ASCII; positions stay the same."""
    if text.isascii():
        return text
    return _FOREIGN_DIGIT.sub(lambda match: str(unicodedata.decimal(match.group())), text)


def merged(findings: Iterable[Finding], labels: Sequence[str]) -> list[Finding]:
    """Return non-overlapping findings in order of position.

    Overlapping ones become one that covers all of them, so that no half of a value survives; its label is the one
    that comes first in ``labels``.
    """
    rank = {label: position for position, label in enumerate(labels)}
    apart: list[Finding] = []
    for finding in sorted(findings, key=lambda found: (found.start, -found.end)):
        if apart and finding.start < apart[-1].end:
            last = apart.pop()
            label = min(last.label, finding.label, key=lambda name: rank.get(name, len(rank)))
            finding = Finding(last.start, max(last.end, finding.end), label)  # noqa: PLW2901 - it has grown
        apart.append(finding)
    return apart
