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
    r"meno|mais|lebih|kurang|meer|minder|be more|over|above|about|über|ponad|свыше|preko|"
    r"only|just|merely|simply|nur|bloß|seulement|sólo|solo|solamente|soltanto|apenas|tylko|jen|samo|только|лише|hanya|"
    r"saja|alleen|yalnızca|sadece|"
    r"but|except|other than|außer|sauf|excepto|salvo|tranne|oprócz|poza|kromě|osim|кроме|окрім|selain|behalve)(?!\w)",
    re.IGNORECASE,
)
"""After a negating word: "no more than 5" sets a bound, "nobody but them" means only them, "not only" adds; none
negates."""
_SENTENCE_END = re.compile(r"[.!?。！？؟\n]")
_QUESTIONS = frozenset("?？؟")
_TOLD_OF = re.compile(
    r"\s*,\s*(?:who|whom|whose|which|der|die|das|qui|que|quien|quienes|che|который|которая|которые|котор\w+|koji|koja|koje|"
    r"który|która|które|který|která|yang)(?!\w)",
    re.IGNORECASE,
)
"""After the word that is negated: a clause that says of it what is not negated."""
_TEMPORAL = frozenset(
    key_of(word)
    for word in re.findall(
        r"\w+",
        "before after vor nach avant après antes después depois prima dopo przed po prije poslije nakon до после "
        "sebelum selepas sesudah önce sonra 之前 之后",
    )
)
"""Words that say in which order two things happen: "A before B" is "B after A"."""
_FEWEST_SHARED = 4
"""Letters that two forms of one negated word begin with: "show" is none of "shoot"."""
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "ne", "nie", "bez", "bes", "mis")


class Polarity:
    """The words of a stretch of text, and which of them stand near a negation."""

    def __init__(self, text: str, words: Sequence[Word], cues: Iterable[Sentence]) -> None:
        """Take the words of (a part of) ``text`` and the negating words in it, with their places in ``text``."""
        self._words = words
        self._text = text
        kana = bool(words) and not text.isascii() and _KANA.search(text, words[0].start, words[-1].end) is not None
        self._reach = _KANA_REACH if kana else _REACH
        cue_words: list[list[int]] = []
        for cue in cues:
            if _BOUND_AFTER.match(text, cue.end) or _asks(text, cue.end):
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
            word = self._words[at]
            if at not in self._cues and is_content(word.key):
                return [] if _TOLD_OF.match(self._text, word.end) else [word.key]
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

    def sides(self, key: str) -> tuple[frozenset[str], frozenset[str]]:
        """The content words of what stands before ``key`` and of what comes after; "after A, B" is "B after A"."""
        at = next((place for place, word in enumerate(self._words) if word.key == key), 0)
        before, after = self._words[:at], self._words[at + 1 :]
        if not any(is_content(word.key) for word in before):
            comma = self._text.find(",", self._words[at].end)
            before, after = [w for w in after if w.start > comma], [w for w in after if w.start < comma]
        return _content_of(before), _content_of(after)

    def negated(self, key: str) -> bool | None:
        """Whether ``key`` stands near a negation wherever it occurs; None where it does not occur, or does both."""
        at = [place for place, word in enumerate(self._words) if _forms_of_one(key, word.key)]
        near = {any(0 < abs(place - cue) <= self._reach for cue in self._cues) for place in at}
        return near.pop() if len(near) == 1 else None


def _asks(text: str, start: int) -> bool:
    """Whether the sentence goes on as a question: "wouldn't one have noticed?" says that one would."""
    end = _SENTENCE_END.search(text, start)
    return end is not None and end[0] in _QUESTIONS


def _content_of(words: Iterable[Word]) -> frozenset[str]:
    return frozenset(word.key for word in words if is_content(word.key))


def _forms_of_one(one: str, other: str) -> bool:
    return one == other or (one[:_FEWEST_SHARED] == other[:_FEWEST_SHARED] and match_strength(one, other) > 0)


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
    for key in sorted(_turnable(claim.keys - passage.keys, passage)):
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


def _turnable(keys: Iterable[str], passage: Polarity) -> list[str]:
    """The words that some other word may turn into their opposite: a quick look before a slow one."""
    turned = passage.prefixed
    return [key for key in keys if _has_other(key) or (turned and any(word.endswith(key) for word in turned))]


@lru_cache(maxsize=20_000)
def _has_other(key: str) -> bool:
    return bool(key in _orders() or _opposites_of(key) or key.startswith(_PREFIXES))


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
        if held is not None and not claim.holds(held) and not _says_both(key, held, passage):
            return held if key not in _TEMPORAL or _same_way_round(claim, key, passage, held) else None
    for prefix in _PREFIXES:
        stem = key.removeprefix(prefix)
        if len(key) >= _LEAST_STEM and prefix + key in passage.keys and prefix not in claim.keys:
            return prefix + key
        if stem != key and len(stem) >= _LEAST_STEM and stem in passage.keys and prefix not in passage.keys:
            return stem
    return None


def _says_both(key: str, held: str, passage: Polarity) -> bool:
    """Whether the passage has another word that means what ``key`` does: "as X increases, Y decreases"."""
    return any(passage.holds(word) for word in _opposites_of(held) if not match_strength(word, key))


def _same_way_round(claim: Polarity, key: str, passage: Polarity, held: str) -> bool:
    """Whether what stands before a word of order in the claim stands before the other word in the passage."""
    left, right = claim.sides(key)
    before, after = passage.sides(held)

    def shared(one: frozenset[str], other: frozenset[str]) -> int:
        return sum(any(match_strength(word, far) for far in other) for word in one)

    return shared(left, before) + shared(right, after) > shared(left, after) + shared(right, before)
