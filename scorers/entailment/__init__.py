"""A model of the operator's that says whether a text entails a claim. Importing this loads none of its libraries."""

from ragsonde.scorers.entailment.config import EntailmentConfig
from ragsonde.scorers.entailment.entailment import Entailment, open_entailment
from ragsonde.scorers.entailment.model import EntailmentModel

__all__ = ["Entailment", "EntailmentConfig", "EntailmentModel", "open_entailment"]
