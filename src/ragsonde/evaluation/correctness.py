"""Answer correctness: does the answer say what the reference says, and no more?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragsonde.collector.clock import Deadline
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.detector.detector import Detector
from ragsonde.scorers.faithfulness import AnalysisCache
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck
from ragsonde.scorers.reading import Reading, Statement
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored, Verdict
from ragsonde.scorers.text.segmentation import split_sentences

_ELSEWHERE = NotApplicable(Reason.OTHER_LANGUAGE, "The answer is in another language than the reference.")


class AnswerCorrectness:
    """F1 between the claims of the answer and those of the reference, without a model.

    As the factual part of RAGAS' answer correctness: a claim of the answer that the reference supports is a true
    positive, one that it does not is a false positive, a claim of the reference (or a key fact) that the answer does
    not make is a false negative. Precision and recall are taken each over its own claims, so that one sentence on one
    side may stand for two on the other; correctness is their harmonic mean.

    - Where only key facts are known, it is the share of them that the answer states: an answer may say more.
    - A refusal of a question that has an answer states none of it: 0, labelled ``refused``.
    - Where the golden item is unanswerable there is nothing to be correct about: ``refusal_correctness`` judges that.

    A claim is held against the question and the other side together, so that "Paris." counts as the whole sentence
    that it answers with. Right things said in quite other words are taken for missing: it is a lower bound.
    """

    name = "answer_correctness"
    keys = (MetricKey.ANSWER_CORRECTNESS,)

    def __init__(self, items: Mapping[str, GoldenItem] | None = None) -> None:
        """``items`` are the golden items by the id of the interaction that answers them."""
        self._items = items or {}
        self._cache = AnalysisCache()
        self._detector = Detector()
        self.version = f"1-{self._detector.version}"

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch; quick, so the deadline is not looked at."""
        return [{MetricKey.ANSWER_CORRECTNESS: self._score(reading)} for reading in readings]

    def _score(self, reading: Reading) -> Outcome:
        item = self._items.get(reading.interaction.id)
        facts = item.key_facts if item is not None else ()
        reference = item.reference if item is not None else reading.interaction.reference
        if item is not None and item.unanswerable:
            return NotApplicable(Reason.NO_REFERENCE, "The question has no answer; see refusal_correctness.")
        if not facts and not (reference and reference.strip()):
            return NotApplicable(Reason.NO_REFERENCE)
        reason = reading.not_scorable_answer()
        if reason is Reason.REFUSAL:
            return Scored(0.0, "refused", "The answer refuses, although there is one.")
        if reason is not None:
            return NotApplicable(reason)
        return self._compare(reading, facts, reference)

    def _compare(self, reading: Reading, facts: Sequence[str], reference: str | None) -> Outcome:
        expected = list(facts) or [claim.plain for claim in _claims_of(reading, reference or "")]
        if not expected:
            return NotApplicable(Reason.NO_REFERENCE, "The reference states nothing that could be looked for.")
        stated = self._supported(expected, reading, reading.answer)
        if stated is None:
            return _ELSEWHERE
        missing = [fact for fact, found in zip(expected, stated, strict=True) if not found]
        recall = 1 - len(missing) / len(expected)
        said = f"It says {len(expected) - len(missing)} of {len(expected)} facts"
        lacking = f"; not: {missing[0].rstrip('.')}" if missing else ""
        if reference is None:
            return Scored(recall, "key_facts", f"{said}{lacking}.")
        borne_out = self._supported([claim.plain for claim in reading.claims], reading, "\n".join([reference, *facts]))
        if borne_out is None:
            return _ELSEWHERE
        right = sum(borne_out)
        precision = right / len(borne_out)
        value = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        of_all = f"the reference bears out {right} of its {len(borne_out)} claims"
        return Scored(value, None, f"{said} of the reference; {of_all}{lacking}.")

    def _supported(self, claims: Sequence[str], reading: Reading, other: str) -> list[bool] | None:
        """Whether each claim of one side is borne out by the other side and the question; None across languages."""
        question = reading.interaction.question or ""
        text = f"{question}\n{other}"
        analysed = self._cache.analysed(text, lambda: split_sentences(text))
        check = ClaimCheck(Evidence([analysed], question), language=reading.language, detector=self._detector)
        judgements = check.judge_all(claims)
        if not all(judgement.compared for judgement in judgements):
            return None
        return [judgement.verdict is Verdict.SUPPORTED for judgement in judgements]


def _claims_of(reading: Reading, reference: str) -> Sequence[Statement]:
    return Reading(replace(reading.interaction, answer=reference)).claims
