"""What speaks against a claim although its words are in the contexts: facts that differ or are nowhere to be found."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from ragsonde.scorers.facts import Code, Date, Fact, Facts, Measurements, Name, Quantity, TimeOfDay, Weekday
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.words import function_words, split_words

_FactT = TypeVar("_FactT", bound=Fact)


class ObjectionKind(StrEnum):
    """How a fact of the claim stands to the contexts."""

    CONFLICT = "conflict"
    """The passage gives another value where the claim gives this one."""
    ABSENT = "absent"
    """The fact is nowhere in the contexts."""
    DOUBTFUL = "doubtful"
    """The fact is nowhere in the contexts, but it may be a paraphrase (an ordinary capitalised word, a spelled number)."""


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
        """One sentence."""
        if self.found is not None:
            return f"“{self.fact}” is not what the contexts say; the passage says “{self.found}”."
        return f"“{self.fact}” is not in the contexts."


class FactCheck:
    """Compares the facts of one claim with the passage it was aligned to and with all contexts."""

    def __init__(self, claim: str, facts: Facts, alignment: Alignment, evidence: Evidence, given: Measurements) -> None:
        self._claim = claim
        self._facts = facts
        self._evidence = evidence
        self._alignment = alignment
        self._given = given
        windows = [window for window in (alignment.window, alignment.companion) if window is not None]
        self._near = [
            evidence.documents[window.document].measurements_of(window.first, window.last) for window in windows[:1]
        ]
        self._companion = [
            evidence.documents[window.document].measurements_of(window.first, window.last) for window in windows[1:]
        ]

    def objections(self) -> list[Objection]:
        """All of them, in the order of kinds: quantities, dates, times, weekdays, codes, names."""
        own = self._facts.measurements
        found = [
            *self._check(own.quantities, lambda m: (*m.quantities, *m.dates), quantity_agrees, self._rivals_quantity),
            *self._check(own.dates, lambda m: (*m.dates, *m.quantities), date_agrees, self._rivals_date),
            *self._check(own.times, lambda m: m.times, time_agrees, _any_rival),
            *self._check(own.weekdays, lambda m: m.weekdays, weekday_agrees, _any_rival),
            *(o for code in own.codes if (o := self._check_code(code)) is not None),
            *(o for name in self._facts.names if (o := self._check_name(name)) is not None),
        ]
        return found

    def _check(
        self,
        own: Sequence[_FactT],
        pick: Callable[[Measurements], Sequence[Fact]],
        agrees: Callable[[_FactT, Fact], bool],
        rivals: Callable[[_FactT, Sequence[Fact]], Sequence[Fact]],
    ) -> Iterator[Objection]:
        near = [fact for measurements in self._near for fact in pick(measurements)]
        beside = [fact for measurements in self._companion for fact in pick(measurements)]
        given = pick(self._given)
        for fact in own:
            if any(agrees(fact, other) for other in (*near, *beside)):
                continue
            unclaimed = [other for other in near if not any(agrees(mine, other) for mine in own)]
            against = rivals(fact, unclaimed)
            if self._said_elsewhere(fact, pick, agrees):
                continue
            if against:
                yield Objection(ObjectionKind.CONFLICT, fact.text.strip(), against[0].text.strip())
            elif not any(agrees(fact, other) for other in given):
                weak = isinstance(fact, Quantity) and (fact.spelled or fact.ordinal)
                yield Objection(ObjectionKind.DOUBTFUL if weak else ObjectionKind.ABSENT, fact.text.strip())

    def _said_elsewhere(
        self, fact: _FactT, pick: Callable[[Measurements], Sequence[Fact]], agrees: Callable[[_FactT, Fact], bool]
    ) -> bool:
        """Whether another sentence that is about the same thing gives the fact."""
        for number, document in enumerate(self._evidence.documents):
            for other in pick(document.measurements):
                if agrees(fact, other):
                    sentence = document.sentence_at(other.start)
                    window = Window(number, sentence, sentence)
                    if self._evidence.coverage_of(self._claim, window) >= 0.5 * self._alignment.coverage:
                        return True
        return False

    def _rivals_quantity(self, own: Quantity, others: Sequence[Fact]) -> Sequence[Fact]:
        """Quantities of the passage that stand where the claim's stands: the same unit, or the same word after it."""
        if own.year is not None:
            years = [o for o in others if (isinstance(o, Quantity) and o.year) or (isinstance(o, Date) and o.years)]
            if years:
                return years
        quantities = [other for other in others if isinstance(other, Quantity)]
        if own.meanings:
            return [q for q in quantities if q.dimensions & own.dimensions or self._same_number_other_unit(own, q)]
        counted = self._counted(own, self._claim)
        return [q for q in quantities if not q.meanings and q.year is None and self._counts_the_same(q, counted, own)]

    @staticmethod
    def _same_number_other_unit(own: Quantity, other: Quantity) -> bool:
        return bool(other.meanings) and any(left == right for left in own.values for right in other.values)

    @staticmethod
    def _counted(quantity: Quantity, text: str) -> str:
        """The content word after a number ("5,000 employees"), folded; empty at the end of the text."""
        after = (w.key for w in split_words(text[quantity.end : quantity.end + 60]))
        return next((key for key in after if key not in function_words()), "")

    def _counts_the_same(self, other: Quantity, counted: str, own: Quantity) -> bool:
        if own.factors != {1.0} and other.factors != {1.0}:
            return True
        window = self._alignment.window
        if window is None or not counted:
            return False
        document = self._evidence.documents[window.document]
        return self._counted(other, document.text) in self._evidence.forms_of(counted, window.document)

    @staticmethod
    def _rivals_date(own: Date, others: Sequence[Fact]) -> Sequence[Fact]:
        return [other for other in others if isinstance(other, Date) and own.contradicts(other)]

    def _check_code(self, code: Code) -> Objection | None:
        squashed = _squash(code.key)
        if squashed in _squash(self._evidence.question.lower()):
            return None
        if any(squashed in document.squashed for document in self._evidence.documents):
            return None
        shape = re.sub("[0-9]+", "0", squashed)
        rival = next(
            (other for near in self._near for other in near.codes if re.sub("[0-9]+", "0", _squash(other.key)) == shape),
            None,
        )
        kind = ObjectionKind.CONFLICT if rival and not code.key.startswith("http") else ObjectionKind.ABSENT
        return Objection(kind, code.text, rival.text if rival and kind is ObjectionKind.CONFLICT else None)

    def _check_name(self, name: Name) -> Objection | None:
        if len(name.words) == 1 and not name.words[0].isascii() and name.text[0] in "《「『【":
            there = any(name.words[0] in document.squashed for document in self._evidence.documents)
            return None if there or name.words[0] in self._evidence.question else _absent(name)
        missing = [word for word in name.words if not self._known(word)]
        if not missing or (len(missing) < len(name.words) and missing[-1] != name.words[-1]):
            return None
        if len(missing) == len(name.words) == 1 and self._is_initials(name.text):
            return None
        return _absent(name)

    def _known(self, word: str) -> bool:
        keys = [piece.key for piece in split_words(word) if len(piece.key) > 1]
        return all(self._evidence.holds(key) or self._evidence.asked(key) for key in keys)

    def _is_initials(self, acronym: str) -> bool:
        """Whether the contexts spell the acronym out: "World Health Organization" for WHO."""
        letters = [re.escape(letter) for letter in acronym if letter.isalpha()]
        if not 2 <= len(letters) <= 8 or not acronym.isupper():
            return False
        spelled = re.compile(r"\b" + r"[^\W\d_]*[\s-]+(?:(?:of|the|and|for|de|des|der|und|i|и)\s+)*".join(letters), re.IGNORECASE)
        return any(spelled.search(document.text) for document in self._evidence.documents)


