"""Boosted trees as plain lists, so that a score needs no library."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
    """The log odds of a fault, as a sum of trees."""

    base: float
    trees: tuple[Tree, ...]

    def at(self, vector: Sequence[float]) -> float:
        """The log odds for one vector."""
        return self.base + sum(tree.at(vector) for tree in self.trees)


def read_forest(table: Mapping[str, Any]) -> Forest:
    """Read one part of the model file."""
    parts = ("feature", "threshold", "left", "right", "value")
    return Forest(table["base"], tuple(Tree(*(tuple(tree[part]) for part in parts)) for tree in table["trees"]))
