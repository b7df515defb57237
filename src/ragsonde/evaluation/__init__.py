"""Scoring a file of answers against a golden set: report, release gate, comparison of two runs."""
