"""Local faithfulness: claims aligned with the contexts by words, held to their facts, and rated by the detector."""

from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.scorer import FaithfulnessScorer
from ragsonde.scorers.faithfulness.support import Support

__all__ = ["AnalysisCache", "FaithfulnessScorer", "Support"]
