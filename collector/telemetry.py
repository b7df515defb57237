"""Facts about the sidecar's own work. Stages emit them; metrics and logs subscribe.

Every loss has an event with a reason from a closed set. No event carries text of the monitored application.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ragsonde.collector.errors import DecodeReason
from ragsonde.collector.model import Capture, Signal


@dataclass(frozen=True, slots=True)
class Event:
    """Root of all facts."""


EventListener = Callable[[Event], None]
"""Receives every event, from any thread; must be quick and must not raise."""


def ignore_events(event: Event) -> None:
    """Take an event and do nothing: the default listener."""


# Receiver ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RequestReceived(Event):
    """The OTLP receiver answered a request."""

    signal: Signal
    status: int
    items: int
    """Spans or log records accepted."""
    rejected: int
    size_bytes: int
    seconds: float


# Source and decoding ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordReceived(Event):
    """A record was read from the source."""

    topic: str
    partition: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RecordDecoded(Event):
    """A record gave spans or log records."""

    signal: Signal
    items: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RecordDeadLettered(Event):
    """A record could not be decoded and went to the dead letters."""

    topic: str
    reason: DecodeReason


class IgnoreReason(StrEnum):
    """Why a span or log record was left out."""

    OWN_SPAN = "own_span"
    DUPLICATE = "duplicate"
    NO_TRACE_ID = "no_trace_id"
    EVALUATION = "evaluation"
    NO_CONTENT = "no_content"
    """A log record that is no GenAI event."""
    ONLY_DOCUMENTS = "only_documents"
    """A chain that returned nothing but the documents it retrieved, where nothing else in the trace answered."""
    UNREADABLE = "unreadable"
    """It is malformed in itself; the rest of its record was read."""
    TOO_LATE = "too_late"
    """Its trace was handed on and forgotten before it came."""


@dataclass(frozen=True, slots=True)
class SpanIgnored(Event):
    """A span or log record was left out."""

    reason: IgnoreReason
    count: int = 1


@dataclass(frozen=True, slots=True)
class SourceState(Event):
    """Where one partition stands."""

    topic: str
    partition: int
    lag: int | None
    """Records between the consumer's position and the end; None where the source cannot tell."""
    watermark_lag: int
    """Records between the committed low watermark and the consumer's position: what a crash would replay."""


