"""The hallucination rate of all traffic: each scorer's verdicts set right by people's.

What is drawn for review has a known probability, so the prediction-powered estimate of ``calibration.ppi`` holds. But
reviewers need not get through all that is drawn, and may well look at what seems bad first. Within those that a scorer
calls grounded, and within those that it calls hallucinated, what is labelled is therefore taken as a sample of what was
drawn, with the share that was labelled as its probability (weighting classes: Särndal, Swensson and Wretman, "Model
Assisted Survey Sampling", 1992, section 15.6). Where much was drawn of a class and none of it is labelled, there is no
rate.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from ragsonde.calibration.agreement import cohens_kappa
from ragsonde.calibration.ppi import NoRate, Rate, estimate_rate
from ragsonde.review.overview import HonestRate
from ragsonde.review.reviews import STANDING
from ragsonde.review.schema import INTERACTIONS, ITEMS, REVIEWS, VERDICTS

MINIMUM_LABELS = 10
"""Labelled interactions without which no rate is given."""
_NEGLIGIBLE = 0.05
"""Share of what was drawn that a class without any label may have."""

Verdict = bool | None
"""Whether a scorer sees a hallucination; None where it failed."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """An interaction in the queue, as one scorer sees it."""

    verdict: Verdict
    probability: float
    """With which the scorer looked at it."""
    inclusion: float | None
    """With which it was drawn for review, out of all traffic; None where it was picked."""
    votes: Sequence[bool]
    """Of those who have reviewed it."""


def honest_rates(connection: sa.Connection, since_ms: int, until_ms: int, app: str | None = None) -> list[HonestRate]:
    """Return the rate of each application and scorer over what was answered in ``[since_ms, until_ms)``."""
    window = [VERDICTS.c.answered_ms >= since_ms, VERDICTS.c.answered_ms < until_ms, VERDICTS.c.applies]
    if app is not None:
        window.append(VERDICTS.c.app == app)
    populations = _populations(connection, window)
    drawn = _drawn(connection, window)
    return [_honest_rate(*key, population, drawn.get(key, ())) for key, population in sorted(populations.items())]


Population = Mapping[tuple[float, Verdict], int]
"""How many interactions a scorer looked at with this probability and this result."""


def _populations(
    connection: sa.Connection, window: Sequence["sa.ColumnElement[bool]"]
) -> dict[tuple[str, str], Population]:
    keys = VERDICTS.c.app, VERDICTS.c.scorer, VERDICTS.c.probability, VERDICTS.c.fault
    found: dict[tuple[str, str], dict[tuple[float, Verdict], int]] = {}
    for app, scorer, probability, fault, number in connection.execute(
        sa.select(*keys, sa.func.count()).where(*window).group_by(*keys)
    ):
        found.setdefault((app, scorer), {})[probability, fault] = number
    return dict(found)


def _drawn(
    connection: sa.Connection, window: Sequence["sa.ColumnElement[bool]"]
) -> dict[tuple[str, str], list[_Drawn]]:
    query = (
        sa.select(
            *(VERDICTS.c[name] for name in ("interaction_id", "app", "scorer", "fault", "probability")),
            ITEMS.c.share,
            INTERACTIONS.c.probability.label("kept"),
        )
        .join(ITEMS, ITEMS.c.id == VERDICTS.c.interaction_id)
        .join(INTERACTIONS, INTERACTIONS.c.id == VERDICTS.c.interaction_id)
        .where(*window)
    )
    rows = connection.execute(query).all()
    votes = _votes(connection, window)
    found: dict[tuple[str, str], list[_Drawn]] = {}
    for row in rows:
        inclusion = None if row.share is None else row.share * row.kept
        one = _Drawn(row.fault, row.probability, inclusion, votes.get(row.interaction_id, ()))
        found.setdefault((row.app, row.scorer), []).append(one)
    return found


def _votes(connection: sa.Connection, window: Sequence["sa.ColumnElement[bool]"]) -> dict[str, list[bool]]:
    """Whether each reviewer of an item sees a fault in the answer, by the item's id."""
    in_window = sa.select(VERDICTS.c.interaction_id).where(*window)
    query = sa.select(REVIEWS.c.item_id, REVIEWS.c.fault).where(
        STANDING, REVIEWS.c.fault.is_not(None), REVIEWS.c.item_id.in_(in_window)
    )
    votes: dict[str, list[bool]] = {}
    for row in connection.execute(query):
        votes.setdefault(row.item_id, []).append(row.fault)
    return votes


