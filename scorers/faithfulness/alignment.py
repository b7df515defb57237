"""Where in the contexts a claim would be said, and how much of the claim is said there.

Every sentence of every context is looked at, through an index of words, so that neither the length of a context nor its
place in the list changes what is found.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain, pairwise
from typing import NamedTuple

from ragsonde.scorers.facts import Measurements
from ragsonde.scorers.facts.agreement import agrees
from ragsonde.scorers.faithfulness.analysis import AnalysedText
from ragsonde.scorers.faithfulness.words import Word, WordForms, is_content, prior_weight, split_words

_GIVEN = 0.35
"""What is left of the weight of a claim's word that the question said already."""
_STARTS = 4
"""Best single sentences from which windows are grown."""
_MAX_SENTENCES = 3
_WORTH_GROWING = 0.04
"""Coverage that a further sentence must add to be taken into the window."""
_NEAR = 4
"""Sentences to either side of a passage that belong to it without sharing a word."""
NOTHING_MEASURED = Measurements()
_SHORT = 5
"""Claims of fewer content words are read together with the question."""


@dataclass(frozen=True, slots=True)
class Window:
    """Neighbouring sentences of one document, ``first`` to ``last`` included."""

    document: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Alignment:
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
        self._owner = [number for number, document in enumerate(self.documents) for _ in document.sentences]
        self._hits: dict[str, Mapping[int, float]] = {}
        self._held: dict[str, float] = {}
        self._asked: dict[str, bool] = {}
        self._claims: dict[str, _Weighed] = {}
        self._mains: dict[tuple[str, Window], Window] = {}
        self._weights: dict[str, float] = {}
        self._forms: dict[tuple[int, str], Mapping[str, float]] = {}
        self._question_keys = tuple(dict.fromkeys(w.key for w in split_words(question) if is_content(w.key)))
        self._question_forms = WordForms(self._question_keys)

    @property
    def has_text(self) -> bool:
        """Whether any context holds a sentence."""
        return self._offsets[-1] > 0

    def holds(self, key: str) -> float:
        """The strongest match of a word anywhere in the contexts."""
        held = self._held.get(key)
        if held is None:
            held = self._held[key] = max(self._hits_of(key).values(), default=0.0)
        return held

    def asked(self, key: str) -> bool:
        """Whether the question holds the word or a form of it."""
        asked = self._asked.get(key)
        if asked is None:
            asked = self._asked[key] = self._question_forms.holds(key)
        return asked

    def _hits_of(self, key: str) -> Mapping[int, float]:
        """Sentences (numbered through all documents) that hold a form of ``key``, with the strength of the match."""
        hits = self._hits.get(key)
        if hits is None:
            found: dict[int, float] = {}
            for number, document in enumerate(self.documents):
                offset = self._offsets[number]
                held = document.places
                for form, strength in self.forms_of(key, number).items():
                    for place in held[form]:
                        if strength > found.get(offset + place, 0.0):
                            found[offset + place] = strength
            hits = self._hits[key] = found
        return hits

    def forms_of(self, key: str, document: int) -> Mapping[str, float]:
        """The words of a document that may be forms of ``key``, with the strength of the match."""
        forms = self._forms.get((document, key))
        if forms is None:
            forms = self._forms[document, key] = self.documents[document].forms_of(key)
        return forms

    def weight_of(self, key: str) -> float:
        """The prior weight of a word, less where most sentences hold it."""
        weight = self._weights.get(key)
        if weight is None:
            sentences = self._offsets[-1]
            held = len(self._hits_of(key))
            rarity = math.log(1 + sentences / held) / math.log(1 + sentences) if held and sentences > 1 else 1.0
            weight = self._weights[key] = prior_weight(key) * (0.4 + 0.6 * rarity)
        return weight

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
        content = [key for key in dict.fromkeys(sequence) if is_content(key)] or list(dict.fromkeys(sequence))
        return self._with_facts(words, measured)._align(sequence, content, light)  # noqa: SLF001

    def _with_facts(self, words: Sequence[Word], measured: Measurements) -> "Evidence":
        """The same evidence, for one claim, with the words of its measured facts found where the facts are."""
        if not measured:
            return self
        for word in words:
            self._hits_of(word.key)
        view = copy(self)
        view._hits = dict(self._hits)  # noqa: SLF001
        view._weights = {}  # noqa: SLF001
        for fact in measured.all():
            places = {
                self._offsets[number] + document.sentence_at(other.start): 1.0
                for number, document in enumerate(self.documents)
                for other in document.measured
                if agrees(fact, other)
            }
            for word in words:
                if fact.start <= word.start and word.end <= fact.end:
                    elsewhere = {} if word.key.isdigit() else self._hits_of(word.key)
                    view._hits[word.key] = {**elsewhere, **places}  # noqa: SLF001
        return view

    def _align(self, sequence: Sequence[str], content: Sequence[str], light: frozenset[str]) -> Alignment:
        given = {key: key in light or self.asked(key) for key in content}
        all_given = all(given.values())
        weights = {key: self.weight_of(key) * (_GIVEN if given[key] and not all_given else 1.0) for key in content}
        return self._placed(sequence, weights, {key for key in content if not given[key]})

    def _placed(self, sequence: Sequence[str], weights: Mapping[str, float], new: set[str]) -> Alignment:
        total = sum(weights.values()) or 1.0
        pull = (0.5 if len(weights) < _SHORT else 0.1) * total / max(1, len(self._question_keys))
        pulls = {key: pull * prior_weight(key) for key in self._question_keys if key not in weights}
        best = self._best_window({**pulls, **weights})
        if best is None:
            return Alignment(None, 0, 0, 0, None, 0, tuple(weights))
        strengths = {key: self._strength_in(key, best) for key in weights}
        companion, added = self._companion(best, weights, strengths, new or weights.keys())
        document = self._owner[best[0]]
        offset = self._offsets[document]
        window = Window(document, best[0] - offset, best[-1] - offset)
        coverage = sum(weights[key] * strength for key, strength in strengths.items()) / total
        new_total = sum(weights[key] for key in new)
        also = (companion,) if companion is not None else ()
        return Alignment(
            window,
            coverage,
            sum(weights[key] * strengths[key] for key in new) / new_total if new_total else coverage,
            min(1.0, coverage + added / total),
            self._window_at(companion) if companion is not None else None,
            self._order(sequence, window),
            tuple(key for key in weights if not strengths[key] and not self._strength_in(key, also)),
        )

    def best_sentences_of(self, claim: str) -> Mapping[int, Window]:
        """For each document that holds a word of a claim, by its number, the sentence that covers most; the first."""
        scores = _scores(self._weighed(claim).words)
        best: dict[int, int] = {}
        for place in sorted(scores):
            number = self._owner[place]
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
        return _covered(weighed.words, places) / weighed.total if weighed.total else 0.0

    def _weighed(self, claim: str) -> "_Weighed":
        """The weights of a claim's content words."""
        weighed = self._claims.get(claim)
        if weighed is None:
            keys = dict.fromkeys(word.key for word in split_words(claim) if is_content(word.key))
            words = [(self.weight_of(key), self._hits_of(key)) for key in keys]
            weighed = self._claims[claim] = _Weighed(words, sum(weight for weight, _ in words))
        return weighed

    def main_sentence(self, claim: str, window: Window) -> Window:
        """The sentence of a window that covers most of the claim, the first on a tie."""
        if window.first == window.last:
            return window
        main = self._mains.get((claim, window))
        if main is None:
            sentences = [Window(window.document, index, index) for index in range(window.first, window.last + 1)]
            main = max(sentences, key=lambda sentence: (self.coverage_of(claim, sentence), -sentence.first))
            self._mains[claim, window] = main
        return main

    def strength_in(self, key: str, window: Window) -> float:
        """The strongest match of a word in a window."""
        return self._strength_in(key, self.places_of(window))

    def _strength_in(self, key: str, places: Iterable[int]) -> float:
        return _strongest(self._hits_of(key), places)

    def best_sentences(self, keys: Iterable[str], count: int) -> list[Window]:
        """The ``count`` sentences that hold most of some words, by weight, best first."""
        places = _candidates([(self.weight_of(key), self._hits_of(key)) for key in keys], count)
        return [self._window_at(place) for place in places]

    def _window_at(self, place: int) -> Window:
        document = self._owner[place]
        return Window(document, place - self._offsets[document], place - self._offsets[document])

    def _best_window(self, weights: Mapping[str, float]) -> tuple[int, ...] | None:
        """Grow windows from the best sentences by neighbours that add enough; the best of them, numbered through."""
        best: tuple[float, tuple[int, ...]] | None = None
        total = sum(weights.values()) or 1.0
        weighted = [(weight, hits) for key, weight in weights.items() if (hits := self._hits_of(key))]
        for start in _candidates(weighted, _STARTS):
            places: tuple[int, ...] = (start,)
            strengths = [hits.get(start, 0.0) for _, hits in weighted]
            score = _total(weighted, strengths)
            while len(places) < _MAX_SENTENCES:
                grown = []
                for place, wider in self._wider(places):
                    held = [max(s, hits.get(place, 0.0)) for s, (_, hits) in zip(strengths, weighted, strict=True)]
                    grown.append((_total(weighted, held), wider, held))
                wider_score, wider, held = max(grown, default=(0.0, places, strengths))
                if wider_score - score < _WORTH_GROWING * total:
                    break
                score, places, strengths = wider_score, wider, held
            worth = score - _WORTH_GROWING * total * (len(places) - 1)
            if best is None or worth > best[0]:
                best = worth, places
        return best[1] if best else None

    def _wider(self, places: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        """The sentence before and the one after, each with the window that it makes."""
        document = self._owner[places[0]]
        before, after = places[0] - 1, places[-1] + 1
        wider = []
        if before >= self._offsets[document]:
            wider.append((before, (before, *places)))
        if after < self._offsets[document + 1]:
            wider.append((after, (*places, after)))
        return wider

    def _companion(
        self,
        places: tuple[int, ...],
        weights: Mapping[str, float],
        strengths: Mapping[str, float],
        telling: Collection[str],
    ) -> tuple[int | None, float]:
        """The sentence that adds most to what ``places`` cover, and the weight it adds.

        It must stand near, or share a covered word of ``telling`` too: some sentence of a long document holds any word.
        """
        related = {place for key in telling if strengths[key] >= 0.7 for place in self._hits_of(key)}
        document = self._owner[places[0]]
        first, last = self._offsets[document], self._offsets[document + 1]
        related.update(range(max(first, places[0] - _NEAR), min(last, places[-1] + _NEAR + 1)))
        gains: dict[int, float] = {}
        for key, weight in weights.items():
            if strengths[key] < 0.7:
                for place, strength in self._hits_of(key).items():
                    if place in related and strength > strengths[key]:
                        gains[place] = gains.get(place, 0.0) + weight * (strength - strengths[key])
        if not gains:
            return None, 0.0
        place = max(gains, key=lambda candidate: (gains[candidate], -abs(candidate - places[0])))
        return place, gains[place]

    def _order(self, sequence: Sequence[str], window: Window) -> float:
        """Share of neighbouring pairs of the claim, not both grammar, that are neighbours in the window too."""
        pairs = [pair for pair in pairwise(sequence) if is_content(pair[0]) or is_content(pair[1])]
        if not pairs:
            return 0.0
        stands_for: dict[str, list[str]] = {}
        for key in dict.fromkeys(sequence):
            for form in self.forms_of(key, window.document) if is_content(key) else (key,):
                stands_for.setdefault(form, []).append(key)
        held = chain.from_iterable(self.documents[window.document].keys[window.first : window.last + 1])
        words = [stands_for.get(key, ()) for key in held]
        there = {(left, right) for one, other in pairwise(words) for left in one for right in other}
        return sum(pair in there for pair in pairs) / len(pairs)


_Hits = Mapping[int, float]
"""The sentences that hold a word, with the strength of the match."""


class _Weighed(NamedTuple):
    """The content words of a claim."""

    words: Sequence[tuple[float, _Hits]]
    """Each with its weight."""
    total: float


def _strongest(hits: _Hits, places: Iterable[int]) -> float:
    strongest = 0.0
    if hits:
        for place in places:
            if (strength := hits.get(place, 0.0)) > strongest:
                strongest = strength
    return strongest


def _total(words: Iterable[tuple[float, _Hits]], strengths: Iterable[float]) -> float:
    return sum(weight * strength for (weight, _), strength in zip(words, strengths, strict=True))


def _covered(words: Iterable[tuple[float, _Hits]], places: Sequence[int]) -> float:
    """The weight of the words that stand in some sentences."""
    if len(places) == 1:
        (place,) = places
        return sum(weight * hits.get(place, 0.0) for weight, hits in words)
    return sum(weight * _strongest(hits, places) for weight, hits in words)


def _scores(words: Iterable[tuple[float, _Hits]]) -> dict[int, float]:
    """The weight of the words that stand in each sentence."""
    scores: dict[int, float] = {}
    for weight, hits in words:
        for place, strength in hits.items():
            scores[place] = scores.get(place, 0.0) + weight * strength
    return scores


def _candidates(words: Iterable[tuple[float, _Hits]], count: int) -> list[int]:
    """The sentences that hold most of some words, by weight, best first; the earlier one on a tie."""
    scores = _scores(words)
    return nlargest(count, scores, key=lambda place: (scores[place], -place))
