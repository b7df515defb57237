"""Local faithfulness, context utilisation and context recall: alignment, facts and the detector; no network."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document
from ragsonde.scorers.detector import Detector
from ragsonde.scorers.entailment import Entailment
from ragsonde.scorers.faithfulness.alignment import Evidence, Window
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck, Judgement, version_of
from ragsonde.scorers.reading import Reading, Sentence, Statement
from ragsonde.scorers.score import (
    Claim,
    Failed,
    FailureKind,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    Verdict,
)

_LATE = "no time was left to read the claims with the model for entailment"
_ELSEWHERE = "The contexts are in another language than the answer, and words alone cannot be compared; a judge can."


class FaithfulnessScorer:
    """Checks each statement of an answer against the retrieved contexts, word by word and fact by fact.

    How likely a statement is borne out comes from the detector (see its model card); a fact that differs or is missing
    decides against it whatever the detector says.

    - ``faithfulness``: supported claims ÷ all claims (Es et al., "RAGAS", 2024, section 3). A claim is *contradicted*
      when the passage that covers it gives another number, date or name in its place or says the opposite; *not found*
      when too little of it, or one of its facts, is in no passage.
    - ``context_utilisation``: share of the retrieved documents that support at least one claim of the answer.
    - ``context_recall``: share of the reference answer's statements that the contexts support (RAGAS).

    Every sentence of every context is looked at; nothing is cut. Works in any language, best where answer and contexts
    share one; across languages it can only compare figures, dates and weekdays. Claims without any are
    then left out, and an answer of nothing else is not_applicable(other_language).
    """

    name = "local_faithfulness"
    keys = (MetricKey.FAITHFULNESS, MetricKey.CONTEXT_UTILISATION, MetricKey.CONTEXT_RECALL)

    def __init__(self, *, cache: AnalysisCache | None = None, entailment: Entailment | None = None) -> None:
        """Take a model for entailment, which then has a say in how likely each claim is borne out."""
        self._cache = cache if cache is not None else AnalysisCache()
        self._detector = Detector()
        self._entailment = entailment

    @property
    def version(self) -> str:
        """The rules of the verdicts, and the models behind the probabilities."""
        return version_of(self._detector, self._entailment)

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Score a batch. Without a model an interaction takes milliseconds, and the deadline is not looked at."""
        return [
            dict.fromkeys(self.keys, Failed(FailureKind.TIMEOUT, _LATE))
            if self._entailment is not None and deadline.expired()
            else self._score(reading)
            for reading in readings
        ]

    def _score(self, reading: Reading) -> Mapping[MetricKey, Outcome]:
        evidence = self._evidence(reading)
        return {**self._score_answer(reading, evidence), MetricKey.CONTEXT_RECALL: self._recall(reading, evidence)}

    def _evidence(self, reading: Reading) -> Evidence | None:
        """The contexts, analysed; None where they were not captured."""
        if reading.documents is None or reading.unscorable(needs_contexts=True) is Reason.CONTENT_NOT_CAPTURED:
            return None
        analysed = [
            self._cache.analysed(document.text or "", partial(_sentences_of, reading, number))
            for number, document in enumerate(reading.documents)
        ]
        return Evidence(analysed, reading.interaction.question or "")

    def _score_answer(self, reading: Reading, evidence: Evidence | None) -> Mapping[MetricKey, Outcome]:
        reason = reading.unscorable(needs_contexts=True) or reading.not_scorable_answer()
        if reason is not None or evidence is None:
            outcome = NotApplicable(reason or Reason.CONTEXTS_NOT_CAPTURED)
            return {MetricKey.FAITHFULNESS: outcome, MetricKey.CONTEXT_UTILISATION: outcome}
        if not evidence.has_text:
            return {
                MetricKey.FAITHFULNESS: _ungrounded(reading.claims),
                MetricKey.CONTEXT_UTILISATION: NotApplicable(Reason.NO_CONTEXT, "The retrieval returned no text."),
            }
        check = self._check(evidence, reading.language)
        judgements = check.judge_all([claim.plain for claim in reading.claims])
        caveat = "" if self._detector.validated_in(reading.language) else _unvalidated(reading.language)
        return {
            MetricKey.FAITHFULNESS: _faithfulness(reading, judgements, evidence, caveat),
            MetricKey.CONTEXT_UTILISATION: _utilisation(reading, judgements, check, len(evidence.documents)),
        }

    def _check(self, evidence: Evidence, language: str) -> ClaimCheck:
        return ClaimCheck(evidence, language=language, detector=self._detector, entailment=self._entailment)

    def _recall(self, reading: Reading, evidence: Evidence | None) -> Outcome:
        """The statements of the reference, judged as if they were the answer's; the answer itself plays no part."""
        reference = reading.interaction.reference
        if not reference or not reference.strip():
            return NotApplicable(Reason.NO_REFERENCE)
        if evidence is None:
            return NotApplicable(reading.unscorable(needs_contexts=True) or Reason.CONTEXTS_NOT_CAPTURED)
        expected = Reading(replace(reading.interaction, answer=reference))
        if (reason := expected.not_scorable_answer()) is not None:
            return NotApplicable(reason, "The reference answer states nothing that could be looked for.")
        if not evidence.has_text:
            return Scored(0.0, label="no_context", explanation="The retrieval returned no text.")
        judgements = self._check(evidence, expected.language).judge_all([claim.plain for claim in expected.claims])
        compared = [(c.text, j.verdict) for c, j in zip(expected.claims, judgements, strict=True) if j.compared]
        if not compared:
            return NotApplicable(Reason.OTHER_LANGUAGE, "The contexts are in another language than the reference.")
        missed = [text for text, verdict in compared if verdict is not Verdict.SUPPORTED]
        explanation = f"Not in the contexts: {missed[0]}" if missed else "The contexts hold all of the reference."
        return Scored(1 - len(missed) / len(compared), explanation=explanation)


