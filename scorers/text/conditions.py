"""Words that begin a condition, in many languages: "paid only if …" does not say "paid"."""

import regex

from ragsonde.scorers.text.language import UNDETERMINED
from ragsonde.scorers.text.word_lists import with_plain_apostrophes, word_pattern

_FILE = "conditions.toml"
_MARKS = r"[\s,(\[،、，（-]*"
_BETWEEN = (regex.compile(_MARKS), regex.compile(_MARKS + r"[\p{L}\p{M}]+[\s,]+"))
"""What may stand between a statement and its condition: a comma, and one word such as "but"."""
_UNSPACED = regex.compile(r"[\s,，、]*[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_NEARBY_CHARACTERS = 8


def has_condition(text: str, language: str = UNDETERMINED) -> bool:
    """Whether ``text`` holds the beginning of a condition; ``language`` is an ISO 639 code.

    Where the language is unknown, or not among those listed, the words of every language count.
    """
    return word_pattern(_FILE, language).search(with_plain_apostrophes(text)) is not None


def goes_on_with_condition(rest: str, language: str = UNDETERMINED) -> bool:
    """Whether ``rest``, what a text says after a statement, begins with a condition of it."""
    plain = with_plain_apostrophes(rest)
    pattern = word_pattern(_FILE, language)
    if _UNSPACED.match(plain):
        return pattern.search(plain[:_NEARBY_CHARACTERS]) is not None
    places = (found.end() for between in _BETWEEN if (found := between.match(plain)) is not None)
    return any(pattern.match(plain, place) is not None for place in places)
