"""The words of a sentence as they stand beside one another: as written, folded, and whether they open a sentence."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import regex

from ragsonde.scorers.faithfulness.words import function_words, is_content, key_of

_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*")
_PLAIN_WORD = re.compile(r"[A-Za-z0-9]+(?:['-][A-Za-z]+)*")
"""The same, for ASCII."""
HANGUL = regex.compile(r"\p{Hangul}")
_SENTENCE_ENDS = tuple(".!?。！？…")
_PREPOSITION_WORDS = (
    "in at from of by with on into aus von mit bei nach im am z ze w we od do na u iz sa s из от в во на с со у "
    "з із зі від di ke dari de du en à au aux avec con da a del per por em no dalla nel nella van uit met te i fra "
    "med av från på til till στον στη στην στο από με"
)
PREPOSITIONS = frozenset(key_of(word) for word in _PREPOSITION_WORDS.split())
"""Words that stand before a place, a material or an origin, in languages that have capitals."""


class WrittenWord(NamedTuple):
    """A word, with what it looks like."""

    text: str
    key: str
    opens: bool
    """Whether it begins a sentence, where a capital says nothing."""

    @property
    def is_name(self) -> bool:
        """Whether a capital makes it a name."""
        return self.text[0].isupper() and not self.opens

    @property
    def is_grammar(self) -> bool:
        """Whether it says nothing of the topic."""
        if not self.text.isascii() and HANGUL.match(self.text):
            return False  # the particles are glued on
        return self.key in grammar_words() or not is_content(self.key)


@cache
def grammar_words() -> frozenset[str]:
    """Words that say nothing of the topic, folded; in ASCII there are no others."""
    return function_words() | PREPOSITIONS


def plain_words(text: str) -> list[str]:
    """The words of a text in ASCII as they are written, in order."""
    return _PLAIN_WORD.findall(text)


def written_words(text: str) -> Iterator[WrittenWord]:
    """The words of a text, in order."""
    plain = text.isascii()
    at = 0
    for match in (_PLAIN_WORD if plain else _WORD).finditer(text):
        start, end = match.span()
        gap = text[at:start]
        opens = not at or (gap != " " and gap.rstrip()[-1:] in _SENTENCE_ENDS)
        yield WrittenWord(match[0], match[0].lower() if plain else key_of(match[0]), opens)
        at = end
