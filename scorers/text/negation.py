"""Negating words in many languages: what a quote may not leave out, and what turns a claim round."""

from collections.abc import Callable

from ragsonde.scorers.text.language import UNDETERMINED
from ragsonde.scorers.text.spans import Sentence
from ragsonde.scorers.text.word_lists import may_hold_word, with_plain_apostrophes, word_pattern

_FILE = "negation.toml"


def find_negations(text: str, language: str | Callable[[], str] = UNDETERMINED) -> tuple[Sentence, ...]:
    """The negating words of ``text``, in order; ``language`` is an ISO 639 code, or tells it where it matters.

    Where the language is unknown, or not among those listed, the words of every language count: better a negation too
    many, which makes a caller careful, than one too few.
    """
    if not isinstance(language, str):
        if not may_hold_word(_FILE, UNDETERMINED, text):
            return ()
        language = language()
    if not may_hold_word(_FILE, language, text):
        return ()
    found = word_pattern(_FILE, language).finditer(with_plain_apostrophes(text))
    return tuple(Sentence(text[m.start() : m.end()], m.start(), m.end()) for m in found)


def has_negation(text: str, language: str = UNDETERMINED) -> bool:
    """Whether ``text`` holds a negating word (see ``find_negations``)."""
    if not may_hold_word(_FILE, language, text):
        return False
    return word_pattern(_FILE, language).search(with_plain_apostrophes(text)) is not None
