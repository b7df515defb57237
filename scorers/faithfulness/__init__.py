"""Faithfulness without a model: claims aligned with the contexts by words, and held to their facts."""

from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.scorer import FaithfulnessScorer
from ragsonde.scorers.faithfulness.support import Support

__all__ = ["AnalysisCache", "FaithfulnessScorer", "Support"]
