"""The catalogue of every metric that Ragsonde exports: name, kind, unit, labels and help. Nothing else is exported.

``python -m ragsonde.exporters.metrics`` prints the catalogue as Markdown; ``docs/metrics.md`` is that text.
"""

import sys
from dataclasses import dataclass
from enum import StrEnum

from ragsonde.exporters.promql import RECIPES

SCOPE = ("app", "environment", "language")
"""The labels that quality sums are kept apart by."""

SCORE_BUCKETS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.0)
FAST_BUCKETS = (0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
SLOW_BUCKETS = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
DELAY_BUCKETS = (1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)


class MetricKind(StrEnum):
    """The Prometheus metric types in use."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric family."""

    name: str
    """As it stands in the exposition: counters with ``_total``, histograms without ``_bucket``."""
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    unit: str = ""
    buckets: tuple[float, ...] = ()


def _counter(name: str, help_text: str, *labels: str, unit: str = "") -> Metric:
    return Metric(name, MetricKind.COUNTER, help_text, labels, unit)


def _gauge(name: str, help_text: str, *labels: str, unit: str = "") -> Metric:
    return Metric(name, MetricKind.GAUGE, help_text, labels, unit)


def _histogram(name: str, help_text: str, buckets: tuple[float, ...], *labels: str, unit: str) -> Metric:
    return Metric(name, MetricKind.HISTOGRAM, help_text, labels, unit, buckets)


# Quality: sums that give a mean and its uncertainty over any window and any set of replicas ------------------

SCORE_WEIGHTED_SUM = _counter(
    "ragsonde_score_weighted_sum_total",
    "Sum of weight times score; the weight is 1/p, p being the probability that the sampler keeps the interaction.",
    "scorer",
    "metric",
    *SCOPE,
)
SCORE_WEIGHTED_SQUARES = _counter(
    "ragsonde_score_weighted_squares_total", "Sum of weight times squared score.", "scorer", "metric", *SCOPE
)
SCORE_WEIGHTS = _counter(
    "ragsonde_score_weights_total", "Sum of the weights of scored interactions.", "scorer", "metric", *SCOPE
)
SCORE_SQUARED_WEIGHTS = _counter(
    "ragsonde_score_squared_weights_total",
    "Sum of the squared weights of scored interactions.",
    "scorer",
    "metric",
    *SCOPE,
)
HALLUCINATION_WEIGHTED_SUM = _counter(
    "ragsonde_hallucination_weighted_sum_total",
    "Sum of the weights of hallucinated answers: those with a claim that the retrieved contexts do not support.",
    "scorer",
    *SCOPE,
)
HALLUCINATION_WEIGHTS = _counter(
    "ragsonde_hallucination_weights_total",
    "Sum of the weights of answers whose grounding was judged.",
    "scorer",
    *SCOPE,
)
HALLUCINATION_SQUARED_WEIGHTS = _counter(
    "ragsonde_hallucination_squared_weights_total",
    "Sum of the squared weights of answers whose grounding was judged.",
    "scorer",
    *SCOPE,
)
SCORE = _histogram(
    "ragsonde_score_ratio",
    "Scores as they were given, unweighted, with trace ids as exemplars. Higher is better.",
    SCORE_BUCKETS,
    "scorer",
    "metric",
    "app",
    unit="ratio",
)

# Quality: counts. `_weighted_total` sums the weights 1/p: the estimate for the whole traffic -----------------

OUTCOMES = _counter(
    "ragsonde_outcomes_total",
    "Outcomes of a metric: scored (reason none), not_applicable by reason, failed by kind.",
    "scorer",
    "metric",
    "app",
    "outcome",
    "reason",
)
ELIGIBLE = _counter(
    "ragsonde_eligible_total",
    "Interactions for which a metric has a meaning, known or not; scored by eligible is the metric's coverage.",
    "scorer",
    "metric",
    "app",
)
INTERACTIONS = _counter(
    "ragsonde_interactions_total",
    "Interactions scored for the first time, by how much of them the telemetry carried.",
    "app",
    "environment",
    "capture",
)
INTERACTIONS_WEIGHTED = _counter(
    "ragsonde_interactions_weighted_total",
    "Weights of interactions scored for the first time: the traffic they stand for.",
    "app",
    "environment",
    "capture",
)
INTERACTIONS_SQUARED_WEIGHTS = _counter(
    "ragsonde_interactions_squared_weights_total",
    "Squared weights of interactions scored for the first time: with the weights they tell how sure a share is.",
    "app",
    "environment",
    "capture",
)
ANSWERS = _counter(
    "ragsonde_answers_total",
    "Answers by model and grounding: grounded, hallucinated, not_judged.",
    "scorer",
    "app",
    "model",
    "result",
)
ANSWERS_WEIGHTED = _counter(
    "ragsonde_answers_weighted_total", "Weights of answers by model and grounding.", "scorer", "app", "model", "result"
)
LOCAL_ANSWERS = _counter(
    "ragsonde_local_answers_total",
    "Answers that the local scorers gave a faithfulness, by language, and whether their probabilities were checked "
    "against people's labels in it: validated, not_validated, unknown.",
    "app",
    "language",
    "validation",
)
CLAIMS = _counter("ragsonde_claims_total", "Claims of answers by verdict.", "scorer", "app", "verdict")
CLAIMS_WEIGHTED = _counter(
    "ragsonde_claims_weighted_total", "Weights of claims by verdict.", "scorer", "app", "verdict"
)
CITATIONS = _counter(
    "ragsonde_citations_total",
    "Citations by kind: supported, unsupported, fabricated, unjudged.",
    "scorer",
    "app",
    "kind",
)
CITATIONS_WEIGHTED = _counter(
    "ragsonde_citations_weighted_total", "Weights of citations by kind.", "scorer", "app", "kind"
)
JUDGE_PAIRS = _counter(
    "ragsonde_judge_pairs_total",
    "Answers that both judges gave a verdict on, by the first and the second one's: agreement, and Cohen's kappa.",
    "app",
    "first",
    "second",
)
DIAGNOSES = _counter("ragsonde_diagnoses_total", "Interactions by where the fault lies.", "app", "diagnosis")
DIAGNOSES_WEIGHTED = _counter(
    "ragsonde_diagnoses_weighted_total", "Weights of interactions by where the fault lies.", "app", "diagnosis"
)
REFUSALS = _counter(
    "ragsonde_refusals_total",
    "Answers that abstain, wholly or in part: justified, unjustified, unjudged.",
    "app",
    "kind",
)
REFUSALS_WEIGHTED = _counter("ragsonde_refusals_weighted_total", "Weights of answers that abstain.", "app", "kind")
RESCORED = _counter(
    "ragsonde_rescored_total",
    "Interactions scored anew because a late span came. Every other quality metric counted them the first time.",
    "app",
)
REDELIVERED = _counter(
    "ragsonde_redelivered_total",
    "Interactions that came again after a restart or rebalance and were not counted.",
    "app",
)
LAST_SCORED = _gauge(
    "ragsonde_last_scored_timestamp_seconds",
    "When an interaction was last scored, since the epoch.",
    "app",
    unit="seconds",
)

# Quality: what people say of it. Worked out over the labelled interactions, so gauges; every replica tells the same --

REVIEW_QUEUE_ITEMS = _gauge(
    "ragsonde_review_queue_items",
    "Interactions in the queue for people, by state: open, done, dismissed.",
    "app",
    "state",
)
REVIEW_LABELLED_INTERACTIONS = _gauge(
    "ragsonde_review_labelled_interactions",
    "Interactions with a verdict of a person and one of the scorer: what its agreement and corrected rate rest on.",
    "app",
    "scorer",
)
REVIEW_AGREEMENT = _gauge(
    "ragsonde_review_agreement",
    "Cohen's kappa between a scorer's verdict on answers and people's: 1 is full agreement, 0 no more than by chance.",
    "app",
    "scorer",
)
HALLUCINATION_RATE_ESTIMATE = _gauge(
    "ragsonde_hallucination_rate_estimate",
    "Hallucination rate corrected by people's verdicts (prediction-powered): without the scorer's systematic error.",
    "app",
    "scorer",
)
HALLUCINATION_RATE_LOWER = _gauge(
    "ragsonde_hallucination_rate_lower", "Lower end of the 95 % interval of the corrected rate.", "app", "scorer"
)
HALLUCINATION_RATE_UPPER = _gauge(
    "ragsonde_hallucination_rate_upper", "Upper end of the 95 % interval of the corrected rate.", "app", "scorer"
)

# The sidecar itself: receiver, source, decoding --------------------------------------------------------------

RECEIVER_REQUESTS = _counter(
    "ragsonde_receiver_requests_total", "OTLP requests answered, by HTTP status.", "signal", "status"
)
RECEIVER_BYTES = _counter("ragsonde_receiver_request_bytes_total", "Bytes of OTLP requests.", "signal", unit="bytes")
RECEIVER_ITEMS = _counter(
    "ragsonde_receiver_items_total", "Spans and log records received: accepted or rejected.", "signal", "result"
)
RECEIVER_SECONDS = _histogram(
    "ragsonde_receiver_request_seconds", "Time to answer an OTLP request.", SLOW_BUCKETS, "signal", unit="seconds"
)
RECORDS = _counter("ragsonde_records_total", "Records read from the source.", "topic")
RECORD_BYTES = _counter("ragsonde_record_bytes_total", "Bytes read from the source.", "topic", unit="bytes")
DECODED_ITEMS = _counter("ragsonde_decoded_items_total", "Spans and log records decoded.", "signal")
DECODE_SECONDS = _histogram(
    "ragsonde_decode_seconds", "Time to decode a record.", FAST_BUCKETS, "signal", unit="seconds"
)
DEAD_LETTERS = _counter(
    "ragsonde_dead_letters_total", "Records that could not be decoded and went to the dead letters.", "reason"
)
IGNORED_SPANS = _counter(
    "ragsonde_ignored_spans_total", "Spans and log records left out: on purpose, too late, or malformed.", "reason"
)
LAG = _gauge(
    "ragsonde_source_lag_records", "Records between the consumer and the end of a partition.", "topic", "partition"
)
WATERMARK_LAG = _gauge(
    "ragsonde_source_watermark_lag_records",
    "Records between the committed offset and the consumer: what a crash would read again.",
    "topic",
    "partition",
)
COMMITS = _counter("ragsonde_commits_total", "Commits of the low watermark: ok or failed.", "result")
PAUSES = _counter("ragsonde_pauses_total", "Times that back-pressure paused consumption.")
PAUSED = _gauge("ragsonde_consumption_paused", "Whether consumption is paused by back-pressure (1) or not (0).")

# The sidecar itself: assembly, sampling, scoring, export -----------------------------------------------------

EVICTED_TRACES = _counter("ragsonde_evicted_traces_total", "Traces handed on before they were complete.", "reason")
TRACES_WITHOUT_INTERACTION = _counter(
    "ragsonde_traces_without_interaction_total", "Complete traces that hold no answered question."
)
ASSEMBLED = _counter(
    "ragsonde_assembled_interactions_total",
    "Interactions put together, before sampling, by convention and by how much the telemetry carried.",
    "app",
    "convention",
    "capture",
)
LATE = _counter("ragsonde_late_interactions_total", "Interactions put together anew because a late span came.", "app")
DOCUMENT_LOOKUPS = _counter(
    "ragsonde_document_lookups_total",
    "Passages looked up by id because the spans carried only ids: found, missing, failed.",
    "result",
)
SAMPLED = _counter(
    "ragsonde_sampling_decisions_total", "Decisions of the sampler: kept or sampled_out.", "app", "stratum", "decision"
)
IN_FLIGHT_ITEMS = _gauge("ragsonde_in_flight_items", "What a stage holds at the moment.", "stage")
IN_FLIGHT_BYTES = _gauge("ragsonde_in_flight_bytes", "Bytes that a stage holds at the moment.", "stage", unit="bytes")
SCORER_SECONDS = _histogram(
    "ragsonde_scorer_batch_seconds", "Time of a scorer for a batch.", SLOW_BUCKETS, "scorer", unit="seconds"
)
SCORER_INTERACTIONS = _counter("ragsonde_scorer_interactions_total", "Interactions a scorer worked through.", "scorer")
EXPORT_SECONDS = _histogram(
    "ragsonde_export_seconds", "Time of one attempt to export a batch.", SLOW_BUCKETS, "exporter", unit="seconds"
)
EXPORTS = _counter("ragsonde_exports_total", "Attempts to export a batch: ok or failed.", "exporter", "result")
EXPORTED = _counter("ragsonde_exported_interactions_total", "Interactions in those attempts.", "exporter", "result")
END_TO_END_SECONDS = _histogram(
    "ragsonde_end_to_end_seconds",
    "From the end of the answer to its scores in every required exporter.",
    DELAY_BUCKETS,
    "app",
    unit="seconds",
)
JUDGE_CALLS = _counter(
    "ragsonde_judge_calls_total",
    "Requests to the judge by how they ended, each retry on its own; cached: a kept result saved one.",
    "model",
    "prompt",
    "status",
)
JUDGE_REJECTED = _counter(
    "ragsonde_judge_rejected_replies_total",
    "Judge replies that could not be used, by why; outcome retried: asked once more, given_up: no verdict.",
    "model",
    "prompt",
    "status",
    "outcome",
)
JUDGE_SECONDS = _histogram(
    "ragsonde_judge_call_seconds", "Time of a request to the judge.", SLOW_BUCKETS, "model", unit="seconds"
)
JUDGE_TOKENS = _counter(
    "ragsonde_judge_tokens_total", "Tokens that the judge's server counted: input or output.", "model", "direction"
)
JUDGE_COST = _counter("ragsonde_judge_cost_total", "What the judge's calls cost, in the price's currency.", "model")
JUDGE_BREAKER = _gauge(
    "ragsonde_judge_breaker_state", "1 for the state that the judge's circuit breaker is in, else 0.", "model", "state"
)
JUDGE_CONCURRENCY = _gauge(
    "ragsonde_judge_concurrency_limit", "Judge calls that may be in flight at the moment.", "model"
)
JUDGE_BUDGET_SPENT = _gauge(
    "ragsonde_judge_budget_spent", "Taken by the judge today (UTC): calls, tokens, money.", "model", "kind"
)
JUDGE_BUDGET_LIMIT = _gauge(
    "ragsonde_judge_budget_limit",
    "What the judge may take per day (UTC), for each kind that is limited.",
    "model",
    "kind",
)
JUDGE_BUDGET_REFUSALS = _counter(
    "ragsonde_judge_budget_refusals_total", "Judge calls not made because of today's budget.", "model", "kind"
)
DROPPED = _counter("ragsonde_dropped_total", "Lost by a fault of ours; should stay at 0.", "stage", "reason")
UNMAPPED_EVENTS = _counter("ragsonde_unmapped_events_total", "Events that no metric counts; should stay at 0.")
BUILD_INFO = _gauge("ragsonde_build_info", "Always 1; the labels tell what is running.", "version", "python")

CATALOGUE: tuple[Metric, ...] = tuple(value for value in globals().values() if isinstance(value, Metric))
"""Every metric, in the order of this module."""

_INTRODUCTION = """# Metrics

Every metric that Ragsonde exports stands in `exporters/metrics.py`; this page is made from it by
`python -m ragsonde.exporters.metrics`. Beside them `/metrics` serves the usual `process_*` metrics.

- Values of `app`, `environment`, `model` and `convention` come from outside, so they are limited: what is not on the
  configured list, or not among the first values seen, counts as `other`; what the telemetry did not say is `unknown`.
- Counters whose labels form a closed set start at 0 once their part is configured, so that `rate()` and alerts have a
  value before the first event.
  Series that carry an `app` begin with its first interaction, so that `increase()` does not see that one.
- `_created` samples are left out: they double the number of series, and a restart is seen without them.
- Each interaction counts once, at its first scoring. A crash can repeat what was counted but not yet committed; the
  stores are exact, since they know interactions by their id.
"""


def to_markdown() -> str:
    """Return the catalogue and the queries over it as a Markdown page."""
    lines = [_INTRODUCTION, "## Catalogue", "", "| name | kind | labels | meaning |", "| --- | --- | --- | --- |"]
    for metric in CATALOGUE:
        labels = ", ".join(f"`{label}`" for label in metric.labels)
        lines.append(f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |")
    lines += ["", "## Queries", "", "Each stands under the name that later ones use: record them in this order.", ""]
    for recipe in RECIPES:
        lines += [f"`{recipe.name}`: {recipe.meaning}", "", "```promql", recipe.expression, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(to_markdown())
