"""Replies of rerankers that name no documents, only their places in the list that the reranker was given."""

from collections.abc import Sequence
from dataclasses import replace

from ragsonde.collector.conventions.document_fields import SCORE_KEYS
from ragsonde.collector.conventions.values import number, parse
from ragsonde.collector.model import AttributeValue, Document

_LIST_KEYS = ("results", "data", "rankings", "ranks", "output", "outputs", "result", "response")
_PLACE_KEYS = ("index", "corpus_id")
_SCORE_KEYS = (*SCORE_KEYS, "logit")
_MAX_DEPTH = 4


def places_in(value: AttributeValue, depth: int = _MAX_DEPTH) -> tuple[Document, ...] | None:
    """Read a reply such as ``{"results": [{"index": 2, "relevance_score": 0.9}]}``.

    Returns:
        Documents of which only the place and the score are known, in the reply's order; None where this is none.
    """
    value = parse(value)
    if isinstance(value, dict) and depth > 0:
        held = (value[key] for key in _LIST_KEYS if key in value)
        return next((found for item in held if (found := places_in(item, depth - 1)) is not None), None)
    if not isinstance(value, list) or not value:
        return None
    places = [place for rank, item in enumerate(value, start=1) if (place := _place(item, rank)) is not None]
    is_whole = len(places) == len(value) == len({place_of(place) for place in places})
    return tuple(places) if is_whole else None


def _place(value: AttributeValue, rank: int) -> Document | None:
    value = parse(value)
    if not isinstance(value, dict):
        return None
    scores = [score for key in _SCORE_KEYS if (score := number(value.get(key))) is not None]
    place = next((value[key] for key in _PLACE_KEYS if key in value), None)
    if not scores or not _is_place(place):
        return None
    return Document(text=None, rank=rank, score=scores[0], metadata={"index": place})


def place_of(document: Document) -> int | None:
    """Return the place that is all a reply says of a document; None for any other document."""
    place = document.metadata.get("index")
    is_unknown = document.text is None and document.id is None
    return place if is_unknown and isinstance(place, int) and _is_place(place) else None


def _is_place(value: AttributeValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def placed(documents: Sequence[Document], given: Sequence[Document]) -> tuple[Document, ...]:
    """Put the documents that a reranker was given in the places it names; where one is not among them, none is known.

    Documents that are more than a place stay as they are.
    """
    places = [place_of(document) for document in documents]
    if any(place is not None and place >= len(given) for place in places):
        return tuple(documents)
    return tuple(
        document if place is None else replace(given[place], rank=document.rank, score=document.score)
        for place, document in zip(places, documents, strict=True)
    )
