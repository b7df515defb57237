"""Believes a judge's verdict only as far as its quotes can be found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ragsonde.collector.model import Document
from ragsonde.scorers.judge.bearing import Passage, lacking
from ragsonde.scorers.judge.fence import neutralise
from ragsonde.scorers.judge.replies import Evidence
from ragsonde.scorers.judge.windows import without_tags
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, Verdict
from ragsonde.scorers.text.folding import find_quote, place_quote
from ragsonde.scorers.text.language import detect_language

_STRENGTH = {Verdict.SUPPORTED: 3, Verdict.CONTRADICTED: 2, Verdict.UNVERIFIED: 1, Verdict.NOT_FOUND: 0}


@dataclass(frozen=True, slots=True)
class Finding:
    """A verdict after its quotes were looked up. ``documents`` are the numbers of those that hold a quote."""

    verdict: Verdict
    quote: str | None = None
    documents: frozenset[int] = frozenset()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with the documents that support it and those that the answer cites for it, as written."""

    claim: Claim
    supporting: frozenset[int]
    cited: tuple[str, ...]


class Grounding:
    """Looks up quotes in the documents of one interaction, and statements in its answer."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._documents: Sequence[Document] = reading.documents or ()

    def finding(
        self, verdict: str, evidence: Sequence[Evidence], reason: str, *, claim: str, statement: str
    ) -> Finding:
        """The judge's verdict; ``supported`` becomes ``unverified`` where no quote of it proves anything.

        A quote proves something where it stands in a document and bears on the ``claim``. One after which the document
        sets a condition proves only a ``statement`` that carries a condition too.
        """
        stands = Verdict(verdict)
        if stands is Verdict.NOT_FOUND:
            return Finding(stands, reason=reason or None)
        proves = stands is Verdict.SUPPORTED
        places = [place for item in evidence for place in self._places(item.quote, statement if proves else None)]
        if proves and (fault := self._fault(claim, evidence, [passage for _, passage in places])) is not None:
            return Finding(Verdict.UNVERIFIED, reason=fault)
        quote = places[0][1].quote if places else None
        return Finding(stands, quote, frozenset(number for number, _ in places), reason or None)

    def statement(self, text: str, said: str) -> str:
        """All that the answer says with a claim: the claim, and the sentences that its words stand in."""
        start, end = self._place_in_answer(said, text)
        around = (s.text for s in self._reading.answer_sentences if s.start < end and s.end > start)
        return " ".join((text, *around))

    def judged(self, text: str, said: str, cited: tuple[str, ...], findings: Sequence[Finding]) -> JudgedClaim:
        """One claim from what each window found: supported anywhere, else contradicted anywhere, else what is left."""
        best = max(findings, key=lambda finding: _STRENGTH[finding.verdict])
        deciding = [finding for finding in findings if finding.verdict is best.verdict]
        numbers = frozenset[int]().union(*(finding.documents for finding in deciding))
        start, end = self._place_in_answer(said, text)
        claim = Claim(
            text=text,
            start=start,
            end=end,
            verdict=best.verdict,
            quote=best.quote,
            context_ids=tuple(self.context_id(number) for number in sorted(numbers)),
            reason=best.reason,
        )
        supporting = numbers if best.verdict is Verdict.SUPPORTED else frozenset[int]()
        return JudgedClaim(claim, supporting, cited)

    def context_id(self, number: int) -> str:
        """Id of a document, by its number; its rank where it has none."""
        document = self._documents[number - 1]
        return document.id or str(document.rank)

    def _fault(self, claim: str, evidence: Sequence[Evidence], passages: Sequence[Passage]) -> str | None:
        """Why the passages, those of the quotes that can be used, prove nothing of a claim; None where they may."""
        if not passages:
            stands = any(place_quote(item.quote, source) for item in evidence for source, _ in self._sources)
            if stands:
                return "the quote given as proof is cut out of what does not say so"
            return "the quote given as proof does not stand in the contexts"
        question = self._reading.interaction.question or ""
        return lacking(claim, passages, language=self._reading.language, question=question)

    def _places(self, quote: str, claim: str | None) -> list[tuple[int, Passage]]:
        wanted = without_tags(neutralise(quote))
        if not any(sign.isalnum() for sign in wanted):
            return []
        places = []
        for number, (source, language) in enumerate(self._sources, start=1):
            span = find_quote(wanted, source, language, claim=claim)
            passage = Passage(source, *span) if span is not None else None
            if passage is not None and passage.says_something:
                places.append((number, passage))
        return places

    @cached_property
    def _sources(self) -> tuple[tuple[str, str], ...]:
        """The documents as the judge saw them, each with its language: answer and contexts may differ in it."""
        texts = [neutralise(document.text or "") for document in self._documents]
        return tuple((text, detect_language(text)) for text in texts)

    def _place_in_answer(self, said: str, text: str) -> tuple[int, int]:
        """Where the answer states a claim; the whole answer where the judge's words for it are not in it."""
        answer = self._reading.answer
        for words in (said, text):
            span = find_quote(words, answer, self._reading.language, claim=None) if words.strip() else None
            if span is not None:
                return span
        return 0, len(answer)