def _sentences_of(reading: Reading, number: int) -> Sequence[Sentence]:
    return reading.context_sentences[number]


def _ungrounded(claims: Sequence[Statement]) -> Scored:
    reason = "The retrieval returned no text that could support it."
    return Scored(
        0.0,
        label="ungrounded",
        explanation="The retrieval returned no text, yet the answer states facts.",
        claims=tuple(
            Claim(c.text, c.start, c.end, Verdict.NOT_FOUND, 0.0, reason=reason, stretches=((c.start, c.end),))
            for c in claims
        ),
    )


def _unvalidated(language: str) -> str:
    return f" Probabilities were not checked against human labels in this language ({language})."


def _faithfulness(reading: Reading, judgements: Sequence[Judgement], evidence: Evidence, caveat: str) -> Outcome:
    documents = reading.documents or ()
    compared = [(c, j) for c, j in zip(reading.claims, judgements, strict=True) if j.compared]
    if not compared:
        return NotApplicable(Reason.OTHER_LANGUAGE, _ELSEWHERE)
    if left := len(judgements) - len(compared):
        caveat = f" {left} more could not be compared: the contexts are in another language." + caveat
    counts = Counter(judgement.verdict for _, judgement in compared)
    supported = counts[Verdict.SUPPORTED]
    ambiguous = next((judgement for _, judgement in compared if judgement.ambiguous), None)
    _, worst = min(compared, key=lambda each: (each[1].verdict is Verdict.SUPPORTED, each[1].probability))
    label = "ambiguous" if ambiguous else "contradicted" if counts[Verdict.CONTRADICTED] else None
    summary = f"{supported} of {len(compared)} claims supported, {counts[Verdict.CONTRADICTED]} contradicted."
    if supported < len(compared):
        summary += f" {(ambiguous or worst).reason}"
    claims = tuple(_claim(claim, judgement, documents, evidence) for claim, judgement in compared)
    return Scored(supported / len(compared), label=label, explanation=summary + caveat, claims=claims)


def _claim(claim: Statement, judgement: Judgement, documents: Sequence[Document], evidence: Evidence) -> Claim:
    shown = judgement.window if judgement.verdict is not Verdict.NOT_FOUND or judgement.ambiguous else None
    quote = None if shown is None else _passage(shown, evidence)
    ids = () if quote is None else tuple(_id_of(document) for document in documents if quote in (document.text or ""))
    return Claim(
        claim.text, claim.start, claim.end, judgement.verdict, judgement.probability, quote, ids, judgement.reason,
        _in_answer(claim, judgement.stretches),
    )  # fmt: skip


def _in_answer(claim: Statement, stretches: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Stretches of a claim's plain text, in the answer; the whole claim where marks stand within one of them."""
    if (at := claim.text.find(claim.plain)) >= 0:
        return tuple((claim.start + at + start, claim.start + at + end) for start, end in stretches)
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in stretches:
        at = claim.text.find(claim.plain[start:end], at)
        if at < 0:
            return ((claim.start, claim.end),)
        found.append((claim.start + at, claim.start + at + end - start))
        at += end - start
    return tuple(found)


def _passage(window: Window, evidence: Evidence) -> str:
    """The text of a window, verbatim."""
    document = evidence.documents[window.document]
    return document.text[document.sentences[window.first].start : document.sentences[window.last].end]


def _id_of(document: Document) -> str:
    return document.id if document.id is not None else str(document.rank)


def _utilisation(reading: Reading, judgements: Sequence[Judgement], check: ClaimCheck, total: int) -> Outcome:
    """A document is used when it supports a claim that is supported at all."""
    if not all(judgement.compared for judgement in judgements):
        return NotApplicable(Reason.OTHER_LANGUAGE, _ELSEWHERE)
    used: set[int] = set()
    for claim, judgement in zip(reading.claims, judgements, strict=True):
        used |= check.documents_supporting(claim.plain, judgement)
    return Scored(len(used) / total, explanation=f"{len(used)} of {total} documents support a claim of the answer.")
