"""How the words of a claim lie on the contexts: counts and shares, cheap enough for every interaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate, compress, pairwise
from operator import and_, or_
from typing import NamedTuple, Protocol, TypeVar

from ragsonde.scorers.detector.commonness import rarity

_T = TypeVar("_T")
_STRETCH = 4
"""Content words of a stretch: about a clause. What is invented is seldom a whole sentence. ``_most_at_once`` counts so
many."""


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

    def bits_of(self, key: str) -> tuple[int, int]:
        """The sentences that hold a word, and those that hold it or one with the same beginning.

        A bit each, from the second bit on.
        """
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


_known: Callable[[tuple[int, int, int, bool, float, float]], _Known] = partial(tuple.__new__, _Known)
"""Makes one of its parts without a call of Python's own."""


class ContextIndex:
    """The words of all contexts of one interaction by their sentences, looked up as they are asked for."""

    def __init__(self, contexts: Sequence[IndexedText]) -> None:
        self._contexts = contexts
        self.size = sum([len(keys) for context in contexts for keys in context.keys])
        counts = [len(context.keys) for context in contexts]
        self._offsets = list(zip(accumulate(counts, initial=0), contexts, strict=False))
        """Each context with how many sentences stand before it."""
        self._known: dict[str, _Known] = {}

    def known(self, keys: Sequence[str]) -> list[_Known]:
        """What the contexts have of some words."""
        known = self._known
        return [known.get(key) or self._look_up(key) for key in keys]

    def holds(self, key: str) -> bool:
        """Whether the very word is there."""
        for context in self._contexts:  # noqa: SIM110 - asked often, and a generator takes twice as long
            if key in context.places:
                return True
        return False

    def _look_up(self, key: str) -> _Known:
        places = near = 0
        for offset, context in self._offsets:
            held, alike = context.bits_of(key)
            if alike:
                places |= held << offset
                near |= alike << offset
        count = places.bit_count()
        weight = 1.0 if count <= 1 else 1.0 / count**0.5
        known = _known((places, count, near | near << 1 | near >> 1, near > 0, weight, rarity(key)))
        self._known[key] = known
        return known

    def follow(self, keys: Sequence[str], words: Sequence[_Known]) -> list[bool]:
        """For each two neighbouring words, whether they follow one another in a context."""
        near = [one.places & other.places for one, other in pairwise(words)]  # else they stand in no sentence together
        pairs = [context.pairs for context in self._contexts]
        return [near_by > 0 and _among(pair, pairs) for near_by, pair in zip(near, pairwise(keys), strict=True)]

    def run(self, keys: Sequence[str], follow: Sequence[bool]) -> list[bool]:
        """The same for each three, given what is known of each two."""
        may = list(map(and_, follow, follow[1:]))
        if not any(may):
            return may
        triples = [context.triples for context in self._contexts]
        each = zip(may, zip(keys, keys[1:], keys[2:], strict=False), strict=True)
        return [possible and _among(triple, triples) for possible, triple in each]


def _among(wanted: _T, held: Sequence[frozenset[_T]]) -> bool:
    """Whether one of some sets has something."""
    for there in held:  # noqa: SIM110 - asked often, and a generator takes twice as long
        if wanted in there:
            return True
    return False


LEXICAL = (
    "words", "content_share", "covered", "covered_rare", "covered_beyond_question", "pairs", "triples", "fragment",
    "fragment_longest", "run_missing", "missing", "missing_names", "missing_digits", "together", "asked",
    "telling", "covered_telling", "missing_rare", "missing_rarest",
    "stretch_low", "stretch_mean",
)  # fmt: skip
"""Names of the lexical features, in their order."""


