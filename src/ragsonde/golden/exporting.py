"""Golden items from live traffic: from what reviewers have settled, or from scored records as a draft."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.collector.interaction_file import BadRecord
from ragsonde.collector.interaction_row import describe
from ragsonde.collector.model import Interaction
from ragsonde.golden.item import GoldenItem, GoldPassage, Risk, SourceVersion
from ragsonde.golden.rows import Rows
from ragsonde.scorers.score import MetricKey, Scored, ScoredInteraction, Verdict

DRAFT = "A draft from live traffic: nobody has checked it yet."


class ReviewedItem(BaseModel):
    """What a reviewer has settled about one interaction. What is not given is taken from the interaction."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)

    id: str
    """The interaction's id."""
    reviewer: str | None = None
    reviewed_at: datetime | None = None
    reference: str | None = None
    """The right answer, as the reviewer writes it; or null where ``answer_is_right``."""
    answer_is_right: bool = False
    """Whether the application's own answer can stand as the reference."""
    key_facts: tuple[str, ...] = ()
    gold_ids: tuple[str, ...] | None = None
    """Documents that hold the answer; null: those that support a claim of the answer."""
    unanswerable: bool = False
    """Whether the sources do not hold the answer."""
    risk: Risk | None = None
    tags: tuple[str, ...] = ()


class ReviewedItems(Protocol):
    """Where reviewed items come from: a file, or a store of reviews."""

    def __iter__(self) -> Iterator[ReviewedItem]:
        """Yield each reviewed item once, the latest review of it."""
        ...


class ReviewedLines:
    """Reviewed items from JSON lines; of several lines with one id the last counts."""

    def __init__(self, path: Path) -> None:
        self._rows = Rows(path)

    @property
    def bad(self) -> list[BadRecord]:
        """What could not be read."""
        return self._rows.bad

    def __iter__(self) -> Iterator[ReviewedItem]:
        """Yield the items, in order of their first line."""
        latest: dict[str, ReviewedItem] = {}
        for place, row in self._rows:
            try:
                item = ReviewedItem.model_validate(dict(row))
            except ValidationError as error:
                self._rows.reject(place, describe(error))
            else:
                latest[item.id] = item
        yield from latest.values()


def from_reviews(reviews: ReviewedItems, scored: Mapping[str, ScoredInteraction]) -> Iterator[GoldenItem | BadRecord]:
    """Yield an item for each review whose interaction is among the scored ones; say why where there is none."""
    for review in reviews:
        known = scored.get(review.id)
        if known is None or known.interaction.question is None:
            yield BadRecord("reviews", review.id, "no record with this id and a question; give the records it is from")
            continue
        reference = review.reference or (known.interaction.answer if review.answer_is_right else None)
        gold = () if review.unanswerable else _gold_ids(known, review.gold_ids)
        try:
            yield GoldenItem(
                id=review.id,
                question=known.interaction.question,
                reference=reference,
                key_facts=review.key_facts,
                unanswerable=review.unanswerable,
                risk=review.risk,
                tags=review.tags,
                language=_language(known),
                reviewed_by=(review.reviewer,) if review.reviewer else (),
                reviewed_at=review.reviewed_at,
                gold=tuple(GoldPassage(document_id=id_) for id_ in gold),
                sources=_sources(known, gold),
            )
        except ValidationError as error:
            yield BadRecord("reviews", review.id, describe(error))


def drafts(scored: Iterable[ScoredInteraction], *, faithful_from: float = 1.0) -> Iterator[GoldenItem]:
    """Yield a draft for each answered interaction of at least this faithfulness: its own answer as the reference.

    A draft names no reviewer: a faithful answer may still be wrong, so somebody has to read it before it is gold.
    """
    for known in scored:
        interaction, outcome = known.interaction, known.scores.get(MetricKey.FAITHFULNESS)
        faithful = isinstance(outcome, Scored) and outcome.value >= faithful_from
        if faithful and interaction.question and interaction.answer:
            gold = _gold_ids(known, None)
            yield GoldenItem(
                id=interaction.id,
                question=interaction.question,
                reference=interaction.answer,
                language=_language(known),
                note=DRAFT,
                gold=tuple(GoldPassage(document_id=id_) for id_ in gold),
                sources=_sources(known, gold),
            )


def _gold_ids(known: ScoredInteraction, named: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(named if named is not None else _supporting(known)))


def _sources(known: ScoredInteraction, ids: Collection[str]) -> tuple[SourceVersion, ...]:
    """The state that the named documents were in."""
    documents = {document.id: document.text for document in known.interaction.contexts or () if document.text}
    digests = {
        id_: hashlib.sha256(text.encode("utf-8", "surrogatepass")) for id_ in ids if (text := documents.get(id_))
    }
    return tuple(SourceVersion(document_id=id_, sha256=digest.hexdigest()) for id_, digest in digests.items())


def _supporting(known: ScoredInteraction) -> Iterator[str]:
    """Ids of the documents that support a claim; a rank, which stands in for a missing id, names no document."""
    outcome = known.scores.get(MetricKey.FAITHFULNESS)
    own = _ids(known.interaction)
    for claim in outcome.claims if isinstance(outcome, Scored) else ():
        if claim.verdict is Verdict.SUPPORTED:
            yield from (id_ for id_ in claim.context_ids if id_ in own)


def _ids(interaction: Interaction) -> frozenset[str]:
    return frozenset(document.id for document in interaction.contexts or () if document.id is not None)


def _language(known: ScoredInteraction) -> str | None:
    return None if known.language == "und" else known.language
