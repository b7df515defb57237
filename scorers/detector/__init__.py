"""How likely the contexts support a claim: features of words, facts and records, and a small model fitted to them."""

from ragsonde.scorers.detector.detector import Detector
from ragsonde.scorers.detector.features import AnswerFeatures, ClaimFeatures
from ragsonde.scorers.detector.model import Rating

__all__ = ["AnswerFeatures", "ClaimFeatures", "Detector", "Rating"]
