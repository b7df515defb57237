"""The figures of one scorer on one slice of one set."""

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bench.accuracy import metrics
from bench.accuracy.data import Case, LabelledSpan, Pair
from bench.accuracy.metrics import Estimate, Flagging, Floats, GroupBootstrap
from bench.accuracy.scorebook import Entry
from bench.accuracy.scoring import ScoredCase
from bench.accuracy.sets import BenchSet, Family, View
from bench.accuracy.signals import Signal
from bench.accuracy.spans import SpanScores, Stretch, count, span_scores
from bench.accuracy.thresholds import Thresholds

ALL = ("all", "")
_WITHIN = {"ragtruth"}
"""Sets where the AUROC is also given within task and generator: there the generator's name alone predicts the label."""
_BY_GENERATOR = {"haluquestqa"}


@dataclass(frozen=True, slots=True)
class Chance:
    """How intervals are drawn."""

    draws: int = 1000
    seed: int = 20240

    def weights(self, dataset: str, groups: Sequence[str]) -> Floats:
        """Draws of a set's groups: the same for every scorer, others for every set."""
        return GroupBootstrap(groups, draws=self.draws, seed=self.seed + zlib.crc32(dataset.encode())).weights()


@dataclass(frozen=True, slots=True)
class Figures:
    """One scorer, read by one signal, on one slice of one set."""

    scorer: str
    signal: str
    dataset: str
    family: Family
    view: View
    slice: tuple[str, str]
    """What the rows share, and its value: (``task``, ``qa``)."""
    rows: int
    faulty: int
    groups: int
    scored: int
    not_applicable: Mapping[str, int]
    failed: Mapping[str, int]
    auroc: Estimate
    average_precision: Estimate
    flagging: Flagging
    thresholds: Thresholds
    calibration_error: float | None
    brier: float | None
    milliseconds: float | None
    """Mean time for one interaction; None for outputs that came with the data."""
    within: Estimate | None = None
    """AUROC over pairs of one task and generator."""
    auroc_draws: Floats = field(default_factory=lambda: np.empty(0), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """Detection by character."""

    scorer: str
    dataset: str
    slice: tuple[str, str]
    answers: int
    scores: SpanScores
    predicted_from: str


@dataclass(frozen=True, slots=True)
class PreferenceFigures:
    """How often a scorer prefers the answer that people prefer; equal scores count half."""

    scorer: str
    signal: str
    dataset: str
    pairs: int
    """Pairs in which people prefer one answer."""
    scored: int
    accuracy: Estimate
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Slice:
    """Some of the rows, with their labels."""

    name: tuple[str, str]
    scored: Sequence[ScoredCase]
    faulty: Sequence[bool]


def slices(known: BenchSet, scored: Sequence[ScoredCase]) -> Iterator[Slice]:
    """All rows; those of each task, language and origin where there are several; all under the narrower label."""
    yield _slice(ALL, scored)
    if any(one.case.strictly_faulty is not None for one in scored):
        strict = [bool(one.case.strictly_faulty) for one in scored]
        if known.strict:
            yield Slice(("strict", known.strict), scored, strict)
    kinds: dict[str, Callable[[Case], str | None]] = {
        "task": lambda case: case.task,
        "language": lambda case: case.language,
        "origin": lambda case: case.origin,
    }
    if known.name in _BY_GENERATOR:
        kinds["generator"] = lambda case: case.generator
    for kind, read in kinds.items():
        values = sorted({value for one in scored if (value := read(one.case)) is not None})
        if len(values) > 1:
            for value in values:
                yield _slice((kind, value), [one for one in scored if read(one.case) == value])


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured on which set."""

    scorer: str
    signal: Signal
    known: BenchSet
    view: View = View.RESPONSE


def figures(subject: Subject, part: Slice, thresholds: Thresholds, chance: Chance) -> Figures:
    """Compute all figures of a slice.

    Ranking and calibration are those of the scored rows, so coverage stands beside them. Flagging is that of all rows:
    what a scorer says nothing of, it does not flag.
    """
    signal, known = subject.signal, subject.known
    found = [one.suspicion(signal) for one in part.scored]
    faulty = np.array(part.faulty, dtype=bool)
    there = np.array([value is not None for value in found], dtype=bool)
    suspicion = np.array([value for value in found if value is not None], dtype=np.float64)
    groups = [one.case.group for one in part.scored]
    weights = chance.weights(known.name, groups)
    on_scored = weights[:, there]
    for_f1 = metrics.flagging(_flags(found, thresholds.f1), faulty, weights)
    balanced = metrics.flagging(_flags(found, thresholds.balanced_accuracy), faulty, weights).balanced_accuracy
    unscored = [one.result(signal) for one, value in zip(part.scored, found, strict=True) if value is None]
    return Figures(
        scorer=subject.scorer,
        signal=signal.name,
        dataset=known.name,
        family=part.scored[0].case.family,
        view=subject.view,
        slice=part.name,
        rows=len(found),
        faulty=int(faulty.sum()),
        groups=len(set(groups)),
        scored=int(there.sum()),
        not_applicable=dict(Counter(result.why or "no_claims" for result in unscored if not result.failed)),
        failed=dict(Counter(result.why or "unknown" for result in unscored if result.failed)),
        auroc=metrics.auroc(suspicion, faulty[there], on_scored),
        average_precision=metrics.average_precision(suspicion, faulty[there], on_scored),
        flagging=Flagging(for_f1.f1, for_f1.precision, for_f1.recall, balanced),
        thresholds=thresholds,
        calibration_error=metrics.calibration_error(suspicion, faulty[there]),
        brier=metrics.brier(suspicion, faulty[there]),
        milliseconds=_milliseconds(part.scored),
        within=_within(part, suspicion, there, on_scored) if known.name in _WITHIN else None,
        auroc_draws=metrics.auroc_draws(suspicion, faulty[there], on_scored),
    )


def span_figures(
    scorer: str,
    known: BenchSet,
    name: tuple[str, str],
    predicted: Sequence[tuple[Case, Sequence[Stretch]]],
    *,
    source: str,
    chance: Chance,
) -> SpanFigures:
    """Compare predicted stretches with the labelled ones."""
    counts = [count(stretches, _places(case.spans or ())) for case, stretches in predicted]
    weights = chance.weights(known.name, [case.group for case, _ in predicted])
    return SpanFigures(scorer, known.name, name, len(counts), span_scores(counts, weights), source)


def preference_figures(
    scorer: str, signal: Signal, known: BenchSet, scored: Sequence[tuple[Pair, Entry, Entry]], chance: Chance
) -> PreferenceFigures | None:
    """Compare the order of scores with that of people; None where nothing was scored."""
    decided = [(pair, first, second) for pair, first, second in scored if pair.preference]
    agreement: list[float] = []
    groups = []
    for pair, first, second in decided:
        values = [entry.results[signal.key].value for entry in (first, second)]
        if values[0] is not None and values[1] is not None:
            difference = values[1] - values[0]
            agreement.append(0.5 if difference == 0 else float((difference > 0) == (pair.preference > 0)))
            groups.append(pair.group)
    if not agreement:
        return None
    right = np.array(agreement)
    weights = chance.weights(known.name, groups)
    accuracy = metrics.estimate(float(right.mean()), (weights @ right) / weights.sum(axis=1))
    seconds = [entry.seconds for _, *entries in scored for entry in entries]
    return PreferenceFigures(
        scorer, signal.name, known.name, len(decided), len(right), accuracy, 1e3 * float(np.mean(seconds))
    )


def macro_average(measured: Sequence[Figures]) -> Estimate:
    """Mean AUROC over sets, each weighing the same; sets are drawn independently of each other."""
    values = [one.auroc.value for one in measured if one.auroc.value is not None]
    if not values:
        return metrics.UNDEFINED
    draws = np.mean([one.auroc_draws for one in measured if one.auroc.value is not None], axis=0)
    return metrics.estimate(float(np.mean(values)), draws)


def _slice(name: tuple[str, str], scored: Sequence[ScoredCase]) -> Slice:
    return Slice(name, scored, [one.case.faulty for one in scored])


def _flags(found: Sequence[float | None], level: float) -> metrics.Flags:
    return np.array([value is not None and value >= level for value in found], dtype=bool)


def _within(part: Slice, suspicion: Floats, there: metrics.Flags, weights: Floats) -> Estimate:
    """AUROC within task and generator."""
    kept = [one.case for one, scored in zip(part.scored, there, strict=True) if scored]
    faulty = np.array([label for label, scored in zip(part.faulty, there, strict=True) if scored], dtype=bool)
    return metrics.auroc_within(suspicion, faulty, [f"{case.task}/{case.generator}" for case in kept], weights)


def _milliseconds(scored: Sequence[ScoredCase]) -> float | None:
    seconds = [one.seconds for one in scored if one.seconds > 0]
    return 1e3 * float(np.mean(seconds)) if seconds else None


def _places(spans: Sequence[LabelledSpan]) -> list[Stretch]:
    return [(span.start, span.end) for span in spans]
