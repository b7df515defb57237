"""Citation metrics from a judge's verdicts: the markers are found in the answer, the support in the quotes."""

from collections.abc import Mapping, Sequence

from ragsonde.collector.model import Document
from ragsonde.scorers.judge.grounding import JudgedClaim
from ragsonde.scorers.reading import Marker, Reading
from ragsonde.scorers.score import Citation, MetricKey, NotApplicable, Outcome, Reason, Scored


def citation_outcomes(
    reading: Reading, claims: Sequence[JudgedClaim], nothing_stated: Reason | None
) -> Mapping[MetricKey, Outcome]:
    """Presence, coverage and accuracy of citations (Gao et al., arXiv 2305.14627, adapted to claims).

    presence: claims that carry a citation ÷ claims. coverage: claims with at least one citation whose document
    supports them ÷ claims. accuracy: citations whose document supports a claim they stand at ÷ citations that stand
    at a claim; one that names no retrieved document is ``fabricated`` and counts as wrong.
    """
    if nothing_stated is not None:
        return dict.fromkeys(_KEYS, NotApplicable(nothing_stated))
    carried = [_markers_of(judged, reading) for judged in claims]
    cited = sum(bool(markers) for markers in carried)
    outcomes: dict[MetricKey, Outcome] = {
        MetricKey.CITATION_PRESENCE: Scored(
            cited / len(claims), None, f"{cited} of {len(claims)} claims carry a citation"
        )
    }
    if reading.documents is None:
        missing = NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
        return {**outcomes, MetricKey.CITATION_COVERAGE: missing, MetricKey.CITATION_ACCURACY: missing}
    covered = sum(
        any(_number(name, reading) in judged.supporting for marker in markers for name in marker.cited)
        for judged, markers in zip(claims, carried, strict=True)
    )
    outcomes[MetricKey.CITATION_COVERAGE] = Scored(
        covered / len(claims), None, f"{covered} of {len(claims)} claims have a citation that supports them"
    )
    outcomes[MetricKey.CITATION_ACCURACY] = _accuracy(reading, claims, carried)
    return outcomes


_KEYS = (MetricKey.CITATION_PRESENCE, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_ACCURACY)


def _accuracy(reading: Reading, claims: Sequence[JudgedClaim], carried: Sequence[Sequence[Marker]]) -> Outcome:
    citations = []
    for marker in reading.markers:
        at = [judged for judged, markers in zip(claims, carried, strict=True) if marker in markers]
        citations += [_citation(marker, name, at, reading) for name in marker.cited]
    if not citations:
        return NotApplicable(Reason.NO_CITATIONS)
    judged_ones = [citation for citation in citations if citation.supported is not None]
    if not judged_ones:
        return NotApplicable(Reason.NO_CITATIONS, "no citation stands at a claim")
    right = sum(citation.supported is True for citation in judged_ones)
    fabricated = any(citation.context_id is None for citation in judged_ones)
    return Scored(
        right / len(judged_ones),
        "fabricated" if fabricated else None,
        f"{right} of {len(judged_ones)} citations supported by the document they name",
        citations=tuple(citations),
    )


def _citation(marker: Marker, name: str, at: Sequence[JudgedClaim], reading: Reading) -> Citation:
    context = _context(name, reading)
    number = _number(name, reading)
    if context is None:
        supported: bool | None = False
    elif number is None or not at:
        supported = None  # its text was not captured, or it stands at nothing that could be judged
    else:
        supported = any(number in judged.supporting for judged in at)
    identity = None if context is None else (context.id if context.id is not None else str(context.rank))
    return Citation(marker.text, marker.start, marker.end, name, identity, supported)


def _markers_of(judged: JudgedClaim, reading: Reading) -> tuple[Marker, ...]:
    """The markers that belong to a claim: those in its sentence, narrowed to what the judge saw cited for it."""
    claim = judged.claim
    reach = [(s.start, s.end) for s in reading.answer_sentences if s.start < claim.end and claim.start < s.end]
    begin, end = min([claim.start, *(start for start, _ in reach)]), max([claim.end, *(end for _, end in reach)])
    near = tuple(marker for marker in reading.markers if begin <= marker.start < end)
    named = {name.strip("[]()【】 ").casefold() for name in judged.cited}
    narrowed = tuple(marker for marker in near if named & {name.casefold() for name in marker.cited})
    return narrowed or near


def _context(name: str, reading: Reading) -> Document | None:
    """The retrieved document that a citation names, by id or else by number; None where there is none."""
    contexts = reading.interaction.contexts or ()
    folded = name.casefold()
    by_id = next(
        (document for document in contexts if document.id is not None and document.id.casefold() == folded), None
    )
    if by_id is not None:
        return by_id
    return next((document for document in contexts if name.isdecimal() and document.rank == int(name)), None)


def _number(name: str, reading: Reading) -> int | None:
    """The number under which the judge saw the document that a citation names; None where it saw none."""
    context = _context(name, reading)
    return next((n for n, document in enumerate(reading.documents or (), start=1) if document is context), None)
