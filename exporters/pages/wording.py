"""The page's words: numbers, times and names as a reader sees them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from ragsonde.exporters.quality import CitationKind
from ragsonde.scorers.score import LOCAL_SCORER, Claim, DiagnosisLabel, MetricKey, Verdict

VERDICTS: Mapping[Verdict, tuple[str, str]] = {
    Verdict.SUPPORTED: ("✓", "supported"),
    Verdict.CONTRADICTED: ("✕", "contradicted"),
    Verdict.NOT_FOUND: ("?", "not found in the sources"),
    Verdict.UNVERIFIED: ("~", "unverified: the quoted proof is not in the sources"),
}
"""A sign and a name for each verdict, so that colour is never the only difference."""

FAULT = "The words at fault"
"""Of the part of a claim that the sources do not bear out."""

CITATIONS: Mapping[CitationKind, str] = {
    CitationKind.SUPPORTED: "the cited source supports it",
    CitationKind.UNSUPPORTED: "the cited source does not support it",
    CitationKind.FABRICATED: "no such source was retrieved",
    CitationKind.UNJUDGED: "not checked",
}

DIAGNOSES: Mapping[DiagnosisLabel, tuple[str, str]] = {
    DiagnosisLabel.OK: ("Fine", "nothing to object to"),
    DiagnosisLabel.RETRIEVAL_MISS: ("Retrieval missed", "the passages do not hold the answer"),
    DiagnosisLabel.RETRIEVAL_NOISE: ("Noisy retrieval", "few of the passages matter to the question"),
    DiagnosisLabel.CORRECT_BUT_UNGROUNDED: ("Right but ungrounded", "the answer is right, the passages do not show it"),
    DiagnosisLabel.GENERATION_UNFAITHFUL: ("Unfaithful answer", "the answer says what the passages do not"),
    DiagnosisLabel.GENERATION_OFF_TOPIC: ("Off topic", "the answer does not address the question"),
    DiagnosisLabel.UNJUSTIFIED_REFUSAL: ("Unjustified refusal", "it declined although the passages hold the answer"),
    DiagnosisLabel.UNKNOWN: ("Not told", "the metrics that would decide are missing"),
}

_EVEN = 0.5
_METRIC_NAMES = {
    MetricKey.HIT_AT_K: "Hit @ k",
    MetricKey.RECALL_AT_K: "Recall @ k",
    MetricKey.PRECISION_AT_K: "Precision @ k",
    MetricKey.MRR: "MRR",
    MetricKey.NDCG_AT_K: "nDCG @ k",
}


def percent(share: float) -> str:
    """Return a share as a percentage: one decimal below ten, none above; never a rounded 0 or 100 that is not one."""
    value = share * 100
    if 0 < value < 0.1:
        return "<0.1%"
    if 99.9 < value < 100:
        return ">99.9%"
    return f"{value:.1f}%" if 0 < value < 10 or 99 < value < 100 else f"{value:.0f}%"


def score(value: float) -> str:
    """Return a score with two decimals; never a rounded 0 or 1 that is not one."""
    text = f"{value:.2f}"
    if text == "1.00" and value < 1:
        return "0.99"
    if text == "0.00" and value > 0:
        return "0.01"
    return text


def number(value: float) -> str:
    """Return a count with thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", "\u202f")


def iso(seconds: float) -> str:
    """Return a time for machines."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return ""


def clock_time(seconds: float) -> str:
    """Return a time of day in UTC; the page's script turns it into the reader's own."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%H:%M:%S} UTC"
    except (ValueError, OverflowError, OSError):
        return "time not known"


def metric_name(key: MetricKey) -> str:
    """Return a metric's name."""
    return _METRIC_NAMES.get(key, words(key).capitalize())


def scorer_name(name: str) -> str:
    """Return a source of scores as a reader sees it."""
    return "local scorers" if name == LOCAL_SCORER else words(name)


def words(name: str) -> str:
    """Return an identifier as words."""
    return name.replace("_", " ")


def telling_probability(claim: Claim) -> float | None:
    """Return how likely a claim is supported, where that says the same as its verdict.

    A rule that decides the verdict leaves the probability nearly as the words alone would have it; shown beside the
    verdict it would only seem to contradict it.
    """
    supported = claim.verdict is Verdict.SUPPORTED
    told = claim.probability is not None and (claim.probability >= _EVEN) == supported
    return claim.probability if told else None


FILTERS: Mapping[str, Callable[..., Any]] = {
    "percent": percent,
    "score": score,
    "number": number,
    "iso": iso,
    "clock_time": clock_time,
    "metric_name": metric_name,
    "words": words,
    "scorer": scorer_name,
    "verdict_sign": lambda verdict: VERDICTS[verdict][0],
    "telling_probability": telling_probability,
    "verdict_name": lambda verdict: VERDICTS[verdict][1],
    "citation_name": lambda kind: CITATIONS[kind],
    "diagnosis_name": lambda label: DIAGNOSES[label][0],
    "diagnosis_meaning": lambda label: DIAGNOSES[label][1],
}
"""For the templates."""
