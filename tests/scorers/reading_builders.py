"""Readings for tests."""

from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.reading import Reading


def reading(
    answer: str | None,
    contexts: dict[str, str | None] | list[Document] | None = None,
    *,
    question: str | None = "Question?",
    capture: Capture = Capture.CAPTURED,
    cited_ids: tuple[str, ...] | None = None,
) -> Reading:
    """A reading of ``answer``; ``contexts`` as id to text, or as documents; None where they were not captured."""
    documents: tuple[Document, ...] | None
    if isinstance(contexts, dict):
        documents = tuple(Document(text=text, rank=n, id=id_) for n, (id_, text) in enumerate(contexts.items(), 1))
    else:
        documents = None if contexts is None else tuple(contexts)
    return Reading(
        Interaction(id="t", question=question, answer=answer, contexts=documents, capture=capture, cited_ids=cited_ids)
    )


def plain_claims(answer: str) -> list[str]:
    """The plain text of each claim of ``answer``."""
    return [claim.plain for claim in reading(answer).claims]
