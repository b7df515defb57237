"""How the words of a claim lie on the contexts: counts and shares, cheap enough for every interaction."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import compress, pairwise
from typing import NamedTuple, Protocol, TypeVar

from ragsonde.scorers.detector.commonness import rarity

_T = TypeVar("_T")
_SOFT = 5
"""Letters of a beginning by which a word is found in another form."""
_STRETCH = 4
"""Content words of a stretch: about a clause. What is invented is seldom a whole sentence."""


class Token(NamedTuple):
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

    def beginning(self, start: str) -> Sequence[str]:
        """The different words that begin with some letters (three at least)."""
        ...


class _Known(NamedTuple):
    """What the contexts have of one word."""

    places: int
    """The sentences that hold it, a bit each, from the second bit on."""
    sentences: int
    """How many they are."""
    near: int
    """The sentences that hold it, or a word with the same beginning, and their neighbours."""
    held: bool
    """Whether the word or one with the same beginning is there."""
    weight: float
    """1 for a word of one sentence or none, towards 0 for one of all sentences."""
    rarity: float
    """How rare it is in the world."""


class ContextIndex:
    """The words of all contexts of one interaction by their sentences, looked up as they are asked for."""

    def __init__(self, contexts: Sequence[IndexedText]) -> None:
        self._contexts = contexts
        self.size = sum(len(keys) for context in contexts for keys in context.keys)
        self._known: dict[str, _Known] = {}

    def known(self, key: str) -> _Known:
        """What the contexts have of a word."""
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._look_up(key)
        return known

    def holds(self, key: str) -> bool:
        """Whether the very word is there."""
        return any(key in context.places for context in self._contexts)

    def _look_up(self, key: str) -> _Known:
        places = near = count = offset = 0
        for context in self._contexts:
            held = _bits(context.places.get(key, ()))
            alike = held
            if len(key) >= _SOFT:
                for word in context.beginning(key[:_SOFT]):
                    if word != key:
                        alike |= _bits(context.places[word])
            places |= held << offset
            near |= alike << offset
            count += held.bit_count()
            offset += len(context.keys)
        weight = 1.0 if count <= 1 else 1.0 / count**0.5
        return _Known(places, count, _with_neighbours(near), near > 0, weight, rarity(key))

    def pairs_among(self, pairs: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those that stand in a context."""
        return _among(pairs, [context.pairs for context in self._contexts])

    def triples_among(self, triples: Sequence[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
        """Those that stand in a context."""
        return _among(triples, [context.triples for context in self._contexts])


def _among(wanted: Iterable[_T], held: Iterable[frozenset[_T]]) -> set[_T]:
    different = set(wanted)
    return set[_T]().union(*(different & there for there in held))


def _bits(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 2 << place
    return bits


def _with_neighbours(places: int) -> int:
    return places | places << 1 | places >> 1


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
    words = [contexts.known(key) for key in keys]
    held = _held(keys, words, contexts)
    content = [place for place, token in enumerate(tokens) if token.content]
    said = [words[place] for place in content]
    there = [held[place] for place in content]
    given = [asked(keys[place]) for place in content]
    new = [found for found, asked_for in zip(there, given, strict=True) if not asked_for]
    invented = [
        place for place, found, asked_for in zip(content, there, given, strict=True) if not (found or asked_for)
    ]
    weights, rarities = [word.weight for word in said], [word.rarity for word in said]
    news = [words[place].rarity for place in invented]
    pairs, triples = list(pairwise(keys)), list(zip(keys, keys[1:], keys[2:], strict=False))
    follow = list(map(contexts.pairs_among(pairs).__contains__, pairs))
    run = list(map(contexts.triples_among(triples).__contains__, triples))
    fragments = _fragments(follow, run, [word.sentences > 0 for word in words])
    stretches = _stretches([word.near for word in said])
    return (
        float(len(keys)),
        _share(len(content), len(keys)),
        _share(sum(there), len(content)),
        _share(sum(compress(weights, there)), sum(weights)),
        _share(sum(new), len(new)),
        _share(sum(follow), len(follow)),
        _share(sum(run), len(run)),
        sum(length * length for length in fragments) / max(1, len(keys)),
        max(fragments, default=0) / max(1, len(keys)),
        float(_longest_missing(there)),
        float(there.count(False)),
        float(sum(tokens[place].name for place in invented)),
        float(sum(keys[place].isdigit() for place in invented)),
        _together([word.places for word in said if word.sentences]),
        _share(sum(given), len(content)),
        sum(rarities) / max(1, len(content)),
        _share(sum(compress(rarities, there)), sum(rarities)),
        sum(news),
        max(news, default=0.0),
        min(stretches, default=1.0),
        _share(sum(stretches), len(stretches)),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _held(keys: Sequence[str], words: Sequence[_Known], contexts: ContextIndex) -> list[bool]:
    """Whether each word is there; two that the contexts write as one ("take out", ``TakeOut``) are too."""
    held = [word.held for word in words]
    for place, (left, right) in enumerate(pairwise(keys)):
        if not (held[place] and held[place + 1]) and contexts.holds(left + right):
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


def _longest_missing(there: Iterable[bool]) -> int:
    longest = run = 0
    for found in there:
        run = 0 if found else run + 1
        longest = max(longest, run)
    return longest


def _stretches(near: Sequence[int]) -> list[float]:
    """For each few neighbouring content words, the greatest share of them that one place of the contexts holds."""
    size = max(1, min(_STRETCH, len(near)))
    return [_most_at_once(near[at : at + size]) / size for at in range(max(1, len(near) - _STRETCH + 1))]


def _most_at_once(stretch: Sequence[int]) -> int:
    """How many of some words one place holds at most."""
    everywhere = -1
    for places in stretch:
        everywhere &= places
    if everywhere:
        return len(stretch)
    held = [0] * (len(stretch) + 1)  # places that hold at least so many of the words so far, a bit each
    for at, places in enumerate(stretch):
        for count in range(at, 0, -1):
            held[count + 1] |= held[count] & places
        held[1] |= places
    return max((count for count, places in enumerate(held) if places), default=0)


def _together(places: Sequence[int]) -> float:
    """Share of neighbouring content words that also stand near each other in a context."""
    near = [bool(left & _with_neighbours(right)) for left, right in pairwise(places)]
    return _share(sum(near), len(near))