class _Laid:
    """The words of a text, with what the contexts have of each."""

    def __init__(self, tokens: Sequence[Token], contexts: ContextIndex, asked: Callable[[str], bool]) -> None:
        self.contexts = contexts
        keys, content, names = zip(*tokens, strict=True) if tokens else ((), (), ())
        self.keys: Sequence[str] = keys
        self.words = contexts.known(keys)
        held = _held(keys, self.words, contexts)
        said = list(compress(keys, content))
        self.said = list(compress(self.words, content))
        """The content words; what follows is of those too."""
        self.there = list(compress(held, content))
        self.given = list(map(asked, said))
        self.names = list(compress(names, content))
        self.digits = list(map(str.isdigit, said))
        self.rarities = [word.rarity for word in self.said]
        self.invented = [not (there or given) for there, given in zip(self.there, self.given, strict=True)]
        """Whether it is neither in a context nor in the question."""

    def missing_names(self) -> float:
        return float(sum(compress(self.names, self.invented)))

    def covered_telling(self) -> float:
        return _share(sum(compress(self.rarities, self.there)), sum(self.rarities))

    def stretch_mean(self) -> float:
        stretches = self.stretches()
        return _share(sum(stretches), len(stretches))

    def stretches(self) -> list[float]:
        """For each few neighbouring content words, the greatest share of them that one place of the contexts holds."""
        return _stretches([word.near for word in self.said])

    def features(self) -> tuple[float, ...]:
        """In the order of ``LEXICAL``."""
        keys, there, given = self.keys, self.there, self.given
        new = [found for found, asked_for in zip(there, given, strict=True) if not asked_for]
        weights, rarities = [word.weight for word in self.said], self.rarities
        news = list(compress(rarities, self.invented))
        follow = self.contexts.follow(keys, self.words)
        run = self.contexts.run(keys, follow)
        fragments = _fragments(follow, run, [word.sentences > 0 for word in self.words])
        stretches = self.stretches()
        size = max(1, len(keys))
        return (
            float(len(keys)),
            _share(len(there), len(keys)),
            _share(sum(there), len(there)),
            _share(sum(compress(weights, there)), sum(weights)),
            _share(sum(new), len(new)),
            _share(sum(follow), len(follow)),
            _share(sum(run), len(run)),
            sum(length * length for length in fragments) / size,
            max(fragments, default=0) / size,
            float(_longest_missing(there)),
            float(there.count(False)),
            self.missing_names(),
            float(sum(compress(self.digits, self.invented))),
            _together([word.places for word in self.said if word.sentences]),
            _share(sum(given), len(there)),
            sum(rarities) / max(1, len(there)),
            self.covered_telling(),
            sum(news),
            max(news, default=0.0),
            min(stretches, default=1.0),
            _share(sum(stretches), len(stretches)),
        )


def lexical_features(
    tokens: Sequence[Token], contexts: ContextIndex, asked: Callable[[str], bool]
) -> tuple[float, ...]:
    """The features of one text, in the order of ``LEXICAL``; shares are 1 where there is nothing to count.

    Fragments are the longest stretches that stand in a context word for word (Grusky et al., "Newsroom", 2018).
    """
    return _Laid(tokens, contexts, asked).features()


class AnswerLexical:
    """The lexical features of a whole answer, each when it is asked for: where contexts are prose, few are."""

    def __init__(self, tokens: Sequence[Token], contexts: ContextIndex, asked: Callable[[str], bool]) -> None:
        self._laid = _Laid(tokens, contexts, asked)

    def __getitem__(self, at: int, /) -> float:
        alone = _ALONE.get(LEXICAL[at])
        return alone(self._laid) if alone is not None else self._all[at]

    def __iter__(self) -> Iterator[float]:
        return iter(self._all)

    def __repr__(self) -> str:
        return repr(self._all)

    @cached_property
    def _all(self) -> tuple[float, ...]:
        return self._laid.features()


_ALONE: Mapping[str, Callable[[_Laid], float]] = {
    "missing_names": _Laid.missing_names,
    "covered_telling": _Laid.covered_telling,
    "stretch_mean": _Laid.stretch_mean,
}
"""Features that are found without the others."""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def _held(keys: Sequence[str], words: Sequence[_Known], contexts: ContextIndex) -> list[bool]:
    """Whether each word is there; two that the contexts write as one ("take out", ``TakeOut``) are too."""
    held = [word.held for word in words]
    if all(held):
        return held
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
    size = max(1, min(_STRETCH, len(near)))
    padded = [*near, *[0] * (_STRETCH - len(near))]
    both, either = list(map(and_, padded, padded[1:])), list(map(or_, padded, padded[1:]))
    return [most / size for most in map(_most_at_once, both, both[2:], either, either[2:])]


def _most_at_once(both: int, both_later: int, either: int, either_later: int) -> int:
    """How many of four words one place holds at most, given the places of its halves' both words and either word."""
    if both & both_later:
        return 4
    if both & either_later or either & both_later:
        return 3
    if both or both_later or either & either_later:
        return 2
    return 1 if either or either_later else 0


def _together(places: Sequence[int]) -> float:
    """Share of neighbouring content words that also stand near each other in a context."""
    near = [bool(left & (right | right << 1 | right >> 1)) for left, right in pairwise(places)]
    return _share(sum(near), len(near))
