"""Turns a scorer's score into the probability that people would see a fault; kept beside what it was fitted for."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from scipy.optimize import isotonic_regression, minimize
from scipy.special import expit, logit

from ragsonde.calibration.cases import Case, Level
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_row import describe

Floats = NDArray[np.float64]
Share = Annotated[float, Field(ge=0.0, le=1.0)]

FEWEST_CASES = 30
"""Labelled cases without which no map is fitted."""
ISOTONIC_FROM = 200
"""Cases from which the flexible map is better than the two-parameter one (Niculescu-Mizil and Caruana, ICML 2005, find
some hundreds to a thousand)."""
_SURE = 1e-3
"""Scores are drawn this far in from 0 and 1 before their log-odds are taken."""


class MapMethod(StrEnum):
    """How a map is fitted."""

    ISOTONIC = "isotonic"
    """A rising step function (Zadrozny and Elkan, KDD 2002), with straight lines between the steps."""
    PLATT = "platt"
    """A logistic curve over the score's log-odds, with Platt's smoothed targets (Platt, 1999)."""


class CalibrationMap(BaseModel):
    """A fitted map, as it is stored."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    schema_version: Literal[1] = 1
    scorer: str | None
    """The source of scores; null: the best that was known of each interaction."""
    scorer_versions: dict[str, str]
    """What the scores came from; the map is valid for these versions only."""
    level: Level
    method: MapMethod
    scores: tuple[Share, ...] = ()
    """Of an isotonic map: where its corners are, rising."""
    probabilities: tuple[Share, ...] = ()
    slope: float = 1.0
    """Of a Platt map."""
    intercept: float = 0.0
    cases: int
    created_at: datetime

    def apply(self, scores: Sequence[float]) -> list[float]:
        """Return the probability of a fault for each score; it rises with the score."""
        given = np.asarray(scores, dtype=np.float64)
        if self.method is MapMethod.ISOTONIC:
            mapped = np.interp(given, self.scores, self.probabilities)
        else:
            mapped = expit(self.slope * _log_odds(given) + self.intercept)
        return [float(value) for value in mapped]


def fit_map(
    cases: Sequence[Case],
    level: Level,
    scorer: str | None,
    scorer_versions: Mapping[str, str],
    method: MapMethod | None = None,
) -> CalibrationMap:
    """Fit a map; without a ``method`` the one that suits the number of cases.

    Raises:
        ConfigError: there are too few cases, or people call all of them the same.
    """
    truth = np.array([case.fault for case in cases], dtype=np.float64)
    if len(cases) < FEWEST_CASES or truth.min() == truth.max():
        raise ConfigError(
            f"no map can be fitted to {len(cases)} labelled {level}s with {int(truth.sum())} faults: "
            f"at least {FEWEST_CASES} are needed, some with the fault and some without"
        )
    scores = np.array([case.score for case in cases], dtype=np.float64)
    weights = np.array([case.weight for case in cases], dtype=np.float64)
    weights *= len(weights) / weights.sum()
    chosen = method or (MapMethod.ISOTONIC if len(cases) >= ISOTONIC_FROM else MapMethod.PLATT)
    fitted = _isotonic(scores, truth, weights) if chosen is MapMethod.ISOTONIC else _platt(scores, truth, weights)
    return CalibrationMap(
        scorer=scorer,
        scorer_versions=dict(scorer_versions),
        level=level,
        method=chosen,
        cases=len(cases),
        created_at=datetime.now(UTC),
        **fitted,
    )


def save_map(folder: Path, fitted: CalibrationMap) -> Path:
    """Store a map under a name made from what it is valid for; an older one for the same is replaced.

    Raises:
        ConfigError: it cannot be written.
    """
    path = _path(folder, fitted.scorer, fitted.level, fitted.scorer_versions)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(fitted.model_dump(mode="json"), option=orjson.OPT_INDENT_2))
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from error
    return path


def find_map(
    folder: Path, scorer: str | None, level: Level, scorer_versions: Mapping[str, str]
) -> CalibrationMap | None:
    """Return the map for these versions; None where there is none.

    Raises:
        ConfigError: it cannot be read.
    """
    path = _path(folder, scorer, level, scorer_versions)
    if not path.exists():
        return None
    try:
        return CalibrationMap.model_validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise ConfigError(f"{path} is no calibration map ({describe(error)}); fit it anew") from error


def _path(folder: Path, scorer: str | None, level: Level, versions: Mapping[str, str]) -> Path:
    digest = hashlib.sha256(orjson.dumps(dict(versions), option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]
    name = "".join(sign if sign.isalnum() else "-" for sign in scorer or "scores")
    return folder / f"{name}.{level}.{digest}.json"


def _isotonic(scores: Floats, truth: Floats, weights: Floats) -> dict[str, tuple[float, ...]]:
    levels, index = np.unique(scores, return_inverse=True)
    totals = np.bincount(index, weights)
    rates = np.bincount(index, weights * truth) / totals
    fitted = np.clip(isotonic_regression(rates, weights=totals).x, 0.0, 1.0)
    return {"scores": tuple(map(float, levels)), "probabilities": tuple(map(float, fitted))}


def _platt(scores: Floats, truth: Floats, weights: Floats) -> dict[str, float]:
    faults, others = float(weights @ truth), float(weights @ (1.0 - truth))
    targets = np.where(truth > 0.5, (faults + 1.0) / (faults + 2.0), 1.0 / (others + 2.0))
    odds = _log_odds(scores)

    def loss(parameters: Floats) -> float:
        value = np.exp(parameters[0]) * odds + parameters[1]  # the slope stays above 0
        return float(weights @ (np.logaddexp(0.0, value) - targets * value))

    found = minimize(loss, np.zeros(2), method="Nelder-Mead", options={"maxiter": 2000})
    return {"slope": float(np.exp(found.x[0])), "intercept": float(found.x[1])}


def _log_odds(scores: Floats) -> Floats:
    return np.asarray(logit(np.clip(scores, _SURE, 1.0 - _SURE)), dtype=np.float64)
