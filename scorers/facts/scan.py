"""A text as the finders of facts look through it: each look that several of them take is taken once.

Most texts have few digits, and all but a few words are no word of a fact. So a search begins at the digits and at the
words that matter, not at every character.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from operator import itemgetter
from typing import TypeVar

from ragsonde.scorers.facts.digits import ascii_digits
from ragsonde.scorers.facts.script import WORD, fold
from ragsonde.scorers.text.latin import latin_words

_T = TypeVar("_T")
_DIGITS = re.compile("[0-9]+")
_WORD = re.compile(WORD)


class Scan:
    """A text, looked through at first use."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = ascii_digits(text)
        """The text with ASCII digits; offsets are the same."""
        self.digits: Sequence[int] = [match.start() for match in _DIGITS.finditer(self.plain)]
        """Where the runs of digits begin in ``plain``."""
        self._folded: str | None = None
        self._words: frozenset[str] | None = None

    @property
    def folded(self) -> str:
        """The text, folded; where it is ASCII, offsets are the same."""
        if self._folded is None:
            self._folded = fold(self.text)
        return self._folded

    @property
    def words(self) -> frozenset[str]:
        """Its words, folded."""
        if self._words is None:
            ascii_text = self.text.isascii()
            self._words = latin_words(self.text) if ascii_text else frozenset(_WORD.findall(self.folded))
        return self._words

    def has_word_among(self, table: Set[str]) -> bool:
        """Whether ``table`` has a word of the text, folded."""
        return not self.words.isdisjoint(table)

    def words_among(self, table: Mapping[str, _T]) -> list[tuple[int, int, _T]]:
        """The words of the text that ``table`` has, folded: their places and what the table says, in order."""
        if table.keys().isdisjoint(self.words):
            return []
        if self.text.isascii():  # folding moves nothing
            wanted = self.words & table.keys()
            found = [(start, start + len(word), table[word]) for word in wanted for start in self._places(word)]
            return sorted(found, key=itemgetter(0))
        words = ((match.start(), match.end(), fold(match[0])) for match in _WORD.finditer(self.text))
        return [(start, end, table[word]) for start, end, word in words if word in table]

    def _places(self, word: str) -> Iterator[int]:
        """Where a word stands that is not part of another."""
        text, end = self.folded, 0
        while (start := text.find(word, end)) >= 0:
            end = start + len(word)
            if not text[end : end + 1].isalpha() and not (start and text[start - 1].isalpha()):
                yield start

    def matches(self, pattern: re.Pattern[str], starts: Sequence[int]) -> Iterator[re.Match[str]]:
        """What ``pattern.finditer`` finds in ``plain``, of a pattern that can match only from one of ``starts``."""
        free = 0
        for start in starts:
            if start >= free and (match := pattern.match(self.plain, start)) is not None:
                free = match.end()
                yield match


def scanned(text: str | Scan) -> Scan:
    """The text, to be looked through, unless it is already."""
    return text if isinstance(text, Scan) else Scan(text)
