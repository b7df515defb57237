"""Whether the answer addresses the question, and whether the contexts help to."""

from ragsonde.scorers.relevance.calibration import Calibration, default_calibration, read_calibration
from ragsonde.scorers.relevance.scorer import RelevanceScorer, average_precision

__all__ = ["Calibration", "RelevanceScorer", "average_precision", "default_calibration", "read_calibration"]
