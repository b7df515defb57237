"""A name in another's place: "directed by Ana Ruiz and produced by Tom Beck" bears out no "directed by Tom Beck"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragsonde.scorers.facts import Measured
from ragsonde.scorers.faithfulness.alignment import Alignment, Evidence
from ragsonde.scorers.faithfulness.pieces import Clause, Piece, read_clauses
from ragsonde.scorers.text.language import CAPITALISED_NOUNS

_LONGEST = 40
"""Words of a clause, and clauses of a sentence, that are looked at."""


@dataclass(frozen=True, slots=True)
class _Name:
    """Capitalised words in a row, and the word that leads to them: "by", "in"."""

    lead: Piece
    pieces: Sequence[Piece]

    @property
    def written(self) -> str:
        """As the text has it."""
        return " ".join(piece.text for piece in self.pieces)

    def within(self, clause: Clause) -> bool:
        """Whether a clause has all of it."""
        return all(map(clause.holds, self.pieces))

    def apart_from(self, clause: Clause) -> bool:
        """Whether a clause has nothing of it."""
        return not any(map(clause.holds, self.pieces))


def find_other_name(
    claim: str, own: Sequence[Measured], alignment: Alignment, evidence: Evidence
) -> tuple[str, str] | None:
    """A name that another clause of the same sentence gives, and the one that stands in its place; None where none.

    All else that the claim says stands in the clause of the other name, led to by the same word, or before it. Not
    looked at where capitals tell no name, as in German.
    """
    if alignment.window is None or claim.islower():
        return None
    clauses = read_clauses(claim, 0, len(claim), own)
    if len(clauses) != 1 or len(clauses[0].pieces) > _LONGEST:
        return None
    said, document = clauses[0], evidence.documents[alignment.window.document]
    names = list(_names(said))
    if not names or document.language in CAPITALISED_NOUNS:
        return None
    for sentence in alignment.window.sentences():
        there = document.clauses_of(sentence.first)
        if not 1 < len(there) <= _LONGEST or any(all(map(clause.holds, said.telling)) for clause in there):
            continue
        for name in names:
            if (rightful := _in_its_place(name, said, there)) is not None:
                return name.written, rightful.written
    return None


def _in_its_place(name: _Name, said: Clause, clauses: Sequence[Clause]) -> _Name | None:
    """The name that a clause gives where a claim gives another clause's."""
    others = [piece for piece in said.telling if piece not in name.pieces]
    givers = [clause for clause in clauses if name.within(clause) and _tells_of_its_own(clause, said)]
    if not givers:
        return None
    for clause in clauses:
        away = [piece for piece in others if not clause.holds(piece)]
        carried = all(clauses[0].holds(piece) and piece.text.islower() for piece in away)
        if clause in givers or not carried or len(away) == len(others) or not name.apart_from(clause):
            continue
        for rightful in _names(clause):
            if rightful.lead.matches(name.lead) and rightful.apart_from(said):
                return rightful
    return None


def _tells_of_its_own(clause: Clause, said: Clause) -> bool:
    """Whether a clause has a word, no name and no figure, that the claim does not have: "produced"."""
    return any(p.value is None and p.text.islower() and not said.holds(p) for p in clause.telling)


def _names(clause: Clause) -> Iterator[_Name]:
    """The names of a clause that some word leads to."""
    at = 1
    while at < len(clause.pieces):
        end = at
        while end < len(clause.pieces) and _is_capitalised(clause.pieces[end]):
            end += 1
        if end > at and not _is_capitalised(clause.pieces[at - 1]):
            yield _Name(clause.pieces[at - 1], clause.pieces[at:end])
        at = end + 1


def _is_capitalised(piece: Piece) -> bool:
    return piece.value is None and not piece.sign and piece.content and piece.text[0].isupper()
