"""How the inputs of the traffic moved: one stretch of time against the one before it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from ragsonde.review.overview import Drift
from ragsonde.review.schema import INTERACTIONS, StoredRow

Floats = NDArray[np.float64]
Feature = Callable[[StoredRow], float | None]
"""A number of an interaction; None where it is not known."""

_AT_MOST = 5_000
"""Interactions of a stretch that are looked at: the first by their ids, which come by chance."""
_BUCKETS = 10
_LEAST_SHARE = 1e-4
"""In place of an empty bucket, whose logarithm is none."""
_LEAST_SIZE = 20
"""Interactions of a stretch without which buckets say nothing."""
_MOST_LANGUAGES = 5
_SIZES = ("question_characters", "answer_characters", "contexts", "context_characters")


def drift(
    connection: sa.Connection,
    now: Sequence["sa.ColumnElement[bool]"],
    before: Sequence["sa.ColumnElement[bool]"],
) -> list[Drift]:
    """Compare two stretches, each given by the conditions on its interactions."""
    earlier, later = _by_app(connection, before), _by_app(connection, now)
    return [
        found
        for app in sorted(later)
        for found in (*_sizes(app, earlier.get(app, []), later[app]), *_shares(app, earlier.get(app, []), later[app]))
    ]


def _by_app(connection: sa.Connection, conditions: Sequence["sa.ColumnElement[bool]"]) -> dict[str, list[StoredRow]]:
    columns = [INTERACTIONS.c[name] for name in ("app", "probability", "language", "refusal", *_SIZES)]
    query = sa.select(*columns).where(*conditions).order_by(INTERACTIONS.c.id).limit(_AT_MOST)
    found: dict[str, list[StoredRow]] = {}
    for row in connection.execute(query):
        found.setdefault(row.app, []).append(row)
    return found


def _sizes(app: str, before: Sequence[StoredRow], now: Sequence[StoredRow]) -> Iterator[Drift]:
    for name in _SIZES:
        earlier, later = _column(before, name), _column(now, name)
        yield Drift(app, name, _mean(*earlier), _mean(*later), stability_index(*earlier, *later))


def _shares(app: str, before: Sequence[StoredRow], now: Sequence[StoredRow]) -> Iterator[Drift]:
    """Shares of yes-or-no features, whose index has two buckets."""
    counted: dict[str, float] = {}
    for row in (*now, *before):
        counted[row.language] = counted.get(row.language, 0.0) + 1.0 / row.probability
    frequent = sorted(counted, key=lambda language: (-counted[language], language))[:_MOST_LANGUAGES]
    features: Mapping[str, Feature] = {
        **{f"language:{code}": partial(_is_language, code) for code in sorted(frequent)},
        "refusals": lambda row: row.refusal,
        "no_context": lambda row: None if row.contexts is None else row.contexts == 0,
    }
    for name, feature in features.items():
        earlier, later = _values(before, feature), _values(now, feature)
        shares = _mean(*earlier), _mean(*later)
        known = all(len(values) >= _LEAST_SIZE for values, _ in (earlier, later))
        distance = None
        if known and shares[0] is not None and shares[1] is not None:
            distance = _index(np.array([shares[0], 1.0 - shares[0]]), np.array([shares[1], 1.0 - shares[1]]))
        yield Drift(app, name, *shares, distance)


def stability_index(before: Floats, before_weights: Floats, now: Floats, now_weights: Floats) -> float | None:
    """Return the population stability index over the tenths of the earlier values (Siddiqi 2006, "Credit Risk
    Scorecards"); None where a stretch is too short of values.

    0 says that both are spread alike; above 0.2 is usually called a shift. Weights are those of the sampling.
    """
    if min(len(before), len(now)) < _LEAST_SIZE:
        return None
    edges = np.unique(np.quantile(before, np.linspace(0.0, 1.0, _BUCKETS + 1)[1:-1]))

    def spread(values: Floats, weights: Floats) -> Floats:
        sums = np.bincount(np.searchsorted(edges, values, side="left"), weights, minlength=len(edges) + 1)
        return np.asarray(sums / sums.sum())

    return _index(spread(before, before_weights), spread(now, now_weights))


def _index(before: Floats, now: Floats) -> float:
    earlier, later = np.maximum(before, _LEAST_SHARE), np.maximum(now, _LEAST_SHARE)
    return float(((later - earlier) * np.log(later / earlier)).sum())


def _is_language(code: str, row: StoredRow) -> bool:
    return bool(row.language == code)


def _column(rows: Sequence[StoredRow], name: str) -> tuple[Floats, Floats]:
    return _values(rows, lambda row: getattr(row, name))


def _values(rows: Sequence[StoredRow], feature: Feature) -> tuple[Floats, Floats]:
    """The known values of a feature, and their weights."""
    found = [(value, 1.0 / row.probability) for row in rows if (value := feature(row)) is not None]
    pairs = np.array(found, dtype=np.float64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _mean(values: Floats, weights: Floats) -> float | None:
    return float(np.average(values, weights=weights)) if len(values) else None
