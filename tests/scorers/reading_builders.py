"""Readings for tests."""

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, MetricKey, Scored, Verdict


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


def judged_claims(contexts: list[str], answer: str) -> tuple[Claim, ...]:
    """The claims of ``answer``, which asks no question, as the local scorer judges them."""
    documents = {str(number): text for number, text in enumerate(contexts)}
    (outcomes,) = FaithfulnessScorer().score([reading(answer, documents, question=None)], Deadline(10))
    outcome = outcomes[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Scored)
    return outcome.claims


def verdicts(context: str, answer: str) -> list[Verdict]:
    """What the local scorer says of each of those claims."""
    return [claim.verdict for claim in judged_claims([context], answer)]
