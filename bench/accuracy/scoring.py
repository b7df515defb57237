"""The cases of a file with what one scorer said of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.accuracy.data import Case, Labelled, Pair, cited, sentence_cases
from bench.accuracy.raters import Rater
from bench.accuracy.scorebook import Advance, Entry, ScoreBook
from bench.accuracy.sets import Family, View
from bench.accuracy.signals import SIGNALS, Form, Part, Result, Signal, result_within
from ragsonde.collector.model import Interaction
from ragsonde.scorers.score import MetricKey

_PROBED = 8
"""Answers scored to see whether a scorer marks claims."""
_UNMARKED = Result(None, "no_claims")


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """A case and what a scorer said of it."""

    case: Case
    results: Mapping[MetricKey, Result]
    seconds: float

    def result(self, signal: Signal) -> Result:
        """What it said of the signal's metric."""
        return self.results.get(signal.key, _UNMARKED)

    def suspicion(self, signal: Signal) -> float | None:
        """0 to 1, higher is worse; None where there is none."""
        return self.result(signal).suspicion(signal.part)


class CaseScorer:
    """Scores the cases of files with one rater, by way of the score book."""

    def __init__(self, rater: Rater, book: ScoreBook, advance: Advance = lambda _: None) -> None:
        self.rater = rater
        self._book = book
        self._advance = advance
        self._done: dict[tuple[str, ...], list[ScoredCase]] = {}

    def signals(self, family: Family) -> list[Signal]:
        """The signals of a family that this rater gives."""
        return [signal for signal in SIGNALS[family] if signal.key in self.rater.scorer.keys]

    def score(self, labelled: Labelled, family: Family, view: View, form: Form) -> list[ScoredCase]:
        """Score the cases of a family, whole or by sentence; a second call gives the same again.

        A scorer that marks claims sees the whole answer, as in service, and each sentence gets the claims that touch
        it. Any other sees the sentence as if it were the answer.
        """
        key = (labelled.dataset, labelled.split, family, view, form)
        if key not in self._done:
            self._done[key] = self._scored(labelled, family, view, form)
        return self._done[key]

    def score_pairs(self, labelled: Labelled) -> list[tuple[Pair, Entry, Entry]]:
        """Score both answers of each pair."""
        both = [answer for pair in labelled.pairs for answer in (pair.first, pair.second)]
        keys = [signal.key for signal in self.signals(Family.PREFERENCE)]
        entries = self._book.entries(self.rater, keys, _section(labelled, Family.PREFERENCE), both, self._advance)
        return [(pair, entries[pair.first.id], entries[pair.second.id]) for pair in labelled.pairs]

    def _scored(self, labelled: Labelled, family: Family, view: View, form: Form) -> list[ScoredCase]:
        cases = [case for case in labelled.cases if case.family is family]
        if view is View.RESPONSE:
            return _joined(cases, self._entries(labelled, family, view, form, cases))
        sentences = {case.id: sentence_cases(case) for case in cases}
        if not self.marks_claims(labelled):
            flat = [sentence for case in cases for sentence in sentences[case.id]]
            return _joined(flat, self._entries(labelled, family, view, form, flat))
        whole = _joined(cases, self._entries(labelled, family, View.RESPONSE, form, cases))
        return [_within(sentence, parent) for parent in whole for sentence in sentences[parent.case.id]]

    def marks_claims(self, labelled: Labelled) -> bool:
        """Whether the rater marks claims in answers, seen on a few."""
        few = [case for case in labelled.cases if case.family is Family.FAITHFULNESS][:_PROBED]
        if MetricKey.FAITHFULNESS not in self.rater.scorer.keys:
            return False
        entries = self._entries(labelled, Family.FAITHFULNESS, View.RESPONSE, Form.PLAIN, few)
        return any(result.marks for entry in entries.values() for result in entry.results.values())

    def _entries(
        self, labelled: Labelled, family: Family, view: View, form: Form, cases: Sequence[Case]
    ) -> dict[str, Entry]:
        keys = [signal.key for signal in self.signals(family) if signal.form is form]
        show: Callable[[Interaction], Interaction] = cited if form is Form.CITED else _as_it_is
        section = _section(labelled, family, view, form)
        shown = [show(case.interaction) for case in cases]
        return self._book.entries(self.rater, keys, section, shown, self._advance)


def suspicions(scored: Sequence[ScoredCase], signal: Signal) -> list[tuple[Case, float]]:
    """The cases that the signal says something of."""
    pairs = [(one.case, one.suspicion(signal)) for one in scored]
    return [(case, value) for case, value in pairs if value is not None]


def gives(scored: Sequence[ScoredCase], signal: Signal) -> bool:
    """Whether the signal is there at all: a scorer without claims has no worst one."""
    return signal.part is Part.VALUE or any(one.result(signal).marks for one in scored)


def _section(labelled: Labelled, family: Family, *parts: str) -> str:
    return "-".join([labelled.dataset, labelled.split, family, *parts, labelled.digest[:12]])


def _joined(cases: Sequence[Case], entries: Mapping[str, Entry]) -> list[ScoredCase]:
    return [ScoredCase(case, entries[case.id].results, entries[case.id].seconds) for case in cases]


def _within(sentence: Case, parent: ScoredCase) -> ScoredCase:
    if sentence.place is None:
        raise ValueError(f"case {sentence.id} is no sentence of an answer")
    place = sentence.place
    results = {key: result_within(result, place) for key, result in parent.results.items()}
    return ScoredCase(sentence, results, parent.seconds)


def _as_it_is(interaction: Interaction) -> Interaction:
    return interaction
