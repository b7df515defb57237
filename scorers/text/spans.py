"""Stretches of a text. Offsets are character offsets into the source, so that every finding can be shown in place."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Sentence:
    """A stretch of a text; ``text == source[start:end]``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One factual statement of an answer; ``text == answer[start:end]``."""

    text: str
    start: int
    end: int
    plain: str
    """The text without citation markers, Markdown marks and surrounding white space; a table row with its headers."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, wholly or in part."""

    refusal: bool
    """The answer says that it cannot answer, or that the sources do not hold it, wholly or in part."""
    answered: bool
    """The answer (also) states something: it holds at least one factual statement."""
    cue: Sentence | None = None
    """The first sentence (or clause) that abstains; None without a refusal."""

    @property
    def partial(self) -> bool:
        """Refusal and answer in one: what is stated is scored, the refusal is flagged."""
        return self.refusal and self.answered

    @property
    def pure(self) -> bool:
        """Nothing but a refusal."""
        return self.refusal and not self.answered


class Spans:
    """Stretches of one text, kept in order and merged where they overlap, so that looking up takes logarithmic time."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        merged: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        self._starts = [start for start, _ in merged]
        self._ends = [end for _, end in merged]

    def within(self, start: int, end: int) -> list[tuple[int, int]]:
        """The stretches that lie wholly between ``start`` and ``end``."""
        first, after = bisect_left(self._starts, start), bisect_right(self._ends, end)
        return list(zip(self._starts[first:after], self._ends[first:after], strict=True))

    def touches(self, start: int, end: int) -> bool:
        """Whether any stretch shares a character with ``start`` to ``end``."""
        first = bisect_right(self._ends, start)
        return start < end and first < len(self._starts) and self._starts[first] < end

    def cut_from(self, text: str, start: int, end: int, *, keep_length: bool = False) -> str:
        """``text[start:end]`` without the stretches in it, or with blanks in their place."""
        if not self._starts:
            return text[start:end]
        parts = []
        at = start
        for first, after in self.within(start, end):
            parts.append(text[at:first] + (" " * (after - first) if keep_length else ""))
            at = after
        return "".join(parts) + text[at:end]
