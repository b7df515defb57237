"""Puts people's labels beside what a scorer said: one case for each labelled claim, and for each labelled answer."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from ragsonde.calibration.labels import Label
from ragsonde.collector.errors import ConfigError
from ragsonde.exporters.quality import AnswerResult, answer_result, claims
from ragsonde.scorers.score import Claim, ScoredInteraction, Verdict


class Level(StrEnum):
    """What a case is about."""

    CLAIM = "claim"
    ANSWER = "answer"


class LeftOut(StrEnum):
    """Why a label could not be used."""

    NO_RECORD = "no_record"
    """No record has this id."""
    NOT_JUDGED = "not_judged"
    """The record has no faithfulness (a refusal, a failure, nothing captured)."""
    NO_SUCH_CLAIM = "no_such_claim"
    CLAIM_CHANGED = "claim_changed"
    """The claim reads otherwise than the reviewer saw it."""
    UNSURE = "unsure"
    UNDECIDED = "undecided"
    """As many reviewers see the fault as do not."""


@dataclass(frozen=True, slots=True)
class Case:
    """A text that both a scorer and people have judged. The fault: the contexts do not bear it out."""

    id: str
    """The interaction's."""
    predicted: bool
    """Whether the scorer sees the fault."""
    score: float
    """The scorer's probability of the fault, 0 to 1; its verdict as 0 or 1 where it gives none."""
    votes: Mapping[str, bool]
    """Whether each reviewer sees the fault."""
    weight: float
    """How many interactions of the traffic it stands for; 1 where labels were not drawn by chance."""

    @property
    def share(self) -> float:
        """The share of reviewers who see the fault."""
        return sum(self.votes.values()) / len(self.votes)

    @property
    def fault(self) -> bool:
        """Whether most of them see it."""
        return self.share > 0.5


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of one level, and why labels were left out."""

    level: Level
    cases: tuple[Case, ...]
    left_out: Mapping[LeftOut, int]
    weighted: bool
    """Whether weights are known: every label used was drawn by chance."""
    ties: tuple[Case, ...] = ()
    """Those on which as many reviewers see the fault as do not: they tell of people, not of the scorer."""


def by_scorer(scored: Mapping[str, ScoredInteraction], scorer: str | None) -> dict[str, ScoredInteraction]:
    """Return the records as one source of scores sees them; None: the best that is known of each.

    Raises:
        ConfigError: no record has scores of that source.
    """
    if scorer is None:
        return dict(scored)
    seen = {id_: dict(known.by_scorer()) for id_, known in scored.items()}
    found = {id_: views[scorer] for id_, views in seen.items() if scorer in views}
    if not found:
        names = sorted({name for views in seen.values() for name in views})
        raise ConfigError(f"--scorer {scorer}: the records hold no scores of it; they hold {', '.join(names)}")
    return found


def claim_cases(labels: Iterable[Label], scored: Mapping[str, ScoredInteraction]) -> Cases:
    """Return a case for each labelled claim."""
    groups: dict[tuple[str, int], list[Label]] = {}
    for label in labels:
        if label.claim is not None:
            groups.setdefault((label.id, label.claim), []).append(label)
    left_out: Counter[LeftOut] = Counter()
    cases: list[tuple[Case, Sequence[Label]]] = []
    for (id_, number), given in groups.items():
        found = _find_claim(scored.get(id_), number)
        if isinstance(found, LeftOut):
            left_out[found] += len(given)
            continue
        fitting = [label for label in given if label.claim_text in {None, found.text}]
        left_out[LeftOut.CLAIM_CHANGED] += len(given) - len(fitting)
        left_out[LeftOut.UNSURE] += sum(label.verdict.fault is None for label in fitting)
        votes = {label.reviewer: label.verdict.fault for label in fitting if label.verdict.fault is not None}
        if votes:
            cases.append((Case(id_, _faulty(found), _claim_score(found), votes, 1.0), given))
    return _decided(Level.CLAIM, cases, left_out, scored)


def answer_cases(labels: Iterable[Label], scored: Mapping[str, ScoredInteraction]) -> Cases:
    """Return a case for each labelled answer.

    A reviewer who has labelled claims only has labelled the answer as well where one of them is a fault, or where all
    claims of it are labelled.
    """
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.id, []).append(label)
    left_out: Counter[LeftOut] = Counter()
    cases: list[tuple[Case, Sequence[Label]]] = []
    for id_, given in groups.items():
        known = scored.get(id_)
        if known is None or answer_result(known) is AnswerResult.NOT_JUDGED:
            left_out[LeftOut.NO_RECORD if known is None else LeftOut.NOT_JUDGED] += len(given)
            continue
        votes = answer_votes(given, len(claims(known)))
        if votes:
            predicted = answer_result(known) is AnswerResult.HALLUCINATED
            cases.append((Case(id_, predicted, answer_score(known), votes, 1.0), given))
        elif any(label.claim is None for label in given):
            left_out[LeftOut.UNSURE] += len(given)
    return _decided(Level.ANSWER, cases, left_out, scored)


def answer_votes(labels: Iterable[Label], claim_count: int) -> dict[str, bool]:
    """Whether each reviewer sees a fault in the answer; without those who leave it open."""
    by_reviewer: dict[str, list[Label]] = {}
    for label in labels:
        by_reviewer.setdefault(label.reviewer, []).append(label)
    votes: dict[str, bool] = {}
    for reviewer, given in by_reviewer.items():
        whole = next((label.verdict for label in given if label.claim is None), None)
        if whole is not None:
            if whole.fault is not None:
                votes[reviewer] = whole.fault
            continue
        faults = [label.verdict.fault for label in given]
        if any(faults):
            votes[reviewer] = True
        elif claim_count and None not in faults and len({label.claim for label in given}) >= claim_count:
            votes[reviewer] = False
    return votes


def answer_score(known: ScoredInteraction) -> float:
    """The scorer's probability that the answer holds a fault: that of its weakest claim."""
    found = claims(known)
    if found:
        return max(_claim_score(claim) for claim in found)
    return float(answer_result(known) is AnswerResult.HALLUCINATED)


