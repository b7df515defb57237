"""The verdict on one claim: supported, contradicted, or not found, with the passage that decided it and the reason."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragsonde.scorers.facts import Measurements, agrees, find_facts, find_measurements
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.ambiguity import Ambiguity, find_ambiguity
from ragsonde.scorers.faithfulness.conditions import unmentioned_conditions, words_of_conditions
from ragsonde.scorers.faithfulness.crossing import borne_out_across_languages
from ragsonde.scorers.faithfulness.objections import Objection, ObjectionKind, find_objections
from ragsonde.scorers.faithfulness.polarity import Polarity, opposed, read_polarity
from ragsonde.scorers.faithfulness.probability import features_of, probability
from ragsonde.scorers.faithfulness.replies import Reply, read_reply
from ragsonde.scorers.faithfulness.words import function_words, split_words
from ragsonde.scorers.score import Verdict
from ragsonde.scorers.text.negation import find_negations

SUPPORTED_FROM = 0.5
"""Probability from which a claim without a hard objection counts as supported."""
_ON_TOPIC = 0.45
"""Coverage of a claim, its objectionable facts left out, from which a differing fact is a contradiction."""
_SAME_STATEMENT, _SAME_BUT_ONE_WORD, _SAME_ORDER = 0.65, 0.5, 0.4
"""Coverage and order from which a differing sign is a contradiction: only where claim and passage run parallel is it
clear what is negated. An opposite word is itself not covered, so there less is enough."""
_NOTHING_NEW = 0.15
"""Coverage of what the claim adds to the question, below which the contexts only repeat the question."""
_SAYS_THE_SAME = 0.85
"""Share of the deciding passage's coverage from which another document says the same."""
_OBJECTED, _UNKNOWN, _AMBIGUOUS, _ACROSS_LANGUAGES = 0.1, 0.3, 0.45, 0.55
"""Highest probability of a contradicted claim, of one with an absent fact, of an ambiguous one; that across
languages."""
_CROSSED = "Its figures, dates and weekdays stand together in the contexts, which are in another language."
_CAPITALISED_NOUNS = frozenset({"de", "lb", "nds"})


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
    features: tuple[float, ...] = ()


