"""From which suspicion on an answer is flagged. Chosen on dev files, never on the rows that are reported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import precision_recall_curve, roc_curve

from bench.accuracy.data import Case, Split

FIXED = 0.5
"""Where no dev file has labels of the family: the level at which every scorer means "rather not"."""

NEVER = 1.01
"""Above every suspicion: best where the suspicion points the wrong way on dev."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Flag at this suspicion and above. One for each figure, since the two want different ones."""

    f1: float
    balanced_accuracy: float
    chosen_on: str


def fixed() -> Thresholds:
    """Thresholds that nothing was looked at for."""
    return Thresholds(FIXED, FIXED, f"fixed at {FIXED}: no dev file of the family")


def choose(scored: Sequence[tuple[Case, float]]) -> Thresholds:
    """Choose the thresholds that are best on dev cases; each data set among them weighs the same.

    Raises:
        ValueError: a case does not come from a dev file.
    """
    if stray := next((case.id for case, _ in scored if case.split is not Split.DEV), None):
        raise ValueError(f"case {stray} is not from a dev file: thresholds may not be chosen on it")
    faulty = np.array([case.faulty for case, _ in scored], dtype=bool)
    if not faulty.any() or faulty.all():
        return fixed()
    suspicion = np.array([value for _, value in scored])
    names = [case.dataset for case, _ in scored]
    sizes = Counter(names)
    weights = np.array([1 / sizes[name] for name in names])
    precision, recall, levels = precision_recall_curve(faulty, suspicion, sample_weight=weights)
    total = precision[:-1] + recall[:-1]
    f1 = np.divide(2 * precision[:-1] * recall[:-1], total, out=np.zeros_like(total), where=total > 0)
    false, true, cuts = roc_curve(faulty, suspicion, sample_weight=weights, drop_intermediate=False)
    return Thresholds(
        f1=float(levels[np.argmax(f1)]),
        balanced_accuracy=min(NEVER, float(cuts[np.argmax(true - false)])),
        chosen_on="dev of " + ", ".join(dict.fromkeys(names)),
    )
