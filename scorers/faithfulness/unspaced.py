"""The same for scripts that write no spaces: a run of signs of the claim where its passage has another run.

Nothing tells where a word ends, so signs are aligned, and the place tells a noun from a verb or a paraphrase: right
after a word that takes a place, an agent or a material ("in", "by", "made of"), or right before a noun that it says the
kind of ("-colour", "-ministry"; in Thai right after it).
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache

import regex

from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import split_words
from ragsonde.scorers.listed import read_toml

_THAI = regex.compile(r"\p{Thai}")
_KANA = regex.compile(r"[\p{Hiragana}\p{Katakana}]")
_HAN = regex.compile(r"\p{Han}")
_BREAK = regex.compile(r"[^\p{L}\p{M}·、]")
_LIST = "、"
_NUMBER = regex.compile(r".*\p{N}.*|[第〇零一二三四五六七八九十百千万亿两半]+")
_LEAST_ALIKE = 0.5
"""Share of the claim's signs that must stand in the passage too, in the same order."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What ``unspaced.toml`` says of one script."""

    grammar: regex.Pattern[str]
    before: tuple[str, ...]
    passive: tuple[str, ...]
    unless: tuple[str, ...]
    copulas: tuple[str, ...]
    verbs: tuple[str, ...]
    frames: tuple[tuple[str, str], ...]
    clauses: regex.Pattern[str]
    heads: tuple[str, ...]
    heads_follow: bool
    surnames: Set[str]
    same: Mapping[str, int]
    longest: int
    least: int
    anchor: int
    shared: int


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the claim and what stands in its place in the passage, with their places."""

    own: str
    """The whole claim."""
    start: int
    stated: str
    place: int
    found: str

    @property
    def left(self) -> str:
        """What stands before it in its clause."""
        return _BREAK.split(self.own[: self.start])[-1]

    @property
    def right(self) -> str:
        """What stands after it in its clause."""
        return _BREAK.split(self.own[self.start + len(self.stated) :], maxsplit=1)[0]


def replaced_run(claim: str, passage: str, evidence: Evidence) -> tuple[str, str] | None:
    """The run of a claim that has another's place, and that other, as written; None where there is none.

    Nothing is said of Japanese, whose particles tell more, nor of other scripts than Chinese and Thai.
    """
    if _KANA.search(claim):
        return None
    code = "zh" if _HAN.search(claim) else "th" if _THAI.search(claim) else None
    if code is None or all(evidence.holds(word.key) for word in split_words(claim)):
        return None
    rules = _rules(code)
    for run in _runs(claim.translate(simplified()), passage.translate(simplified()), rules):
        start, place = run.start, run.place
        if _is_another(run, rules) and _is_new(run, rules, evidence):
            return claim[start : start + len(run.stated)], passage[place : place + len(run.found)]
    return None


def _runs(own: str, theirs: str, rules: _Rules) -> Iterator[_Run]:
    """Runs of the claim where the passage has another between the same neighbours."""
    blocks = SequenceMatcher(None, theirs, own, autojunk=False).get_matching_blocks()
    equal = [block for block in blocks if block.size >= rules.anchor or not block.size]
    if sum(block.size for block in equal) < _LEAST_ALIKE * sum(map(str.isalpha, own)):
        return
    there = here = 0
    for block in equal:
        found, stated = theirs[there : block.a], own[here : block.b]
        place, start = there, here
        there, here = block.a + block.size, block.b + block.size
        if not start or not place:  # where one begins, the other must begin a clause
            cut = len(found) - len(_BREAK.split(found)[-1])
            found, place = found[cut:], place + cut
            if start:
                continue
        kept = _BREAK.split(stated, maxsplit=1)[0]
        if len(kept) < len(stated) or _BREAK.match(own, start + len(kept)) or start + len(kept) == len(own):
            found = _BREAK.split(found, maxsplit=1)[0]
        if kept and found and max(len(kept), len(found)) <= rules.longest and not _BREAK.search(found):
            yield _Run(own, start, kept, place, found)


def _is_another(run: _Run, rules: _Rules) -> bool:
    """Whether a run stands where a noun does, and says something else than the passage's."""
    stated, found = run.stated, run.found
    if (
        _LIST in stated + found
        or _NUMBER.fullmatch(stated)
        or _NUMBER.fullmatch(found)
        or set(stated) <= set(found)
        or set(found) <= set(stated)
    ):
        return False
    if rules.grammar.fullmatch(stated) or rules.grammar.fullmatch(found) or _same(run, rules):
        return False
    if {stated[0], found[0]} <= rules.surnames and max(len(stated), len(found)) <= 3 and not run.left:
        return True
    return _headed(run, rules) or _led(run, rules)


