"""Cuts a text into pieces, so that claims, citations and quotes can be marked in it."""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from ragsonde.scorers.score import Citation, Claim, Verdict
from ragsonde.scorers.text.folding import place_quote

Span = tuple[int, int]
"""Offsets in code points: from, and up to."""
_Key = TypeVar("_Key", int, tuple[int, int])


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
    at_fault: bool = False
    """Whether the piece is of those words of its claim that the contexts do not bear out."""
    turns: bool = False
    """Whether the piece before belongs to another claim or none, or only one of the two is at fault."""
    ends: bool = False
    """The same of the piece after."""


def answer_pieces(text: str, claims: Sequence[Claim], citations: Sequence[Citation]) -> list[Piece]:
    """Cut an answer at its claims, at those of their words that are not borne out, and at its citation markers.

    Offsets that do not lie in the text, or in their claim, are left out: they would point at what nobody meant.
    """
    claim_spans = {index: (claim.start, claim.end) for index, claim in enumerate(claims)}
    citation_spans = {index: (citation.start, citation.end) for index, citation in enumerate(citations)}
    faults = {index: list(_faults(claim)) for index, claim in enumerate(claims)}
    return _pieces(text, claim_spans, citation_spans, faults)


def passage_pieces(text: str, quotes: Sequence[str | None]) -> list[Piece]:
    """Cut a passage at the quotes taken from it; ``claim`` is the index of the quote."""
    spans = {}
    for index, quote in enumerate(quotes):
        span = place_quote(quote, text) if quote else None
        if span is not None:
            spans[index] = span
    return _pieces(text, spans, {}, {})


def _faults(claim: Claim) -> Iterator[Span]:
    if claim.verdict is not Verdict.SUPPORTED:
        for start, end in claim.stretches or ():
            if claim.start <= start < end <= claim.end:
                yield start, end


def _pieces(
    text: str,
    claim_spans: Mapping[int, Span],
    citation_spans: Mapping[int, Span],
    fault_spans: Mapping[int, Sequence[Span]],
) -> list[Piece]:
    claims, citations = _inside(text, claim_spans), _inside(text, citation_spans)
    faults = {(index, number): span for index in claims for number, span in enumerate(fault_spans.get(index, ()))}
    edges = sorted({0, len(text)}.union(*claims.values(), *citations.values(), *faults.values()))
    covering = list(_covering(claims, edges))
    owners = [found[0] if found else None for found in covering]
    at_fault = [
        owner is not None and owner in {index for index, _ in found}
        for owner, found in zip(owners, _covering(faults, edges), strict=True)
    ]
    parts = [None if owner is None else (owner, is_fault) for owner, is_fault in zip(owners, at_fault, strict=True)]
    columns = zip(
        owners,
        covering,
        _covering(citations, edges),
        _ends(owners),
        at_fault,
        _ends(parts),
        pairwise(edges),
        strict=True,
    )
    return [
        Piece(
            text[start:end],
            claim=owner,
            claims=found,
            citation=cited[0] if cited else None,
            opens=opens,
            closes=closes,
            at_fault=is_fault,
            turns=turns,
            ends=ends,
        )
        for owner, found, cited, (opens, closes), is_fault, (turns, ends), (start, end) in columns
    ]


def _inside(text: str, spans: Mapping[int, Span]) -> dict[int, Span]:
    return {index: (start, end) for index, (start, end) in spans.items() if 0 <= start < end <= len(text)}


def _covering(spans: Mapping[_Key, Span], edges: Sequence[int]) -> Iterator[tuple[_Key, ...]]:
    """Of what lies between each edge and the next: the spans that cover it, the shortest first."""
    begun, ended = defaultdict[int, list[tuple[int, _Key]]](list), defaultdict[int, list[tuple[int, _Key]]](list)
    for key, (start, end) in spans.items():
        begun[start].append((end - start, key))
        ended[end].append((end - start, key))
    now: list[tuple[int, _Key]] = []
    for edge in edges[:-1]:
        for one in ended[edge]:
            now.remove(one)
        for one in begun[edge]:
            insort(now, one)
        yield tuple(key for _, key in now)


def _ends(owners: Sequence[object | None]) -> Iterator[tuple[bool, bool]]:
    """Whether each piece is the first, and the last, of those in a row that belong to the same."""
    around = [None, *owners, None]
    for before, owner, after in zip(around, owners, around[2:], strict=False):
        yield owner is not None and before != owner, owner is not None and after != owner
