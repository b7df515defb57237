"""Letters of any script: what a word is, and how two spellings of one become equal."""

import re
import unicodedata

MARKS = "".join(chr(code) for code in range(0x0300, 0x1100) if unicodedata.category(chr(code)) in ("Mn", "Mc"))
"""Vowel signs and accents: part of a word, although Python's regular expressions don't count them as letters."""

WORD = rf"[^\W\d_]+(?:[{MARKS}]+[^\W\d_]*)*"
"""Regular expression of a word in any script."""

# Only the accents of alphabetic scripts: the vowel signs of Thai or Hindi are letters, not ornaments.
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS = str.maketrans("łđıøæ", "ldioa")


def fold(word: str) -> str:
    """Case and accents taken away, so that "Złotych" and "zlotych" are one word."""
    if word.isascii():
        return word.lower()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word.casefold()))
    return unicodedata.normalize("NFC", plain).translate(_LETTERS)
