"""Whether the quotes that a judge gives as proof of a claim bear on it: by its words and by its numbers.

What is checked here is necessary, not sufficient: a judge reads, this only keeps it from pointing at nothing. Where
claim and source are of one language, what is quoted must share a word with the claim; in any language, it must hold the
claim's numbers, or numbers that bear them out.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import regex

from ragsonde.scorers.facts import Date, Measurements, Quantity, TimeOfDay, agrees, find_measurements
from ragsonde.scorers.faithfulness.words import WordForms, is_content, keys_of
from ragsonde.scorers.text.language import UNDETERMINED, detect_language, language_family, scripts_of

_STOP_BEFORE = regex.compile(r"(?r)[.!?](?=\s)|[。！？।\n]")
_STOP_AFTER = regex.compile(r"[.!?](?=\s|$)|[。！？।\n]")
_CELL_START = regex.compile(r"(?:^|[|\t\n;:：•*-])\s*$")
_CELL_END = regex.compile(r"\s*(?:$|[|\t\n;])")
_HEADING = regex.compile(r"^\s*#{1,6}\s.*$|^[^\n.!?。！？]{1,120}$", regex.MULTILINE)
_NUMBERING = regex.compile(
    r"^\W*(?:\p{L}+\s)?\p{Nd}{1,2}[:.)]\s|[(\[【](?:\p{L}+\s)?\p{Nd}{1,2}(?:\s*[,;]\s*\p{Nd}{1,2})*[)\]】]"
)
"""What counts steps and passages rather than things: "Step 2:", "(passage 3)", "[1]"."""
_FAR_SCRIPTS = frozenset({"Latin", "Han"})
_REACH = 600
_EXACT = 1e-9
_SMALL = 20
"""Numbers up to this one may be counts that a judge made: of list items, of days in a list."""
_MAX_ASKED = 120
"""Numbers up to this one that a user brings may be an age or a number of people, of which the source gives a limit."""


@dataclass(frozen=True)
class Passage:
    """A quote where it stands in a source; both as the judge saw them."""

    source: str
    start: int
    end: int

    @property
    def quote(self) -> str:
        """The quote as the source has it."""
        return self.source[self.start : self.end]

    @cached_property
    def around(self) -> str:
        """The sentence, line or table row that the quote stands in."""
        before = _STOP_BEFORE.search(self.source, max(0, self.start - _REACH), self.start)
        after = _STOP_AFTER.search(self.source, max(self.start, self.end - 1), self.end + _REACH)
        return self.source[before.end() if before else max(0, self.start - _REACH) : after.end() if after else None]

    @property
    def says_something(self) -> bool:
        """Whether the quote holds a word of content, or is a table cell or list item, which may be "no" or "–"."""
        if any(is_content(key) for key in keys_of(self.quote)):
            return True
        before, after = self.source[max(0, self.start - 3) : self.start], self.source[self.end : self.end + 3]
        return bool(_CELL_START.search(before) and _CELL_END.match(after))


def lacking(claim: str, passages: Sequence[Passage], *, language: str, question: str) -> str | None:
    """What the passages lack to bear on the claim, in words; None where they do.

    Args:
        claim: the statement they are to prove.
        passages: quotes that were found; at least one.
        language: of the answer, for claims too short to tell theirs.
        question: what the user asked: numbers in it need no proof of their own.
    """
    if not _share_a_word(claim, passages, language):
        return "the quote given as proof says nothing of what is claimed"
    number = _number_nowhere(claim, passages, question)
    return None if number is None else f"the quote given as proof does not bear out {number!r}"


def _share_a_word(claim: str, passages: Sequence[Passage], language: str) -> bool:
    wanted = [key for key in keys_of(claim) if is_content(key)]
    languages = {language_family(code) for code in (language, detect_language(claim))} - {UNDETERMINED}
    if not wanted or not all(_may_be_read(passage.source, claim, languages) for passage in passages):
        return True
    forms = WordForms(key for passage in passages for key in keys_of(passage.around))
    return any(forms.holds(key) for key in wanted)


def _may_be_read(source: str, claim: str, languages: Set[str]) -> bool:
    """Whether a source is in a language of the claim, or in one whose alphabet makes a neighbour of it.

    Few words do not tell Russian from Bulgarian, and these share words enough; Latin letters and Han signs make no
    neighbours.
    """
    if language_family(detect_language(source)) in languages:
        return True
    return bool((scripts_of(source) & scripts_of(claim)) - _FAR_SCRIPTS)


# Numbers ----------------------------------------------------------------------------------------------------


def _number_nowhere(claim: str, passages: Sequence[Passage], question: str) -> str | None:
    """A number of the claim that neither the passages nor what stands over them bear out; None where there is none."""
    stated = find_measurements(_NUMBERING.sub(" ", claim))
    if not stated:
        return None
    proof = _Proof(passages, find_measurements(question))
    dates = (date for date in stated.dates if not proof.bears_out_date(date))
    quantities = (quantity for quantity in stated.quantities if not proof.bears_out(quantity))
    times = (time for time in stated.times if proof.has_another_time(time))
    return next((fact.text for facts in (dates, quantities, times) for fact in facts), None)


class _Proof:
    """The numbers of the quoted sentences, and where else a claim may have its own from."""

    def __init__(self, passages: Sequence[Passage], asked: Measurements) -> None:
        self._facts: Measurements = find_measurements("\n".join(dict.fromkeys(passage.around for passage in passages)))
        self._sources = tuple(dict.fromkeys(passage.source for passage in passages))
        self._asked = asked

    def bears_out_date(self, date: Date) -> bool:
        if any(agrees(date, other) for other in self._facts.like(date)):
            return True
        rivals = self._facts.dates or any(quantity.year is not None for quantity in self._facts.quantities)
        return not rivals and any(agrees(date, other) for other in self._elsewhere.dates)

    def bears_out(self, own: Quantity) -> bool:
        others = self._facts.quantities
        if _is_article(own) or any(agrees(own, other) for other in self._facts.like(own)):
            return True
        if any(_within(own, other) for other in others) or _is_between(own, others) or _is_worked_out(own, others):
            return True
        if own.year is not None:
            rivals = self._facts.dates or any(other.year is not None for other in others)
            return not rivals and any(agrees(own, other) for other in self._elsewhere.like(own))
        if any(own.dimensions & other.dimensions for other in others):
            return False
        if any(agrees(own, other) for other in self._headings.quantities):
            return True
        if "time" in own.dimensions and len(self._facts.times) > 1:  # from 9:00 to 17:00 are 8 hours
            return True
        is_bare = any(not other.meanings and other.year is None for other in others)
        is_asked = any(agrees(own, other) for other in self._asked.quantities)
        return (is_asked and (not is_bare or own.values[0] <= _MAX_ASKED)) or (not is_bare and _may_be_a_count(own))

    def has_another_time(self, own: TimeOfDay) -> bool:
        """Whether the passages give one time, and a different one; of several, the claim may lie between."""
        times = self._facts.times
        return len(times) == 1 and not agrees(own, times[0])

    @cached_property
    def _elsewhere(self) -> Measurements:
        texts = [source for source in self._sources if len(source) <= 20 * _REACH]
        found = find_measurements("\n".join(texts))
        return Measurements(
            quantities=(*found.quantities, *self._asked.quantities), dates=(*found.dates, *self._asked.dates)
        )

    @cached_property
    def _headings(self) -> Measurements:
        lines = (line[0] for source in self._sources for line in _HEADING.finditer(source[: 20 * _REACH]))
        return find_measurements("\n".join(lines))


def _within(own: Quantity, other: Quantity) -> bool:
    """Whether an amount keeps a bound that the passage sets: a child of 5 is "under 6"."""
    if not other.bound or not (own.dimensions & other.dimensions or not own.meanings or not other.meanings):
        return False
    least, most = _scaled(own), _scaled(other)
    return least <= most if other.bound == "max" else least >= most


def _is_between(own: Quantity, others: Sequence[Quantity]) -> bool:
    """Whether an amount lies in a range of the passage: two amounts of its kind side by side."""
    alike = [_scaled(other) for other in others if other.dimensions & own.dimensions or not own.meanings]
    return any(low < _scaled(own) < high for low, high in pairwise(alike))


def _is_worked_out(own: Quantity, others: Sequence[Quantity]) -> bool:
    """Whether an amount is the sum or difference of two of the passage, or the sum of all."""
    amounts = [other for other in others if other.year is None]
    values, wanted = [_scaled(other) for other in amounts], _scaled(own)
    if not any(other.meanings for other in amounts):  # "from 9 to 17" are 8 hours
        wanted = own.values[0]
    pairs = [(one, other) for at, one in enumerate(values) for other in values[at + 1 :]]
    results = [result for one, other in pairs for result in (one + other, abs(one - other))]
    return any(abs(wanted - result) <= _EXACT * max(1.0, abs(wanted)) for result in (*results, sum(values)))


def _may_be_a_count(own: Quantity) -> bool:
    value = own.values[0]
    return value.is_integer() and 0 <= value <= _SMALL and not own.dimensions


def _is_article(own: Quantity) -> bool:
    """ "One of the doors", "once": a word of grammar more often than a number."""
    return own.spelled and own.values[0] == 1


def _scaled(quantity: Quantity) -> float:
    scale = next(iter(quantity.meanings))[1] if len(quantity.meanings) == 1 else 1.0
    return quantity.values[0] * scale
