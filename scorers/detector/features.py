"""The features of a claim: how it lies on the contexts by itself, and within its answer."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass
from statistics import fmean
from typing import NamedTuple, Protocol

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
"""Names of all features, in the order of a vector. ``bench/detector`` fits the trees that belong to them."""

_AGAINST = frozenset((
    "missing", "conflicts", "absences", "doubts", "flipped", "run_missing", "missing_names", "missing_digits",
    "missing_rare", "missing_rarest", "unknown", "asserted", "denied", "wrong_times", "wrong_days", "claims", "words",
))  # fmt: skip
_FOR = frozenset((
    "coverage", "new_coverage", "joint_coverage", "order", "estimate", "covered", "covered_rare",
    "covered_beyond_question", "covered_telling", "pairs", "triples", "fragment_longest", "together", "stretch_low",
    "stretch_mean", "borne_out",
))  # fmt: skip


def direction(name: str) -> int:
    """1 where more of a feature can only make a fault likelier, -1 where only less likely, 0 where either may be."""
    last = name.partition(".")[2]
    return 1 if last in _AGAINST else -1 if last in _FOR else 0


CLAIM = tuple(
    name
    for name in (*(f"aligned.{n}" for n in ALIGNED), *(f"own.{n}" for n in LEXICAL))
    if direction(name) and name != "own.words"
)
"""What prose says of a claim by itself: the names of a ``claim_row``. Each can only pull one way."""
_SHARES = ("covered_telling", "stretch_mean")
ANSWER = (
    *(f"{part}.{name}" for name in _SHARES for part in ("answer", "lowest", "mean")),
    "lowest.estimate", "mean.estimate", "answer.missing_names", "most.missing_names", "sum.absences", "sum.conflicts",
)  # fmt: skip
"""What prose says of an answer as a whole: the names of an ``answer_row``. Few, since few answers were labelled."""

_NAMES = (*ALIGNED, *LEXICAL, *RECORDS)
_LOW_AT = [_NAMES.index(name, _NAMES.index("order") if name == "missing" else 0) for name in _WORST_LOW]
_SUM_AT = [_NAMES.index(name) for name in _SUMMED]


_ESTIMATE_AT, _NAMES_AT = ALIGNED.index("estimate"), LEXICAL.index("missing_names")
_SHARES_AT = tuple(map(LEXICAL.index, _SHARES))
_FACTS_AT = (ALIGNED.index("absences"), ALIGNED.index("conflicts"))
_CERTAIN = 1e-4


class ClaimFeatures(NamedTuple):
    """What is known of one claim by itself."""

    aligned: tuple[float, ...]
    """In the order of ``ALIGNED``."""
    lexical: tuple[float, ...]
    """In the order of ``LEXICAL``."""
    record: RecordFindings = NOTHING_FOUND

    def own(self) -> tuple[float, ...]:
        """All of it, in one row."""
        return (*self.aligned, *self.lexical, *map(float, astuple(self.record)))


class Values(Protocol):
    """A row of numbers, some of which may only be found when they are asked for."""

    def __getitem__(self, at: int, /) -> float: ...

    def __iter__(self) -> Iterator[float]: ...


@dataclass(frozen=True, slots=True)
class AnswerFeatures:
    """What is known of the answer as a whole."""

    lexical: Values
    """In the order of ``LEXICAL``, of all its claims read as one text."""
    context_words: int
    documents: int
    has_record: bool
    question_words: int


def logit(probability: float) -> float:
    """The log odds of a probability, which is kept a little away from 0 and 1."""
    kept = min(1 - _CERTAIN, max(_CERTAIN, probability))
    return math.log(kept / (1 - kept))


def claim_row(claim: ClaimFeatures) -> tuple[float, ...]:
    """The values of ``CLAIM``, evened out."""
    own = (*claim.aligned, *claim.lexical)
    return tuple([even(own[at]) for at, even in _CLAIM_AT])


def answer_row(claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> tuple[float, ...]:
    """The values of ``ANSWER``, evened out; there is at least one claim."""
    row: list[float] = []
    for at in _SHARES_AT:
        shares = [claim.lexical[at] for claim in claims]
        row += (answer.lexical[at], min(shares), fmean(shares))
    estimates = [logit(claim.aligned[_ESTIMATE_AT]) for claim in claims]
    row += (min(estimates), fmean(estimates), math.log1p(answer.lexical[_NAMES_AT]))
    row.append(math.log1p(max([claim.lexical[_NAMES_AT] for claim in claims])))
    row += [math.log1p(sum([claim.aligned[at] for claim in claims])) for at in _FACTS_AT]
    return tuple(row)


def evened(name: str, value: float) -> float:
    """A value as the regressions see it: of a count the logarithm, of the estimate the log odds."""
    return _evening(name)(value)


def _evening(name: str) -> Callable[[float], float]:
    if name == "aligned.estimate":
        return logit
    return math.log1p if direction(name) > 0 else float


_CLAIM_AT = tuple((_OWN.index(name), _evening(name)) for name in CLAIM)


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
