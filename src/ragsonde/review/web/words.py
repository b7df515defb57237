"""What the review pages call things."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.exporters.pages import wording
from ragsonde.review.model import SelectedBecause
from ragsonde.review.web.forms import VERDICTS, offered
from ragsonde.scorers.score import DiagnosisLabel, MetricKey

REASONS: Mapping[SelectedBecause, tuple[str, str]] = {
    SelectedBecause.RANDOM: (
        "drawn by chance",
        "labels of such answers say how often answers are wrong in all traffic",
    ),
    SelectedBecause.NEGATIVE_FEEDBACK: ("bad feedback", "the user was not content"),
    SelectedBecause.JUDGE_AGAINST_LOCAL: ("judge against local", "the judge and the local scorers differ most here"),
    SelectedBecause.JUDGE_AGAINST_JUDGE: ("judges differ", "two judges do not agree"),
    SelectedBecause.LOW_SCORE: ("low score", "its scores are among the lowest"),
    SelectedBecause.UNCERTAIN: ("uncertain", "the scorer itself is not sure of a claim"),
}
"""A name and a meaning for each rule of selection."""

_INPUTS: Mapping[str, str] = {
    "question_characters": "length of questions, characters",
    "answer_characters": "length of answers, characters",
    "contexts": "passages retrieved",
    "context_characters": "length of passages, characters",
    "refusals": "abstentions",
    "no_context": "nothing retrieved",
}


def metric_name(name: str) -> str:
    """Return a metric's name; of a rubric its own."""
    return wording.metric_name(MetricKey(name)) if name in set(MetricKey) else wording.words(name).capitalize()


def diagnosis_name(label: str) -> str:
    """Return a diagnosis as a reader sees it."""
    return wording.DIAGNOSES[DiagnosisLabel(label)][0] if label in set(DiagnosisLabel) else wording.words(label)


def dated(at: datetime) -> str:
    """Return a date and time in UTC; the page's script turns it into the reader's own."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def label_name(verdict: LabelVerdict | None) -> str:
    """Return a person's verdict as a reader sees it."""
    known = offered(verdict)
    return "no verdict" if known is None else VERDICTS[known][1]


def label_sign(verdict: LabelVerdict | None) -> str:
    """Return the sign of a person's verdict."""
    known = offered(verdict)
    return "–" if known is None else VERDICTS[known][0]


def input_name(name: str) -> str:
    """Return the name of an input of the traffic, as the drift of it is called."""
    if name.startswith("language:"):
        return f"answers in {name.removeprefix('language:')}"
    return _INPUTS.get(name, wording.words(name))


def quoted(text: str) -> str:
    """Return a text for the query of an address; what UTF-8 cannot hold is replaced."""
    return quote(text, safe="", errors="replace")


FILTERS: Mapping[str, Callable[..., Any]] = {
    "named": metric_name,
    "diagnosis": diagnosis_name,
    "input_name": input_name,
    "dated": dated,
    "quoted": quoted,
    "label_name": label_name,
    "label_sign": label_sign,
    "because_name": lambda because: REASONS[because][0],
    "because_meaning": lambda because: REASONS[because][1],
}
"""For the templates."""
