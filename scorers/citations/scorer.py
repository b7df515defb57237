"""Scores how an answer cites: whether its statements carry citations, and whether the cited documents support them.

Definitions follow ALCE (Gao et al., 2023, "Enabling Large Language Models to Generate Text with Citations"): coverage
is its citation recall and accuracy its citation precision, with one difference: accuracy asks of each citation whether
its document supports the statement by itself, and credits several citations at one statement together only where none
does so alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from ragsonde.collector.clock import Deadline
from ragsonde.scorers.citations.catalogue import Catalogue, Entry, Missing
from ragsonde.scorers.citations.markers import Marker
from ragsonde.scorers.citations.resolution import citations_of, look_up, statement_of
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Citation, Failed, FailureKind, MetricKey, NotApplicable, Outcome, Reason, Scored
from ragsonde.scorers.text.spans import Spans, Statement

_PRESENCE, _COVERAGE, _ACCURACY = MetricKey.CITATION_PRESENCE, MetricKey.CITATION_COVERAGE, MetricKey.CITATION_ACCURACY
_KEYS = (_PRESENCE, _COVERAGE, _ACCURACY)


class SupportJudge(Protocol):
    """Says how likely a document supports a statement. May be called from several threads at once."""

    @property
    def version(self) -> str:
        """Changes whenever the same texts may get another probability."""
        ...

    def support(self, statement_plain: str, document_text: str) -> float | None:
        """Probability, 0 to 1, that all of ``statement_plain`` follows from ``document_text``; neither is blank.

        None where that cannot be told, as of a document in another language.
        """
        ...


class CitationScorer:
    """Citation presence, coverage and accuracy, with a ``SupportJudge`` for the last two."""

    name = "local_citations"
    keys = _KEYS

    def __init__(self, judge: SupportJudge, *, threshold: float = 0.5) -> None:
        if not 0.0 < threshold < 1.0:
            raise ValueError(f"threshold lies between 0 and 1, not {threshold!r}")
        self._judge = judge
        self._threshold = threshold

    @property
    def version(self) -> str:
        """This scorer's version with its judge's."""
        return f"1+{self._judge.version}"

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Score a batch; what the deadline leaves no time for fails with ``timeout``."""
        return [
            dict.fromkeys(_KEYS, Failed(FailureKind.TIMEOUT)) if deadline.expired() else self._score(reading)
            for reading in readings
        ]

    def _score(self, reading: Reading) -> Mapping[MetricKey, Outcome]:
        reason = reading.unscorable(needs_contexts=False) or reading.not_scorable_answer()
        if reason is not None:
            return dict.fromkeys(_KEYS, NotApplicable(reason))
        check = _Check(reading, self._judge, self._threshold)
        if reading.documents is None:
            missing = NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
            return {_PRESENCE: check.presence(), _COVERAGE: missing, _ACCURACY: missing}
        return {_PRESENCE: check.presence(), _COVERAGE: check.coverage(), _ACCURACY: check.accuracy()}


