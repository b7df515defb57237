"""Who is left out where something holds only of some: "only members may vote" is "non-members may not vote"."""

import re
from dataclasses import dataclass
from functools import cache

from ragsonde.scorers.faithfulness.polarity import Polarity, forms_of_one
from ragsonde.scorers.faithfulness.words import key_of
from ragsonde.scorers.listed import read_toml

_FEWEST_LETTERS = 4
"""Of the word that is turned: "non-members", not "nonfat"."""


@dataclass(frozen=True, slots=True)
class _Rules:
    """What ``exclusive.toml`` says."""

    only: re.Pattern[str]
    others: re.Pattern[str]
    unless: re.Pattern[str]


@cache
def _rules() -> _Rules:
    listed = read_toml(__package__, "exclusive.toml")
    only, others, unless = ("|".join(listed[name]) for name in ("only", "others", "unless"))
    return _Rules(
        # The words it holds of follow, after up to two others.
        only=re.compile(rf"(?<!\w)(?:{only})((?:\W+\w+){{1,3}})"),
        others=re.compile(rf"(?<!\w)((?:{others})(\w{{{_FEWEST_LETTERS},}}))"),
        unless=re.compile(rf"(?<!\w)(?:{unless})(?!\w)"),
    )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What a text says of those whom another, that holds only of some, leaves out."""

    stated: str
    """The word for them, as written in small letters."""
    kept: str
    """What is left, as the other text writes it."""
    denied: bool
    """It denies it of them: the two say the same."""


def left_out(claim: Polarity, passage: Polarity) -> LeftOut | None:
    """What a claim says of those whom the passage leaves out; None where it speaks of none."""
    rules = _rules()
    there = passage.lowered
    only = rules.only.search(there)
    if only is None:
        return None
    text = claim.lowered
    following = re.findall(r"\w+", only[1])
    for found in rules.others.finditer(text):
        kept = next((word for word in following if forms_of_one(key_of(found[2]), key_of(word))), None)
        if kept is not None:
            return LeftOut(found[1], kept, denied=claim.denied_outside(found[1]))
    return None


def only_turned(one: Polarity, other: Polarity) -> bool:
    """Whether one says "only" where the other says "not … unless"."""
    rules = _rules()
    text = other.lowered
    found = rules.unless.search(text)
    return found is not None and other.denied_outside(found[0]) and rules.only.search(one.lowered) is not None
