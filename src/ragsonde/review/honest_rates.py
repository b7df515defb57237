"""The hallucination rate of all traffic: each scorer's verdicts set right by people's.

What is drawn for review has a known probability, so the prediction-powered estimate of ``calibration.ppi`` holds. But
reviewers need not get through all that is drawn, and may well look at what seems bad first. Within those that a scorer
calls grounded, and within those that it calls hallucinated, what is labelled is therefore taken as a sample of what was
drawn, with the share that was labelled as its probability (weighting classes: Särndal, Swensson and Wretman, "Model
Assisted Survey Sampling", 1992, section 15.6). Where much was drawn of a class and none of it is labelled, there is no
rate.
"""

from collections import Counter, defaultdict
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
class _Labelled:
    """An interaction that people have labelled, as one scorer sees it."""

    verdict: Verdict
    probability: float
    """With which the scorer looked at it."""
    inclusion: float | None
    """With which it was drawn for review, out of all traffic; None where it was picked."""
    reviewers: int
    faults: int
    """Reviewers who see a hallucination."""


Population = Mapping[tuple[float, Verdict], int]
"""How many interactions a scorer looked at with this probability and this result."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """All that a scorer looked at in one application."""

    population: Population
    drawn: Mapping[Verdict, int]
    """How many of those with this result were drawn for review by chance."""


def honest_rates(connection: sa.Connection, since_ms: int, until_ms: int, app: str | None = None) -> list[HonestRate]:
    """Return the rate of each application and scorer over what was answered in ``[since_ms, until_ms)``."""
    window = [VERDICTS.c.answered_ms >= since_ms, VERDICTS.c.answered_ms < until_ms, VERDICTS.c.applies]
    if app is not None:
        window.append(VERDICTS.c.app == app)
    labelled = _labelled(connection, window)
    return [_honest_rate(*key, seen, labelled.get(key, ())) for key, seen in sorted(_seen(connection, window).items())]


def _seen(connection: sa.Connection, window: Sequence["sa.ColumnElement[bool]"]) -> dict[tuple[str, str], _Seen]:
    keys = VERDICTS.c.app, VERDICTS.c.scorer, VERDICTS.c.probability, VERDICTS.c.fault
    query = (
        sa.select(*keys, sa.func.count(), sa.func.count(ITEMS.c.share))
        .join(ITEMS, ITEMS.c.id == VERDICTS.c.interaction_id, isouter=True)
        .where(*window)
        .group_by(*keys)
    )
    populations: dict[tuple[str, str], Counter[tuple[float, Verdict]]] = defaultdict(Counter)
    drawn: dict[tuple[str, str], Counter[Verdict]] = defaultdict(Counter)
    for app, scorer, probability, fault, number, by_chance in connection.execute(query):
        populations[app, scorer][probability, fault] = number
        drawn[app, scorer][fault] += by_chance
    return {key: _Seen(population, drawn[key]) for key, population in populations.items()}


def _labelled(
    connection: sa.Connection, window: Sequence["sa.ColumnElement[bool]"]
) -> dict[tuple[str, str], list[_Labelled]]:
    faults = sa.func.sum(sa.case((REVIEWS.c.fault, 1), else_=0)).label("faults")
    votes = (  # people label few of all answers: their votes first
        sa.select(REVIEWS.c.item_id, sa.func.count().label("reviewers"), faults)
        .where(STANDING, REVIEWS.c.fault.is_not(None))
        .group_by(REVIEWS.c.item_id)
        .subquery()
    )
    query = (
        sa.select(
            *(VERDICTS.c[name] for name in ("app", "scorer", "fault", "probability")),
            ITEMS.c.share,
            INTERACTIONS.c.probability.label("kept"),
            votes.c.reviewers,
            votes.c.faults,
        )
        .join(votes, votes.c.item_id == VERDICTS.c.interaction_id)
        .join(ITEMS, ITEMS.c.id == VERDICTS.c.interaction_id)
        .join(INTERACTIONS, INTERACTIONS.c.id == VERDICTS.c.interaction_id)
        .where(*window)
        .order_by(VERDICTS.c.interaction_id)
    )
    found: dict[tuple[str, str], list[_Labelled]] = defaultdict(list)
    for row in connection.execute(query):
        inclusion = None if row.share is None else row.share * row.kept
        found[row.app, row.scorer].append(
            _Labelled(row.fault, row.probability, inclusion, row.reviewers, int(row.faults))
        )
    return found


def _honest_rate(app: str, scorer: str, seen: _Seen, labelled: Sequence[_Labelled]) -> HonestRate:
    compared = [
        (one.verdict, one.faults * 2 > one.reviewers)
        for one in labelled
        if one.verdict is not None and one.faults * 2 != one.reviewers
    ]
    by_chance = [one for one in labelled if one.inclusion is not None]
    found = _estimate(seen, by_chance)
    interval = found.estimate if isinstance(found, Rate) else None
    return HonestRate(
        app=app,
        scorer=scorer,
        rate=None if interval is None else interval.rate,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        labelled=len(by_chance),
        population=sum(seen.population.values()),
        uncorrected=_uncorrected(seen.population),
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


def _estimate(seen: _Seen, labelled: Sequence[_Labelled]) -> Rate | str:
    """The estimate, or what is missing for it."""
    drawn = sum(seen.drawn.values())
    if len(labelled) < MINIMUM_LABELS:
        return (
            f"{len(labelled)} of {drawn} answers that were drawn by chance are labelled; "
            f"at least {MINIMUM_LABELS} are needed"
        )
    answered = Counter(one.verdict for one in labelled)
    for verdict, count in seen.drawn.items():
        if not answered[verdict] and count > _NEGLIGIBLE * drawn:
            return (
                f"none of the {count} answers that were drawn by chance and that the scorer {_CALLS[verdict]} "
                "is labelled; label some of them as well"
            )
    return _estimated(
        seen.population, labelled, {verdict: answered[verdict] / seen.drawn[verdict] for verdict in answered}
    )


_CALLS: Mapping[Verdict, str] = {True: "calls hallucinated", False: "calls grounded", None: "failed on"}


def _estimated(population: Population, labelled: Sequence[_Labelled], response: Mapping[Verdict, float]) -> Rate | str:
    """Labelled ones first, then all others, of which only their number by kind matters.

    ``response`` is the share of those drawn that is labelled, by the scorer's verdict.
    """
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
        [one.faults / one.reviewers for one in labelled],
        [_chance(one) * response[one.verdict] for one in labelled],
    )
    return found.explanation if isinstance(found, NoRate) else found


def _chance(one: _Labelled) -> float:
    """With which it was drawn for review, given that the scorer looked at it: both draws go by the same hash."""
    return 1.0 if one.inclusion is None else min(1.0, one.inclusion / one.probability)
