"""A text cut into clauses, and each into pieces that can be laid beside those of another: values, words, signs."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragsonde.scorers.facts import Code, Measured, Quantity, agrees
from ragsonde.scorers.facts.script import WORD
from ragsonde.scorers.faithfulness.contraries import contraries
from ragsonde.scorers.faithfulness.variants import simplified
from ragsonde.scorers.faithfulness.words import HAN_AND_KANA, is_content, key_of, match_strength

_SIGN = re.compile(f"[{HAN_AND_KANA}]")
_PIECE = re.compile(rf"[{HAN_AND_KANA}]|[0-9]+|{WORD}")
# Without words that join in one language and do something else in another ("a", "o", "en", "mais").
_AND = "and|or|but|und|oder|aber|et|ou|y|pero|e|i|ili|ali|lub|ale|и|или|а|но|та|або|але|och|og|ve|dan|atau|و"
_CLAUSE_END = re.compile(
    r"[,;،؛，；、|\n](?!\d)|[:：](?!\s?[€$£¥]?\s?\d)"  # a colon before a figure puts two together: "Low season: 95 €"
    rf"|[.!?](?=\s|$)|[。！？]|(?<=\s)(?:{_AND})(?=\s)"
)
_CASE = re.compile(r"\s*(?P<first>[^\W\d_]+)(?: [^\W\d_]+){1,3}")
"""What may come before the first comma and belong to what follows: "In high season, a room costs 140 €"."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, a figure with its unit, or a sign of a script without spaces."""

    key: str
    text: str
    value: Measured | None
    content: bool
    """Whether it says something of the topic; words of grammar do so where they have a contrary ("before", "with")."""
    sign: bool
    """Of a script without spaces."""

    def excludes(self, other: "Piece") -> bool:
        """Whether the two stand against each other: two values, or words that exclude each other."""
        if self.value is None or other.value is None:
            return self.value is other.value and other.key in contraries().get(self.key, ())
        return _comparable(self.value, other.value)

    def matches(self, other: "Piece") -> bool:
        """Whether both say the same: agreeing values, forms of one word, the same sign."""
        if self.key == other.key:
            return True
        if self.value is not None or other.value is not None:
            return self.value is not None and other.value is not None and agrees(self.value, other.value)
        if self.sign or other.sign or not match_strength(self.key, other.key):
            return False
        return not self.excludes(other)


class Clause:
    """The pieces of a clause, or of a part of one."""

    __slots__ = ("_keys", "_words", "pieces", "telling", "values")

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self.pieces = pieces
        self.telling = [piece for piece in pieces if piece.content]
        """Those with content."""
        self.values = [piece for piece in pieces if piece.value is not None]
        self._keys = {piece.key for piece in pieces}
        self._words = {form for piece in pieces if piece.value is None for form in _ends(piece.key)}

    def holds(self, piece: Piece) -> bool:
        """Whether it says what a piece of another clause says."""
        if piece.key in self._keys:
            return True
        if piece.value is not None:
            return any(piece.matches(other) for other in self.values)
        if piece.sign or self._words.isdisjoint(_ends(piece.key)):
            return False
        return any(piece.matches(other) for other in self.pieces)

    def holds_all(self, part: "Clause") -> bool:
        """Whether it says all content of a part of another clause, or all of it where it has no content.

        Signs that stand together must stand so here.
        """
        wanted = part.telling or part.pieces
        return self._has_signs_of(part) and all(self.holds(piece) for piece in wanted if not piece.sign)

    def _has_signs_of(self, part: "Clause") -> bool:
        mine, theirs = ("".join(piece.key if piece.sign else " " for piece in c.pieces) for c in (self, part))
        return all(run in mine for run in theirs.split())

    @property
    def written(self) -> str:
        """Its content, as the text has it."""
        words = "".join(piece.text if piece.sign else f" {piece.text} " for piece in self.telling)
        return " ".join(words.split())

    def part(self, start: int, end: int) -> "Clause":
        """The pieces from one place to another."""
        return Clause(self.pieces[start:end])


def _ends(key: str) -> tuple[str, str]:
    """What forms of one word have in common, one or the other: its beginning and its end."""
    return key[:3], f"-{key[-5:]}"


def _comparable(one: Measured, other: Measured) -> bool:
    """Whether two values may stand for each other: of one kind, and where both have units, of one dimension."""
    if not (isinstance(one, Quantity) and isinstance(other, Quantity)):
        return type(one) is type(other)
    if (one.year is None) != (other.year is None):
        return False
    return bool(one.dimensions & other.dimensions) or not (one.meanings and other.meanings)


def read_clauses(text: str, start: int, end: int, measured: Sequence[Measured]) -> Sequence[Clause]:
    """The clauses of a stretch of a text whose values are known; those without any content are left out."""
    near = [fact for fact in measured if start <= fact.start < end]
    # "Pro 25" may be a code, and "25 euros" a price.
    values = [
        fact for fact in near if not isinstance(fact, Code) or not any(fact.start < o.start < fact.end for o in near)
    ]
    bounds = [start]
    for found in _CLAUSE_END.finditer(text, start, end):
        if len(bounds) == 1 and found[0] == "," and _names_case(text, start, found.start()):
            continue
        if not any(fact.start < found.end() and found.start() < fact.end for fact in values):
            bounds += [found.start(), found.end()]
    bounds.append(end)
    clauses = (Clause(list(_pieces(text, bounds[at], bounds[at + 1], values))) for at in range(0, len(bounds), 2))
    return [clause for clause in clauses if clause.telling]


def _names_case(text: str, start: int, end: int) -> bool:
    case = _CASE.fullmatch(text, start, end)
    return case is not None and not is_content(key_of(case["first"]))


def _pieces(text: str, start: int, end: int, values: Sequence[Measured]) -> Iterator[Piece]:
    past = start
    for found in _PIECE.finditer(text, start, end):
        at = found.start()
        if at < past:
            continue
        value = next((fact for fact in values if fact.start <= at < fact.end), None) if values else None
        if value is None:
            yield _word(found[0], first=past == start)
            past = found.end()
        else:
            written = text[value.start : value.end].strip()
            yield Piece(_figures(written), written, value, content=True, sign=False)
            past = value.end


def _figures(written: str) -> str:
    """The figure itself where there is nothing else, so that "12" goes with "12 minutes"."""
    numbers = re.findall("[0-9]+", written)
    return numbers[0] if len(numbers) == 1 else written.lower()


@lru_cache(maxsize=20_000)
def _word(written: str, *, first: bool) -> Piece:
    if _SIGN.match(written):
        key = written.translate(simplified())
        return Piece(key, written, None, content=is_content(key * 2), sign=True)
    key = key_of(written)
    named = written[0].isupper() and not first and written != "I"  # "room A", "plan Pro", "in May"
    return Piece(key, written, None, content=named or is_content(key) or key in contraries(), sign=False)
