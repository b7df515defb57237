"""A logistic regression whose features can only pull the way that their meaning says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragsonde.scorers.detector.features import direction


@dataclass(frozen=True, slots=True)
class Linear:
    """The log odds of a fault, as a weighted sum of a row of features."""

    intercept: float
    weights: tuple[float, ...]
    """One a feature, in the order of the row."""

    def at(self, row: Sequence[float]) -> float:
        """The log odds for one row."""
        return self.intercept + sum([weight * value for weight, value in zip(self.weights, row, strict=True)])


def read_linear(table: Mapping[str, Any], names: Sequence[str]) -> Linear:
    """Read one part of the model file.

    Raises:
        ValueError: it has other features than ``names``, or one of them pulls the wrong way.
    """
    weights: Mapping[str, float] = table["weights"]
    if set(weights) != set(names):
        raise ValueError("model.json was fitted for other features: fit it anew with python -m bench.detector.fit")
    if wrong := next((name for name in names if weights[name] * direction(name) < 0), None):
        raise ValueError(f"model.json: {wrong} pulls the wrong way, so more evidence would lower the probability")
    return Linear(table["intercept"], tuple(weights[name] for name in names))
