"""The data sets: what each is used for. Their labels, sources and licences are described beside the data."""

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """What is asked of an interaction. The positive class is always the fault."""

    FAITHFULNESS = "faithfulness"
    """At least one part of the answer is not supported by the contexts."""
    CITATION = "citation"
    """The claim does not follow from the cited contexts taken together."""
    CONTEXT_RELEVANCE = "context_relevance"
    """The contexts do not hold what the question asks for."""
    ANSWER_RELEVANCE = "answer_relevance"
    """The answer does not address the question."""
    PREFERENCE = "preference"
    """Which of two answers to one question is better."""


class View(StrEnum):
    """The unit that is judged."""

    RESPONSE = "response"
    SENTENCE = "sentence"
    """One sentence of the answer: faulty when a labelled span overlaps it."""


@dataclass(frozen=True, slots=True)
class BenchSet:
    """One data set."""

    name: str
    families: tuple[Family, ...]
    views: tuple[View, ...] = (View.RESPONSE,)
    macro: View | None = None
    """The view that counts towards the macro average; None where the set does not count."""
    spans: bool = False
    """Whether the unsupported spans are labelled, so that detection by character can be measured."""
    strict: str = ""
    """The narrower reading of the label, where the set has one."""
    has_dev: bool = False
    note: str = ""


_BOTH = (View.RESPONSE, View.SENTENCE)
_FAITHFULNESS, _CITATION = (Family.FAITHFULNESS,), (Family.CITATION,)

SETS: tuple[BenchSet, ...] = (
    BenchSet("ragtruth", _FAITHFULNESS, _BOTH, View.RESPONSE, spans=True, has_dev=True),
    BenchSet(
        "faithbench",
        _FAITHFULNESS,
        macro=View.RESPONSE,
        spans=True,
        strict="only Unwanted counts, not Questionable",
        note="chosen because detectors disagree: what separates well elsewhere is near chance here by design",
    ),
    BenchSet("storysumm", _FAITHFULNESS, macro=View.RESPONSE, note="48 rows"),
    BenchSet("qags", _FAITHFULNESS, macro=View.RESPONSE),
    BenchSet("gofigure_xsum", _FAITHFULNESS, macro=View.RESPONSE),
    BenchSet("begin", _FAITHFULNESS, macro=View.RESPONSE, has_dev=True),
    BenchSet("faithdial_audit", _FAITHFULNESS, macro=View.RESPONSE),
    BenchSet("q2_wow", _FAITHFULNESS, macro=View.RESPONSE),
    BenchSet(
        "psiloqa_human", _FAITHFULNESS, spans=True, note="26 rows, 2 of them faithful: only its spans say anything"
    ),
    BenchSet(
        "mfava",
        _FAITHFULNESS,
        (View.SENTENCE,),
        View.SENTENCE,
        spans=True,
        strict="without spans labelled subjective",
        note="nearly every answer is faulty, so it is judged by sentence; compare languages, not absolute values",
    ),
    BenchSet(
        "halueval", _FAITHFULNESS, note="labels by construction; surface features alone reach AUROC 0.99 on its QA part"
    ),
    BenchSet("expertqa", _CITATION, macro=View.RESPONSE, has_dev=True),
    BenchSet("wice", _CITATION, macro=View.RESPONSE, has_dev=True),
    BenchSet("attributionbench", _CITATION, macro=View.RESPONSE, has_dev=True),
    BenchSet("climate_fever", _CITATION, macro=View.RESPONSE),
    BenchSet(
        "xquad",
        (Family.CONTEXT_RELEVANCE, Family.ANSWER_RELEVANCE, Family.FAITHFULNESS),
        note="labels by construction on human texts",
    ),
    BenchSet("rgb", (Family.CONTEXT_RELEVANCE, Family.FAITHFULNESS), note="labels by construction"),
    BenchSet("clapnq", (Family.CONTEXT_RELEVANCE, Family.ANSWER_RELEVANCE), note="irrelevant answers by construction"),
    BenchSet(
        "haluquestqa", (Family.ANSWER_RELEVANCE,), note="who wrote the answer is a confounder: read it by generator"
    ),
    BenchSet("alce_utility", (Family.ANSWER_RELEVANCE,)),
    BenchSet("ragchecker_pref", (Family.PREFERENCE,)),
)
BY_NAME = {known.name: known for known in SETS}

DEV_POOLS: dict[tuple[Family, View], tuple[str, ...]] = {
    (Family.FAITHFULNESS, View.RESPONSE): ("ragtruth", "begin"),
    (Family.FAITHFULNESS, View.SENTENCE): ("ragtruth",),
    (Family.CITATION, View.RESPONSE): ("attributionbench", "wice"),
}
"""Where the threshold of a set without a dev file comes from. ExpertQA is not pooled: part of AttributionBench is drawn
from it. No set with relevance labels has a dev file."""