@dataclass
class _Check:
    """The citations of one answer, checked at first use."""

    reading: Reading
    judge: SupportJudge
    threshold: float
    _verdicts: dict[tuple[str, str], bool | None] = field(default_factory=dict)

    @cached_property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.reading.contexts or ())

    @cached_property
    def by_statement(self) -> Mapping[int, tuple[Marker, ...]]:
        """The markers at each statement, by the statement's place; under -1 those that stand at none."""
        markers, claims = self.reading.markers, self.reading.claims
        places = {claim.start: place for place, claim in enumerate(claims)}
        marks = Spans((marker.start, marker.end) for marker in markers)
        found: dict[int, list[Marker]] = {}
        for marker in markers:
            statement = statement_of(marker, self.reading.answer, claims, marks)
            found.setdefault(-1 if statement is None else places[statement.start], []).append(marker)
        return {place: tuple(at) for place, at in found.items()}

    @cached_property
    def placed(self) -> tuple[tuple[int, Citation], ...]:
        """Citations by markers, judged, each with its statement's place."""
        judged: list[tuple[int, Citation]] = []
        for place, markers in self.by_statement.items():
            citations = [c for m in markers for c in citations_of(m, self.catalogue, self.reading.definitions.notes)]
            if place < 0:
                # At a question or an abstention there is nothing to support, but an invention stays one.
                judged.extend((place, replace(c, supported=False)) for c in citations if c.context_id is None)
            else:
                judged.extend((place, citation) for citation in self._judged(self.reading.claims[place], citations))
        return tuple(judged)

    @cached_property
    def whole(self) -> tuple[Citation, ...]:
        """Citations for the answer as a whole: reported by the application, or listed at its foot; judged."""
        found: dict[str, Citation] = {}
        at_markers = {citation.context_id for _, citation in self.placed}
        for name in self.reading.interaction.cited_ids or ():
            entry = self.catalogue.by_number(name)
            found.setdefault(name, Citation("", 0, 0, name, entry.key if entry else None))
        # A list of sources below numbered statements only says what the numbers stand for.
        for name, start, end in () if self.reading.markers else self.reading.definitions.listed:
            target = look_up(name, self.catalogue)
            if target is not Missing.UNDECIDED:
                key = target.key if isinstance(target, Entry) else None
                found.setdefault(name, Citation(self.reading.answer[start:end], start, end, name, key))
        return tuple(
            self._judged_whole(c) for c in found.values() if c.context_id is None or c.context_id not in at_markers
        )

    def presence(self) -> Outcome:
        """Share of statements that carry a citation."""
        claims = self.reading.claims
        interaction = self.reading.interaction
        if not self.reading.markers and (interaction.cited_ids or self.reading.definitions.listed):
            return NotApplicable(
                Reason.NO_CITATIONS,
                "sources are named for the answer as a whole: which statements they belong to is not known",
            )
        carrying = sum(1 for place in self.by_statement if place >= 0)
        return Scored(carrying / len(claims), explanation=f"{carrying} of {len(claims)} statements carry a citation")

    def coverage(self) -> Outcome:
        """Share of statements with at least one supporting citation, of those of which that can be told."""
        claims = self.reading.claims
        covered = {place for place, citation in self.placed if citation.supported}
        whole = [c.context_id for c in self.whole if c.supported and c.context_id is not None]
        for place, claim in enumerate(claims):
            if place not in covered and any(self._supports(claim, key) for key in whole):
                covered.add(place)
        covered.discard(-1)
        unknown = {place for place, citation in self.placed if citation.supported is None} - covered - {-1}
        told = len(claims) - len(unknown)
        if not told:
            return self._not_judged()
        explanation = f"{len(covered)} of {told} statements have a supporting citation"
        return Scored(len(covered) / told, explanation=explanation, citations=self._all())

    def accuracy(self) -> Outcome:
        """Share of citations whose document supports the statement."""
        citations = self._all()
        if not citations:
            unknown = ", ".join(dict.fromkeys(marker.text for marker in self.reading.markers))
            explanation = f"citations that name no document we can look up: {unknown}" if unknown else None
            return NotApplicable(Reason.NO_CITATIONS, explanation)
        judged = [citation for citation in citations if citation.supported is not None]
        if not judged:
            return self._not_judged()
        supporting = sum(1 for citation in judged if citation.supported)
        explanation = f"{supporting} of {len(judged)} citations are supported by the document they name"
        return Scored(supporting / len(judged), label=self._label(), explanation=explanation, citations=citations)

    def _not_judged(self) -> NotApplicable:
        cited = (self.catalogue.document(c.context_id) for c in self._all() if c.context_id is not None)
        if any(document is not None and document.text for document in cited):
            return NotApplicable(Reason.OTHER_LANGUAGE, "the cited documents are in another language than the answer")
        return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED, "the cited documents carry no text")

    def _all(self) -> tuple[Citation, ...]:
        return (*(citation for _, citation in sorted(self.placed, key=lambda item: item[1].start)), *self.whole)

    def _label(self) -> str | None:
        """The gravest fault: ``fabricated``, ``misattributed`` (another document does support it), ``unsupported``."""
        wrong = [(place, citation) for place, citation in self.placed if citation.supported is False]
        if any(c.context_id is None for _, c in wrong) or any(c.context_id is None for c in self.whole):
            return "fabricated"
        if any(self._supported_elsewhere(self.reading.claims[place], citation) for place, citation in wrong):
            return "misattributed"
        return "unsupported" if wrong or any(citation.supported is False for citation in self.whole) else None

    def _supported_elsewhere(self, claim: Statement, citation: Citation) -> bool:
        return any(
            entry.key != citation.context_id and self._supports(claim, entry.key) for entry in self.catalogue.entries
        )

    def _judged(self, claim: Statement, citations: Sequence[Citation]) -> list[Citation]:
        verdicts = [False if c.context_id is None else self._supports(claim, c.context_id) for c in citations]
        keys = list(dict.fromkeys(c.context_id for c in citations if c.context_id is not None))
        if len(keys) > 1 and True not in verdicts and self._supports(claim, *keys):
            verdicts = [citation.context_id is not None for citation in citations]
        return [replace(citation, supported=verdict) for citation, verdict in zip(citations, verdicts, strict=True)]

    def _judged_whole(self, citation: Citation) -> Citation:
        key = citation.context_id
        if key is None:
            return replace(citation, supported=False)
        verdicts = [self._supports(claim, key) for claim in self.reading.claims]
        return replace(citation, supported=None if None in verdicts else any(verdicts))

    def _supports(self, claim: Statement, *keys: str) -> bool | None:
        """Whether the documents together support the claim.

        None where none of them was captured with its text, or the judge cannot tell.
        """
        lookup = (claim.plain, "\n".join(keys))
        if lookup not in self._verdicts:
            documents = [self.catalogue.document(key) for key in keys]
            texts = [document.text for document in documents if document is not None and document.text is not None]
            together = "\n\n".join(texts).strip()
            support = self.judge.support(claim.plain, together) if together else 0.0
            self._verdicts[lookup] = support >= self.threshold if texts and support is not None else None
        return self._verdicts[lookup]
