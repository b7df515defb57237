"""Folding away what does not change meaning."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text with the way back: character ``i`` stands for ``source[starts[i]:ends[i]]``."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source that ``text[start:end]`` (not empty) stands for."""
        return self.starts[start], self.ends[end - 1]


def fold(text: str) -> Folded:
    """Fold ``text``."""
    return Folded(text, tuple(range(len(text))), tuple(range(1, len(text) + 1)))


def find_quote(quote: str, text: str, language: str = "und") -> tuple[int, int] | None:
    """Where ``quote`` stands in ``text``; None where it does not."""
    return None
