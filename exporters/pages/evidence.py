"""An answer and its passages as pages show them: cut at the claims, the citations and the quotes that decided."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

from ragsonde.collector.model import Document
from ragsonde.exporters import quality
from ragsonde.exporters.pages.marking import Piece, answer_pieces, passage_pieces
from ragsonde.scorers.score import Citation, Claim, DiagnosisLabel, ScoredInteraction

FAULTS: Mapping[DiagnosisLabel, str] = {
    DiagnosisLabel.OK: "ok",
    DiagnosisLabel.RETRIEVAL_MISS: "retriever",
    DiagnosisLabel.RETRIEVAL_NOISE: "retriever",
    DiagnosisLabel.CORRECT_BUT_UNGROUNDED: "retriever",
    DiagnosisLabel.GENERATION_UNFAITHFUL: "generator",
    DiagnosisLabel.GENERATION_OFF_TOPIC: "generator",
    DiagnosisLabel.UNJUSTIFIED_REFUSAL: "generator",
    DiagnosisLabel.UNKNOWN: "unknown",
}
"""Which part of the application each diagnosis points to."""


def citations_of(scored: ScoredInteraction) -> list[tuple[Citation, quality.CitationKind]]:
    """Return the answer's citations with their kind."""
    return list(quality.citations(scored))


def pieces_of_answer(scored: ScoredInteraction) -> list[Piece]:
    """Return the answer, cut at its claims and citations."""
    citations = [citation for citation, _ in quality.citations(scored)]
    return answer_pieces(scored.interaction.answer or "", quality.claims(scored), citations)


def passages_of(scored: ScoredInteraction) -> list[tuple[Document, str, list[Piece]]]:
    """Return each document with its name and its text cut at the quotes that were taken from it."""
    claims = quality.claims(scored)
    found = []
    for document in scored.interaction.contexts or ():
        name = document_name(document)
        quotes = [claim.quote if _quotes_from(claim, name) else None for claim in claims]
        found.append((document, name, passage_pieces(document.text or "", quotes)))
    return found


def document_name(document: Document) -> str:
    """Return what a claim or a citation calls a document: its id, or its rank where it has none."""
    return document.id or str(document.rank)


def path_of(scored: ScoredInteraction) -> str:
    """Return the path of an interaction's page."""
    return "/interactions/" + quote(scored.interaction.id, safe="", errors="replace")


def _quotes_from(claim: Claim, name: str) -> bool:
    return not claim.context_ids or name in claim.context_ids


VALUES: Mapping[str, Callable[..., Any] | Mapping[DiagnosisLabel, str]] = {
    "faults": FAULTS,
    "claims_of": quality.claims,
    "citations_of": citations_of,
    "result_of": quality.answer_result,
    "answer_pieces": pieces_of_answer,
    "passages": passages_of,
    "path_of": path_of,
}
"""For the templates."""
