"""How the parts of the detector's model are fitted: regressions that may only pull one way, trees, and calibration."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

from bench.detector.examples import Example
from ragsonde.scorers.detector.features import (
    ALIGNED,
    CLAIM,
    FEATURES,
    AnswerFeatures,
    ClaimFeatures,
    answer_row,
    direction,
    evened,
)
from ragsonde.scorers.detector.lexical import LEXICAL
from ragsonde.scorers.detector.linear import Linear
from ragsonde.scorers.detector.record_checks import NOTHING_FOUND

Floats = NDArray[np.float64]
Weights = Mapping[str, float]
"""What the examples of a source weigh together, half for each label."""
SHARE_FAULTY = 0.3
"""The share of unsupported claims for which probabilities are right: calibration weighs the labels so. RAGTruth's dev
answers have half of that."""
_NO_SOURCE = ("place.record",)
"""Features kept from the trees: with them a model could learn what kind of data is most often faulty."""
_CLAIM_AT = [FEATURES.index(name) for name in CLAIM]
_FIRST_LEXICAL, _FIRST_OF_ANSWER = len(ALIGNED), FEATURES.index(f"answer.{LEXICAL[0]}")


@dataclass(frozen=True)
class Design:
    """Claims, or answers, as rows."""

    x: Floats
    faulty: NDArray[np.bool_]
    weight: Floats


def labelled(example: Example) -> list[tuple[tuple[float, ...], bool]]:
    """The claims that have a label, True where it is unsupported."""
    return [(v, not s) for v, s in zip(example.vectors, example.supported, strict=True) if s is not None]


def claim_design(examples: Iterable[Example], weights: Weights) -> Design:
    """All labelled claims of the sources that weigh something, as vectors of all features."""
    rows: list[tuple[str, tuple[float, ...], bool]] = []
    for example in examples:
        if example.source in weights:
            rows += [(example.source, vector, label) for vector, label in labelled(example)]
            if example.whole is not None:
                rows.append((example.source, example.whole, example.faulty))
    return _weighed(rows, weights)


def answer_design(examples: Iterable[Example], weights: Weights) -> Design:
    """All answers of the sources that weigh something, as rows of ``ANSWER``."""
    return _weighed([(e.source, row_of_answer(e), e.faulty) for e in examples if e.source in weights], weights)


def _weighed(rows: Sequence[tuple[str, tuple[float, ...], bool]], weights: Weights) -> Design:
    """Within a source both labels weigh the same."""
    source, faulty = np.array([name for name, _, _ in rows]), np.array([label for _, _, label in rows])
    weight = np.zeros(len(rows))
    for name in weights:
        for label in (False, True):
            chosen = (source == name) & (faulty == label)
            weight[chosen] = weights[name] / max(1, int(chosen.sum()))
    return Design(np.array([row for _, row, _ in rows]), faulty, weight / weight.mean())


def rows_of_claims(vectors: Floats) -> Floats:
    """Vectors of all features as rows of ``CLAIM``."""
    columns = [[evened(name, value) for value in vectors[:, at]] for name, at in zip(CLAIM, _CLAIM_AT, strict=True)]
    return np.array(columns).T


def row_of_answer(example: Example) -> tuple[float, ...]:
    """The row of ``ANSWER`` for an example."""
    claims = [
        ClaimFeatures(v[:_FIRST_LEXICAL], v[_FIRST_LEXICAL : _FIRST_LEXICAL + len(LEXICAL)], NOTHING_FOUND)
        for v in example.vectors
    ]
    lexical = example.vectors[0][_FIRST_OF_ANSWER : _FIRST_OF_ANSWER + len(LEXICAL)]
    return answer_row(claims, AnswerFeatures(lexical, 0, 0, has_record=False, question_words=0))


def linear(data: Design, names: Sequence[str], penalty: float) -> Linear:
    """A logistic regression, each weight kept on its side of zero; ``penalty`` is on weights of standardised rows."""
    centre, spread = data.x.mean(axis=0), data.x.std(axis=0) + 1e-9
    x, y = (data.x - centre) / spread, np.where(data.faulty, 1.0, -1.0)
    weight = data.weight / data.weight.sum()

    def loss(b: Floats) -> tuple[float, Floats]:
        margin = y * (x @ b[1:] + b[0])
        pull = -weight * y / (1 + np.exp(np.minimum(margin, 500)))
        value = float((weight * np.logaddexp(0, -margin)).sum() + penalty / 2 * (b[1:] ** 2).sum())
        return value, np.concatenate([[pull.sum()], x.T @ pull + penalty * b[1:]])

    sides = {1: (0.0, None), -1: (None, 0.0), 0: (None, None)}
    bounds = [(None, None), *(sides[direction(name)] for name in names)]
    found = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = np.round(found[1:] / spread, 5)
    return Linear(round(float(found[0] - weights @ centre), 5), tuple(map(float, weights)))


def at(model: Linear, rows: Floats) -> Floats:
    """The log odds of rows."""
    return rows @ np.array(model.weights) + model.intercept


def blinded(x: Floats) -> Floats:
    """The table without what the trees may not see."""
    x = x.copy()
    x[:, [FEATURES.index(name) for name in _NO_SOURCE]] = 0.0
    return x


def boosted(data: Design) -> HistGradientBoostingClassifier:
    """Fit the trees."""
    model = HistGradientBoostingClassifier(
        learning_rate=0.06,
        max_iter=120,
        max_leaf_nodes=6,
        min_samples_leaf=40,
        l2_regularization=5.0,
        max_features=0.4,
        monotonic_cst=[direction(name) for name in FEATURES],
        random_state=0,
    )
    return model.fit(blinded(data.x), data.faulty, sample_weight=data.weight)


def calibration(examples: Sequence[Example], sums: Sequence[Floats], source: str) -> dict[str, float]:
    """Scale and shift that turn the held-out sums of one source into log odds (Platt, 1999)."""
    pairs = [
        (value, not supported)
        for example, values in zip(examples, sums, strict=True)
        if example.source == source
        for value, supported in zip(values, example.supported, strict=True)
        if supported is not None
    ]
    x, y = np.array([[value] for value, _ in pairs]), np.array([faulty for _, faulty in pairs])
    share = {True: SHARE_FAULTY, False: 1 - SHARE_FAULTY}
    weight = np.array([share[bool(label)] / (y == label).sum() for label in y])
    platt = LogisticRegression(C=1e6).fit(x, y, sample_weight=weight * len(y))
    return {"scale": round(float(platt.coef_[0, 0]), 4), "shift": round(float(platt.intercept_[0]), 4)}


def exported_trees(model: HistGradientBoostingClassifier) -> dict[str, Any]:
    """The trees as the detector reads them."""
    trees = []
    for (predictor,) in model._predictors:  # noqa: SLF001 - scikit-learn has no public view of its trees
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        trees.append({
            "feature": np.where(leaf, -1, nodes["feature_idx"]).tolist(),
            "threshold": np.where(leaf, 0.0, nodes["num_threshold"]).round(7).tolist(),
            "left": nodes["left"].tolist(),
            "right": nodes["right"].tolist(),
            "value": np.where(leaf, nodes["value"], 0.0).round(5).tolist(),
        })  # fmt: skip
    base = float(np.ravel(model._baseline_prediction)[0])  # noqa: SLF001
    return {"features": FEATURES, "base": round(base, 5), "trees": trees}


def exported_linear(model: Linear, names: Sequence[str]) -> dict[str, Any]:
    """A regression as the detector reads it."""
    return {"intercept": model.intercept, "weights": dict(zip(names, model.weights, strict=True))}
