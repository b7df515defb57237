"""Citation metrics from a judge's verdicts: the markers are found in the answer, the support in the quotes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ragsonde.scorers.citations.catalogue import Catalogue, Entry, Missing
from ragsonde.scorers.citations.resolution import citations_of, look_up
from ragsonde.scorers.judge.grounding import JudgedClaim
from ragsonde.scorers.reading import Marker, Reading
from ragsonde.scorers.score import Citation, MetricKey, NotApplicable, Outcome, Reason, Scored

_KEYS = (MetricKey.CITATION_PRESENCE, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_ACCURACY)


def citation_outcomes(
    reading: Reading, claims: Sequence[JudgedClaim], nothing_stated: Reason | None
) -> Mapping[MetricKey, Outcome]:
    """Presence, coverage and accuracy of citations (after ALCE, Gao et al., arXiv 2305.14627, by claims).

    presence: claims that carry a citation ÷ claims. coverage: claims with at least one citation whose document supports
    them ÷ claims. accuracy: citations whose document supports a claim they stand at ÷ citations that could be judged;
    one that names no retrieved document is ``fabricated`` and counts as wrong.
    """
    if nothing_stated is not None:
        return dict.fromkeys(_KEYS, NotApplicable(nothing_stated))
    check = _Check(reading, claims)
    if reading.documents is None:
        missing = NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
        return dict(zip(_KEYS, (check.presence(), missing, missing), strict=True))
    return dict(zip(_KEYS, (check.presence(), check.coverage(), check.accuracy()), strict=True))


class _Check:
    """The citations of one answer."""

    def __init__(self, reading: Reading, claims: Sequence[JudgedClaim]) -> None:
        self._reading = reading
        self._claims = claims
        self._catalogue = Catalogue(reading.interaction.contexts or ())
        ranges = reading.definitions.ranges
        self._markers = tuple(m for m in reading.markers if not any(a <= m.start < b for a, b in ranges))
        self._carried = tuple(self._markers_of(judged) for judged in claims)

    def presence(self) -> Outcome:
        """Claims that carry a marker ÷ claims."""
        interaction = self._reading.interaction
        if not self._markers and (interaction.cited_ids or self._reading.definitions.listed):
            return NotApplicable(Reason.NO_CITATIONS, "sources are named for the answer as a whole, not for its claims")
        cited = sum(bool(markers) for markers in self._carried)
        return Scored(cited / len(self._claims), None, f"{cited} of {len(self._claims)} claims carry a citation")

    def coverage(self) -> Outcome:
        """Claims with a citation that supports them ÷ claims."""
        whole = {self._number(citation) for citation in self._whole}
        covered = 0
        for judged, markers in zip(self._claims, self._carried, strict=True):
            numbers = {self._number(citation) for marker in markers for citation in self._citations(marker)}
            covered += bool(judged.supporting & (numbers | whole))
        explanation = f"{covered} of {len(self._claims)} claims have a citation that supports them"
        return Scored(covered / len(self._claims), None, explanation, citations=self._all)

    def accuracy(self) -> Outcome:
        """Citations whose document supports what they stand at ÷ citations that could be judged."""
        judged = [citation for citation in self._all if citation.supported is not None]
        if not judged:
            why = "no citation could be judged" if self._markers else None
            return NotApplicable(Reason.NO_CITATIONS, why)
        right = sum(citation.supported is True for citation in judged)
        explanation = f"{right} of {len(judged)} citations are supported by the document they name"
        return Scored(right / len(judged), self._label(judged), explanation, citations=self._all)

    @cached_property
    def _all(self) -> tuple[Citation, ...]:
        placed = []
        for marker in self._markers:
            at = [judged for judged, own in zip(self._claims, self._carried, strict=True) if marker in own]
            placed += [self._judged(citation, at) for citation in self._citations(marker)]
        named = {citation.context_id for citation in placed}
        return (*placed, *(self._judged(c, self._claims) for c in self._whole if c.context_id not in named))

    @cached_property
    def _whole(self) -> tuple[Citation, ...]:
        """Citations for the answer as a whole: reported by the application, or listed at its foot."""
        found = {}
        for name in self._reading.interaction.cited_ids or ():
            entry = self._catalogue.by_number(name)
            found[name] = Citation("", 0, 0, name, entry.key if entry else None)
        for name, start, end in () if self._markers else self._reading.definitions.listed:
            target = look_up(name, self._catalogue)
            if target is not Missing.UNDECIDED:
                key = target.key if isinstance(target, Entry) else None
                found.setdefault(name, Citation(self._reading.answer[start:end], start, end, name, key))
        return tuple(found.values())

    def _judged(self, citation: Citation, at: Sequence[JudgedClaim]) -> Citation:
        number = self._number(citation)
        if citation.context_id is None:
            return replace(citation, supported=False)
        if number is None or not at:
            return citation  # its text was not captured, or it stands at nothing that could be judged
        return replace(citation, supported=any(number in judged.supporting for judged in at))

    def _label(self, judged: Sequence[Citation]) -> str | None:
        """The gravest fault: ``fabricated``, ``misattributed`` (another document does support it), ``unsupported``."""
        wrong = [citation for citation in judged if citation.supported is False]
        if any(citation.context_id is None for citation in wrong):
            return "fabricated"
        at_wrong = {(citation.start, citation.end) for citation in wrong}
        for claim, markers in zip(self._claims, self._carried, strict=True):
            if claim.supporting and any((marker.start, marker.end) in at_wrong for marker in markers):
                return "misattributed"
        return "unsupported" if wrong else None

    def _citations(self, marker: Marker) -> tuple[Citation, ...]:
        return tuple(citations_of(marker, self._catalogue, self._reading.definitions.notes))

    def _number(self, citation: Citation) -> int | None:
        """The number under which the judge saw the document of a citation; None where it saw none."""
        document = self._catalogue.document(citation.context_id) if citation.context_id is not None else None
        shown = enumerate(self._reading.documents or (), start=1)
        return next((number for number, each in shown if each is document), None)

    def _markers_of(self, judged: JudgedClaim) -> tuple[Marker, ...]:
        """The markers that belong to a claim: those in its sentence, narrowed to what the judge saw cited for it."""
        claim = judged.claim
        reach = [
            (s.start, s.end) for s in self._reading.answer_sentences if s.start < claim.end and claim.start < s.end
        ]
        begin = min([claim.start, *(start for start, _ in reach)])
        end = max([claim.end, *(end for _, end in reach)])
        near = tuple(marker for marker in self._markers if begin <= marker.start < end)
        named = {name.strip("[]()【】 ").casefold() for name in judged.cited}
        narrowed = tuple(m for m in near if named & {m.text.strip("[]()【】 ").casefold(), *map(str.casefold, m.cited)})
        return narrowed or near
