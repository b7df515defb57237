"""Whether a claim and a passage say the opposite of each other: negation, negating prefixes, opposite words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import permutations

from ragsonde.scorers.faithfulness.clauses import clauses_meant, denies_in_another_case
from ragsonde.scorers.faithfulness.contraries import Relation, contraries
from ragsonde.scorers.faithfulness.exclusive import left_out, only_turned
from ragsonde.scorers.faithfulness.openings import ends_opening, taken_out
from ragsonde.scorers.faithfulness.polarity import EXCEPTING, PREFIXES, Polarity, forms_of_one
from ragsonde.scorers.faithfulness.variants import canonical
from ragsonde.scorers.faithfulness.words import WordForms, key_of, match_strength

_LEAST_STEM = 5
"""Letters of a word that a negating prefix may turn: "unit" is not the opposite of "it"."""
_FORM = 0.9
"""Strength of a match from which a word is taken for a form of another."""


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


@cache
def _opposite_forms() -> WordForms:
    return WordForms(_opposites())


@lru_cache(maxsize=20_000)
def _opposites_of(key: str) -> tuple[str, ...]:
    opposites = _opposites()
    if key in opposites or len(key) < _LEAST_STEM:
        return opposites.get(key, ())
    alike = _opposite_forms().of(key).items()
    return tuple(other for word, strength in alike if strength >= _FORM for other in opposites[word])


@dataclass(frozen=True, slots=True)
class Opposition:
    """How a passage says the opposite of a claim."""

    reason: str
    """A clause."""
    stated: str | None
    """The word of the claim, as written, that the passage has its opposite of, so that it counts as not covered."""


def opposed(claim: Polarity, passage: Polarity) -> Opposition | None:
    """How the passage, or the clause of it that speaks of the same, says the opposite of the claim; None where none."""
    others = left_out(claim, passage)
    if others is not None:
        reason = f"“{others.stated}” against only “{others.kept}”"
        return None if others.denied else Opposition(reason, others.stated)
    meant = clauses_meant(claim, passage)
    if not meant:
        return None if denies_in_another_case(claim, passage) else _opposed(claim, passage)
    found = [_opposed(claim, clause) for clause in meant]
    return found[0] if all(found) else None


def turns_what_is_new(sentence: Polarity, claim: Polarity, main: Polarity, *, figures: bool) -> bool:
    """Whether a sentence excludes what a claim adds to its main passage: "It covers fire. Water damage is excluded".

    It has all content words of the claim but the one that it excludes and maybe the first, which names what is spoken
    of; the main passage has none of them. ``figures``: only the sentence gives the claim's, which then are what is new.
    """
    flip = _opposed(claim, sentence)
    if flip is None or flip.stated is None:
        return False
    rest = [key for key, _ in claim.content() if claim.written(key) != flip.stated]
    told = rest if not rest or sentence.holds(rest[0]) else rest[1:]
    return all(map(sentence.holds, told)) and (figures or (bool(told) and not any(map(main.holds, told))))


def _opposed(claim: Polarity, passage: Polarity) -> Opposition | None:
    """How one statement says the opposite of another.

    Each difference of sign counts once (a negation on one side, an opposite word, a negating prefix); two of them
    cancel: "not impossible" is "possible".
    """
    turned = _turned_words(claim, passage)
    exception = _exception(claim, passage)
    if not (turned or exception or claim.cue_keys or passage.cue_keys):
        return None  # as most are
    flips = [f"“{claim.written(key)}” against “{passage.written(other)}”" for other, key in turned.items()]
    stated = next((claim.written(key) for key in turned.values()), None)
    forward = {key: other for other, key in turned.items()}
    cancelled = (claim.denies and only_turned(passage, claim)) or (passage.denies and only_turned(claim, passage))
    if claim.partly or passage.partly or cancelled or _negate_the_same(claim, passage, forward, turned):
        return Opposition(flips[0], stated) if len(flips) % 2 else None
    in_answer = (
        f"“{claim.written(head)}” is negated only in the answer"
        for head in claim.heads(without={*forward, *_in_other_words(claim, passage)})
        if claim.negated(head)
        and passage.negated(forward.get(head, head)) is False
        and (head in forward or passage.keys.isdisjoint(contraries().get(head, ())))  # "not charged": "free of charge"
    )
    both = _both_sides(passage)  # "free for children, not free for adults": which is meant is not told by them
    sides_named = not both.isdisjoint(claim.keys)
    exception = None if sides_named else exception
    excepting = EXCEPTING if sides_named or exception else frozenset[str]()
    # In a script without spaces the exception is what is negated.
    denied = {*turned, *excepting, *both, *_in_other_words(passage, claim)}
    negated = () if exception and passage.unspaced else passage.heads(without=denied)
    in_passage = (
        f"“{passage.written(head)}” is negated only in the passage"
        for head in negated
        if claim.negated(turned.get(head, head)) is False and passage.negated(head)
    )
    # Several negating words on one side are one difference: "neither A nor B", and where negations agree.
    flips += [flip for flip in (next(in_answer, None), next(in_passage, None)) if flip is not None]
    if exception is not None:
        flips.append(f"“{exception}” is an exception in the passage")  # "every day but Sunday", "closed on Sunday"
        stated = stated or exception
    return Opposition(flips[0], stated) if len(flips) % 2 else None


def _exception(claim: Polarity, passage: Polarity) -> str | None:
    """What the claim speaks of and the passage takes out, where the claim makes no exception itself."""
    return None if claim.exceptions() else taken_out(passage.text, claim.text, passage.exceptions())


def _in_other_words(denying: Polarity, other: Polarity) -> frozenset[str]:
    """Words of a text with a negation in them, which another text says without one: 不营业 and 休息."""
    if not denying.unspaced or not denying.cue_keys:
        return frozenset()
    there = {canonical(key) for key in other.keys}
    return frozenset(key for key in denying.cue_keys if canonical(key) in there)


def _negate_the_same(claim: Polarity, passage: Polarity, forward: Mapping[str, str], back: Mapping[str, str]) -> bool:
    """Whether one word is negated in both: "neither A nor B is heated", "A and B are not heated"."""
    return any(passage.negated(forward.get(head, head)) for head in claim.heads(without=forward)) or any(
        claim.negated(back.get(head, head)) for head in passage.heads(without=back)
    )


def _turned_words(claim: Polarity, passage: Polarity) -> Mapping[str, str]:
    """Words of the passage with those of the claim that exclude them."""
    turned: dict[str, str] = {}
    for key in sorted(_turnable(claim.keys - passage.keys, passage)):
        if (other := _turned(key, claim, passage)) is not None:
            turned.setdefault(other, key)
    return turned


def _turnable(keys: Iterable[str], passage: Polarity) -> list[str]:
    """The words that some other word may turn into their opposite: a quick look before a slow one."""
    turned = passage.prefixed
    return [key for key in keys if _has_other(key) or (turned and any(word.endswith(key) for word in turned))]


@lru_cache(maxsize=20_000)
def _has_other(key: str) -> bool:
    return bool(key in _orders() or key in contraries() or _opposites_of(key) or key.startswith(PREFIXES))


def _both_sides(passage: Polarity) -> frozenset[str]:
    """The words whose contrary the passage says too: "open except on Mondays, when it is closed"."""
    listed = contraries()
    return frozenset(key for key in passage.keys if key in listed and not passage.keys.isdisjoint(listed[key]))


def _turned(key: str, claim: Polarity, passage: Polarity) -> str | None:
    """The word of the passage that turns ``key`` into its opposite, where the passage lacks ``key`` itself."""
    if (order := next((other for other in _orders().get(key, ()) if other in passage.keys), None)) is not None:
        return None if order in claim.keys else order
    others = contraries().get(key, {})
    contrary = next((other for other in others if other in passage.keys), None)
    if contrary is not None:
        return contrary if _excludes(key, contrary, others, claim, passage) else None
    opposites = _opposites_of(key)
    prefixed = key.startswith(PREFIXES) or any(word.endswith(key) for word in passage.prefixed)
    if not (opposites or prefixed) or passage.holds(key):
        return None
    for other in opposites:
        held = next((word for word in sorted(passage.keys) if match_strength(other, word) >= 0.85), None)
        if held is not None and not claim.holds(held) and not _says_both(key, held, passage):
            return held
    for prefix in PREFIXES:
        stem = key.removeprefix(prefix)
        if len(key) >= _LEAST_STEM and prefix + key in passage.keys and prefix not in claim.keys:
            return prefix + key
        if stem != key and len(stem) >= _LEAST_STEM and stem in passage.keys and prefix not in passage.keys:
            return stem
    return None


def _excludes(key: str, contrary: str, others: Mapping[str, Relation], claim: Polarity, passage: Polarity) -> bool:
    """Whether a word of the claim and one of the passage exclude each other where they stand."""
    same_side = contraries()[contrary]
    if not claim.keys.isdisjoint(others) or not passage.keys.isdisjoint(same_side):
        return False  # one of the two says both
    if (contrary in passage.cue_keys and claim.negated(key)) or (key in claim.cue_keys and passage.negated(contrary)):
        return False  # "forbidden", "not allowed"
    if any(word not in others and match_strength(key, word) >= _FORM for word in passage.keys):
        return False
    match others[contrary]:
        case Relation.UNLESS_TURNED:
            return claim.led(key) and passage.led(contrary) and _same_way_round(claim, key, passage, contrary)
        case Relation.IN_ORDER:
            return _same_way_round(claim, key, passage, contrary)
        case Relation.BEFORE_THE_SAME:
            mine, theirs = claim.content_after(key), passage.content_after(contrary)
            return mine is not None and theirs is not None and forms_of_one(mine, theirs)
        case Relation.ALWAYS:
            return not (
                ends_opening(claim.text, claim.written(key), passage.text)
                or ends_opening(passage.text, passage.written(contrary), claim.text)
            )


def _says_both(key: str, held: str, passage: Polarity) -> bool:
    """Whether the passage has another word that means what ``key`` does: "as X increases, Y decreases"."""
    return any(passage.holds(word) for word in _opposites_of(held) if not match_strength(word, key))


def _same_way_round(claim: Polarity, key: str, passage: Polarity, held: str) -> bool:
    """Whether what stands before a word in the claim stands before the other word in the passage."""
    left, right = claim.sides(key)
    before, after = passage.sides(held)

    def shared(one: frozenset[str], other: frozenset[str]) -> int:
        return sum(any(match_strength(word, far) for far in other) for word in one)

    led = shared(left, before)
    return led > 0 and led + shared(right, after) > shared(left, after) + shared(right, before)
