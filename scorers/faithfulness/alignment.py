"""Where in the contexts a claim would be said, and how much of the claim is said there.

Every sentence of every context is looked at, through an index of words, so that neither the length of a context nor its
place in the list changes what is found.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from ragsonde.scorers.facts import Measured, Measurements
from ragsonde.scorers.facts.agreement import agrees
from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.order import share_in_order
from ragsonde.scorers.faithfulness.windows import (
    Hits,
    Weighted,
    best_places,
    best_window,
    companion,
    covered,
    said,
    scores_of,
    strongest,
)
from ragsonde.scorers.faithfulness.words import Word, WordForms, is_content, prior_weight, split_words

_GIVEN = 0.35
"""What is left of the weight of a claim's word that the question said already."""
NOTHING_MEASURED = Measurements()
_NOWHERE: Hits = {}
_SHORT = 5
"""Claims of fewer content words are read together with the question."""


class Window(NamedTuple):
    """Neighbouring sentences of one document, ``first`` to ``last`` included."""

    document: int
    first: int
    last: int

    def sentences(self) -> "list[Window]":
        """Each of its sentences by itself."""
        return [Window(self.document, at, at) for at in range(self.first, self.last + 1)]


class Alignment(NamedTuple):
    """How a claim lies on the contexts. Shares are of the summed weights of the claim's content words, 0 to 1."""

    window: Window | None
    """The passage that covers the claim best; None where no content word of the claim stands in any context."""
    coverage: float
    """Share said in the window."""
    new_coverage: float
    """The same, counting only words that the question had not said; ``coverage`` where there are none."""
    joint_coverage: float
    """Share said in the window and the one further sentence, of any document, that adds most."""
    companion: Window | None
    """That further sentence; None where none adds anything."""
    order: float
    """Share of neighbouring words of the claim that are neighbours in the window, in the same order."""
    missing: tuple[str, ...]
    """Content words of the claim (folded) that stand neither in the window nor in the companion."""


