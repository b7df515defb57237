"""Detection by character: how much of what is marked as unsupported was labelled so, and how much of that was found.

Precision, recall and F1 over the characters of all answers together, as the authors of RAGTruth (Niu et al., 2024,
arXiv 2401.00396, section 5) and of LettuceDetect (Kovács and Recski, 2025, arXiv 2502.17125) count them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.accuracy.metrics import UNDEFINED, Estimate, Floats, estimate

Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SpanCounts:
    """Characters of one answer."""

    overlap: int
    predicted: int
    labelled: int


@dataclass(frozen=True, slots=True)
class SpanScores:
    """Precision, recall and F1 by character."""

    precision: Estimate
    recall: Estimate
    f1: Estimate


def count(predicted: Iterable[Stretch], labelled: Iterable[Stretch]) -> SpanCounts:
    """Count characters; stretches that overlap count once."""
    found, meant = _characters(predicted), _characters(labelled)
    return SpanCounts(len(found & meant), len(found), len(meant))


def span_scores(counts: Sequence[SpanCounts], weights: Floats) -> SpanScores:
    """Scores over all answers, with intervals; ``weights`` as from a ``GroupBootstrap``, ``[draws, answers]``."""
    table = np.array([(c.overlap, c.predicted, c.labelled) for c in counts], dtype=np.float64).reshape(-1, 3)
    sums = np.vstack([np.ones(len(table)), weights]) @ table
    overlap, predicted, labelled = sums.T
    return SpanScores(
        precision=_estimate(overlap, predicted),
        recall=_estimate(overlap, labelled),
        f1=_estimate(2 * overlap, predicted + labelled),
    )


def _estimate(part: Floats, whole: Floats) -> Estimate:
    ratio = np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0)
    return UNDEFINED if np.isnan(ratio[0]) else estimate(float(ratio[0]), ratio[1:])


def _characters(stretches: Iterable[Stretch]) -> set[int]:
    return {at for start, end in stretches for at in range(start, end)}
