"""Runs a measurement: every rater over every set. The only module that reads the test files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.accuracy.data import Case, Labelled, limited, load_dev, load_test
from bench.accuracy.figures import (
    ALL,
    Chance,
    Figures,
    PreferenceFigures,
    SpanFigures,
    Subject,
    figures,
    macro_average,
    preference_figures,
    slices,
    span_figures,
)
from bench.accuracy.metrics import Estimate
from bench.accuracy.raters import Rater
from bench.accuracy.scorebook import Advance, ScoreBook
from bench.accuracy.scoring import CaseScorer, ScoredCase, gives, suspicions
from bench.accuracy.sets import BY_NAME, DEV_POOLS, BenchSet, Family, View
from bench.accuracy.signals import Form, Result, Signal, unsupported
from bench.accuracy.spans import Stretch
from bench.accuracy.thresholds import Thresholds, choose, fixed
from ragsonde.scorers.score import MetricKey

_CLAIMS = Signal(MetricKey.FAITHFULNESS)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured, and how."""

    folder: Path
    sets: Sequence[BenchSet]
    limit: int | None = None
    chance: Chance = field(default_factory=Chance)


@dataclass(frozen=True, slots=True)
class Macro:
    """A signal's mean AUROC over the sets that count."""

    scorer: str
    signal: str
    sets: tuple[str, ...]
    auroc: Estimate


@dataclass(slots=True)
class Findings:
    """All that was measured."""

    figures: list[Figures] = field(default_factory=list)
    spans: list[SpanFigures] = field(default_factory=list)
    preferences: list[PreferenceFigures] = field(default_factory=list)
    macros: list[Macro] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)