def _headed(run: _Run, rules: _Rules) -> bool:
    """Whether the run says of what kind a noun is that both have."""
    if rules.heads_follow:
        return run.right.startswith(rules.heads)
    return any(run.left[: len(run.left) - shared].endswith(rules.heads) for shared in range(rules.shared + 1))


def _led(run: _Run, rules: _Rules) -> bool:
    """Whether a word leads to the run that nouns follow; after a verb it must end the clause."""
    for shared in range(min(rules.shared, len(run.left)) + 1):
        left, rest = run.left[: len(run.left) - shared], run.left[len(run.left) - shared :]
        if rest and (rules.grammar.fullmatch(rest) or left.endswith(rules.unless)):
            return False
        if left.endswith(rules.before) and not left.endswith(rules.unless):
            return not rules.clauses.search(run.right)
        if left.endswith((*rules.copulas, *rules.verbs)) and not run.right[1:]:
            return True
        if any(left.endswith(first) and run.right[:2].find(last) >= 0 for first, last in rules.frames):
            return True
    return False


def _same(run: _Run, rules: _Rules) -> bool:
    """Whether the two are listed as words that stand for one another, each with up to a neighbour that they share."""
    sides = [("", ""), (run.left[-1:], ""), ("", run.right[:1]), (run.left[-1:], run.right[:1])]
    pairs = ((before + run.stated + after, before + run.found + after) for before, after in sides)
    return any(one in rules.same and rules.same[one] == rules.same.get(other) for one, other in pairs)


def _is_new(run: _Run, rules: _Rules, evidence: Evidence) -> bool:
    """Whether neither contexts nor question have the run; a sign or two are looked for with what stands around."""
    text = run.stated
    if len(text) < rules.least:
        text = run.left[-1:] + text + run.right[:1]
    words = [word.key for word in split_words(text)]
    known = [bool(evidence.holds(key)) or evidence.asked(key) for key in words]
    return not any(known) if len(run.stated) == 1 else not all(known)


def leads_to_noun(left: str, right: str) -> bool:
    """Whether what stands before a run of Chinese, in simplified signs, leads to a noun: a place, an agent, an object.

    ``right`` is what follows it in its clause.
    """
    rules = _rules("zh")
    if left.endswith(rules.unless) or (left.endswith(rules.passive) and not right):
        return False
    if left.endswith(rules.before):
        return not rules.clauses.search(right)
    return left.endswith((*rules.copulas, *rules.verbs)) and not right[1:]


def is_grammar(signs: str) -> bool:
    """Whether a run, in simplified signs, says nothing of the topic."""
    return any(_rules(code).grammar.fullmatch(signs) for code in ("zh", "th"))


@cache
def _rules(code: str) -> _Rules:
    listed = read_toml(__package__, "unspaced.toml")[code]
    return _Rules(
        grammar=regex.compile(f"(?:{'|'.join(map(regex.escape, listed['grammar'].split()))})+"),
        before=tuple(listed["before"].split()),
        passive=tuple(listed.get("passive", "").split()),
        unless=tuple(listed["unless"].split()),
        verbs=tuple(listed["verbs"].split()),
        copulas=tuple(listed["copulas"].split()),
        frames=tuple((first, last) for first, last in listed["frames"]),
        clauses=regex.compile("|".join(map(regex.escape, listed["clauses"].split()))),
        heads=tuple(listed["heads"].split()),
        heads_follow=listed["heads_follow"],
        surnames=frozenset(listed["surnames"].split()),
        same={word: number for number, group in enumerate(listed["same"]) for word in group.split()},
        longest=listed["longest"],
        least=listed["least"],
        anchor=listed["anchor"],
        shared=listed["shared"],
    )