def _claim_score(claim: Claim) -> float:
    return 1.0 - claim.probability if claim.probability is not None else float(_faulty(claim))


def _faulty(claim: Claim) -> bool:
    return claim.verdict is not Verdict.SUPPORTED


def _find_claim(known: ScoredInteraction | None, number: int) -> Claim | LeftOut:
    if known is None:
        return LeftOut.NO_RECORD
    found = claims(known)
    if not found:
        return LeftOut.NOT_JUDGED
    return found[number] if number < len(found) else LeftOut.NO_SUCH_CLAIM


def _decided(
    level: Level,
    cases: Sequence[tuple[Case, Sequence[Label]]],
    left_out: Counter[LeftOut],
    scored: Mapping[str, ScoredInteraction],
) -> Cases:
    """Leave out ties, and weigh the rest where every label was drawn by chance."""
    kept = [(case, labels) for case, labels in cases if case.share != 0.5]
    left_out[LeftOut.UNDECIDED] += len(cases) - len(kept)
    chances = [drawn_with(labels, scored[case.id].decision.probability) for case, labels in kept]
    known = [chance for chance in chances if chance is not None]
    weighted = bool(kept) and len(known) == len(kept)
    decided = [case for case, _ in kept]
    if weighted:
        decided = [
            replace(case, weight=1.0 / (scored[case.id].decision.probability * chance))
            for case, chance in zip(decided, known, strict=True)
        ]
    ties = tuple(case for case, _ in cases if case.share == 0.5)
    return Cases(level, tuple(decided), {reason: count for reason, count in left_out.items() if count}, weighted, ties)


def drawn_with(labels: Iterable[Label], scored_with: float) -> float | None:
    """The probability with which the interaction of these labels was drawn; None where it was not by chance.

    It is that of the labelling alone, given that the interaction was scored, which it was with ``scored_with``.
    """
    for label in labels:
        if label.inclusion is not None:
            return min(1.0, label.inclusion / scored_with)
        if label.probability is not None:
            return label.probability
    return None
