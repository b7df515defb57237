"""Digits of every script as ASCII ones."""

import re
import unicodedata
from functools import cache

_FULL_WIDTH = {ord("．"): ".", ord("，"): ",", ord("％"): "%", ord("－"): "-", ord("："): ":", ord("／"): "/"}


@cache
def _table() -> dict[int, str]:
    """Every decimal digit of Unicode, and full-width signs, to its ASCII twin: one character for one."""
    digits = {
        code: str(unicodedata.decimal(chr(code)))
        for code in range(0x80, 0x1FBFA)
        if unicodedata.category(chr(code)) == "Nd"
    }
    return digits | _FULL_WIDTH


_MAY_BE_FOREIGN = re.compile("[\u0660-\u1c59\ua620-\U0010ffff]")
"""Where the digits of other scripts and the full-width signs lie, and much else."""


def ascii_digits(text: str) -> str:
    """The text with digits of all scripts as ASCII ones; the length and every offset stay the same."""
    if text.isascii() or _MAY_BE_FOREIGN.search(text) is None:
        return text
    return text.translate(_table())
