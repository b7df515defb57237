"""A small RAG application and its users, to see Ragsonde at work without one of your own.

The documents, questions and answers are invented; retrieval, generation and instrumentation are real. For a while the
generator hallucinates on purpose. What was done to each answer is told to the caller of `run_traffic` only, never to
the scorers.
"""

from ragsonde.demo.app import Answered, DemoApp
from ragsonde.demo.corpus import LANGUAGES, Corpus, load_corpora, load_corpus
from ragsonde.demo.faults import HALLUCINATIONS, Fault
from ragsonde.demo.traffic import SERVICE_NAME, Phase, Progress, Schedule, Traffic, run_traffic

__all__ = [
    "HALLUCINATIONS",
    "LANGUAGES",
    "SERVICE_NAME",
    "Answered",
    "Corpus",
    "DemoApp",
    "Fault",
    "Phase",
    "Progress",
    "Schedule",
    "Traffic",
    "load_corpora",
    "load_corpus",
    "run_traffic",
]