class Measurement:
    """Measures raters one after the other and gathers the findings."""

    def __init__(self, plan: Plan, book: ScoreBook) -> None:
        self._plan = plan
        self._book = book
        self._loaded: dict[tuple[str, str], Labelled] = {}
        self.findings = Findings()

    def published(self) -> None:
        """Measure the outputs of other detectors that came with the data, on the very same rows."""
        for known in self._plan.sets:
            cases = self._test(known).cases
            for name in dict.fromkeys(name for case in cases for name in case.published):
                scored = [ScoredCase(case, {MetricKey.FAITHFULNESS: _shipped(case, name)}, 0.0) for case in cases]
                for part in slices(known, scored):
                    self.findings.figures.append(
                        figures(Subject(f"{name} (shipped)", _CLAIMS, known), part, fixed(), self._plan.chance)
                    )

    def rate(self, rater: Rater, advance: Advance = lambda _: None) -> None:
        """Measure one rater on every set that it has a signal for."""
        self.findings.versions[rater.name] = rater.scorer.version
        scorer = CaseScorer(rater, self._book, advance)
        mine: list[Figures] = []
        for known in self._plan.sets:
            for family in known.families:
                if family is Family.PREFERENCE:
                    self.findings.preferences += self._preferences(scorer, known)
                    continue
                for view in known.views:
                    mine += self._measured(scorer, known, family, view)
            if known.spans and MetricKey.FAITHFULNESS in rater.scorer.keys:
                self.findings.spans += self._spans(scorer, known)
        self.findings.figures += mine
        self.findings.macros += _macros(rater.name, mine)

    def cases(self, rater: Rater) -> int:
        """About how many interactions the rater will see, dev files and sentences left out."""
        scorer = CaseScorer(rater, self._book)
        return sum(
            len({signal.form for signal in scorer.signals(case.family)})
            for known in self._plan.sets
            for case in self._test(known).cases
        )

    def _measured(self, scorer: CaseScorer, known: BenchSet, family: Family, view: View) -> Iterator[Figures]:
        by_form: dict[Form, list[ScoredCase]] = {}
        for signal in scorer.signals(family):
            if signal.form not in by_form:
                by_form[signal.form] = scorer.score(self._test(known), family, view, signal.form)
            scored = by_form[signal.form]
            if not scored or not gives(scored, signal):
                continue
            subject = Subject(scorer.rater.name, signal, known, view)
            thresholds = self._thresholds(scorer, known, family, view, signal)
            for part in slices(known, scored):
                yield figures(subject, part, thresholds, self._plan.chance)

    def _thresholds(
        self, scorer: CaseScorer, known: BenchSet, family: Family, view: View, signal: Signal
    ) -> Thresholds:
        pool = (known.name,) if known.has_dev else DEV_POOLS.get((family, view), ())
        names = [name for name in pool if (self._plan.folder / name).is_dir()]
        scored = [
            pair
            for name in names
            for pair in suspicions(scorer.score(self._dev(BY_NAME[name]), family, view, signal.form), signal)
        ]
        return choose(scored) if scored else fixed()

    def _spans(self, scorer: CaseScorer, known: BenchSet) -> Iterator[SpanFigures]:
        """Predicted: claims not supported, or their parts pointed at; of a scorer without claims, sentences flagged."""
        test = self._test(known)
        if scorer.marks_claims(test):
            whole = scorer.score(test, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN)
            predicted: dict[str, Sequence[Stretch]] = {
                one.case.id: unsupported(one.result(_CLAIMS).marks) for one in whole
            }
            source = "claims not supported, or the parts of them that are pointed at"
        else:
            level = self._thresholds(scorer, known, Family.FAITHFULNESS, View.SENTENCE, _CLAIMS)
            sentences = scorer.score(test, Family.FAITHFULNESS, View.SENTENCE, Form.PLAIN)
            predicted = _flagged(sentences, level.f1)
            source = f"sentences flagged, {level.chosen_on}"
        answers = [ScoredCase(case, {}, 0.0) for case in test.cases if case.family is Family.FAITHFULNESS]
        for part in slices(known, answers):
            if part.name[0] != "strict":
                pairs = [(one.case, predicted.get(one.case.id, ())) for one in part.scored]
                yield span_figures(scorer.rater.name, known, part.name, pairs, source=source, chance=self._plan.chance)

    def _preferences(self, scorer: CaseScorer, known: BenchSet) -> Iterator[PreferenceFigures]:
        signals = scorer.signals(Family.PREFERENCE)
        scored = scorer.score_pairs(self._test(known)) if signals else []
        for signal in signals:
            found = preference_figures(scorer.rater.name, signal, known, scored, self._plan.chance)
            if found is not None:
                yield found

    def _test(self, known: BenchSet) -> Labelled:
        key = (known.name, "test")
        if key not in self._loaded:
            loaded = load_test(self._plan.folder, known)
            self.findings.digests[known.name] = loaded.digest
            self._loaded[key] = limited(loaded, self._plan.limit)
        return self._loaded[key]

    def _dev(self, known: BenchSet) -> Labelled:
        key = (known.name, "dev")
        if key not in self._loaded:
            self._loaded[key] = limited(load_dev(self._plan.folder, known), self._plan.limit)
        return self._loaded[key]


def _shipped(case: Case, detector: str) -> Result:
    if detector not in case.published:
        return Result(None, "not_shipped")
    return Result(1.0 - case.published[detector])


def _flagged(sentences: Sequence[ScoredCase], level: float) -> dict[str, Sequence[Stretch]]:
    flagged: dict[str, Sequence[Stretch]] = {}
    for one in sentences:
        value = one.suspicion(_CLAIMS)
        if value is not None and value >= level and one.case.place is not None and one.case.parent is not None:
            flagged[one.case.parent] = [*flagged.get(one.case.parent, ()), one.case.place]
    return flagged


def _macros(scorer: str, measured: Sequence[Figures]) -> Iterator[Macro]:
    """One for each signal that can be read on the sets that count."""
    counted = [one for one in measured if one.slice == ALL and one.view is BY_NAME[one.dataset].macro]
    for signal in dict.fromkeys(one.signal for one in counted):
        mine = [one for one in counted if one.signal == signal and one.auroc.value is not None]
        if mine:
            yield Macro(scorer, signal, tuple(one.dataset for one in mine), macro_average(mine))