@dataclass(frozen=True, slots=True)
class PartitionReleased(Event):
    """A partition went to another member of the group; what was said of it holds no longer."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class OffsetsCommitted(Event):
    """The low watermark was committed."""

    partitions: int
    ok: bool


@dataclass(frozen=True, slots=True)
class ConsumptionPaused(Event):
    """Back-pressure: partitions were paused (True) or resumed (False); polling goes on."""

    paused: bool


# Assembly and sampling --------------------------------------------------------------------------------------


class EvictionReason(StrEnum):
    """Why a trace was handed on before it was complete, or forgotten."""

    MAX_TRACES = "max_traces"
    MAX_BYTES = "max_bytes"
    MAX_AGE = "max_age"
    TRACE_TOO_LARGE = "trace_too_large"


@dataclass(frozen=True, slots=True)
class TraceEvicted(Event):
    """A trace was handed on before it was complete."""

    reason: EvictionReason


@dataclass(frozen=True, slots=True)
class TraceWithoutInteraction(Event):
    """A complete trace held no answered question (a health check, a lone retrieval, an embedding job)."""


@dataclass(frozen=True, slots=True)
class InteractionAssembled(Event):
    """An interaction was put together."""

    app: str
    convention: str
    capture: Capture
    late: bool
    """True when a late span re-opened the trace, so that this one replaces an earlier one."""


@dataclass(frozen=True, slots=True)
class InteractionSampled(Event):
    """The sampler decided."""

    app: str
    stratum: str
    kept: bool


@dataclass(frozen=True, slots=True)
class InFlight(Event):
    """What a stage holds at the moment."""

    stage: str
    items: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class DocumentsLookedUp(Event):
    """Texts were looked up by id for an interaction whose spans carried only ids."""

    found: int
    missing: int
    """Documents that the store does not have."""
    failed: int
    """Documents that the store could not be asked for: away, too slow, or paused after failures."""


# Scoring and export -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScorerRan(Event):
    """A scorer worked through a batch."""

    scorer: str
    interactions: int
    seconds: float


@dataclass(frozen=True, slots=True)
class InteractionCompleted(Event):
    """All scores of an interaction have reached every required exporter."""

    app: str
    seconds: float
    """From the end of the answer (its span's end) to the delivered score."""


class DropReason(StrEnum):
    """Why something was lost that should not have been."""

    QUEUE_FULL = "queue_full"
    RETRIES_EXHAUSTED = "retries_exhausted"
    PERMANENT_ERROR = "permanent_error"
    SHUTDOWN = "shutdown"
    INTERNAL_ERROR = "internal_error"
    RETENTION = "retention"
    """The log removed it, by age or size, before it had been read."""


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """Something was lost: ours, a fault."""

    stage: str
    """``source``, ``publisher``, ``receiver``, ``extraction``, ``scoring``, or an exporter's name."""
    reason: DropReason
    count: int = 1


@dataclass(frozen=True, slots=True)
class ExportAttempted(Event):
    """An exporter took, or refused, a batch."""

    exporter: str
    interactions: int
    ok: bool
    seconds: float


# Judge ------------------------------------------------------------------------------------------------------


class JudgeStatus(StrEnum):
    """How one request to the judge ended."""

    OK = "ok"
    CACHED = "cached"
    TRUNCATED = "truncated"
    INVALID_REPLY = "invalid_reply"
    CONTEXT_OVERFLOW = "context_overflow"
    OVERLOADED = "overloaded"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    OVER_BUDGET = "over_budget"
    BUDGET_UNAVAILABLE = "budget_unavailable"
    """The store of the shared budget could not be asked, so the judge was not."""
    BREAKER_OPEN = "breaker_open"


@dataclass(frozen=True, slots=True)
class JudgeCalled(Event):
    """One request to the judge ended, retries and repairs counted one by one; or a cached result saved it."""

    status: JudgeStatus
    model: str
    prompt: str
    """Name of the rubric, or ``embeddings``."""
    seconds: float
    input_tokens: int | None
    """As the server counted; None where it did not say or gave no reply."""
    output_tokens: int | None
    cost: float | None
    """Money in the price's currency; None where the price or the tokens are not known."""
    cached: bool = False


@dataclass(frozen=True, slots=True)
class JudgeReplyRejected(Event):
    """A reply came and could not be used."""

    model: str
    prompt: str
    status: JudgeStatus
    """``truncated`` or ``invalid_reply``."""
    final: bool
    """False where the judge is asked once more; True where the interaction goes on without a verdict."""


class BreakerState(StrEnum):
    """States of a circuit breaker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class BreakerChanged(Event):
    """The judge's circuit breaker changed its state."""

    model: str
    state: BreakerState


@dataclass(frozen=True, slots=True)
class JudgeConcurrencyChanged(Event):
    """The number of judge calls that may be in flight changed."""

    model: str
    limit: int


class BudgetKind(StrEnum):
    """What a daily budget limits."""

    CALLS = "calls"
    TOKENS = "tokens"
    MONEY = "money"


@dataclass(frozen=True, slots=True)
class BudgetSpent(Event):
    """What the judge has taken today (UTC), all replicas together where they share a store.

    Calls under way are counted at the most they can take.
    """

    model: str
    calls: int
    tokens: int
    money: float | None
    """None where the price is not known."""


@dataclass(frozen=True, slots=True)
class BudgetLimited(Event):
    """What the judge may take per UTC day; sent once for each kind that is limited."""

    model: str
    kind: BudgetKind
    limit: float


@dataclass(frozen=True, slots=True)
class BudgetExhausted(Event):
    """A call was not made because today's budget did not allow it."""

    model: str
    kind: BudgetKind