def _honest_rate(app: str, scorer: str, population: Population, drawn: Sequence[_Drawn]) -> HonestRate:
    compared = [
        (one.verdict, sum(one.votes) * 2 > len(one.votes))
        for one in drawn
        if one.verdict is not None and one.votes and sum(one.votes) * 2 != len(one.votes)
    ]
    by_chance = [one for one in drawn if one.inclusion is not None]
    labelled = [one for one in by_chance if one.votes]
    found = _estimate(population, by_chance, labelled)
    interval = found.estimate if isinstance(found, Rate) else None
    return HonestRate(
        app=app,
        scorer=scorer,
        rate=None if interval is None else interval.rate,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        labelled=len(labelled),
        population=sum(population.values()),
        uncorrected=_uncorrected(population),
        reason=found if isinstance(found, str) else None,
        kappa=cohens_kappa(compared),
        compared=len(compared),
        **_beside(found),
    )


def _beside(found: Rate | str) -> dict[str, float]:
    """What scorer and people say each alone, where there is a rate to hold it against."""
    if isinstance(found, str):
        return {}
    return {
        "uncorrected_low": found.predictions_alone.low,
        "uncorrected_high": found.predictions_alone.high,
        "people": found.labels_alone.rate,
        "people_low": found.labels_alone.low,
        "people_high": found.labels_alone.high,
    }


def _uncorrected(population: Population) -> float | None:
    """The weighted rate by the scorer's own verdicts."""
    judged = {key: number for key, number in population.items() if key[1] is not None}
    weights = sum(number / probability for (probability, _), number in judged.items())
    faults = sum(number / probability for (probability, fault), number in judged.items() if fault)
    return faults / weights if weights else None


def _estimate(population: Population, drawn: Sequence[_Drawn], labelled: Sequence[_Drawn]) -> Rate | str:
    """The estimate, or what is missing for it."""
    if len(labelled) < MINIMUM_LABELS:
        return (
            f"{len(labelled)} of {len(drawn)} answers that were drawn by chance are labelled; "
            f"at least {MINIMUM_LABELS} are needed"
        )
    response = _response(drawn)
    for verdict, (count, share) in response.items():
        if not share and count > _NEGLIGIBLE * len(drawn):
            return (
                f"none of the {count} answers that were drawn by chance and that the scorer {_CALLS[verdict]} "
                "is labelled; label some of them as well"
            )
    return _estimated(population, labelled, response)


_CALLS: Mapping[Verdict, str] = {True: "calls hallucinated", False: "calls grounded", None: "failed on"}


def _response(drawn: Sequence[_Drawn]) -> dict[Verdict, tuple[int, float]]:
    """By the scorer's verdict: how many were drawn, and the share of them that is labelled."""
    counts = Counter(one.verdict for one in drawn)
    answered = Counter(one.verdict for one in drawn if one.votes)
    return {verdict: (count, answered[verdict] / count) for verdict, count in counts.items()}


def _estimated(
    population: Population, labelled: Sequence[_Drawn], response: Mapping[Verdict, tuple[int, float]]
) -> Rate | str:
    """Labelled ones first, then all others, of which only their number by kind matters."""
    others = Counter(population)
    others.subtract((one.probability, one.verdict) for one in labelled)
    rest = [(key, max(0, number)) for key, number in others.items()]
    numbers = [number for _, number in rest]
    kinds = [(one.probability, one.verdict) for one in labelled]
    judged = {key: number for key, number in population.items() if key[1] is not None}
    middle = sum(number for key, number in judged.items() if key[1]) / max(1, sum(judged.values()))

    def column(values: Sequence[float], of_rest: Sequence[float]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        return np.concatenate([np.array(values, dtype=np.float64), np.repeat(np.array(of_rest, np.float64), numbers)])

    def prediction(verdict: Verdict) -> float:
        return middle if verdict is None else float(verdict)

    found = estimate_rate(
        column([prediction(verdict) for _, verdict in kinds], [prediction(key[1]) for key, _ in rest]),
        column([probability for probability, _ in kinds], [key[0] for key, _ in rest]),
        range(len(labelled)),
        [sum(one.votes) / len(one.votes) for one in labelled],
        [_chance(one) * response[one.verdict][1] for one in labelled],
    )
    return found.explanation if isinstance(found, NoRate) else found


def _chance(one: _Drawn) -> float:
    """With which it was drawn for review, given that the scorer looked at it: both draws go by the same hash."""
    return 1.0 if one.inclusion is None else min(1.0, one.inclusion / one.probability)
