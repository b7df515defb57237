"""Which neighbouring sentences cover a claim best, and which further sentence adds most to them.

Sentences are numbered through all documents. A claim is its words' weights, each with the sentences that hold the word
and the strength of the match there. What cannot win any more is not looked at: a further sentence adds at most what it
covers by itself.
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import mul, neg

Hits = Mapping[int, float]
"""The sentences that hold a word, with the strength of the match."""
Weighted = Sequence[tuple[float, Hits]]
"""Words with their weights."""
_STARTS = 4
"""Best single sentences from which windows are grown."""
_MAX_SENTENCES = 3
_WORTH_GROWING = 0.04
"""Coverage that a further sentence must add to be taken into the window."""
_NEAR = 4
"""Sentences to either side of a passage that belong to it without sharing a word."""
_STRONG = 0.7
"""Strength of a match from which a word is taken to be there."""
_ROUNDING = 1 - 1e-9
"""Keeps a bound that is summed in another order from being a little too low."""


Part = tuple[float, Hits, float]
"""A word of a claim, as it stands in a window: its weight, the sentences that hold it, and the strength of its best
match in the window, which is 0 where it isn't there."""


def strongest(hits: Hits, places: Iterable[int]) -> float:
    """The best match of a word in some sentences."""
    best = 0.0
    if hits:
        for place in places:
            if (strength := hits.get(place, 0.0)) > best:
                best = strength
    return best


def said(parts: Iterable[Part]) -> float:
    """The weight of the words of a claim in the strength of their matches."""
    return sum([weight * strength for weight, _, strength in parts])


def covered(words: Weighted, places: Sequence[int]) -> float:
    """The weight of the words that stand in some sentences."""
    if len(places) == 1:
        (place,) = places
        return sum([weight * hits.get(place, 0.0) for weight, hits in words])
    return sum([weight * strongest(hits, places) for weight, hits in words])


def scores_of(words: Weighted) -> dict[int, float]:
    """The weight of the words that stand in each sentence."""
    scores: dict[int, float] = {}
    for weight, hits in words:
        for place, strength in hits.items():
            scores[place] = scores.get(place, 0.0) + weight * strength
    return scores


def best_places(scores: Mapping[int, float], count: int) -> list[int]:
    """The sentences of the highest scores, best first; the earlier one on a tie."""
    ranked = sorted(zip(map(neg, scores.values()), scores, strict=True))
    return [place for _, place in ranked[:count]]


def best_window(words: Weighted, total: float, offsets: Sequence[int]) -> tuple[int, ...] | None:
    """Grow windows from the best sentences by neighbours that add enough; the best of them, None without any.

    ``total`` is the weight of all words, those of no sentence included; ``offsets`` are the first sentences of the
    documents, and how many sentences there are.
    """
    scores = scores_of(words)
    least = _WORTH_GROWING * total
    best: tuple[int, ...] | None = None
    most = 0.0
    for start in best_places(scores, _STARTS):
        if best is not None and _at_most(start, scores, least) < most * _ROUNDING:
            continue
        score = scores[start]
        places: tuple[int, ...] = (start,)
        if _may_grow(places, scores, least):
            score, places = _grown(start, words, scores, least, bounds_of(start, offsets))
        worth = score - least * (len(places) - 1)
        if best is None or worth > most:
            most, best = worth, places
    return best


def bounds_of(place: int, offsets: Sequence[int]) -> tuple[int, int]:
    """The first sentence of the document of a sentence, and the one after its last."""
    number = bisect_right(offsets, place)
    return offsets[number - 1], offsets[number]


def _at_most(start: int, scores: Mapping[int, float], least: float) -> float:
    """A bound of what a window around a sentence is worth."""
    worth = scores[start]
    for place in (start - 2, start - 1, start + 1, start + 2):
        if (more := scores.get(place, 0.0)) > least:
            worth += more - least
    return worth


def _may_grow(places: tuple[int, ...], scores: Mapping[int, float], least: float) -> bool:
    """Whether a neighbour may add enough: it adds at most what it covers by itself."""
    enough = least * _ROUNDING
    return scores.get(places[0] - 1, 0.0) >= enough or scores.get(places[-1] + 1, 0.0) >= enough


def _grown(
    start: int, words: Weighted, scores: Mapping[int, float], least: float, bounds: tuple[int, int]
) -> tuple[float, tuple[int, ...]]:
    """The window that grows from a sentence, with the weight that it covers."""
    weights = [weight for weight, _ in words]
    held = [hits.get(start, 0.0) for _, hits in words]
    score = scores[start]
    places: tuple[int, ...] = (start,)
    while len(places) < _MAX_SENTENCES and _may_grow(places, scores, least):
        grown = []
        for place in (places[0] - 1, places[-1] + 1):
            if not (scores.get(place, 0.0) >= least * _ROUNDING and bounds[0] <= place < bounds[1]):
                continue
            there = [hits.get(place, 0.0) for _, hits in words]
            more = list(map(max, held, there))
            total = sum(map(mul, weights, more))
            grown.append((total, (place, *places) if place < start else (*places, place), more))
        if not grown:
            break
        wider_score, wider, more = max(grown)
        if wider_score - score < least:
            break
        score, places, held = wider_score, wider, more
    return score, places


def companion(
    places: Sequence[int], parts: Iterable[Part], telling: Iterable[Part], offsets: Sequence[int]
) -> tuple[int | None, float]:
    """The sentence that adds most to what a window covers, and the weight it adds.

    It must stand near, or share a covered word of ``telling`` too: some sentence of a long document holds any word.
    ``offsets`` are those of ``best_window``.
    """
    lacking = [part for part in parts if part[2] < _STRONG and part[1]]
    if not lacking:
        return None, 0.0
    bounds = bounds_of(places[0], offsets)
    near = range(max(bounds[0], places[0] - _NEAR), min(bounds[1], places[-1] + _NEAR + 1))
    related = set(near).union(*[hits for _, hits, strength in telling if strength >= _STRONG])
    gains: dict[int, float] = {}
    for weight, hits, held in lacking:
        for place, strength in hits.items():
            if strength > held and place in related:
                gains[place] = gains.get(place, 0.0) + weight * (strength - held)
    if not gains:
        return None, 0.0
    place = max(gains, key=lambda candidate: (gains[candidate], -abs(candidate - places[0])))
    return place, gains[place]
