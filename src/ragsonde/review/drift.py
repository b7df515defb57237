"""How the inputs of the traffic moved: one stretch of time against the one before it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from ragsonde.review.overview import Drift
from ragsonde.review.schema import INTERACTIONS

Floats = NDArray[np.float64]

_AT_MOST = 5_000
"""Interactions of a stretch that are looked at: the first by their ids, which come by chance."""
_BUCKETS = 10
_LEAST_SHARE = 1e-4
"""In place of an empty bucket, whose logarithm is none."""
_LEAST_SIZE = 20
"""Interactions of a stretch without which buckets say nothing."""
_MOST_LANGUAGES = 5
_SIZES = ("question_characters", "answer_characters", "contexts", "context_characters")
_LANGUAGE = "language:"


@dataclass(frozen=True, slots=True)
class _Sample:
    """Interactions of one application, column by column."""

    size: int
    weights: Floats
    """Those of the sampling."""
    values: Mapping[str, Floats]
    """By feature; NaN where it is not known of an interaction. A language that none has is not among them."""

    def known(self, feature: str) -> tuple[Floats, Floats]:
        """The known values of a feature, and their weights."""
        values = self.values.get(feature, np.zeros(self.size))
        is_known = ~np.isnan(values)
        return values[is_known], self.weights[is_known]


_NOTHING = _Sample(0, np.zeros(0), {})


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
        for compare in (_sizes, _shares)
        for found in compare(app, earlier.get(app, _NOTHING), later[app])
    ]


def _by_app(connection: sa.Connection, conditions: Sequence["sa.ColumnElement[bool]"]) -> dict[str, _Sample]:
    columns = [INTERACTIONS.c[name] for name in ("app", "probability", "language", "refusal", *_SIZES)]
    query = sa.select(*columns).where(*conditions).order_by(INTERACTIONS.c.id).limit(_AT_MOST)
    rows: dict[str, list[Sequence[Any]]] = {}
    for app, *row in connection.execute(query):
        rows.setdefault(app, []).append(row)
    return {app: _sample(given) for app, given in rows.items()}


def _sample(rows: Sequence[Sequence[Any]]) -> _Sample:
    probabilities, languages, refusals, *sizes = zip(*rows, strict=True)
    values = {name: np.array(column, dtype=np.float64) for name, column in zip(_SIZES, sizes, strict=True)}
    contexts = values["contexts"]
    values["refusals"] = np.array(refusals, dtype=np.float64)
    values["no_context"] = np.where(np.isnan(contexts), np.nan, contexts == 0)
    codes = np.array(languages, dtype=np.object_)
    values |= {_LANGUAGE + code: (codes == code).astype(np.float64) for code in set(languages)}
    return _Sample(len(rows), 1.0 / np.array(probabilities, dtype=np.float64), values)


def _sizes(app: str, before: _Sample, now: _Sample) -> Iterator[Drift]:
    for name in _SIZES:
        earlier, later = before.known(name), now.known(name)
        yield Drift(app, name, _mean(*earlier), _mean(*later), stability_index(*earlier, *later))


def _shares(app: str, before: _Sample, now: _Sample) -> Iterator[Drift]:
    """Shares of yes-or-no features, whose index has two buckets."""
    for name in (*_frequent_languages(before, now), "refusals", "no_context"):
        earlier, later = before.known(name), now.known(name)
        shares = _mean(*earlier), _mean(*later)
        known = all(len(values) >= _LEAST_SIZE for values, _ in (earlier, later))
        distance = None
        if known and shares[0] is not None and shares[1] is not None:
            distance = _index(np.array([shares[0], 1.0 - shares[0]]), np.array([shares[1], 1.0 - shares[1]]))
        yield Drift(app, name, *shares, distance)


def _frequent_languages(before: _Sample, now: _Sample) -> list[str]:
    traffic: dict[str, float] = {}
    for sample in (now, before):
        for name, values in sample.values.items():
            if name.startswith(_LANGUAGE):
                traffic[name] = traffic.get(name, 0.0) + float(values @ sample.weights)
    return sorted(sorted(traffic, key=lambda name: (-traffic[name], name))[:_MOST_LANGUAGES])


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


def _mean(values: Floats, weights: Floats) -> float | None:
    return float(np.average(values, weights=weights)) if len(values) else None
