"""What is seen of a claim before anything is decided: where it lies on the contexts, and what speaks against it."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from ragsonde.scorers.detector.features import AnswerFeatures, ClaimFeatures
from ragsonde.scorers.detector.lexical import AnswerLexical, ContextIndex, Token, lexical_features
from ragsonde.scorers.detector.record_checks import NOTHING_FOUND, RecordCheck
from ragsonde.scorers.facts import (
    Facts,
    Measured,
    Measurements,
    agrees,
    bounds_explain_denial,
    find_facts,
    find_measurements,
)
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.conditions import unmentioned_conditions, words_of_conditions
from ragsonde.scorers.faithfulness.contraries import contraries, is_unspaced
from ragsonde.scorers.faithfulness.crossing import borne_out_across_languages
from ragsonde.scorers.faithfulness.equals import in_words_of
from ragsonde.scorers.faithfulness.objections import Objection, ObjectionKind, find_objections
from ragsonde.scorers.faithfulness.opposition import opposed, turns_what_is_new
from ragsonde.scorers.faithfulness.polarity import Polarity, read_polarity
from ragsonde.scorers.faithfulness.probability import features_of, probability
from ragsonde.scorers.faithfulness.replies import Reply, read_reply
from ragsonde.scorers.faithfulness.variants import canonical
from ragsonde.scorers.faithfulness.words import function_words, is_content, split_words
from ragsonde.scorers.text.language import CAPITALISED_NOUNS
from ragsonde.scorers.text.negation import find_negations

_SAME_STATEMENT, _SAME_BUT_ONE_WORD, _SAME_ORDER, _SAME_AROUND = 0.65, 0.5, 0.4, 0.75
"""Coverage and order from which a differing sign is a contradiction: only where claim and passage run parallel is it
clear what is negated. An opposite word is itself not covered, so there less is enough, or what stands around it."""


class Observation(NamedTuple):
    """One claim, held to the contexts."""

    reply: Reply
    facts: Facts
    alignment: Alignment
    objections: tuple[Objection, ...]
    flip: str | None
    """Why the deciding passage says the opposite, as a clause; None where it does not."""
    crossing: Window | None
    """The sentence in another language that bears the claim's figures out."""
    features: ClaimFeatures


