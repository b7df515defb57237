"""Negation in many languages."""

from ragsonde.scorers.text.spans import Sentence


def find_negations(text: str, language: str = "und") -> tuple[Sentence, ...]:
    """The negating words of ``text``, in order."""
    return ()


def has_negation(text: str, language: str = "und") -> bool:
    """Whether ``text`` holds a negating word."""
    return bool(find_negations(text, language))
