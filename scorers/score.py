"""What a scorer may return: a value, a reason why none applies, or the kind of failure. Never a NaN or a default."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ragsonde.collector.model import Interaction, SamplingDecision


class MetricKey(StrEnum):
    """The names of the quality metrics, the same in JSON, labels and columns. Higher is always better."""

    FAITHFULNESS = "faithfulness"
    ANSWER_RELEVANCE = "answer_relevance"
    CONTEXT_RELEVANCE = "context_relevance"
    CONTEXT_PRECISION = "context_precision"
    CONTEXT_UTILISATION = "context_utilisation"
    CONTEXT_RECALL = "context_recall"
    CITATION_PRESENCE = "citation_presence"
    CITATION_COVERAGE = "citation_coverage"
    CITATION_ACCURACY = "citation_accuracy"
    HIT_AT_K = "hit_at_k"
    RECALL_AT_K = "recall_at_k"
    PRECISION_AT_K = "precision_at_k"
    MRR = "mrr"
    NDCG_AT_K = "ndcg_at_k"
    ANSWER_CORRECTNESS = "answer_correctness"
    REFUSAL_CORRECTNESS = "refusal_correctness"


class Reason(StrEnum):
    """Why a metric does not apply to an interaction."""

    EMPTY_ANSWER = "empty_answer"
    REFUSAL = "refusal"
    NO_REFUSAL = "no_refusal"
    """``refusal_correctness`` of an answer that did not abstain, where no reference says that it should have."""
    NO_CLAIMS = "no_claims"
    NO_CITATIONS = "no_citations"
    NO_REFERENCE = "no_reference"
    NO_CONTEXT = "no_context"
    """A metric over retrieved documents has no document to look at (precision, utilisation)."""
    NO_QUESTION = "no_question"
    NO_MODEL = "no_model"
    """The scorer needs a local model that is not installed."""
    OTHER_LANGUAGE = "other_language"
    """The scorer compares words, and the documents are in another language than what they are to bear out."""
    CONTENT_NOT_CAPTURED = "content_not_captured"
    CONTEXTS_NOT_CAPTURED = "contexts_not_captured"
    INCOMPLETE = "incomplete"
    SAMPLED_OUT = "sampled_out"
    OVER_BUDGET = "over_budget"


class FailureKind(StrEnum):
    """How a scorer failed."""

    TRUNCATED = "truncated"
    INVALID_REPLY = "invalid_reply"
    CONTEXT_OVERFLOW = "context_overflow"
    EXTRACTOR_EMPTY = "extractor_empty"
    TIMEOUT = "timeout"
    JUDGE_UNAVAILABLE = "judge_unavailable"
    INTERNAL_ERROR = "internal_error"


class Verdict(StrEnum):
    """What the contexts say of one claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    UNVERIFIED = "unverified"
    """Called supported, but the quote given as proof is not in the contexts: does not count as supported."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of the answer and what the contexts say of it."""

    text: str
    start: int
    end: int
    """Character offsets into the answer; ``answer[start:end] == text`` for claims cut out of it."""
    verdict: Verdict
    probability: float | None = None
    """Estimated probability, 0 to 1, that the contexts support the claim; None where the scorer gives none."""
    quote: str | None = None
    """The passage of a context that decided the verdict, verbatim; None where nothing was found."""
    context_ids: tuple[str, ...] = ()
    """Ids of the documents the quote stands in; the rank as a string where a document has no id."""
    reason: str | None = None
    """One short sentence: why the verdict is what it is (a number that differs, a name not found)."""
    stretches: tuple[tuple[int, int], ...] | None = None
    """The parts of a claim that the contexts do not bear out, as offsets into the answer; empty where none is unlikely
    enough to be pointed at, None where the scorer never points at parts."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation marker of the answer, resolved."""

    marker: str
    start: int
    end: int
    cited: str
    """The document the marker names, as written (``3``, ``doc-7``)."""
    context_id: str | None
    """Id (or rank) of the retrieved document; None when no such document was retrieved: a fabricated citation."""
    supported: bool | None = None
    """Whether the cited document supports the statement it stands at; None where that was not judged."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A value in [0, 1]; higher is better."""

    value: float
    label: str | None = None
    """A low-cardinality word for the case, e.g. ``ungrounded``, ``no_context``, ``fabricated``."""
    explanation: str | None = None
    claims: tuple[Claim, ...] = ()
    citations: tuple[Citation, ...] = ()

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 1.0:  # also refuses NaN
            raise ValueError(f"a score lies in [0, 1], not {self.value!r}")


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """The metric does not apply; kept out of every average, counted by reason."""

    reason: Reason
    explanation: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The scorer could not tell; kept out of every average, counted by kind."""

    kind: FailureKind
    explanation: str | None = None


Outcome = Scored | NotApplicable | Failed


class DiagnosisLabel(StrEnum):
    """Where the fault lies, read in the order retriever, generator, relevance."""

    OK = "ok"
    RETRIEVAL_MISS = "retrieval_miss"
    RETRIEVAL_NOISE = "retrieval_noise"
    GENERATION_UNFAITHFUL = "generation_unfaithful"
    GENERATION_OFF_TOPIC = "generation_off_topic"
    UNJUSTIFIED_REFUSAL = "unjustified_refusal"
    CORRECT_BUT_UNGROUNDED = "correct_but_ungrounded"
    UNKNOWN = "unknown"
    """The metrics that would decide are not applicable or failed."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The verdict on an interaction."""

    label: DiagnosisLabel
    because: str
    """One sentence that names the deciding metric and its value."""
    metric: MetricKey | None = None
    remedy: str | None = None


LOCAL_SCORER = "local"
"""What the scorers that look at every kept interaction are called where scores of several sources stand together."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one judge found of an interaction, if it was drawn for that judge."""

    scorer: str
    """``judge``, ``second_judge``, or a rubric's name; bounded by configuration, so safe as a label value."""
    scores: Mapping[MetricKey, Outcome]
    """``NotApplicable(sampled_out)`` for every metric where the interaction was not drawn."""
    decision: SamplingDecision
    """The probability that the interaction was drawn for this judge, the first draw included."""


@dataclass(frozen=True, slots=True)
class ScoredInteraction:
    """An interaction with all that was found out about it: what exporters receive."""

    interaction: Interaction
    decision: SamplingDecision
    scores: Mapping[MetricKey, Outcome]
    """The best that is known of each metric: a judge's outcome where there is one, else the local scorers'."""
    diagnosis: Diagnosis
    answered: bool | None
    """False for an empty answer or a pure refusal; None where the answer is not known."""
    refusal: bool | None
    """Whether the answer abstains, wholly or in part."""
    language: str = "und"
    """ISO 639 code of the answer's language (the question's where there is no answer); ``und`` where not known."""
    rescored: bool = False
    """True when it replaces an earlier scoring of the same id (a late span came)."""
    scored_at: float = 0.0
    """Seconds since the epoch."""
    scorer_versions: Mapping[str, str] = field(default_factory=dict)
    local_scores: Mapping[MetricKey, Outcome] | None = None
    """What the local scorers found; None where ``scores`` is that."""
    judgements: tuple[Judgement, ...] = ()

    def by_scorer(self) -> Iterator[tuple[str, "ScoredInteraction"]]:
        """Yield the interaction as each source of scores sees it, with the sampling weight of that source.

        Sums of one source must not be mixed with another's: each has drawn its own sample.
        """
        yield LOCAL_SCORER, self if self.local_scores is None else replace(self, scores=self.local_scores)
        for judgement in self.judgements:
            yield judgement.scorer, replace(self, scores=judgement.scores, decision=judgement.decision)
