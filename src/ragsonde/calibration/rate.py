"""The rate of hallucinated answers in all traffic, from score records and labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragsonde.calibration.cases import answer_score, answer_votes, drawn_with
from ragsonde.calibration.labels import Label
from ragsonde.calibration.mapping import CalibrationMap
from ragsonde.calibration.ppi import NoRate, Rate, estimate_rate
from ragsonde.exporters.quality import AnswerResult, answer_result, claims, outcome_labels
from ragsonde.scorers.score import Failed, MetricKey, Scored, ScoredInteraction


class Unused(StrEnum):
    """Why the labels of an interaction do not enter the rate."""

    NO_RECORD = "no_record"
    NOT_IN_POPULATION = "not_in_population"
    """Faithfulness does not apply to the answer (a refusal, say), or nothing was captured."""
    NOT_BY_CHANCE = "not_by_chance"
    """It was picked to be labelled and not drawn: it stands for nothing but itself."""
    UNDECIDED = "undecided"
    """The reviewers could not tell, or labelled only a part of the claims."""


@dataclass(frozen=True, slots=True)
class HallucinationRate:
    """The share of hallucinated answers among those that faithfulness applies to.

    An answer is hallucinated when the contexts do not bear out all that it claims.
    """

    rate: Rate | NoRate
    population: int
    """Records that faithfulness applies to."""
    unpredicted: int
    """Those among them that the scorer failed on; the mean prediction stands in, and the labels correct it."""
    not_in_population: Mapping[str, int]
    """Records that faithfulness does not apply to, by reason."""
    unused: Mapping[Unused, int]
    """Labelled interactions that do not enter, by reason."""


def hallucination_rate(
    scored: Mapping[str, ScoredInteraction],
    labels: Sequence[Label],
    *,
    calibration: CalibrationMap | None = None,
    labelled_at_random: bool = False,
) -> HallucinationRate:
    """Estimate the rate over the traffic that the records were sampled from.

    ``calibration`` turns scores into probabilities first, which may narrow the interval; without it the scorer's
    verdict is the prediction. It should have been fitted to other labels than these. ``labelled_at_random`` says that
    the labelled interactions are a simple random sample of the records, so that labels need no probability of their
    own. Where reviewers could not tell, the others they labelled stand in.
    """
    outside: Counter[str] = Counter()
    population: dict[str, ScoredInteraction] = {}
    for id_, known in scored.items():
        if (reason := _outside(known)) is None:
            population[id_] = known
        else:
            outside[reason] += 1
    predictions = _predictions(list(population.values()), calibration)
    positions = {id_: index for index, id_ in enumerate(population)}
    drawn, unused = _drawn(labels, scored, population, labelled_at_random=labelled_at_random)
    rate = estimate_rate(
        predictions,
        [known.decision.probability for known in population.values()],
        [positions[id_] for id_ in drawn],
        [share for share, _ in drawn.values()],
        [chance for _, chance in drawn.values()],
    )
    return HallucinationRate(
        rate=rate,
        population=len(population),
        unpredicted=sum(answer_result(known) is AnswerResult.NOT_JUDGED for known in population.values()),
        not_in_population=dict(outside.most_common()),
        unused=unused,
    )


def _outside(known: ScoredInteraction) -> str | None:
    """Why a record is not in the population; None where it is."""
    if not known.decision.kept:
        return "not_kept"
    outcome = known.scores.get(MetricKey.FAITHFULNESS)
    if isinstance(outcome, Scored | Failed):
        return None
    return "not_scored" if outcome is None else outcome_labels(outcome)[1]


def _predictions(population: Sequence[ScoredInteraction], calibration: CalibrationMap | None) -> list[float]:
    judged = [known for known in population if answer_result(known) is not AnswerResult.NOT_JUDGED]
    if calibration is None:
        given = [float(answer_result(known) is AnswerResult.HALLUCINATED) for known in judged]
    else:
        given = calibration.apply([answer_score(known) for known in judged])
    middle = sum(given) / len(given) if given else 0.0
    values = iter(given)
    return [middle if answer_result(known) is AnswerResult.NOT_JUDGED else next(values) for known in population]


def _drawn(
    labels: Sequence[Label],
    scored: Mapping[str, ScoredInteraction],
    population: Mapping[str, ScoredInteraction],
    *,
    labelled_at_random: bool,
) -> tuple[dict[str, tuple[float, float]], dict[Unused, int]]:
    """For each interaction that was drawn and labelled: the share of reviewers who see a fault, and the probability."""
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.id, []).append(label)
    unused: Counter[Unused] = Counter()
    drawn: dict[str, tuple[float, float]] = {}
    at_random = sum(id_ in population for id_ in groups) / max(1, len(population))
    for id_, given in groups.items():
        known = population.get(id_)
        drawn_at = None if known is None else drawn_with(given, known.decision.probability)
        chance = at_random if labelled_at_random else drawn_at
        votes = answer_votes(given, len(claims(population[id_]))) if id_ in population else {}
        if id_ not in scored:
            unused[Unused.NO_RECORD] += 1
        elif id_ not in population:
            unused[Unused.NOT_IN_POPULATION] += 1
        elif chance is None:
            unused[Unused.NOT_BY_CHANCE] += 1
        elif not votes:
            unused[Unused.UNDECIDED] += 1
        else:
            drawn[id_] = sum(votes.values()) / len(votes), chance
    return drawn, dict(unused)