class Evidence:
    """The contexts of one interaction, indexed for alignment, and the question they were retrieved for."""

    def __init__(self, documents: Sequence[AnalysedText], question: str = "") -> None:
        self.documents = tuple(documents)
        self.question = question
        self._offsets = [0]
        for document in self.documents:
            self._offsets.append(self._offsets[-1] + len(document.sentences))
        self._numbered = list(zip(self._offsets, self.documents, strict=False))
        """Each document with how many sentences stand before it."""
        self._numbers = [number for number, document in enumerate(self.documents) for _ in document.sentences]
        """The document of each sentence."""
        self._known: dict[str, _Known] = {}
        self._shares: dict[int, float] = {}
        """What is left of the weight of a word by how many sentences hold it."""
        self._claims: dict[str, _Weighed] = {}
        self._given: dict[Measured, Sequence[tuple[int, Measured]]] = {}
        self._mains: dict[tuple[str, Window], Window] = {}
        self._rarest = math.log(1 + self._offsets[-1])
        self._question_keys = tuple(dict.fromkeys(w.key for w in split_words(question) if is_content(w.key)))
        self._question_forms = WordForms(self._question_keys)

    @property
    def has_text(self) -> bool:
        """Whether any context holds a sentence."""
        return self._offsets[-1] > 0

    def holds(self, key: str) -> float:
        """The strongest match of a word anywhere in the contexts."""
        return (self._known.get(key) or self._look_up(key)).strongest

    def asked(self, key: str) -> bool:
        """Whether the question holds the word or a form of it."""
        return (self._known.get(key) or self._look_up(key)).asked

    def _known_of(self, keys: Iterable[str]) -> "list[_Known]":
        """What contexts and question have of some words."""
        known = self._known
        return [known.get(key) or self._look_up(key) for key in keys]

    def _look_up(self, key: str) -> "_Known":
        """What they have of a word, which is kept: its sentences are numbered through all documents."""
        hits: Hits = _NOWHERE
        strongest = 0.0
        for offset, document in self._numbered:
            _, there, best = document.held(key)
            if there:
                strongest = max(strongest, best)
                found = {offset + place: strength for place, strength in there.items()} if offset else there
                hits = {**hits, **found} if hits else found
        known = _known((self._weight(key, len(hits)), hits, self._question_forms.holds(key), strongest))
        self._known[key] = known
        return known

    def _weight(self, key: str, held: int) -> float:
        """The prior weight of a word, less where most sentences hold it."""
        share = self._shares.get(held)
        if share is None:
            sentences = self._offsets[-1]
            rarity = math.log(1 + sentences / held) / self._rarest if held and sentences > 1 else 1.0
            share = self._shares[held] = 0.4 + 0.6 * rarity
        return prior_weight(key) * share

    def forms_of(self, key: str, document: int) -> Mapping[str, float]:
        """The words of a document that may be forms of ``key``, with the strength of the match."""
        return self.documents[document].held(key).forms

    def giving(self, fact: Measured) -> Sequence[tuple[int, Measured]]:
        """The facts of the contexts that bear a fact out, each with the number of its document."""
        found = self._given.get(fact)
        if found is None:
            found = self._given[fact] = [
                (number, other)
                for number, document in enumerate(self.documents)
                for other in document.measurements.like(fact)
                if agrees(fact, other)
            ]
        return found

    def align(
        self, claim: str, measured: Measurements = NOTHING_MEASURED, *, light: frozenset[str] = frozenset()
    ) -> Alignment:
        """Align a claim with the contexts; ``measured`` are the claim's own figures, dates and times.

        The words of a measured fact count as said wherever the contexts give the fact, in whatever notation and unit,
        and its digits nowhere else: "30" in "30 km" bears nothing out for "30 days". Words in ``light`` (folded) weigh
        as little as those that the question said.
        """
        words = split_words(claim)
        sequence = [word.key for word in words]
        content = list(filter(is_content, dict.fromkeys(sequence))) or list(dict.fromkeys(sequence))
        found = self._known_of(content)
        if content and is_content(content[0]) and claim not in self._claims:
            self._claims[claim] = _with_total([(each.weight, each.hits) for each in found])
        known = dict(zip(content, found, strict=True))
        for key, hits in self._moved(words, measured).items() if measured else ():
            if key in known:
                known[key] = known[key]._replace(weight=self._weight(key, len(hits)), hits=hits)
        new = [key for key, each in known.items() if not (each.asked or key in light)]
        if not new:
            weights = [each.weight for each in known.values()]
        else:
            weights = [
                each.weight * _GIVEN if each.asked or key in light else each.weight for key, each in known.items()
            ]
        return self._placed(sequence, known, weights, new)

    def _moved(self, words: Sequence[Word], measured: Measurements) -> Mapping[str, Hits]:
        """The sentences of the words of measured facts: those that give the facts."""
        moved: dict[str, Hits] = {}
        for fact in measured.all():
            own = [word.key for word in words if fact.start <= word.start and word.end <= fact.end]
            places = (
                {
                    self._offsets[number] + self.documents[number].sentence_at(other.start): 1.0
                    for number, other in self.giving(fact)
                }
                if own
                else {}
            )
            for key in own:
                moved[key] = places if key.isdigit() else {**self._known_of((key,))[0].hits, **places}
        return moved

    @cached_property
    def _question(self) -> Sequence[tuple[str, float, Hits]]:
        """The content words of the question, with their prior weights and the sentences that hold them."""
        known = self._known_of(self._question_keys)
        return [(key, prior_weight(key), each.hits) for key, each in zip(self._question_keys, known, strict=True)]

    def _placed(
        self, sequence: Sequence[str], known: Mapping[str, "_Known"], weights: Sequence[float], new: Sequence[str]
    ) -> Alignment:
        total = sum(weights) or 1.0
        pull = (0.5 if len(weights) < _SHORT else 0.1) * total / max(1, len(self._question_keys))
        words = [(pull * prior, hits) for key, prior, hits in self._question if key not in known]
        pulls = [weight for weight, _ in words]
        words += [(weight, each.hits) for each, weight in zip(known.values(), weights, strict=True)]
        best = best_window([word for word in words if word[1]], sum([*pulls, *weights]) or 1.0, self._offsets)
        if best is None:
            return Alignment(None, 0, 0, 0, None, 0, tuple(known))
        parts = {
            key: (weight, hits, strongest(hits, best))
            for key, (weight, hits) in zip(known, words[len(pulls) :], strict=True)
        }
        new_parts = [parts[key] for key in new]
        telling = new_parts or parts.values()
        beside, added = companion(best, parts.values(), telling, self._offsets)
        window = self._window_at(best[0], best[-1])
        coverage = said(parts.values()) / total
        new_total = sum([weight for weight, _, _ in new_parts])
        # Words of which not even a form stands in the window; those of measured facts were moved.
        absent = {key for key, (_, hits, strength) in parts.items() if not strength and hits is self._known[key].hits}
        return Alignment(
            window,
            coverage,
            said(new_parts) / new_total if new_total else coverage,
            min(1.0, coverage + added / total),
            self._window_at(beside) if beside is not None else None,
            share_in_order(sequence, self.documents[window.document], window.first, window.last, absent),
            tuple([key for key, (_, hits, strength) in parts.items() if not (strength or beside in hits)]),
        )

    def best_sentences_of(self, claim: str) -> Mapping[int, Window]:
        """For each document that holds a word of a claim, by its number, the sentence that covers most; the first."""
        scores = scores_of(self._weighed(claim).words)
        best: dict[int, int] = {}
        for place in sorted(scores):
            number = self._document_of(place)
            if number not in best or scores[place] > scores[best[number]]:
                best[number] = place
        return {number: self._window_at(place) for number, place in best.items()}

    def places_of(self, window: Window) -> range:
        """The sentences of a window, numbered through all documents."""
        offset = self._offsets[window.document]
        return range(offset + window.first, offset + window.last + 1)

    def coverage_of(self, claim: str, window: Window) -> float:
        """Share of a claim's content words, by weight, that stand in a given window."""
        weighed = self._weighed(claim)
        places = self.places_of(window)
        return covered(weighed.words, places) / weighed.total if weighed.total else 0.0

    def _weighed(self, claim: str) -> "_Weighed":
        """The weights of a claim's content words."""
        weighed = self._claims.get(claim)
        if weighed is None:
            keys = dict.fromkeys(word.key for word in split_words(claim) if is_content(word.key))
            weighed = self._claims[claim] = _with_total(self._words_of(keys))
        return weighed

    def _words_of(self, keys: Iterable[str]) -> Weighted:
        return [(known.weight, known.hits) for known in self._known_of(keys)]

    def main_sentence(self, claim: str, window: Window) -> Window:
        """The sentence of a window that covers most of the claim, the first on a tie."""
        if window.first == window.last:
            return window
        main = self._mains.get((claim, window))
        if main is None:
            main = max(window.sentences(), key=lambda sentence: (self.coverage_of(claim, sentence), -sentence.first))
            self._mains[claim, window] = main
        return main

    def strength_in(self, key: str, window: Window) -> float:
        """The strongest match of a word in a window."""
        return strongest(self._known_of((key,))[0].hits, self.places_of(window))

    def best_sentences(self, keys: Iterable[str], count: int) -> list[Window]:
        """The ``count`` sentences that hold most of some words, by weight, best first."""
        scores = scores_of(self._words_of(keys))
        return [self._window_at(place) for place in best_places(scores, count)]

    def _document_of(self, place: int) -> int:
        return self._numbers[place]

    def _window_at(self, first: int, last: int | None = None) -> Window:
        document = self._document_of(first)
        offset = self._offsets[document]
        return Window(document, first - offset, (first if last is None else last) - offset)


class _Known(NamedTuple):
    """What contexts and question have of one word."""

    weight: float
    hits: Hits
    """The sentences that hold a form of it, with the strength of the match."""
    asked: bool
    """Whether the question holds a form of it."""
    strongest: float
    """The strongest match anywhere in the contexts."""


_known: Callable[[tuple[float, Hits, bool, float]], _Known] = partial(tuple.__new__, _Known)
"""Makes one of its parts without a call of Python's own."""


class _Weighed(NamedTuple):
    """The content words of a claim."""

    words: Weighted
    """Each with its weight."""
    total: float


def _with_total(words: Weighted) -> _Weighed:
    return _Weighed(words, sum([weight for weight, _ in words]))
