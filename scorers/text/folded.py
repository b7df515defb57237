"""Text with what does not change meaning folded away: white space, case, quote marks, dashes, invisible signs."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_SINGLE_QUOTES = "'‘’‚‛ʼʹ′`´＇‹›"
_DOUBLE_QUOTES = '"“”„‟«»″＂「」『』〝〞'
_SAME: dict[str, str] = {
    **dict.fromkeys(_SINGLE_QUOTES, "'"),
    **dict.fromkeys(_DOUBLE_QUOTES, '"'),
    **dict.fromkeys("-‐‑‒–—―−﹣－⸺⸻", "-"),
    "…": "...", "⋯": "...", "ﬀ": "ff", "ı": "i", "ß": "ss", "ſ": "s",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text with the way back: character ``i`` stands for ``source[starts[i]:ends[i]]``."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The stretch of the source that ``text[start:end]`` (not empty) stands for."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=16)
def fold(text: str) -> Folded:
    """``text`` in small letters, white space runs as one space, with plain quotes, dashes and dots, compatibility forms
    (full-width, ligatures, superscripts) resolved, soft hyphens and invisible characters dropped."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        for character in _fold_cluster(text[start:end]):
            if character == " " and characters and characters[-1] == " ":
                ends[-1] = end
                continue
            characters.append(character)
            starts.append(start)
            ends.append(end)
    return Folded("".join(characters), tuple(starts), tuple(ends))


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Each base character with the marks that combine with it: they are composed before they are compared."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at


def _fold_cluster(cluster: str) -> str:
    if cluster.isspace():
        return " "
    if cluster in _SAME:
        return _SAME[cluster]
    if len(cluster) == 1 and unicodedata.category(cluster) == "Cf":
        return ""
    composed = unicodedata.normalize("NFKC", cluster).casefold()
    return "".join(" " if part.isspace() else _SAME.get(part, part) for part in composed)
