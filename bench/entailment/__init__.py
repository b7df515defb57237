"""A model for entailment, weighed against the detector on labelled answers."""
