"""Fit the model that the detector ships.

    python -m bench.detector.fit [--data DIR] [--cache DIR]             cross-validate, print, write nothing
    python -m bench.detector.fit [--data DIR] [--cache DIR] --write     and write scorers/detector/model.json

Boosted trees (scikit-learn) whose features may only pull the way that their meaning says, over four dev files and made
answers; every random choice is seeded. Folds never split a group. Examples are kept in the cache, so that a stopped run
goes on. Needs the dev dependencies; the shipped model needs none of them.
"""

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from bench.detector.examples import (
    Example,
    ExampleMaker,
    kept,
    labelled_cases,
    made_examples,
    made_listings,
    own_passages,
    passages_of,
)
from ragsonde.scorers.detector.features import FEATURES
from ragsonde.scorers.detector.trees import FORMAT, read_model, squeeze

Floats = NDArray[np.float64]
MODEL = Path(__file__).parent.parent.parent / "scorers" / "detector" / "model.json"
VERSION = "1"
_AGAINST = frozenset((
    "missing", "conflicts", "absences", "doubts", "flipped", "run_missing", "missing_names", "missing_digits",
    "missing_rare", "missing_rarest", "unknown", "asserted", "denied", "wrong_times", "wrong_days", "claims", "words",
))  # fmt: skip
_FOR = frozenset((
    "coverage", "new_coverage", "joint_coverage", "order", "estimate", "covered", "covered_rare",
    "covered_beyond_question", "covered_telling", "pairs", "triples", "fragment_longest", "together", "stretch_low",
    "stretch_mean", "borne_out",
))  # fmt: skip
WEIGHTS = {"ragtruth": 1.0, "begin": 0.4, "wice": 0.4, "expertqa": 0.1, "listings": 0.7, "own": 0.3, "altered": 0.3}
"""What the examples of a source weigh together, half for each label."""
_IDLE = ("place.record",)
"""Features kept from the trees: with them a model could learn what kind of data is most often faulty."""


def direction(name: str) -> int:
    """1 where more of a feature can only make a fault likelier, -1 where only less likely, 0 where either may be."""
    last = name.partition(".")[2]
    return 1 if last in _AGAINST else -1 if last in _FOR else 0


@dataclass(frozen=True)
class Design:
    """Claims as rows."""

    x: Floats
    faulty: NDArray[np.bool_]
    weight: Floats


def design(examples: Iterable[Example]) -> Design:
    """All labelled claims, with weights by source and label."""
    rows: list[tuple[float, ...]] = []
    labels: list[bool] = []
    sources: list[str] = []
    for example in examples:
        found = [(v, not s) for v, s in zip(example.vectors, example.supported, strict=True) if s is not None]
        if example.whole is not None:
            found.append((example.whole, example.faulty))
        rows += [vector for vector, _ in found]
        labels += [label for _, label in found]
        sources += [example.source] * len(found)
    faulty, source = np.array(labels), np.array(sources)
    weight = np.zeros(len(labels))
    for name in dict.fromkeys(sources):
        for label in (False, True):
            chosen = (source == name) & (faulty == label)
            weight[chosen] = WEIGHTS[name] / max(1, int(chosen.sum()))
    return Design(np.array(rows), faulty, weight / weight.mean())


def boosted(data: Design, *, rounds: int = 160) -> HistGradientBoostingClassifier:
    """Fit the trees."""
    x = _blinded(data.x)
    model = HistGradientBoostingClassifier(
        learning_rate=0.06,
        max_iter=rounds,
        max_leaf_nodes=8,
        min_samples_leaf=40,
        l2_regularization=5.0,
        max_features=0.4,
        monotonic_cst=[direction(name) for name in FEATURES],
        random_state=0,
    )
    model.fit(x, data.faulty, sample_weight=data.weight)
    return model


def _blinded(x: Floats) -> Floats:
    x = x.copy()
    x[:, [FEATURES.index(name) for name in _IDLE]] = 0.0
    return x


def linear(data: Design, *, c: float = 0.05) -> tuple[Floats, float]:
    """Weights of squeezed features, and the intercept, of a logistic regression on standardised ones."""
    x = squeezed(_blinded(data.x))
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0
    found = LogisticRegression(C=c, max_iter=3000).fit((x - mean) / spread, data.faulty, sample_weight=data.weight)
    weights = found.coef_[0] / spread
    return weights, float(found.intercept_[0] - weights @ mean)


def squeezed(x: Floats) -> Floats:
    """``squeeze`` for whole tables."""
    return np.where(x <= 1.0, x, 1.0 + np.log(np.maximum(x, 1.0)))
