"""What is read off a scorer's outcome: the metric, and for claims also the worst of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bench.accuracy.sets import Family
from ragsonde.scorers.score import Claim, Failed, MetricKey, NotApplicable, Outcome, Verdict


class Part(StrEnum):
    """Which part of the outcome is the suspicion."""

    VALUE = "value"
    """1 minus the metric."""
    WORST_CLAIM = "worst claim"
    """1 minus the probability of the least likely claim: one unsupported part is enough to make an answer faulty."""


class Form(StrEnum):
    """How a case is shown to the scorer."""

    PLAIN = "plain"
    CITED = "cited"
    """As an answer that cites its one document, for what scores citations."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One way to read a scorer."""

    key: MetricKey
    part: Part = Part.VALUE
    form: Form = Form.PLAIN

    @property
    def name(self) -> str:
        """For tables."""
        return str(self.key) if self.part is Part.VALUE else f"{self.key}, {self.part}"


_FAITHFULNESS = (Signal(MetricKey.FAITHFULNESS), Signal(MetricKey.FAITHFULNESS, Part.WORST_CLAIM))
SIGNALS: dict[Family, tuple[Signal, ...]] = {
    Family.FAITHFULNESS: _FAITHFULNESS,
    Family.CITATION: (*_FAITHFULNESS, Signal(MetricKey.CITATION_ACCURACY, form=Form.CITED)),
    Family.CONTEXT_RELEVANCE: (Signal(MetricKey.CONTEXT_RELEVANCE), Signal(MetricKey.CONTEXT_PRECISION)),
    Family.ANSWER_RELEVANCE: (Signal(MetricKey.ANSWER_RELEVANCE),),
    Family.PREFERENCE: (Signal(MetricKey.ANSWER_RELEVANCE), Signal(MetricKey.ANSWER_CORRECTNESS)),
}
"""The signals of each family, the most telling last where a table has room for one."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A claim of an outcome, as far as it is measured."""

    start: int
    end: int
    supported: bool
    probability: float
    """Of support; 0 or 1 by the verdict where the scorer gives none."""
    stretches: tuple[tuple[int, int], ...] | None = None
    """The parts that are pointed at; None where the scorer never points at parts of a claim."""


@dataclass(frozen=True, slots=True)
class Result:
    """An outcome, as far as it is measured."""

    value: float | None
    why: str | None = None
    """The reason or the kind of failure where there is no value."""
    failed: bool = False
    marks: tuple[Mark, ...] = ()

    def suspicion(self, part: Part) -> float | None:
        """0 to 1, higher is worse; None where there is no value, or no claim to look at."""
        if self.value is None:
            return None
        if part is Part.VALUE:
            return 1.0 - self.value
        return 1.0 - min(mark.probability for mark in self.marks) if self.marks else None


def result_of(outcome: Outcome) -> Result:
    """Keep what is measured of an outcome."""
    if isinstance(outcome, NotApplicable):
        return Result(None, str(outcome.reason))
    if isinstance(outcome, Failed):
        return Result(None, str(outcome.kind), failed=True)
    return Result(outcome.value, marks=tuple(_mark(claim) for claim in outcome.claims))


def result_within(result: Result, place: tuple[int, int]) -> Result:
    """What the claims that touch a stretch of the answer say of it; ``no_claims`` where none does."""
    if result.value is None:
        return result
    start, end = place
    marks = tuple(mark for mark in result.marks if mark.start < end and start < mark.end)
    if not marks:
        return Result(None, "no_claims")
    return Result(sum(mark.supported for mark in marks) / len(marks), marks=marks)


def unsupported(marks: Iterable[Mark]) -> Sequence[tuple[int, int]]:
    """The stretches of the answer that are marked as not supported: whole claims where no parts are pointed at."""
    claims = [mark for mark in marks if not mark.supported]
    return [
        stretch
        for mark in claims
        for stretch in (((mark.start, mark.end),) if mark.stretches is None else mark.stretches)
    ]


def _mark(claim: Claim) -> Mark:
    supported = claim.verdict is Verdict.SUPPORTED
    probability = claim.probability if claim.probability is not None else float(supported)
    return Mark(claim.start, claim.end, supported, probability, claim.stretches)
