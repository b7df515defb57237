"""What the overview shows, added up by the database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ragsonde.exporters.estimate import WeightedSums, estimate
from ragsonde.exporters.quality import OutcomeKind
from ragsonde.review.drift import drift
from ragsonde.review.honest_rates import honest_rates
from ragsonde.review.model import Agreement, ItemState
from ragsonde.review.overview import JudgeHealth, Overview, RatePoint, RateSeries
from ragsonde.review.reviews import STANDING
from ragsonde.review.rows import milliseconds, moment, plain
from ragsonde.review.schema import INTERACTIONS, OUTCOMES, REVIEWS, VERDICTS, StoredRow
from ragsonde.scorers.score import LOCAL_SCORER

_BUCKETS_SECONDS = (60, 300, 900, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600, 24 * 3600)
_MOST_BUCKETS = 60


@dataclass(frozen=True, slots=True)
class Stretch:
    """The interactions that an overview is about: answered in ``[since_ms, until_ms)``, of one application or all."""

    since_ms: int
    until_ms: int
    app: str | None

    def within(self, table: sa.Table) -> Sequence["sa.ColumnElement[bool]"]:
        """The conditions on a table with ``app`` and ``answered_ms``."""
        found = [table.c.answered_ms >= self.since_ms, table.c.answered_ms < self.until_ms]
        return found if self.app is None else [*found, table.c.app == self.app]

    def before(self, earliest_ms: int) -> "Stretch":
        """The stretch of the same length that ends where this one begins, as far as it is kept."""
        return Stretch(max(earliest_ms, 2 * self.since_ms - self.until_ms), self.since_ms, self.app)


def overview(
    connection: sa.Connection,
    since: datetime,
    until: datetime,
    app: str | None,
    *,
    earliest: datetime,
    queue: Mapping[tuple[str, ItemState], int],
    agreement: Agreement,
) -> Overview:
    """Return the overview of ``[since, until)``; what is said of the queue does not depend on the time.

    Before ``earliest`` only reviewed interactions are kept, which do not stand for all: the overview begins no sooner.
    """
    since = min(max(since, earliest), until)
    stretch = Stretch(milliseconds(since), milliseconds(until), None if app is None else plain(app))
    bucket = _bucket_seconds((until - since).total_seconds())
    interactions, diagnoses = _diagnoses(connection, stretch)
    shown = {key: number for key, number in queue.items() if app is None or key[0] == app}
    return Overview(
        since=since,
        until=until,
        bucket_seconds=bucket,
        interactions=interactions,
        rates=list(_rates(connection, stretch, bucket * 1000)),
        honest=honest_rates(connection, stretch.since_ms, stretch.until_ms, stretch.app),
        diagnoses=diagnoses,
        drift=drift(
            connection, stretch.within(INTERACTIONS), stretch.before(milliseconds(earliest)).within(INTERACTIONS)
        ),
        judges=list(_judges(connection, stretch)),
        queue=shown,
        agreement=agreement,
        sessions=_sessions(connection, stretch),
    )


def _bucket_seconds(length: float) -> int:
    """The shortest bucket with which no plot has more than sixty points."""
    return next((size for size in _BUCKETS_SECONDS if length / size <= _MOST_BUCKETS), _BUCKETS_SECONDS[-1])


def _diagnoses(connection: sa.Connection, stretch: Stretch) -> tuple[dict[str, int], dict[str, dict[str, float]]]:
    """The number of interactions by application, and the weighted share of each diagnosis among them."""
    weight = sa.func.sum(1.0 / INTERACTIONS.c.probability)
    keys = INTERACTIONS.c.app, INTERACTIONS.c.diagnosis
    query = sa.select(*keys, sa.func.count(), weight).where(*stretch.within(INTERACTIONS)).group_by(*keys)
    numbers: dict[str, int] = {}
    weights: dict[str, dict[str, float]] = {}
    for app, diagnosis, number, sum_ in connection.execute(query):
        numbers[app] = numbers.get(app, 0) + number
        weights.setdefault(app, {})[diagnosis] = sum_
    return numbers, {
        app: {diagnosis: sum_ / sum(sums.values()) for diagnosis, sum_ in sums.items()} for app, sums in weights.items()
    }


def _sessions(connection: sa.Connection, stretch: Stretch) -> dict[str, tuple[int, int]]:
    """Conversations with a bad turn, and all. A turn is bad when people say so or, where none has, a claim fails."""
    by_people = (
        sa.select(REVIEWS.c.item_id, sa.func.avg(sa.case((REVIEWS.c.fault, 1.0), else_=0.0)).label("fault"))
        .where(REVIEWS.c.fault.is_not(None), STANDING)
        .group_by(REVIEWS.c.item_id)
        .subquery()
    )
    by_scorer = sa.case((INTERACTIONS.c.faithfulness < 1.0, 1.0), else_=0.0)
    is_bad = sa.case((sa.func.coalesce(by_people.c.fault, by_scorer) >= 0.5, 1), else_=0)
    conversations = (
        sa.select(INTERACTIONS.c.app, sa.func.max(is_bad).label("bad"))
        .join(by_people, by_people.c.item_id == INTERACTIONS.c.id, isouter=True)
        .where(*stretch.within(INTERACTIONS), INTERACTIONS.c.conversation_id.is_not(None))
        .group_by(INTERACTIONS.c.app, INTERACTIONS.c.conversation_id)
        .subquery()
    )
    query = sa.select(conversations.c.app, sa.func.sum(conversations.c.bad), sa.func.count())
    return {app: (int(bad), count) for app, bad, count in connection.execute(query.group_by(conversations.c.app))}


# Metrics over time ------------------------------------------------------------------------------------------


def _rates(connection: sa.Connection, stretch: Stretch, bucket_ms: int) -> Iterator[RateSeries]:
    first = stretch.since_ms // bucket_ms
    starts = range(first, (stretch.until_ms - 1) // bucket_ms + 1)
    series: dict[tuple[str, str, str], list[StoredRow]] = {}
    for row in connection.execute(_sums(stretch, bucket_ms)):
        series.setdefault((row.app, row.metric, row.scorer), []).append(row)
    for (app, metric, scorer), rows in sorted(series.items()):
        by_bucket = {row.bucket: _weighted(row) for row in rows if row.kind == str(OutcomeKind.SCORED)}
        yield RateSeries(
            app=app,
            metric=metric,
            scorer=scorer,
            points=tuple(_point(start * bucket_ms, by_bucket.get(start, WeightedSums())) for start in starts),
            overall=_point(stretch.since_ms, sum(by_bucket.values(), WeightedSums())),
            not_applicable=sum(row.number for row in rows if row.kind == str(OutcomeKind.NOT_APPLICABLE)),
            failed=sum(row.number for row in rows if row.kind == str(OutcomeKind.FAILED)),
        )


def _sums(stretch: Stretch, bucket_ms: int) -> "sa.Select[*tuple[object, ...]]":
    weight, value = OUTCOMES.c.weight, OUTCOMES.c.value
    width = sa.literal_column(str(bucket_ms), sa.BigInteger)  # no parameter: PostgreSQL takes each for another value
    bucket = OUTCOMES.c.answered_ms.op("/", return_type=sa.BigInteger())(width).label("bucket")
    keys = OUTCOMES.c.app, OUTCOMES.c.metric, OUTCOMES.c.scorer, OUTCOMES.c.kind, bucket
    return (
        sa.select(
            *keys,
            sa.func.count().label("number"),
            sa.func.sum(weight).label("weights"),
            sa.func.sum(weight * weight).label("squared_weights"),
            sa.func.sum(weight * value).label("weighted_sum"),
            sa.func.sum(weight * value * value).label("weighted_squares"),
        )
        .where(*stretch.within(OUTCOMES))
        .group_by(*keys)
    )


def _weighted(row: StoredRow) -> WeightedSums:
    return WeightedSums(row.number, row.weights, row.squared_weights, row.weighted_sum, row.weighted_squares)


def _point(at_ms: int, sums: WeightedSums) -> RatePoint:
    found = estimate(sums)
    if found is None:
        return RatePoint(moment(at_ms), None, None, None, 0)
    return RatePoint(moment(at_ms), found.mean, found.low, found.high, found.count)


# Judges -----------------------------------------------------------------------------------------------------


def _judges(connection: sa.Connection, stretch: Stretch) -> Iterator[JudgeHealth]:
    keys = VERDICTS.c.scorer, VERDICTS.c.failure
    query = sa.select(*keys, sa.func.count()).where(*stretch.within(VERDICTS), VERDICTS.c.scorer != LOCAL_SCORER)
    by_scorer: dict[str, dict[str | None, int]] = {}
    for scorer, failure, number in connection.execute(query.group_by(*keys)):
        by_scorer.setdefault(scorer, {})[failure] = number
    agreements = _agreements_with_local(connection, stretch)
    for scorer, numbers in sorted(by_scorer.items()):
        yield JudgeHealth(
            scorer=scorer,
            drawn=sum(numbers.values()),
            judged=numbers.get(None, 0),
            failed={kind: number for kind, number in numbers.items() if kind is not None},
            agreement_with_local=agreements.get(scorer),
        )


def _agreements_with_local(connection: sa.Connection, stretch: Stretch) -> dict[str, float]:
    judge, local = VERDICTS, VERDICTS.alias()
    same = sa.func.avg(sa.case((judge.c.fault == local.c.fault, 1.0), else_=0.0))
    query = (
        sa.select(judge.c.scorer, same)
        .join(local, sa.and_(local.c.interaction_id == judge.c.interaction_id, local.c.scorer == LOCAL_SCORER))
        .where(*stretch.within(judge), judge.c.scorer != LOCAL_SCORER)
        .where(judge.c.fault.is_not(None), local.c.fault.is_not(None))
        .group_by(judge.c.scorer)
    )
    return {scorer: float(share) for scorer, share in connection.execute(query)}
