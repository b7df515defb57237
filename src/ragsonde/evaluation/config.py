"""What `ragsonde evaluate` can be told."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from ragsonde.collector.config import Config
from ragsonde.scorers.score import MetricKey

Share = Annotated[float, Field(ge=0.0, le=1.0)]

DEFAULT_THRESHOLDS = {
    MetricKey.FAITHFULNESS: 0.90,
    MetricKey.ANSWER_RELEVANCE: 0.80,
    MetricKey.CONTEXT_PRECISION: 0.60,
    MetricKey.CONTEXT_RECALL: 0.75,
}


class GateOn(StrEnum):
    """Which end of a mean's interval is held against the threshold."""

    MEAN = "mean"
    LOW = "low"
    """The mean is surely good enough: a small set rarely passes."""
    HIGH = "high"
    """The mean is not surely too low: a small set rarely fails."""


class RetrievalLevel(StrEnum):
    """What counts as found."""

    DOCUMENT = "document"
    SECTION = "section"


class EvaluationConfig(Config):
    """How an evaluation is judged."""

    thresholds: dict[MetricKey, Share] = DEFAULT_THRESHOLDS
    """Lowest mean of each metric, 0 to 1, that passes. A given mapping replaces the default one:
    faithfulness 0.90, answer_relevance 0.80, context_precision 0.60, context_recall 0.75."""
    minimum_coverage: Share = 0.9
    """Lowest share of items with a score among those that the metric applies to, for metrics with a threshold. What
    failed, was not captured or was not answered counts as not covered. Default 0.9."""
    gate_on: GateOn = GateOn.MEAN
    """What is held against the threshold: ``mean``, or the ``low`` or ``high`` end of its 95 % interval.
    Default ``mean``."""
    retrieval_level: RetrievalLevel = RetrievalLevel.SECTION
    """Whether a gold passage that names a section is found by that ``section`` only, or by any part of its
    ``document``. Default ``section``."""
    workers: Annotated[int, Field(ge=1, le=64)] = 4
    """Batches that are scored at the same time. More help where a judge is waited for. Default 4."""
    significance: Annotated[float, Field(gt=0.0, le=0.5)] = 0.05
    """Probability of calling any change between two runs real where none is, over all metrics together
    (Holm, 1979). Default 0.05."""
