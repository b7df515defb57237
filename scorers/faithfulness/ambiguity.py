"""Contexts that give different values for different cases, and a claim that does not say which case it speaks of."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Fact, Facts, Measured, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.words import Word, is_content, match_strength, split_words

_LOOKED_AT = 8
"""Other sentences compared, best first."""
_ALIKE = 0.6
"""Share of the longer sentence's words that the other must hold, to be a statement about the same thing."""
_QUALIFIERS, _QUALIFIERS_NEARBY = 4, 2
"""Words at most by which each of the two sentences differs from the other: more, and it speaks of something else.
Within one document fewer: a weather report has many sentences that are alike."""
_STILL_COVERED = 0.85
"""Share of what one sentence covers of the claim, its figure aside, that the other must cover too."""


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """Another sentence of the contexts gives another value for the same thing."""

    stated: str
    """The value that the claim gives."""
    other: str
    """The value that the other sentence gives."""
    window: Window
    """That other sentence."""
    here: tuple[str, ...]
    """Words, as written, that qualify the value the claim gives (a region, a plan)."""
    there: tuple[str, ...]
    """Words that qualify the other value."""
    asked_there: bool
    """The claim or the question names the other case and not this one: the claim gives the wrong case's value."""


def find_ambiguity(
    claim: str, facts: Facts, alignment: Alignment, evidence: Evidence, stated: Sequence[Measured] = ()
) -> Ambiguity | None:
    """Whether the contexts give another value for another case, and neither claim nor question says which is meant.

    ``stated`` are all facts of the answer: one that gives the other value too hides no case.
    """
    window = alignment.window
    if window is None or not facts.measurements.quantities:
        return None
    for quantity in facts.measurements.quantities:
        here = _sentence_with(quantity, window, evidence) if quantity.meanings else None
        if here is None:
            continue
        for there, rival in _rivals(quantity, [*facts.measurements.quantities, *stated], here, claim, evidence):
            rest = claim[: quantity.start] + claim[quantity.end :]
            if evidence.coverage_of(rest, there) < _STILL_COVERED * evidence.coverage_of(rest, here):
                continue
            said = {word.key for word in split_words(f"{claim}\n{evidence.question}")}
            found = _compare(quantity, rival, here, there, said, evidence)
            if found is not None:
                return found
    return None


def _sentence_with(quantity: Quantity, window: Window, evidence: Evidence) -> Window | None:
    document = evidence.documents[window.document]
    for index in range(window.first, window.last + 1):
        if any(agrees(quantity, other) for other in document.measurements_of(index, index).quantities):
            return Window(window.document, index, index)
    return None


def _rivals(
    quantity: Quantity, stated: Sequence[Measured], here: Window, claim: str, evidence: Evidence
) -> Sequence[tuple[Window, Quantity]]:
    """Sentences on the topic that give another value of the same dimension, and none of those stated."""
    keys = dict.fromkeys(word.key for word in split_words(claim) if is_content(word.key))
    found = []
    for there in evidence.best_sentences(keys, _LOOKED_AT):
        if there == here:
            continue
        others = evidence.documents[there.document].measurements_of(there.first, there.last).quantities
        if any(agrees(quantity, other) for other in others):
            continue
        rival = next((other for other in others if other.dimensions & quantity.dimensions), None)
        if rival is not None and not any(agrees(own, rival) for own in stated):
            found.append((there, rival))
    return found


def _compare(
    stated: Quantity, rival: Fact, here: Window, there: Window, said: set[str], evidence: Evidence
) -> Ambiguity | None:
    left, right = _content(here, evidence, stated), _content(there, evidence, rival)
    only_left, only_right = _without(left, right), _without(right, left)
    if len(left) == len(only_left) or not _alike(here, there, stated, rival, evidence):
        return None
    allowed = _QUALIFIERS if here.document != there.document else _QUALIFIERS_NEARBY
    if max(len(only_left), len(only_right)) > allowed:
        return None
    if not only_left and not only_right:
        only_left = _without(_content(_before(here), evidence, None), _content(_before(there), evidence, None))
        only_right = _without(_content(_before(there), evidence, None), _content(_before(here), evidence, None))
    if any(match_strength(word.key, key) for word in only_left for key in said):
        return None
    asked_there = any(match_strength(word.key, key) for word in only_right for key in said)
    return Ambiguity(
        stated.text.strip(),
        rival.text.strip(),
        there,
        _written(only_left, here, evidence),
        _written(only_right, there, evidence),
        asked_there,
    )


def _alike(here: Window, there: Window, stated: Fact, rival: Fact, evidence: Evidence) -> bool:
    """Whether two sentences share most of their words, grammar included, so that they are the same statement."""
    left, right = _words(here, evidence, stated), _words(there, evidence, rival)
    shared = len(left) - len(_without(left, right))
    return shared > 1 and shared >= _ALIKE * max(len(left), len(right))


def _before(window: Window) -> Window:
    """A sentence with the one before it, where a heading may name the case."""
    return Window(window.document, max(0, window.first - 1), window.last)


def _content(window: Window, evidence: Evidence, without: Fact | None) -> list[Word]:
    """The different content words of a window, names that spell a word of grammar ("Pro") among them."""
    text = evidence.documents[window.document].text
    words = _words(window, evidence, without)
    return [word for word in words if is_content(word.key) or (word is not words[0] and text[word.start].isupper())]


def _words(window: Window, evidence: Evidence, without: Fact | None) -> list[Word]:
    """The different words of a window, digits and the words of one fact left out."""
    dropped = {word.key for word in split_words(without.text)} if without is not None else set()
    words: dict[str, Word] = {}
    for word in evidence.documents[window.document].words_of(window.first, window.last):
        if not word.key.isdigit() and word.key not in dropped:
            words.setdefault(word.key, word)
    return list(words.values())


def _without(words: Sequence[Word], others: Sequence[Word]) -> list[Word]:
    return [word for word in words if not any(match_strength(word.key, other.key) for other in others)]


def _written(words: Sequence[Word], window: Window, evidence: Evidence) -> tuple[str, ...]:
    """Qualifiers as written, capitalised ones first, three at most."""
    text = evidence.documents[window.document].text
    written = [text[word.start : word.end] for word in words]
    return tuple(sorted(written, key=lambda word: not word[0].isupper())[:3])
