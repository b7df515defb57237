"""What is free beside what has a price: "Adults pay 8 euros, children enter free" bears out no "Children pay 8"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

from ragsonde.scorers.facts import Measured, Quantity, agrees
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence, Window
from ragsonde.scorers.faithfulness.parallels import sentences_near
from ragsonde.scorers.faithfulness.pieces import Clause, Piece, read_clauses
from ragsonde.scorers.faithfulness.polarity import EXCEPTING
from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import is_content, key_of, split_words
from ragsonde.scorers.listed import read_toml
from ragsonde.scorers.text.negation import has_negation

_MOST = 24
"""Clauses about prices that are looked at: the time that they take grows with their square."""
_LONGEST = 12
"""Content words of a clause that is looked at; longer ones tell of more than one thing."""


@dataclass(frozen=True, slots=True)
class _Terms:
    """A clause that says that something is free, or that it has a price."""

    price: Piece | None
    """None where it is free."""
    told: Sequence[Piece]
    """What it says of it: its content without the price, the word for "free", and "pays" or "costs"."""
    clause: Clause

    @property
    def free(self) -> bool:
        """Whether it says that something is free."""
        return self.price is None

    def holds(self, piece: Piece) -> bool:
        """Whether it says what a piece of another clause says."""
        return self.clause.holds(piece)

    def apart_from(self, other: "_Terms") -> Sequence[Piece]:
        """What only this one speaks of."""
        return [piece for piece in self.told if not other.holds(piece)]


@dataclass(frozen=True, slots=True)
class OtherTerms:
    """A claim that gives to one thing the price, or the freedom from it, of another."""

    stated: str
    """What the claim says, as written."""
    rightful: str
    """The clause of the contexts that speaks of the same."""


def find_other_terms(
    claim: str, own: Sequence[Measured], alignment: Alignment, evidence: Evidence
) -> OtherTerms | None:
    """What a claim says is paid though the contexts say it is free, or free though it is paid; None where nothing is.

    ``own`` are the measured facts of the claim. One that denies or excepts something is not looked at, nor one that a
    clause bears out whole.
    """
    if not _may_tell(claim, own) or alignment.window is None:
        return None
    said = [terms for clause in read_clauses(claim, 0, len(claim), own) if (terms := _terms(clause)) is not None]
    if len(said) != 1 or _excepts(claim):
        return None
    (mine,) = said
    told = list(islice(_near(mine, alignment.window, evidence), _MOST))
    same_terms = [terms for terms in told if terms.free == mine.free]
    alike = [terms for terms in same_terms if mine.price is None or terms.holds(mine.price)]
    if any(all(map(terms.holds, mine.told)) for terms in alike):
        return None
    for same, other in product(alike, (terms for terms in told if terms.free != mine.free)):
        only_other = other.apart_from(same)
        if any(piece.value and not _bounded_alike(piece.value, mine) for piece in only_other):
            continue  # free for so long, or up to so much: other bounds of figures are compared elsewhere
        if only_other and all(map(mine.holds, only_other)) and not any(map(mine.holds, same.apart_from(other))):
            return OtherTerms(mine.clause.written, other.clause.written)
    return None


def _may_tell(claim: str, own: Sequence[Measured]) -> bool:
    """A quick look: whether a claim has a price or a word for "free"."""
    if any(map(_is_price, own)) or not _listed("free").isdisjoint([word.key for word in split_words(claim)]):
        return True
    return not claim.isascii() and any(run in claim.translate(simplified()) for run in _listed("free_signs"))


def _terms(clause: Clause) -> _Terms | None:
    """What a clause says of a price; None where it says nothing of one."""
    runs = "".join(piece.key if piece.sign else " " for piece in clause.pieces)
    signs = [run for run in _listed("free_signs") if run in runs]
    free = bool(signs) or any(piece.value is None and piece.key in _listed("free") for piece in clause.pieces)
    price = next((piece for piece in clause.values if piece.value is not None and _is_price(piece.value)), None)
    if not (free or price) or len(clause.telling) > _LONGEST:
        return None
    price = None if free else price
    light = _light() | frozenset("".join(signs))
    told = [p for p in clause.telling if p is not price and p.key not in light and not _is_grammar(p)]
    return _Terms(price, told, clause)


def _is_grammar(piece: Piece) -> bool:
    """Whether it is a word of grammar that another clause may have without speaking of the same: French "est"."""
    return piece.value is None and not piece.sign and piece.text.islower() and not is_content(piece.key)


def _is_price(fact: Measured) -> bool:
    return isinstance(fact, Quantity) and any(dimension.startswith("money") for dimension in fact.dimensions)


def _bounded_alike(value: Measured, terms: _Terms) -> bool:
    """Whether a clause sets the same bound as a figure of another does: "under 6" for both."""
    if not isinstance(value, Quantity) or not value.bound:
        return False
    theirs = (piece.value for piece in terms.clause.values)
    return any(isinstance(other, Quantity) and other.bound == value.bound and agrees(other, value) for other in theirs)


def _near(mine: _Terms, window: Window, evidence: Evidence) -> Iterator[_Terms]:
    """The clauses about prices in the claim's passage and in the sentences that hold most of its words."""
    for sentence in sentences_near(mine.clause.telling, window, evidence):
        for clause in evidence.documents[sentence.document].clauses_of(sentence.first):
            if (terms := _terms(clause)) is not None:
                yield terms


def _excepts(claim: str) -> bool:
    return has_negation(claim) or any(word.key in EXCEPTING for word in split_words(claim))


@cache
def _light() -> frozenset[str]:
    """What tells no clause from another."""
    return _listed("free") | _listed("paid") | _listed("paid_signs")


@cache
def _listed(name: str) -> frozenset[str]:
    return frozenset(map(key_of, read_toml(__package__, "free.toml")[name].split()))
