"""Whether a claim and a passage say the opposite of each other: negation, negating prefixes, opposite words."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise, permutations

from ragsonde.scorers.faithfulness.words import Word, WordForms, is_content, key_of, match_strength, split_words
from ragsonde.scorers.text.spans import Sentence

_REACH = 4
"""Words to either side of a negating word that it may negate."""
_KANA_REACH = 8
"""The same in Japanese, where a verb negates at its end and a word is a pair of signs."""
_KANA = re.compile("[\u3040-\u309f]")
_LEAST_STEM = 5
"""Letters of a word that a negating prefix may turn: "unit" is not the opposite of "it"."""
_BOUND_AFTER = re.compile(
    r"\s+(?:more|less|fewer|later|earlier|longer|mehr|weniger|später|länger|więcej|mniej|później|wcześniej|dłużej|"
    r"более|менее|больше|меньше|позднее|позже|ранее|раньше|više|manje|kasnije|ranije|duže|plus|moins|más|menos|più|"
    r"meno|mais|lebih|kurang|meer|minder|"
    r"but|except|other than|außer|sauf|excepto|salvo|tranne|oprócz|poza|kromě|osim|кроме|окрім|selain|behalve)(?!\w)",
    re.IGNORECASE,
)
"""After a negating word: "no more than 5" sets a bound, "nobody but them" means only them; neither negates."""
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "ne", "nie", "bez", "bes", "mis")


class Polarity:
    """The words of a stretch of text, and which of them stand near a negation."""

    def __init__(self, text: str, words: Sequence[Word], cues: Iterable[Sentence]) -> None:
        """Take the words of (a part of) ``text`` and the negating words in it, with their places in ``text``."""
        self._words = words
        self._text = text
        kana = bool(words) and _KANA.search(text, words[0].start, words[-1].end) is not None
        self._reach = _KANA_REACH if kana else _REACH
        cue_words: list[list[int]] = []
        for cue in cues:
            if _BOUND_AFTER.match(text, cue.end):
                continue
            inside = [at for at, word in enumerate(words) if word.start < cue.end and cue.start < word.end]
            if inside:
                cue_words.append(inside)
        self._cues = [at for inside in cue_words for at in inside]
        self._heads = [(frozenset(words[at].key for at in inside), self._head_of(inside)) for inside in cue_words]
        self.keys = frozenset(word.key for word in words)
        self.prefixed = tuple(key for key in self.keys if key.startswith(_PREFIXES))
        """The words that may be others with a negating prefix."""
        self._forms: WordForms | None = None
        self.cue_keys = frozenset(words[at].key for at in self._cues)

    def heads(self, *, without: Collection[str] = ()) -> Sequence[str]:
        """The negated words, as keys, but for those negated by one of ``without``."""
        kept = (head for cue, heads in self._heads for head in heads if cue.isdisjoint(without))
        return tuple(dict.fromkeys(kept))

    def _head_of(self, cue: Sequence[int]) -> list[str]:
        """The word that a negation most likely negates: the next content word, or the one before at the end."""
        after = range(cue[-1] + 1, min(len(self._words), cue[-1] + 1 + self._reach))
        before = range(cue[0] - 1, max(-1, cue[0] - 1 - self._reach), -1)
        for at in (*after, *before):
            if at not in self._cues and is_content(self._words[at].key):
                return [self._words[at].key]
        return []

    def runs_like(self, other: "Polarity") -> bool:
        """Whether the words of this text follow one another in the other as they do here, negations left out."""
        own, theirs = self.unnegated(), other.unnegated()
        return len(own) > 1 and set(pairwise(own)) <= set(pairwise(theirs))

    def unnegated(self) -> list[str]:
        """The words, as keys, without those that negate."""
        return [word.key for at, word in enumerate(self._words) if at not in self._cues]

    def written(self, key: str) -> str:
        """The first form of ``key`` as the text writes it; ``key`` itself where it does not occur."""
        found = (word for word in self._words if match_strength(key, word.key))
        return next((self._text[word.start : word.end] for word in found), key)

    def holds(self, key: str) -> bool:
        """Whether a form of ``key`` occurs."""
        if key in self.keys:
            return True
        if self._forms is None:
            self._forms = WordForms(self.keys)
        return self._forms.holds(key)

    def negated(self, key: str) -> bool | None:
        """Whether ``key`` stands near a negation wherever it occurs; None where it does not occur, or does both."""
        at = [place for place, word in enumerate(self._words) if match_strength(key, word.key)]
        near = {any(0 < abs(place - cue) <= self._reach for cue in self._cues) for place in at}
        return near.pop() if len(near) == 1 else None


def read_polarity(text: str, cues: Iterable[Sentence]) -> Polarity:
    """The polarity of a text whose negating words are ``cues``."""
    return Polarity(text, split_words(text), cues)


@cache
def _opposites() -> Mapping[str, tuple[str, ...]]:
    """Words with their opposites, as ``key_of`` gives them."""
    return _others_in("opposites.txt")


@cache
def _orders() -> Mapping[str, tuple[str, ...]]:
    """Words of order and frequency with those that they cannot stand for; each form is a word of its own."""
    return _others_in("orders.txt")


def _others_in(name: str) -> Mapping[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            for group in line.partition(":")[2].split(";"):
                for one, other in permutations([key_of(word.strip()) for word in group.split("/")], 2):
                    table.setdefault(one, []).append(other)
    return {word: tuple(others) for word, others in table.items()}


@lru_cache(maxsize=20_000)
def _opposites_of(key: str) -> tuple[str, ...]:
    found = list(_opposites().get(key, ()))
    if not found and len(key) >= 5:
        found = [o for word, others in _opposites().items() if match_strength(key, word) >= 0.9 for o in others]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Opposition:
    """How a passage says the opposite of a claim."""

    reason: str
    """A clause."""
    turned: bool
    """A word of the claim stands in the passage as its opposite, so that it counts as not covered."""


def opposed(claim: Polarity, passage: Polarity) -> Opposition | None:
    """How the passage says the opposite of the claim; None where it does not.

    Each difference of sign counts once (a negation on one side, an opposite word, a negating prefix); two of them
    cancel: "not impossible" is "possible".
    """
    flips: list[str] = []
    turned: dict[str, str] = {}
    for key in sorted(claim.keys - passage.keys):
        if (other := _turned(key, claim, passage)) is not None:
            turned[key] = other
            flips.append(f"“{claim.written(key)}” against “{passage.written(other)}”")
    flips += [
        f"“{claim.written(head)}” is negated only in the answer"
        for head in claim.heads(without=turned)
        if claim.negated(head) and passage.negated(turned.get(head, head)) is False
    ]
    back = {other: key for key, other in turned.items()}
    flips += [
        f"“{passage.written(head)}” is negated only in the passage"
        for head in passage.heads(without=back)
        if claim.negated(back.get(head, head)) is False and passage.negated(head)
    ]
    return Opposition(flips[0], bool(turned)) if len(flips) % 2 else None


def _turned(key: str, claim: Polarity, passage: Polarity) -> str | None:
    """The word of the passage that turns ``key`` into its opposite, where the passage lacks ``key`` itself."""
    if (order := next((other for other in _orders().get(key, ()) if other in passage.keys), None)) is not None:
        return None if order in claim.keys else order
    opposites = _opposites_of(key)
    prefixed = key.startswith(_PREFIXES) or any(word.endswith(key) for word in passage.prefixed)
    if not (opposites or prefixed) or passage.holds(key):
        return None
    for other in opposites:
        held = next((word for word in sorted(passage.keys) if match_strength(other, word) >= 0.85), None)
        if held is not None and not claim.holds(held):
            return held
    for prefix in _PREFIXES:
        if len(key) >= _LEAST_STEM and prefix + key in passage.keys:
            return prefix + key
        if key.startswith(prefix) and len(key) - len(prefix) >= _LEAST_STEM and key[len(prefix) :] in passage.keys:
            return key[len(prefix) :]
    return None
