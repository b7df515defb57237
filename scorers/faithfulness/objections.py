"""What speaks against a claim although its words are in the contexts: facts that differ or are nowhere to be found."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from ragsonde.scorers.facts import (
    Code,
    Date,
    Facts,
    Measured,
    Measurements,
    Quantity,
    TimeOfDay,
    agrees,
    beyond,
    same_amount,
)
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.identities import missing_identities
from ragsonde.scorers.faithfulness.owners import Owners
from ragsonde.scorers.faithfulness.pairs import differing_pair, may_hold_pair
from ragsonde.scorers.faithfulness.parallels import Mixed, value_elsewhere
from ragsonde.scorers.faithfulness.words import function_words, is_content, split_words


class ObjectionKind(StrEnum):
    """How a fact of the claim stands to the contexts."""

    CONFLICT = "conflict"
    """The passage gives another value where the claim gives this one."""
    ABSENT = "absent"
    """The fact is nowhere in the contexts."""
    DOUBTFUL = "doubtful"
    """It is nowhere in the contexts, but need not be: an ordinary capitalised word, a spelled number, a condition that
    narrows a general rule ("below 1.6 mm")."""


@dataclass(frozen=True, slots=True)
class Objection:
    """One fact of a claim that the contexts do not bear out."""

    kind: ObjectionKind
    fact: str
    """As the claim writes it."""
    found: str | None = None
    """What the passage says instead; only for a conflict."""

    @property
    def reason(self) -> str:
        """One sentence, for a passage that speaks of the same thing."""
        if self.found == self.fact:
            return f"The passage sets the opposite bound of “{self.fact}”."
        if self.found is not None:
            return f"“{self.fact}” is not what the contexts say; the passage says “{self.found}”."
        return self.not_found

    @property
    def not_found(self) -> str:
        """One sentence, where no passage speaks of the same thing."""
        return f"“{self.fact}” is not in the contexts."


_ASIDE = re.compile(r"[,;:(（\[–—，；：、|](?!\d)")
_LABEL = re.compile(r"\W*(?P<word>[^\W\d_]+)[ \u00a0]?(?P<number>[0-9]{1,2})[ \u00a0]?[:：.)、]\s?(?=\S)")
_EITHER_MARK = frozenset({"es", "id", "ms", "und"})
"""Languages that are written with decimal points in some countries and with commas in others."""
_SAME_LANGUAGE = 0.5
"""Coverage from which a claim is in the language of its passage."""
_DAY = 86_400
_MONTH = 30.44 * _DAY
_NAMED_PERIODS = (1 / 48, 1 / 24, 0.5, 1, 7, 14, 30, 91, 182, 365, 547, 3_652, 36_525)
"""Days of an hour, a fortnight, a quarter, half a year, a decade and the like."""
_NEARLY = 0.04
"""How far, relative to it, a period may lie from a named one: twelve months of 30 days from a year."""
_LEAD = 3
"""Words before a fact among which the one is that says what it is of."""


def find_objections(
    claim: str,
    facts: Facts,
    alignment: Alignment,
    evidence: Evidence,
    *,
    given: Measurements,
    conditions: Sequence[Quantity] = (),
) -> list[Objection]:
    """Hold every fact of a claim to the passage it was aligned to and to all contexts.

    ``given`` are the facts of the question: the claim may repeat them, unless the passage says otherwise.
    ``conditions`` are figures that only narrow a rule.
    """
    names = [
        Objection(ObjectionKind.ABSENT if identity.certain else ObjectionKind.DOUBTFUL, identity.text)
        for identity in missing_identities(claim, facts, alignment, evidence)
    ]
    measures = _Measures(claim, facts.measurements, alignment, evidence, given)
    return [*measures.objections(conditions), *names]


class _Measures:
    """Compares the measured facts of one claim with the contexts."""

    def __init__(
        self, claim: str, own: Measurements, alignment: Alignment, evidence: Evidence, given: Measurements
    ) -> None:
        self._claim = claim
        self._own = own.all()
        self._alignment = alignment
        self._evidence = evidence
        self._given = given.all()
        self._near = _measured_in(alignment.window, evidence) if self._own else ()
        self._beside = _measured_in(alignment.companion, evidence) if self._own else ()

    def objections(self, conditions: Sequence[Quantity]) -> Iterator[Objection]:
        unclaimed = [other for other in self._near if not any(self._claims(mine, other) for mine in self._own)]
        if (pair := self._other_pair()) is not None:
            yield pair
        window = self._alignment.window
        owners = Owners(self._claim, self._own, self._near, window, self._evidence) if window else None
        for fact in self._own:
            if fact.start == self._numbering:
                continue
            if any(self._agree(fact, other, self._alignment.window) for other in self._near):
                if owners and (rightful := owners.rightful(fact, unclaimed)) is not None:
                    yield from self._of_another(fact, rightful)
                continue
            if any(
                self._agree(fact, other, self._alignment.companion) for other in self._beside
            ) or self._said_elsewhere(fact):
                continue
            if self._lies_beyond(fact):
                continue
            rival = next(iter(self._rivals(fact, unclaimed)), None)
            if fact in conditions and not _same_limit(fact, rival):
                yield Objection(ObjectionKind.DOUBTFUL, fact.text.strip())
                continue
            if rival is not None:
                yield Objection(ObjectionKind.CONFLICT, fact.text.strip(), rival.text.strip())
            elif not any(agrees(fact, other) for other in self._given):
                yield Objection(ObjectionKind.DOUBTFUL if is_weak(fact) else ObjectionKind.ABSENT, fact.text.strip())

    def _of_another(self, fact: Measured, rightful: Measured) -> Iterator[Objection]:
        """That the passage gives a value to something else, unless clauses laid side by side show that it does not."""
        window = self._alignment.window
        found = window is not None and value_elsewhere(self._claim, self._own, fact, window, self._evidence)
        if found is not True:
            told = found.rightful if isinstance(found, Mixed) else rightful.text.strip()
            yield Objection(ObjectionKind.CONFLICT, fact.text.strip(), told)

    def _other_pair(self) -> Objection | None:
        """What the passage says of a ratio or a score that the claim gives otherwise."""
        window = self._alignment.window
        if window is None or not may_hold_pair(self._claim):
            return None
        document = self._evidence.documents[window.document]
        sentence = document.text[: document.sentences[window.last].end]
        pair = differing_pair(self._claim, self._own, sentence, self._near)
        return pair and Objection(ObjectionKind.CONFLICT, *pair)

    def _claims(self, mine: Measured, other: Measured) -> bool:
        """Whether a fact of the claim takes one of the passage up; "three tablets" don't "three times a day"."""
        if isinstance(mine, Quantity) and isinstance(other, Quantity) and not mine.meanings:
            return "times" not in other.dimensions and self._agree(mine, other, self._alignment.window)
        return self._agree(mine, other, self._alignment.window)

    def _agree(self, fact: Measured, other: Measured, window: Window | None) -> bool:
        return agrees(fact, other) and not (window and self._marked_otherwise(fact, other, window.document))

    def _marked_otherwise(self, fact: Measured, other: Measured, document: int) -> bool:
        """Whether "1.250" and "1,250" stand in one language, so that only one of them can be a thousand and more."""
        if not (isinstance(fact, Quantity) and isinstance(other, Quantity)):
            return False
        if len(fact.written) == 1 or len(other.written) == 1 or fact.mark == other.mark:
            return False
        same_language = self._alignment.coverage >= _SAME_LANGUAGE
        return same_language and self._evidence.documents[document].language not in _EITHER_MARK

    @cached_property
    def _numbering(self) -> int:
        """Where a number stands by which the answer counts its own parts ("Step 7: …"), or -1."""
        label = _LABEL.match(self._claim)
        if label is None or any(self._evidence.holds(word.key) for word in split_words(label["word"])):
            return -1
        return label.start("number")

    def _said_elsewhere(self, fact: Measured) -> bool:
        """Whether another sentence about the same thing gives the fact, or, for a code, any context does."""
        if isinstance(fact, Code) and self._code_known(fact):
            return True
        for number, other in self._evidence.giving(fact):
            if self._marked_otherwise(fact, other, number):
                continue
            index = self._evidence.documents[number].sentence_at(other.start)
            covered = self._evidence.coverage_of(self._claim, Window(number, index, index))
            if covered >= 0.5 * self._alignment.coverage:
                return True
        return False

    def _lies_beyond(self, fact: Measured) -> bool:
        """Whether the passage gives the claim's other facts beyond a figure: "free under 26; from that age 3 euros".

        The opposite bound of that figure is then what the passage means.
        """
        window, others = self._alignment.window, [other for other in self._own if other is not fact]
        if window is None or not others:
            return False
        document = self._evidence.documents[window.document]
        last = document.sentences[window.last].end
        for turn in self._near:
            if same_amount(fact, turn) and (after := beyond(document.text, turn.end, last)) is not None:
                there = [found for found in self._near if found.start >= after]
                return all(any(agrees(other, found) for found in there) for other in others)
        return False

    def _code_known(self, code: Code) -> bool:
        squashed = squash(code.key)
        texts = (squash(self._evidence.question.lower()), *(document.squashed for document in self._evidence.documents))
        return any(squashed in text for text in texts)

    def _rivals(self, own: Measured, others: Sequence[Measured]) -> Iterator[Measured]:
        """Facts of the passage that stand where the claim's stands and say something else."""
        for other in others:
            match own, other:
                case Quantity(), Quantity() | Date() if own.year is not None:
                    stands_for_it = bool(other.year if isinstance(other, Quantity) else other.years)
                case Quantity(), Quantity():
                    # What has the same value and does not agree has the opposite bound.
                    stands_for_it = same_amount(own, other) or self._measures_the_same(own, other)
                case Date(), Date():
                    stands_for_it = own.contradicts(other) or same_amount(own, other)
                case Code(), Code():
                    stands_for_it = _shape(own) == _shape(other) and "/" not in own.key
                case Quantity(), TimeOfDay():
                    stands_for_it = own.hour and own.bound == other.bound
                case _:
                    stands_for_it = type(own) is type(other)
            if stands_for_it:
                yield other

    def _measures_the_same(self, own: Quantity, other: Quantity) -> bool:
        """The same dimension, the same number of another unit, or a count of the same thing."""
        if own.meanings and other.meanings:
            return bool(own.dimensions & other.dimensions) or bool(set(own.values) & set(other.values))
        if own.meanings or other.meanings or other.year is not None or self._alignment.window is None:
            return False
        if own.factors != {1.0} and other.factors != {1.0}:
            return True
        document = self._alignment.window.document
        counted = _counted(own, self._claim)
        text = self._evidence.documents[document].text
        if counted and _counted(other, text) in self._evidence.forms_of(counted, document):
            return True
        return self._led_alike(own, other, document)

    def _led_alike(self, own: Quantity, other: Quantity, document: int) -> bool:
        """Whether the same words lead to two bare numbers: "leaves at 10" and "leaves at 11", "gate 5" and "gate 7"."""
        mine = _leading(self._claim[: own.start])
        theirs = _leading(self._evidence.documents[document].text[: other.start])
        if mine is None or theirs is None or mine[1:] != theirs[1:]:
            return False
        return theirs[0] in self._evidence.forms_of(mine[0], document)


