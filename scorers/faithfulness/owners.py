"""Whose a figure of the passage is: "Basic costs 10 EUR, Pro costs 20 EUR" does not say that Basic costs 20 EUR."""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import islice, takewhile

from ragsonde.scorers.facts import Measured, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Evidence, Window
from ragsonde.scorers.faithfulness.words import is_content, match_strength, split_words

_ASIDE = re.compile(r"[,;:(（\[–—，；：、|](?!\d)")
_LEAD = 3
"""Words before a figure among which the one is that says what it is of."""
_AND = "and|or|und|oder|et|ou|y|o|e|i|ili|lub|и|или|та|або|en|och|og|ve|dan|atau|و|和|或"
_LISTED = re.compile(rf"\s*(?:[,、，–—-]|{_AND}|to|bis|до|do)\s*[0-9]+")
_TOLD_END = re.compile(rf"[,;:()，；：、。|\n0-9]|[.!?](?=\s|$)|[^\S\n](?:{_AND})\s")
_CLAUSE_END = re.compile(r"[,;，；、|\n](?!\d)|[.!?。！？](?=\s|$)")


class Owners:
    """Tells whose the figures of a passage are, in the words of one claim."""

    def __init__(
        self, claim: str, own: Sequence[Measured], near: Sequence[Measured], window: Window, evidence: Evidence
    ) -> None:
        self._claim = claim
        self._own = own
        self._near = near
        self._window = window
        self._evidence = evidence

    def rightful(self, fact: Measured, unclaimed: Sequence[Measured]) -> Measured | None:
        """The value that the passage gives to what the claim names, where it gives the claim's value to something else.

        "Basic costs 10 EUR, Pro costs 20 EUR" bears nothing out for "Basic costs 20 EUR": the clause of the other
        value holds all the words of the claim that the clause of the claim's value holds, and more.
        """
        if not isinstance(fact, Quantity):
            return None
        places = [other for other in self._near if agrees(fact, other)]
        if len(places) != 1:
            return None
        rivals = [r for r in unclaimed if isinstance(r, Quantity) and _comparable(r, fact)]
        if isinstance(places[0], Quantity):
            counted, rightful = self._by_what_follows(fact, places[0])
            if counted:
                return rightful
        if not rivals:
            return None
        own = self._clause_words(places[0])
        theirs = [(rival, self._clause_words(rival)) for rival in rivals]
        clause = next((rival for rival, words in theirs if own < words), None)
        if clause is not None or self._led_by_own_word(places[0]) is not False:
            return clause
        return next((rival for rival, words in theirs if own <= words and self._led_by_own_word(rival)), None)

    def _led_by_own_word(self, fact: Measured) -> bool | None:
        """Whether the claim has the content word that leads to a fact of the passage: "born in 1769, died in 1821".

        None where none stands close before the fact.
        """
        document = self._evidence.documents[self._window.document]
        start = document.sentences[document.sentence_at(fact.start)].start
        start = max((m.end() for m in _ASIDE.finditer(document.text, start, fact.start)), default=start)
        before = [word for word in split_words(document.text[start : fact.start]) if not word.key.isdigit()]
        leading = next((word.key for word in before[: -_LEAD - 1 : -1] if is_content(word.key)), None)
        return None if leading is None else any(match_strength(key, leading) for key in self._words)

    def _by_what_follows(self, fact: Quantity, place: Quantity) -> tuple[bool, Measured | None]:
        """Whether the words after the figures tell whose they are, and the passage's figure of what the claim counts.

        "3 doors and 12 windows" bears nothing out for "12 doors", nor "1 part bleach, 9 parts water" for "9 parts
        bleach".
        """
        # Where no unit says what is measured, the first word may be one: "parts", "cups".
        told = _told_after(fact, self._claim)[: 1 if fact.meanings else 2]
        if not told:
            return False, None
        own = self._shared(told, place)
        theirs = [
            (rival, self._shared(told, rival))
            for rival in self._near
            if rival is not place and isinstance(rival, Quantity) and _same_kind(rival, fact)
        ]
        rightful = next((r for r, shared in theirs if shared > own and not self._in_place(r, shared)), None)
        return rightful is not None or bool(own and all(shared < own for _, shared in theirs)), rightful

    def _shared(self, told: Sequence[str], place: Quantity) -> int:
        """How many of the words after a figure of the claim, from the first on, follow one of the passage as well."""
        document = self._evidence.documents[self._window.document]
        pairs = zip(told, _told_after(place, document.text), strict=False)
        return sum(
            1 for _ in takewhile(lambda pair: pair[1] in self._evidence.forms_of(pair[0], self._window.document), pairs)
        )

    def _in_place(self, rival: Quantity, shared: int) -> bool:
        """Whether the claim gives a figure of the passage to what the passage gives it to, or to nothing."""
        mine = [fact for fact in self._own if isinstance(fact, Quantity) and agrees(fact, rival)]
        told = (_told_after(fact, self._claim) for fact in mine)
        return any(not words or self._shared(words, rival) >= shared for words in told)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The claim's content words outside its facts."""
        return frozenset(
            word.key
            for word in split_words(self._claim)
            if is_content(word.key) and not any(f.start <= word.start and word.end <= f.end for f in self._own)
        )

    def _clause_words(self, fact: Measured) -> frozenset[str]:
        """The claim's content words outside its facts that stand in the clause of the passage around a fact."""
        document = self._evidence.documents[self._window.document]
        bounds = document.sentences[self._window.first].start, document.sentences[self._window.last].end
        start = max((m.end() for m in _CLAUSE_END.finditer(document.text, bounds[0], fact.start)), default=bounds[0])
        after = _CLAUSE_END.search(document.text, fact.end, bounds[1])
        end = after.start() if after else bounds[1]
        there = [word.key for word in split_words(document.text[start:end])]
        return frozenset(key for key in self._words if any(match_strength(key, word) for word in there))


def _comparable(one: Quantity, other: Quantity) -> bool:
    return bool(one.dimensions & other.dimensions) or (one.year is not None and other.year is not None)


def _same_kind(one: Quantity, other: Quantity) -> bool:
    """Whether both are bare numbers or measure the same dimension."""
    return bool(one.dimensions & other.dimensions) or not (one.meanings or other.meanings)


def _told_after(quantity: Quantity, text: str) -> list[str]:
    """The first content words after a number, folded, in its own clause: of "9 parts of water" both words."""
    start = quantity.end
    while not quantity.meanings and (listed := _LISTED.match(text, start)):  # "rooms 3, 4 and 5 are closed"
        start = listed.end()
    after = text[start : start + 60]
    end = _TOLD_END.search(after)
    words = (word.key for word in split_words(after[: end.start()] if end else after))
    return list(islice((key for key in words if is_content(key)), 2))
