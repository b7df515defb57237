"""The verdict on one claim: supported, contradicted, or not found, with the passage that decided it and the reason."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragsonde.scorers.detector import Detector, Rating
from ragsonde.scorers.detector.record_checks import RecordFindings
from ragsonde.scorers.entailment import Entailment
from ragsonde.scorers.facts import Measured, agrees, find_measurements
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.ambiguity import Ambiguity, find_ambiguity
from ragsonde.scorers.faithfulness.contrast import find_contrast
from ragsonde.scorers.faithfulness.crossing import fact_nowhere, in_another_language
from ragsonde.scorers.faithfulness.objections import Objection, ObjectionKind
from ragsonde.scorers.faithfulness.observation import Observation, Observer
from ragsonde.scorers.faithfulness.premises import hypothesis, premise
from ragsonde.scorers.faithfulness.stretches import unsupported_stretches
from ragsonde.scorers.faithfulness.words import split_words
from ragsonde.scorers.score import Verdict

SUPPORTED_FROM = 0.5
"""Probability of a claim by itself from which it counts as supported where no rule objects.

The probability that is reported may say otherwise: it also weighs the rest of the answer, and a rule that objects has
the verdict but takes little off the probability, since by human labels such rules are often too strict."""
_ON_TOPIC = 0.45
"""Coverage of a claim, its objectionable facts left out, from which a differing fact is a contradiction."""
_NOTHING_NEW = 0.15
"""Coverage of what the claim adds to the question, below which the contexts only repeat the question."""
_SAYS_THE_SAME = 0.85
"""Share of the deciding passage's coverage from which another document says the same."""
_OBJECTION = 0.4
"""What a rule that objects takes off a claim's log odds, beyond what the detector makes of it; from RAGTruth's dev
answers."""
_ACROSS_LANGUAGES = 0.55
"""Least probability of a claim whose figures another language bears out."""
_SAYS_IT = "The passage says it in nearly the same words."
_BEARS_OUT = "The passage bears it out."
_CROSSED = "Its figures, dates and weekdays stand together in the contexts, which are in another language."
_NOT_COMPARED = "The contexts are in another language, and it has no figure, date or full name to compare."


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the contexts say of one claim."""

    verdict: Verdict
    probability: float
    window: Window | None
    """The deciding passage; None where nothing on the topic was found."""
    reason: str
    ambiguous: bool = False
    """The contexts give several values for different cases, and the claim does not say for which it speaks."""
    stretches: tuple[tuple[int, int], ...] = ()
    """The parts of the claim that are not borne out, where they are unlikely enough, as offsets into it."""
    compared: bool = True
    """False where the contexts are in another language and nothing in the claim can be held to them: the verdict,
    ``NOT_FOUND``, then says nothing."""


def version_of(detector: Detector, entailment: Entailment | None) -> str:
    """Changes whenever the same claim may get another judgement: the rules, and the models behind the probabilities."""
    rules = f"9+{detector.version}"
    return rules if entailment is None else f"{rules}+{entailment.version}"


class ClaimCheck:
    """Judges the claims of one text (an answer, a reference) against the contexts."""

    def __init__(
        self,
        evidence: Evidence,
        *,
        language: str = "und",
        detector: Detector | None = None,
        entailment: Entailment | None = None,
    ) -> None:
        self._evidence = evidence
        self._detector = detector or Detector()
        self._entailment = entailment
        self._observer = Observer(evidence, language)
        self._language = language
        self._measured: dict[str, Sequence[Measured]] = {}
        self._stated: Sequence[Measured] = ()

    def judge(self, claim: str) -> Judgement:
        """Judge one claim that is a text by itself."""
        return self.judge_all([claim])[0]

    def judge_all(self, claims: Sequence[str]) -> list[Judgement]:
        """Judge the claims of one text, in order; how likely one is depends on the others too."""
        observed = [self._observer.observe(claim) for claim in claims]
        whole = self._observer.whole(claims)
        self._measured |= {
            claim: observation.facts.measurements.all()
            for claim, observation in zip(claims, observed, strict=True)
            if observation.reply.statement == claim
        }
        self._stated = [fact for facts in self._measured.values() for fact in facts]
        ratings = self._detector.rate([observation.features for observation in observed], whole)
        if self._entailment is not None:
            ratings = [
                _weighed(self._entailment, claim, observation.alignment, self._evidence, rating)
                for claim, observation, rating in zip(claims, observed, ratings, strict=True)
            ]
        judgements = [
            self._pointed(claim, observation, self._judged(observation, rating))
            for claim, observation, rating in zip(claims, observed, ratings, strict=True)
        ]
        if in_another_language(claims, self._evidence, self._language):
            return [
                _across(claim, judgement, fact_nowhere(observation.facts, self._evidence))
                for claim, observation, judgement in zip(claims, observed, judgements, strict=True)
            ]
        return judgements

    def _pointed(self, claim: str, observed: Observation, judgement: Judgement) -> Judgement:
        """The judgement with the parts of the claim that are not borne out."""
        if judgement.verdict is Verdict.SUPPORTED:
            return judgement
        stretches = unsupported_stretches(
            claim,
            observed.alignment,
            observed.objections,
            self._evidence,
            self._observer.records,
            judgement.probability,
        )
        return replace(judgement, stretches=stretches)

    def _judged(self, observed: Observation, rating: Rating) -> Judgement:
        estimate = rating.probability
        if observed.crossing is not None:
            return Judgement(Verdict.SUPPORTED, max(_ACROSS_LANGUAGES, estimate), observed.crossing, _CROSSED)
        alignment = observed.alignment
        if alignment.window is None:
            return Judgement(Verdict.NOT_FOUND, _objected(estimate), None, "None of its words is in the contexts.")
        judgement = self._verdict(observed, rating)
        if judgement.verdict is Verdict.SUPPORTED:
            statement = observed.reply.statement
            ambiguity = find_ambiguity(statement, observed.facts, alignment, self._evidence, self._stated)
            if ambiguity is not None:
                return _ambiguous(ambiguity, judgement)
            contrast = find_contrast(statement, observed.facts, alignment, self._evidence)
            if contrast is not None:
                return replace(
                    judgement,
                    verdict=contrast.verdict,
                    probability=_objected(judgement.probability),
                    reason=contrast.reason,
                )
        return judgement

    def documents_supporting(self, claim: str, judgement: Judgement) -> frozenset[int]:
        """The documents that bear a supported claim out: that of the deciding passage, and others that say the same.

        Another document says the same when one sentence of it covers nearly as much and gives every figure.
        """
        if judgement.verdict is not Verdict.SUPPORTED or judgement.window is None:
            return frozenset()
        supporting = {judgement.window.document}
        if len(self._evidence.documents) == 1:
            return frozenset(supporting)
        enough = _SAYS_THE_SAME * self._evidence.coverage_of(claim, judgement.window)
        figures = self._measured[claim] if claim in self._measured else find_measurements(claim).all()
        for number, sentence in self._evidence.best_sentences_of(claim).items():
            if number in supporting or self._evidence.coverage_of(claim, sentence) < enough:
                continue
            document = self._evidence.documents[number]
            there = document.measurements_of(sentence.first, sentence.last).all() if figures else ()
            if all(any(agrees(figure, other) for other in there) for figure in figures):
                supporting.add(number)
        return frozenset(supporting)

    def _on_topic(self, statement: str, conflict: Objection, alignment: Alignment) -> bool:
        """Whether the passage speaks of what the claim speaks of, the differing fact left out."""
        if alignment.window is None:
            return False
        rest = statement.replace(conflict.fact, " ")
        return self._evidence.coverage_of(rest, alignment.window) >= _ON_TOPIC

    def _verdict(self, observed: Observation, rating: Rating) -> Judgement:
        alignment, objections = observed.alignment, observed.objections
        statement, window = observed.reply.statement, alignment.window
        conflict = next((o for o in objections if o.kind is ObjectionKind.CONFLICT), None)
        absent = next((o for o in objections if o.kind is ObjectionKind.ABSENT), None)
        estimate, against = rating.probability, _objected(rating.probability)
        if conflict is not None and self._on_topic(statement, conflict, alignment):
            return Judgement(Verdict.CONTRADICTED, against, window, conflict.reason)
        if observed.flip is not None:
            reason = f"The passage says the opposite: {observed.flip}."
            return Judgement(Verdict.CONTRADICTED, against, window, reason)
        if (objection := absent or conflict) is not None:
            return Judgement(Verdict.NOT_FOUND, against, window, objection.not_found)
        if rating.by_words and alignment.new_coverage < _NOTHING_NEW < alignment.coverage:
            reason = "The contexts repeat words of the question, but not what the answer adds."
            return Judgement(Verdict.NOT_FOUND, against, window, reason)
        if rating.alone < SUPPORTED_FROM or (rating.by_words and alignment.new_coverage < _NOTHING_NEW):
            missing = _listed(statement, alignment.missing)
            reason = f"Too little of it is in one passage; not found: {missing}."
            reason = _told_by_record(observed.features.record) or reason
            return Judgement(Verdict.NOT_FOUND, estimate, window, reason)
        return Judgement(Verdict.SUPPORTED, estimate, window, _SAYS_IT if rating.by_words else _BEARS_OUT)


def _weighed(entailment: Entailment, claim: str, alignment: Alignment, evidence: Evidence, rating: Rating) -> Rating:
    """The rating with the model's say; the detector's own of a claim that is too long for the model."""
    stated = hypothesis(claim, evidence.question)
    room = entailment.room(stated)
    if room <= 0:
        return rating
    return entailment.weighed(rating, premise(claim, alignment, evidence, room, entailment.model.tokens), stated)


def _across(claim: str, judgement: Judgement, nowhere: str | None) -> Judgement:
    """A judgement on a claim in another language, where missing words mean nothing, and figures and full names do."""
    if judgement.verdict is Verdict.SUPPORTED:
        return judgement
    if nowhere is not None:
        at = claim.find(nowhere)
        pointed = replace(judgement, stretches=((at, at + len(nowhere)),) if at >= 0 else ())
        if judgement.verdict is Verdict.CONTRADICTED:
            return pointed
        reason = Objection(ObjectionKind.ABSENT, nowhere).not_found
        return replace(pointed, verdict=Verdict.NOT_FOUND, reason=reason)
    return replace(judgement, verdict=Verdict.NOT_FOUND, reason=_NOT_COMPARED, stretches=(), compared=False)


def _objected(estimate: float) -> float:
    """The probability of a claim that a rule speaks against."""
    odds = estimate * math.exp(-_OBJECTION)
    return odds / (odds + 1.0 - estimate)


def _told_by_record(found: RecordFindings) -> str | None:
    """What a record has against a claim; None where nothing."""
    if found.asserted or found.denied:
        return "The record says otherwise in a field that the claim speaks of."
    if found.wrong_times or found.wrong_days:
        return "The record gives other hours."
    return "The record gives no value for what the claim speaks of." if found.unknown else None


def _listed(statement: str, keys: Sequence[str]) -> str:
    """Missing words as the claim writes them, five at most."""
    written = {word.key: statement[word.start : word.end] for word in split_words(statement)}
    return ", ".join(f"“{written.get(key, key)}”" for key in keys[:5]) or "the connection between its words"


def _ambiguous(ambiguity: Ambiguity, judgement: Judgement) -> Judgement:
    """A claim that holds in one case only: contradicted where the other case was asked for, else not borne out."""
    here = f" for {', '.join(ambiguity.here)}" if ambiguity.here else ""
    there = f" for {', '.join(ambiguity.there)}" if ambiguity.there else ""
    reason = f"The contexts say “{ambiguity.stated}”{here} and “{ambiguity.other}”{there}"
    if ambiguity.asked_there:
        return replace(
            judgement,
            verdict=Verdict.CONTRADICTED,
            probability=_objected(judgement.probability),
            window=ambiguity.window,
            reason=f"{reason}; the latter is what was asked for.",
        )
    return replace(
        judgement,
        verdict=Verdict.NOT_FOUND,
        reason=f"{reason}; the answer does not say which case it means.",
        ambiguous=True,
    )