def _same_limit(fact: Measured, rival: Measured | None) -> bool:
    """Whether the passage sets the very limit that a claim sets otherwise: "from 6 to 12" and "from 6 to 14"."""
    if isinstance(fact, Quantity) and isinstance(rival, TimeOfDay):
        return fact.hour and fact.bound == rival.bound
    if not (isinstance(fact, Quantity) and isinstance(rival, Quantity)):
        return False
    return bool(fact.bound and rival.bound and fact.dimensions & rival.dimensions)


def is_weak(fact: Measured) -> bool:
    """Whether the fact may be counted or numbered by the answer itself: a word, an ordinal, a small bare number.

    A period ("three weeks") is not, unless there is a word for it.
    """
    if isinstance(fact, TimeOfDay):
        return fact.in_words
    if not isinstance(fact, Quantity):
        return False
    small = not fact.meanings and fact.factors == {1.0} and fact.written[0] in range(13)
    return fact.ordinal or small or (fact.spelled and not _is_period(fact))


def _is_period(quantity: Quantity) -> bool:
    """Whether a number of days, months and the like has no word of its own, as a fortnight and a quarter have."""
    seconds = [
        value * scale * (_MONTH if dim == "months" else 1)
        for value in quantity.values
        if value > 1
        for dim, scale in quantity.meanings
        if dim in ("time", "months")
    ]
    named = (days * _DAY for days in _NAMED_PERIODS)
    return bool(seconds) and not any(abs(one - other) <= _NEARLY * other for other in named for one in seconds)


def _measured_in(window: Window | None, evidence: Evidence) -> Sequence[Measured]:
    if window is None:
        return ()
    return evidence.documents[window.document].measurements_of(window.first, window.last).all()


def _counted(quantity: Quantity, text: str) -> str:
    """The content word after a number ("5,000 employees", "3, 4 and 5 rooms"), folded; empty at the end of the text."""
    after = (word.key for word in split_words(text[quantity.end : quantity.end + 60]))
    told = (key for key in after if key not in function_words())
    return next((key for key in told if quantity.meanings or not key.isdigit()), "")


def _leading(text: str) -> list[str] | None:
    """The last words of a text, folded, from the last content word on; None where there is none close by."""
    near = _ASIDE.split(text[-60:])[-1]
    words = [word.key for word in split_words(near)][-_LEAD:]
    at = next((at for at in reversed(range(len(words))) if is_content(words[at])), None)
    return None if at is None else words[at:]


def squash(text: str) -> str:
    """A text without white space, hyphens and slashes, for comparing codes."""
    return re.sub(r"[\s\-_/]+", "", text)


def _shape(code: Code) -> str:
    return re.sub("[0-9]+", "0", squash(code.key))
