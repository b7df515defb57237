"""Citation markers: where an answer names the documents it leans on."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragsonde.collector.model import Document


class MarkerStyle(StrEnum):
    """How a marker is written."""

    NUMBER = "number"
    """``[1]``, ``[1, 3]``, ``[1-3]``, ``[Source 2]``, in any brackets and any script's digits."""
    FOOTNOTE = "footnote"
    LENTICULAR = "lenticular"
    SUPERSCRIPT = "superscript"
    ID = "id"
    AUTHOR_YEAR = "author_year"
    SOURCE = "source"
    LINK = "link"
    UNKNOWN = "unknown"
    """Plainly a citation, in a form that names no document we can look up."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker; ``text == answer[start:end]``."""

    text: str
    start: int
    end: int
    style: MarkerStyle
    cited: tuple[str, ...]
    """What it names, as written: numbers in Latin digits, ids, titles; empty for an unknown style."""


def find_markers(answer: str, documents: Sequence[Document] = ()) -> tuple[Marker, ...]:
    """The markers of an answer, in order. ``documents`` tells which ids are in use."""
    return ()