class ClaimCheck:
    """Judges the claims of one text (an answer, a reference) against the contexts."""

    def __init__(self, evidence: Evidence, *, language: str = "und") -> None:
        self._evidence = evidence
        self._language = language
        self._given = find_measurements(evidence.question)

    def judge(self, claim: str) -> Judgement:
        """Judge one claim, read together with the question where it is short."""
        reply = read_reply(claim, self._evidence.question)
        nouns = self._language in _CAPITALISED_NOUNS
        facts = find_facts(reply.statement, ordinary=function_words(), capitalises_nouns=nouns)
        crossing = borne_out_across_languages(reply.statement, facts, self._evidence, self._language)
        if crossing is not None:
            return Judgement(Verdict.SUPPORTED, _ACROSS_LANGUAGES, crossing, _CROSSED)
        conditions = unmentioned_conditions(reply.statement, facts.measurements, self._evidence)
        light = words_of_conditions(reply.statement, conditions)
        alignment = self._evidence.align(reply.statement, facts.measurements, light=light)
        if alignment.window is None:
            return Judgement(Verdict.NOT_FOUND, 0.0, None, "None of its words is in the contexts.")
        given = Measurements() if reply.from_question else self._given
        objections = find_objections(
            reply.statement, facts, alignment, self._evidence, given=given, conditions=conditions
        )
        flip = self._opposition(reply, alignment)
        features = features_of(alignment, objections)
        judgement = self._verdict(reply, alignment, objections, flip, features)
        if judgement.verdict is Verdict.SUPPORTED:
            ambiguity = find_ambiguity(reply.statement, facts, alignment, self._evidence)
            if ambiguity is not None:
                return _ambiguous(ambiguity, judgement)
        return judgement

    def documents_supporting(self, claim: str, judgement: Judgement) -> frozenset[int]:
        """The documents that bear a supported claim out: that of the deciding passage, and others that say the same.

        Another document says the same when one sentence of it covers nearly as much and gives every figure.
        """
        if judgement.verdict is not Verdict.SUPPORTED or judgement.window is None:
            return frozenset()
        enough = _SAYS_THE_SAME * self._evidence.coverage_of(claim, judgement.window)
        figures = find_measurements(claim).all()
        supporting = {judgement.window.document}
        for number, document in enumerate(self._evidence.documents):
            sentence = self._evidence.best_sentence_of(number, claim)
            if sentence is None or self._evidence.coverage_of(claim, sentence) < enough:
                continue
            there = document.measurements_of(sentence.first, sentence.last).all()
            if all(any(agrees(figure, other) for other in there) for figure in figures):
                supporting.add(number)
        return frozenset(supporting)

    def _opposition(self, reply: Reply, alignment: Alignment) -> str | None:
        """Why the deciding passage says the opposite, as a clause; None where it does not, or isn't parallel enough."""
        parallel = alignment.coverage >= _SAME_BUT_ONE_WORD and alignment.order >= _SAME_ORDER
        if alignment.window is None or not (parallel or reply.from_question):
            return None
        window = self._evidence.main_sentence(reply.statement, alignment.window)
        document = self._evidence.documents[window.document]
        passage = Polarity(
            document.text,
            document.words_of(window.first, window.last),
            document.negations_of(window.first, window.last),
        )
        claim = read_polarity(reply.statement, find_negations(reply.statement, self._language))
        flip = opposed(claim, passage)
        if reply.denies:
            return None if flip is not None else "the answer is no, the passage says yes"
        if flip is None or not (flip.turned or reply.from_question or alignment.coverage >= _SAME_STATEMENT):
            return None
        return flip.reason

    def _on_topic(self, statement: str, conflict: Objection, alignment: Alignment) -> bool:
        """Whether the passage speaks of what the claim speaks of, the differing fact left out."""
        if alignment.window is None:
            return False
        rest = statement.replace(conflict.fact, " ")
        return self._evidence.coverage_of(rest, alignment.window) >= _ON_TOPIC

    def _verdict(
        self,
        reply: Reply,
        alignment: Alignment,
        objections: Sequence[Objection],
        flip: str | None,
        features: tuple[float, ...],
    ) -> Judgement:
        estimate = probability(features)
        conflict = next((o for o in objections if o.kind is ObjectionKind.CONFLICT), None)
        absent = next((o for o in objections if o.kind is ObjectionKind.ABSENT), None)
        against, unknown = min(estimate, _OBJECTED), min(estimate, _UNKNOWN)
        if conflict is not None and self._on_topic(reply.statement, conflict, alignment):
            return Judgement(Verdict.CONTRADICTED, against, alignment.window, conflict.reason, features=features)
        if flip is not None:
            reason = f"The passage says the opposite: {flip}."
            return Judgement(Verdict.CONTRADICTED, against, alignment.window, reason, features=features)
        if (objection := absent or conflict) is not None:
            return Judgement(Verdict.NOT_FOUND, unknown, alignment.window, objection.not_found, features=features)
        if alignment.new_coverage < _NOTHING_NEW < alignment.coverage:
            reason = "The contexts repeat words of the question, but not what the answer adds."
            return Judgement(Verdict.NOT_FOUND, unknown, alignment.window, reason, features=features)
        if estimate < SUPPORTED_FROM or alignment.new_coverage < _NOTHING_NEW:
            reason = f"Too little of it is in one passage; not found: {_listed(reply.statement, alignment.missing)}."
            return Judgement(Verdict.NOT_FOUND, estimate, alignment.window, reason, features=features)
        return Judgement(
            Verdict.SUPPORTED,
            estimate,
            alignment.window,
            "The passage says it in nearly the same words.",
            features=features,
        )


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
            probability=min(judgement.probability, _OBJECTED),
            window=ambiguity.window,
            reason=f"{reason}; the latter is what was asked for.",
        )
    return replace(
        judgement,
        verdict=Verdict.NOT_FOUND,
        probability=min(judgement.probability, _AMBIGUOUS),
        reason=f"{reason}; the answer does not say which case it means.",
        ambiguous=True,
    )
