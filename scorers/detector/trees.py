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
_ESTIMATE = FEATURES.index("aligned.estimate")
_CERTAIN = 1e-4


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
class Forest:
    """The logit that a claim is *not* supported: the sum of trees, blended with the alignment's own, calibrated."""

    base: float
    trees: tuple[Tree, ...]
    trust: float
    """Share, 0 to 1, that the alignment's own estimate has in the sum."""
    scale: float
    shift: float
    """Calibration (Platt, 1999): the logit is ``scale * sum + shift``."""

    def unsupported(self, vector: Sequence[float]) -> float:
        """Probability, 0 to 1, that a claim with these features is not supported."""
        total = self.base + sum(tree.at(vector) for tree in self.trees)
        blended = (1 - self.trust) * total - self.trust * logit(vector[_ESTIMATE])
        calibrated = max(-30.0, min(30.0, self.scale * blended + self.shift))
        return 1.0 / (1.0 + math.exp(-calibrated))


def logit(probability: float) -> float:
    """The log odds of a probability, which is kept a little away from 0 and 1."""
    kept = min(1 - _CERTAIN, max(_CERTAIN, probability))
    return math.log(kept / (1 - kept))


@dataclass(frozen=True, slots=True)
class Model:
    """Two forests over the same features."""

    version: str
    languages: frozenset[str]
    """Languages (ISO 639) in which people's labels were there to check it."""
    prose: Forest
    """For contexts of prose alone."""
    record: Forest
    """For contexts with a record among them, which an answer tells in words of its own."""


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
    return Model(table["version"], frozenset(table["languages"]), _forest(table["prose"]), _forest(table["record"]))


def _forest(table: Mapping[str, Any]) -> Forest:
    trees = tuple(
        Tree(*(tuple(tree[part]) for part in ("feature", "threshold", "left", "right", "value")))
        for tree in table["trees"]
    )
    return Forest(table["base"], trees, table["trust"], table["scale"], table["shift"])