def _absent(name: Name) -> Objection:
    return Objection(ObjectionKind.ABSENT if name.certain else ObjectionKind.DOUBTFUL, name.text)


def _squash(text: str) -> str:
    return re.sub(r"[\s\-_/]+", "", text)


def _any_rival(_own: Fact, others: Sequence[Fact]) -> Sequence[Fact]:
    return others


def quantity_agrees(own: Quantity, other: Fact) -> bool:
    """Whether a quantity or a date bears the claim's quantity out; a date bears out its year."""
    if isinstance(other, Date):
        return own.year is not None and own.year in other.years
    return isinstance(other, Quantity) and own.agrees_with(other)


def date_agrees(own: Date, other: Fact) -> bool:
    """Whether a date gives all that the claim's date gives, or a lone year all of a claim that is only a year."""
    if isinstance(other, Quantity):
        return other.year is not None and (other.year, None, None) in own.readings
    return isinstance(other, Date) and own.agrees_with(other)


def time_agrees(own: TimeOfDay, other: Fact) -> bool:
    """Whether two times of day can be the same."""
    return isinstance(other, TimeOfDay) and bool(own.minutes & other.minutes)


def weekday_agrees(own: Weekday, other: Fact) -> bool:
    """Whether two weekdays are the same, in whatever language."""
    return isinstance(other, Weekday) and own.number == other.number
