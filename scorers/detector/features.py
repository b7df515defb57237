"""The features of a claim: how it lies on the contexts by itself, and within its answer."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

from ragsonde.scorers.detector.lexical import LEXICAL
from ragsonde.scorers.detector.record_checks import NOTHING_FOUND, RecordFindings

ALIGNED = (
    "coverage", "new_coverage", "joint_coverage", "order", "missing", "conflicts", "absences", "doubts", "flipped",
    "estimate",
)  # fmt: skip
"""What the alignment with the best passage found, and what it alone makes of it; given by whoever aligned the claim."""
RECORDS = ("unknown", "asserted", "denied", "borne_out", "wrong_times", "wrong_days")
_WORST_LOW = (
    "coverage", "joint_coverage", "covered_rare", "pairs", "fragment", "together", "covered_telling", "estimate",
    "stretch_low", "stretch_mean",
)  # fmt: skip
"""Features of which the lowest of all claims says something of the answer."""
_SUMMED = (
    "conflicts", "absences", "doubts", "missing_names", "missing_digits", "missing_rare", "unknown", "asserted",
    "denied", "wrong_times", "wrong_days",
)  # fmt: skip
_PLACE = ("place", "claims", "context_words", "documents", "record", "question_words")
_OWN = (
    *(f"aligned.{name}" for name in ALIGNED),
    *(f"own.{name}" for name in LEXICAL),
    *(f"record.{n}" for n in RECORDS),
)
FEATURES = (
    *_OWN,
    *(f"place.{name}" for name in _PLACE),
    *(f"answer.{name}" for name in LEXICAL),
    *(f"worst.{name}" for name in _WORST_LOW),
    *(f"sum.{name}" for name in _SUMMED),
)
"""Names of all features, in the order of a vector. ``bench/detector`` fits the weights that belong to them."""

_NAMES = (*ALIGNED, *LEXICAL, *RECORDS)
_LOW_AT = [_NAMES.index(name, _NAMES.index("order") if name == "missing" else 0) for name in _WORST_LOW]
_SUM_AT = [_NAMES.index(name) for name in _SUMMED]


@dataclass(frozen=True, slots=True)
class ClaimFeatures:
    """What is known of one claim by itself."""

    aligned: tuple[float, ...]
    """In the order of ``ALIGNED``."""
    lexical: tuple[float, ...]
    """In the order of ``LEXICAL``."""
    record: RecordFindings = NOTHING_FOUND

    def own(self) -> tuple[float, ...]:
        """All of it, in one row."""
        return (*self.aligned, *self.lexical, *map(float, astuple(self.record)))


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """What is known of the answer as a whole."""

    lexical: tuple[float, ...]
    """Of all its claims read as one text."""
    context_words: int
    documents: int
    has_record: bool
    question_words: int


def vectors(claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[tuple[float, ...]]:
    """One vector a claim, in the order of ``FEATURES``."""
    own = [claim.own() for claim in claims]
    lowest = tuple(min(row[at] for row in own) for at in _LOW_AT)
    sums = tuple(sum(row[at] for row in own) for at in _SUM_AT)
    shared = (
        float(len(claims)),
        math.log1p(answer.context_words),
        float(answer.documents),
        float(answer.has_record),
        float(answer.question_words),
    )
    last = max(1, len(claims) - 1)
    return [(*row, number / last, *shared, *answer.lexical, *lowest, *sums) for number, row in enumerate(own)]
