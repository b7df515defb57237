"""Boosted trees as plain lists, so that a score needs no library: the model file, and what it says of a vector."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ragsonde.scorers.detector.features import FEATURES

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Tree:
    """One regression tree; node 0 is the root.

    At an inner node the vector goes left where ``feature <= threshold``. ``feature`` is -1 at a leaf.
    """

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    def at(self, vector: Sequence[float]) -> float:
        """The value of the leaf that a vector falls into."""
        node = 0
        while (feature := self.feature[node]) >= 0:
            node = self.left[node] if vector[feature] <= self.threshold[node] else self.right[node]
        return self.value[node]


@dataclass(frozen=True, slots=True)
class Model:
    """The logit that a claim is *not* supported: the sum of trees and of weighted features, then calibrated."""

    version: str
    base: float
    trees: tuple[Tree, ...]
    linear: tuple[float, ...]
    """One weight a feature, of the feature's squeezed value (``squeeze``)."""
    scale: float
    shift: float
    """Calibration (Platt, 1999): the logit is ``scale * sum + shift``."""

    def unsupported(self, vector: Sequence[float]) -> float:
        """Probability, 0 to 1, that a claim with these features is not supported."""
        total = self.base + sum(tree.at(vector) for tree in self.trees)
        total += sum(w * squeeze(value) for w, value in zip(self.linear, vector, strict=True) if w)
        logit = max(-30.0, min(30.0, self.scale * total + self.shift))
        return 1.0 / (1.0 + math.exp(-logit))


def squeeze(value: float) -> float:
    """Shares as they are, counts by their logarithm: the hundredth word weighs less than the first."""
    return value if value <= 1.0 else 1.0 + math.log(value)


@cache
def shipped_model() -> Model:
    """The model that ships with this version.

    Raises:
        ValueError: the file does not belong to this version's features.
    """
    return read_model(json.loads(files(__package__).joinpath("model.json").read_text(encoding="utf-8")))


def read_model(table: Mapping[str, Any]) -> Model:
    """Read a model.

    Raises:
        ValueError: the file does not belong to this version's features.
    """
    if table["format"] != FORMAT or tuple(table["features"]) != FEATURES:
        raise ValueError("model.json was fitted for other features: fit it anew with python -m bench.detector.fit")
    trees = tuple(
        Tree(*(tuple(tree[part]) for part in ("feature", "threshold", "left", "right", "value")))
        for tree in table["trees"]
    )
    linear = tuple(table["linear"].get(name, 0.0) for name in FEATURES)
    return Model(table["version"], table["base"], trees, linear, table["scale"], table["shift"])
