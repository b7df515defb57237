"""Cuts a text into pieces, so that claims, citations and quotes can be marked in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ragsonde.scorers.score import Citation, Claim


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text and what covers it. The pieces of a text, put together, are the text."""

    text: str
    claim: int | None = None
    """Index of the claim that the piece belongs to; of overlapping claims the shortest one."""
    claims: tuple[int, ...] = ()
    """All claims that cover the piece, the shortest first."""
    citation: int | None = None
    """Index of the citation whose marker the piece is."""
    opens: bool = False
    """Whether the piece before belongs to another claim, or to none."""
    closes: bool = False
    """Whether the piece after belongs to another claim, or to none."""


def answer_pieces(text: str, claims: Sequence[Claim], citations: Sequence[Citation]) -> list[Piece]:
    """Cut an answer at its claims and citation markers. Offsets that do not lie in the text are left out."""
    claim_spans = {index: (claim.start, claim.end) for index, claim in enumerate(claims)}
    citation_spans = {index: (citation.start, citation.end) for index, citation in enumerate(citations)}
    return _pieces(text, claim_spans, citation_spans)


def passage_pieces(text: str, quotes: Sequence[str | None]) -> list[Piece]:
    """Cut a passage at the quotes taken from it; ``claim`` is the index of the quote."""
    spans = {}
    for index, quote in enumerate(quotes):
        span = find_quote(text, quote) if quote else None
        if span is not None:
            spans[index] = span
    return _pieces(text, spans, {})


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a quote stands in a text, white space and case aside; None where it does not."""
    words = quote.split()
    if not words:
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    return found.span() if found else None


def _pieces(
    text: str, claim_spans: dict[int, tuple[int, int]], citation_spans: dict[int, tuple[int, int]]
) -> list[Piece]:
    claims = _inside(text, claim_spans)
    citations = _inside(text, citation_spans)
    edges = sorted({0, len(text)}.union(*claims.values(), *citations.values()))
    covered = [
        (text[start:end], _cover(claims, start, end), _cover(citations, start, end)) for start, end in pairwise(edges)
    ]
    owners = [None, *(_first(covering) for _, covering, _ in covered), None]
    return [
        Piece(
            piece,
            claim=owners[number + 1],
            claims=covering,
            citation=_first(cited),
            opens=owners[number + 1] is not None and owners[number] != owners[number + 1],
            closes=owners[number + 1] is not None and owners[number + 2] != owners[number + 1],
        )
        for number, (piece, covering, cited) in enumerate(covered)
    ]


def _inside(text: str, spans: dict[int, tuple[int, int]]) -> dict[int, tuple[int, int]]:
    return {index: (start, end) for index, (start, end) in spans.items() if 0 <= start < end <= len(text)}


def _cover(spans: dict[int, tuple[int, int]], start: int, end: int) -> tuple[int, ...]:
    covering = [(span[1] - span[0], index) for index, span in spans.items() if span[0] <= start and end <= span[1]]
    return tuple(index for _, index in sorted(covering))


def _first(covering: tuple[int, ...]) -> int | None:
    return covering[0] if covering else None
