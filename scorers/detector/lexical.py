"""How the words of a claim lie on the contexts: counts and shares, cheap enough for every interaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from ragsonde.scorers.detector.commonness import rarity

_SOFT = 5
"""Letters of a beginning by which a word is found in another form."""
_STRETCH = 4
"""Content words of a stretch: about a clause. What is invented is seldom a whole sentence."""
_NEAR = 1
"""Sentences to either side in which two words still stand together."""
_WITH_NEIGHBOURS = 0b111
"""A sentence and those on either side, as bits."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is compared, with what it looked like."""

    key: str
    content: bool
    """Whether it says something of the topic."""
    name: bool = False
    """Written with a capital inside a sentence."""


class IndexedText(Protocol):
    """A context with its words, folded, by sentences."""

    @property
    def places(self) -> Mapping[str, Sequence[int]]:
        """For each word the sentences that hold it, ascending."""
        ...

    @property
    def keys(self) -> Sequence[Sequence[str]]:
        """The words of each sentence."""
        ...

    @property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Every two words that follow one another within a sentence."""
        ...

    @property
    def triples(self) -> frozenset[tuple[str, str, str]]:
        """Every three."""
        ...


class ContextIndex:
    """The words of all contexts of one interaction by their sentences."""

    def __init__(self, contexts: Sequence[IndexedText]) -> None:
        places: dict[str, list[int]] = {}
        self.size = self.count = 0
        for context in contexts:
            for word, held in context.places.items():
                places.setdefault(word, []).extend(place + self.count for place in held)
            self.size += sum(map(len, context.keys))
            self.count += len(context.keys)
        self.places: Mapping[str, Sequence[int]] = places
        self.follows = frozenset[tuple[str, str]]().union(*(context.pairs for context in contexts))
        self.triples = frozenset[tuple[str, str, str]]().union(*(context.triples for context in contexts))
        stems: dict[str, list[Sequence[int]]] = {}
        for word, held in places.items():
            stems.setdefault(word[:_SOFT], []).append(held)
        self._stems = stems
        self._near: dict[str, int] = {}

    def holds(self, key: str) -> bool:
        """Whether the word or one with the same beginning is there."""
        return key in self.places or (len(key) >= _SOFT and key[:_SOFT] in self._stems)

    def near(self, key: str) -> int:
        """The sentences that hold the word, or one with the same beginning, and their neighbours; a bit each."""
        found = self._near.get(key)
        if found is None:
            lists = self._stems.get(key[:_SOFT], ()) if len(key) >= _SOFT else [self.places.get(key, ())]
            found = 0
            for held in lists:
                for place in held:
                    found |= _WITH_NEIGHBOURS << place
            self._near[key] = found
        return found

    def rarity(self, key: str) -> float:
        """1 for a word of one sentence or none, towards 0 for one of all sentences."""
        held = len(self.places.get(key, ()))
        return 1.0 if held <= 1 else 1.0 / held**0.5

    def together(self, left: str, right: str) -> bool:
        """Whether two words stand in one sentence, or in neighbouring ones."""
        first, second = self.places.get(left, ()), self.places.get(right, ())
        if len(first) > len(second):
            first, second = second, first
        there = set(second)
        return any(place + step in there for place in first for step in (0, -_NEAR, _NEAR))


LEXICAL = (
    "words", "content_share", "covered", "covered_rare", "covered_beyond_question", "pairs", "triples", "fragment",
    "fragment_longest", "run_missing", "missing", "missing_names", "missing_digits", "together", "asked",
    "telling", "covered_telling", "missing_rare", "missing_rarest",
    "stretch_low", "stretch_mean",
)  # fmt: skip
"""Names of the lexical features, in their order."""


def lexical_features(
    tokens: Sequence[Token], contexts: ContextIndex, asked: Callable[[str], bool]
) -> tuple[float, ...]:
    """The features of one text, in the order of ``LEXICAL``; shares are 1 where there is nothing to count.

    Fragments are the longest stretches that stand in a context word for word (Grusky et al., "Newsroom", 2018).
    """
    keys = [token.key for token in tokens]
    held = _held(keys, contexts)
    content = [place for place, token in enumerate(tokens) if token.content]
    weight = {place: contexts.rarity(keys[place]) for place in content}
    given = {place: asked(keys[place]) for place in content}
    new = [place for place in content if not given[place]]
    missing = [place for place in content if not held[place]]
    tells = {place: rarity(keys[place]) for place in content}
    news = [tells[place] for place in missing if not given[place]]
    pairs = [pair in contexts.follows for pair in pairwise(keys)]
    triples = [triple in contexts.triples for triple in zip(keys, keys[1:], keys[2:], strict=False)]
    fragments = _fragments(pairs, triples, [key in contexts.places for key in keys])
    stretches = _stretches([keys[place] for place in content], contexts)
    return (
        float(len(keys)),
        _share(len(content), len(keys)),
        _share(sum(held[place] for place in content), len(content)),
        _share(sum(weight[place] for place in content if held[place]), sum(weight.values())),
        _share(sum(held[place] for place in new), len(new)),
        _share(sum(pairs), len(pairs)),
        _share(sum(triples), len(triples)),
        sum(length * length for length in fragments) / max(1, len(keys)),
        max(fragments, default=0) / max(1, len(keys)),
        float(_longest_missing(content, held)),
        float(len(missing)),
        float(sum(tokens[place].name and not given[place] for place in missing)),
        float(sum(keys[place].isdigit() and not given[place] for place in missing)),
        _together([keys[place] for place in content if keys[place] in contexts.places], contexts),
        _share(sum(given.values()), len(content)),
        sum(tells.values()) / max(1, len(content)),
        _share(sum(tells[place] for place in content if held[place]), sum(tells.values())),
        sum(news),
        max(news, default=0.0),
        min(stretches, default=1.0),
        _share(sum(stretches), len(stretches)),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _held(keys: Sequence[str], contexts: ContextIndex) -> list[bool]:
    """Whether each word is there; two that the contexts write as one ("take out", ``TakeOut``) are too."""
    held = [contexts.holds(key) for key in keys]
    for place, (left, right) in enumerate(pairwise(keys)):
        if not (held[place] and held[place + 1]) and left + right in contexts.places:
            held[place] = held[place + 1] = True
    return held


def _fragments(pairs: Sequence[bool], triples: Sequence[bool], singles: Sequence[bool]) -> list[int]:
    """Lengths of the stretches whose neighbouring triples (at the ends, pairs) all stand in the contexts."""
    lengths: list[int] = []
    length = 0
    for place, single in enumerate(singles):
        follows = place > 0 and pairs[place - 1] and (length < 2 or triples[place - 2])
        if follows:
            length += 1
            continue
        if length:
            lengths.append(length)
        length = int(single)
    return [*lengths, length] if length else lengths


def _longest_missing(content: Sequence[int], held: Sequence[bool]) -> int:
    longest = run = 0
    for place in content:
        run = 0 if held[place] else run + 1
        longest = max(longest, run)
    return longest


def _stretches(keys: Sequence[str], contexts: ContextIndex) -> list[float]:
    """For each few neighbouring content words, the greatest share of them that one place of the contexts holds."""
    near = [contexts.near(key) for key in keys]
    found = []
    for start in range(max(1, len(keys) - _STRETCH + 1)):
        stretch = near[start : start + _STRETCH]
        held = [0] * (len(stretch) + 1)  # places that hold at least so many of the words so far, a bit each
        for at, places in enumerate(stretch):
            for count in range(at, 0, -1):
                held[count + 1] |= held[count] & places
            held[1] |= places
        found.append(max((count for count, places in enumerate(held) if places), default=0) / max(1, len(stretch)))
    return found


def _together(keys: Sequence[str], contexts: ContextIndex) -> float:
    """Share of neighbouring content words that also stand near each other in a context."""
    near = [contexts.together(left, right) for left, right in pairwise(keys)]
    return _share(sum(near), len(near))
