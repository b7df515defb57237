"""Which clauses of a passage speak of what a claim speaks of: "A is open on Mondays, B is closed on Mondays".

A sentence that says both a word and its contrary, or denies one thing and not another, bears a claim out only in the
clause of the claim's other words.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from ragsonde.scorers.faithfulness.contraries import contraries
from ragsonde.scorers.faithfulness.polarity import Polarity, forms_of_one

_LEAST_BESIDE = 2
"""Content words beside what a claim denies, by which it is told of which case it speaks."""


@dataclass(frozen=True, slots=True)
class _Clause:
    polarity: Polarity
    has: Set[str]
    """The claim's content words that it holds a form of."""
    leading: Sequence[str]
    """Its content words before the first that takes a side."""
    sides: Set[str]
    """Its words that take a side."""


def clauses_meant(claim: Polarity, passage: Polarity) -> Sequence[Polarity]:
    """The clauses of a passage that hold the words by which its clauses differ, or all but one that takes a side there.

    None where the passage is one clause, or it can't be told which is meant.
    """
    listed = contraries()
    turned = (key in listed and not passage.keys.isdisjoint(listed[key]) for key in claim.keys)
    if not (passage.denies or claim.denies or any(turned)):
        return ()  # nothing takes a side
    parts = passage.clauses()
    if len(parts) < 2:
        return ()
    own = [key for key, negates in claim.content() if not negates]
    told = [_Clause(part, _held(own, part), *_sides(part, claim, passage)) for part in _merged(parts, claim, passage)]
    if len(told) < 2 or not all(any(key in clause.has for clause in told) or _turned(key, told) for key in own):
        return ()
    differing = {key for key in own if 0 < sum(key in clause.has for clause in told) < len(told)}
    subject = told[0].leading
    meant: list[tuple[bool, int, Polarity]] = []
    for clause in told:
        own_subject = any(not any(forms_of_one(word, key) for key in own) for word in clause.leading)
        carried = () if own_subject else subject
        outside = {key for key in differing - clause.has if not any(forms_of_one(key, word) for word in carried)}
        inside = differing & clause.has
        if inside and len(outside) <= 1 and all(_takes_side(key, clause) for key in outside):
            meant.append((not outside, len(inside), clause.polarity))
    best = max(((whole, count) for whole, count, _ in meant), default=(False, 0))
    return [polarity for whole, count, polarity in meant if (whole, count) == best]


def denies_in_another_case(claim: Polarity, passage: Polarity) -> bool:
    """Whether a clause has all that a claim says beside what it denies, of which another clause alone speaks.

    "Appointments are required Monday to Thursday; on Fridays you can walk in" does not speak against "On Fridays you
    can walk in without an appointment".
    """
    heads = set() if passage.denies else set(claim.heads())
    own = [key for key, negates in claim.content() if not negates]
    rest = frozenset(own) - heads
    if not heads or len(rest) < _LEAST_BESIDE:
        return False
    held = [_held(own, part) for part in passage.clauses()]
    speaking = [has for has in held if not has.isdisjoint(heads)]
    return bool(speaking) and not any(has & rest for has in speaking) and any(rest <= has for has in held)


def _held(own: Sequence[str], part: Polarity) -> Set[str]:
    there = [key for key, _ in part.content()]
    return frozenset(key for key in own if any(forms_of_one(key, word) for word in there))


def _merged(parts: Sequence[Polarity], claim: Polarity, passage: Polarity) -> list[Polarity]:
    """The parts that take a side, each with those before it that take none; the last with those after it."""
    merged: list[Polarity] = []
    waiting: Polarity | None = None
    for part in parts:
        joined = part if waiting is None else waiting.joined(part)
        # "hot and cold water": a word by itself is no clause.
        if _sides(joined, claim, passage)[1] and len(joined.content()) > 1:
            merged.append(joined)
            waiting = None
        else:
            waiting = joined
    if waiting is not None and merged:
        merged[-1] = merged[-1].joined(waiting)
    return merged


def _sides(part: Polarity, claim: Polarity, passage: Polarity) -> tuple[Sequence[str], Set[str]]:
    """The content words of a part before the first that takes a side, and those that do."""
    listed = contraries()
    heads = (*claim.heads(without=listed), *passage.heads(without=listed))
    leading: list[str] = []
    sides: set[str] = set()
    for key, negates in part.content():
        others = listed.get(key, ())
        spoken_of = key in claim.keys or any(o in claim.keys or not claim.keys.isdisjoint(listed[o]) for o in others)
        sided = (negates and part.denies) or (others and spoken_of)
        if sided or any(forms_of_one(key, head) for head in heads):
            sides.add(key)
        elif not sides:
            leading.append(key)
    return leading, sides | part.cue_keys if part.denies else sides


def _takes_side(key: str, clause: _Clause) -> bool:
    """Whether a word of the claim has its contrary in a clause, or a negation there may be of it."""
    return not clause.sides.isdisjoint(contraries().get(key, ())) or clause.polarity.denies


def _turned(key: str, told: Sequence[_Clause]) -> bool:
    others = contraries().get(key, {})
    return any(not clause.sides.isdisjoint(others) for clause in told)
