"""The words of plain English letters, for quick looks before slow searches."""

import re
from functools import lru_cache

_WORD = re.compile("[a-z]+")


@lru_cache(maxsize=32)
def latin_words(text: str) -> frozenset[str]:
    """The words of a text in ASCII, in small letters; those of the last texts are kept: many rules look at one."""
    return frozenset(_WORD.findall(text.lower()))
