"""What a policy, a contract or a guide leaves out, told in other words than the contexts: a fact, no abstention."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property

import regex

from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.negation import has_negation

_TELLING_LETTERS = 4
_LEAST_TOLD = 2
"""Words besides those of saying: what is left out, and of what."""
_STEM = 0.6
"""Share of the longer of two forms of a word that both begin with."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What ``omissions.toml`` says."""

    saying: tuple[str, ...]
    light: Set[str]
    signs: regex.Pattern[str]
    negations: regex.Pattern[str]
    leaving: regex.Pattern[str]


@cache
def _rules() -> _Rules:
    listed = read_toml(__package__, "omissions.toml")
    return _Rules(
        tuple(listed["saying"]),
        frozenset(listed["light"]),
        regex.compile("|".join(listed["signs"])),
        regex.compile(listed["negations"]),
        regex.compile(listed["leaving"]),
    )


class Told:
    """A sentence of the contexts: its words in small letters, or the runs of a script without spaces."""

    def __init__(self, words: Set[str]) -> None:
        self.words = words

    @cached_property
    def _by_beginning(self) -> Mapping[str, Sequence[str]]:
        words: defaultdict[str, list[str]] = defaultdict(list)
        for word in self.words:
            words[word[:_TELLING_LETTERS]].append(word)
        return words

    def holds_form_of(self, word: str) -> bool:
        """Whether a word of it has the beginning of ``word``, and little else."""
        return any(_same(word, other) for other in self._by_beginning.get(word[:_TELLING_LETTERS], ()))


_NOTHING_TOLD = Told(frozenset())


def reports_omission(words: Set[str], told: Iterable[Told]) -> bool:
    """Whether one of the sentences leaves out what a clause with ``words`` (in small letters) does.

    It must hold a form of each word of the clause, or also a word of saying in place of one, and negate; up to half of
    them may stand in the sentence before it: "It is not mentioned before 1200".
    """
    rules = _rules()
    telling = [word for word in words if len(word) >= _TELLING_LETTERS and word not in rules.light]
    own = [word for word in telling if not word.startswith(rules.saying)]
    if len(own) < _LEAST_TOLD:
        return False
    says = len(own) < len(telling)
    before = _NOTHING_TOLD
    for sentence in told:
        if (
            _holds_all(own, sentence, before)
            and (not says or any(other.startswith(rules.saying) for other in sentence.words))
            and has_negation(" ".join(sentence.words))
        ):
            return True
        before = sentence
    return False


def _holds_all(words: Sequence[str], sentence: Told, before: Told) -> bool:
    there = list(map(sentence.holds_form_of, words))
    if 2 * sum(there) < len(words):
        return False
    return all(held or before.holds_form_of(word) for word, held in zip(words, there, strict=True))


def reports_omission_in_signs(clause: str, told: Iterable[Told]) -> bool:
    """The same for scripts without spaces."""
    rules = _rules()
    own = [run for run in rules.signs.sub(" ", clause).split() if len(run) > 1]
    if not own:
        return False
    denied = rules.negations if sum(map(len, own)) >= _TELLING_LETTERS else rules.leaving
    return any(
        all(any(run in there for there in sentence.words) for run in own) and any(map(denied.search, sentence.words))
        for sentence in told
    )


def _same(one: str, other: str) -> bool:
    """Whether two words with the same beginning are forms of one."""
    if one == other:
        return True
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return shared >= _STEM * max(len(one), len(other))