class Observer:
    """Observes the claims of one text (an answer, a reference)."""

    def __init__(self, evidence: Evidence, language: str) -> None:
        self._evidence = evidence
        self._language = language
        documents = evidence.documents
        self._words = ContextIndex(documents)
        records = [document.record for document in documents if document.record is not None]
        self.records = RecordCheck(records, language) if records else None
        """Holds claims to the records among the contexts; None where there are none."""
        self._tokens: dict[str, list[Token]] = {}

    @cached_property
    def _given(self) -> Measurements:
        """The facts of the question."""
        return find_measurements(self._evidence.question)

    def observe(self, claim: str) -> Observation:
        """Observe one claim, read together with the question where it is short."""
        reply = read_reply(claim, self._evidence.question)
        statement = in_words_of(reply.statement, (document.text for document in self._evidence.documents))
        reply = reply._replace(statement=statement)
        nouns = self._language in CAPITALISED_NOUNS
        facts = find_facts(statement, ordinary=function_words(), capitalises_nouns=nouns)
        crossing = borne_out_across_languages(statement, facts, self._evidence, self._language)
        conditions = unmentioned_conditions(statement, facts.measurements, self._evidence)
        light = words_of_conditions(statement, conditions)
        alignment = self._evidence.align(statement, facts.measurements, light=light)
        objections: list[Objection] = []
        flip = None
        if alignment.window is not None:
            given = self._given if facts.measurements and not reply.from_question else Measurements()
            objections = find_objections(
                statement, facts, alignment, self._evidence, given=given, conditions=conditions
            )
            if (records := self.records) is not None:
                objections = [objection for objection in objections if not records.gives(objection.fact)]
            flip = self._opposition(reply, facts.measurements, alignment)
            objected = {objection.fact for objection in objections}
            settled = [fact for fact in facts.measurements.all() if fact.text.strip() not in objected]
            self._tokens[statement] = self._without_other_notation(statement, settled)
        features = self._features(statement, alignment, objections, flipped=flip is not None)
        return Observation(reply, facts, alignment, tuple(objections), flip, crossing, features)

    def whole(self, claims: Sequence[str]) -> AnswerFeatures:
        """What is seen of all claims as one text."""
        tokens = [token for claim in claims for token in self._tokens_of(claim)]
        return AnswerFeatures(
            lexical=AnswerLexical(tokens, self._words, self._evidence.asked),
            context_words=self._words.size,
            documents=len(self._evidence.documents),
            has_record=self.records is not None,
            question_words=len(split_words(self._evidence.question)),
        )

    def _without_other_notation(self, text: str, settled: Sequence[Measured]) -> list[Token]:
        """The words of a text, without those of a borne-out figure in another notation ("18:00" for "6 p.m.")."""
        tokens = tokens_of(text)
        if not settled:
            return tokens
        return [
            token
            for word, token in zip(split_words(text), tokens, strict=True)
            if not any(f.start <= word.start and word.end <= f.end for f in settled) or self._evidence.holds(word.key)
        ]

    def _tokens_of(self, text: str) -> list[Token]:
        tokens = self._tokens.get(text)
        if tokens is None:
            tokens = self._tokens[text] = tokens_of(text)
        return tokens

    def _features(
        self, statement: str, alignment: Alignment, objections: Sequence[Objection], *, flipped: bool
    ) -> ClaimFeatures:
        kinds = [objection.kind for objection in objections]
        aligned = (
            alignment.coverage,
            alignment.new_coverage,
            alignment.joint_coverage,
            alignment.order,
            float(len(alignment.missing)),
            float(kinds.count(ObjectionKind.CONFLICT)),
            float(kinds.count(ObjectionKind.ABSENT)),
            float(kinds.count(ObjectionKind.DOUBTFUL)),
            float(flipped),
            probability(features_of(alignment, objections)),
        )
        record = self.records.find(statement) if self.records is not None else NOTHING_FOUND
        lexical = lexical_features(self._tokens_of(statement), self._words, self._evidence.asked)
        return ClaimFeatures(aligned, lexical, record)

    def _opposition(self, reply: Reply, own: Measurements, alignment: Alignment) -> str | None:
        """Why the deciding passage says the opposite; None where it does not, or isn't parallel enough."""
        statement = reply.statement
        parallel = alignment.coverage >= _SAME_BUT_ONE_WORD and alignment.order >= _SAME_ORDER
        # In a short claim the opposite word alone breaks coverage and order: "prices rose" against "prices fell".
        one_new = len(alignment.missing) <= 1
        # Where no spaces are written, so does any word: signs are compared in pairs, and it takes part in several.
        unspaced = not statement.isascii() and is_unspaced(statement, 0, len(statement))
        if alignment.window is None or not (parallel or one_new or reply.from_question or unspaced):
            return None
        window = self._evidence.main_sentence(statement, alignment.window)
        document = self._evidence.documents[window.document]
        passage = self._polarity_of(window)
        # They share most words, so they are in one language, which the longer text shows more surely.
        claim = read_polarity(statement, find_negations(statement, lambda: document.language_or(self._language)))
        flip = opposed(claim, passage)
        if reply.denies:
            return None if flip is not None else "the answer is no, the passage says yes"
        if flip is None:
            return self._denied_beside(claim, own.all(), window, alignment)
        if flip.stated is None and own:
            near = document.measurements_of(window.first, window.last).all()
            if bounds_explain_denial(statement, own.all(), document.text, near):
                return None
        if flip.stated is not None:
            if self._said_beside(flip.stated, own, window, alignment):
                return None
            rest = statement.replace(flip.stated, " ")
            same = parallel or one_new or self._evidence.coverage_of(rest, window) >= _SAME_AROUND
        else:
            denying = {canonical(key) for key in claim.cue_keys}
            in_order = unspaced or (claim.cue_keys.isdisjoint(contraries()) and claim.runs_through(passage))
            all_there = in_order and denying.issuperset(alignment.missing)
            same = (parallel and alignment.coverage >= _SAME_STATEMENT) or all_there or claim.runs_like(passage)
            same = same or passage.denies_of_something(claim)
        return flip.reason if same or reply.from_question else None

    def _denied_beside(
        self, claim: Polarity, figures: Sequence[Measured], main: Window, alignment: Alignment
    ) -> str | None:
        """Another sentence that the claim was aligned to and that denies it; None where none does.

        That is, of something named before, of what the main sentence has no word of, or of figures that it lacks.
        """
        passage, figures_there = self._polarity_of(main), self._give(figures, main)
        for sentence in _beside(main, alignment):
            beside = self._polarity_of(sentence)
            new_figures = not figures_there and self._give(figures, sentence)
            if beside.denies_of_something(claim) or turns_what_is_new(beside, claim, passage, figures=new_figures):
                return f"“{beside.text}”"
        return None

    def _polarity_of(self, sentence: Window) -> Polarity:
        return self._evidence.documents[sentence.document].polarity_of(sentence.first, self._language)

    def _said_beside(self, word: str, own: Measurements, main: Window, alignment: Alignment) -> bool:
        """Whether another sentence that the claim was aligned to says a word of it, and not of other figures."""
        others = _beside(main, alignment)
        figures = own.all()
        if self._give(figures, main) and not any(self._give(figures, sentence) for sentence in others):
            return False
        near = (self._evidence.documents[sentence.document].sentences[sentence.first].text for sentence in others)
        return any(word.lower() in text.lower() for text in near)

    def _give(self, figures: Sequence[Measured], sentence: Window) -> bool:
        """Whether a sentence gives some of the claim's figures."""
        there = self._evidence.documents[sentence.document].measurements_of(sentence.first, sentence.last).all()
        return any(agrees(figure, other) for figure in figures for other in there)


def _beside(main: Window, alignment: Alignment) -> Sequence[Window]:
    """The other sentences that a claim was aligned to."""
    passage = alignment.window.sentences() if alignment.window is not None else ()
    companion = (alignment.companion,) if alignment.companion is not None else ()
    return [sentence for sentence in (*passage, *companion) if sentence != main]


def tokens_of(text: str) -> list[Token]:
    """The words of a text as the lexical features see them."""
    words = split_words(text)
    keys = [word.key for word in words]
    # The first word's capital says nothing.
    names = [False, *(text[word.start].isupper() for word in words[1:])]
    return list(map(_token, zip(keys, map(is_content, keys), names, strict=False)))


_token: Callable[[tuple[str, bool, bool]], Token] = partial(tuple.__new__, Token)
"""Makes a token of its parts without a call of Python's own."""
