"""The values that flow through the collector. Frozen, slotted, free of behaviour that needs I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

AttributeValue = str | int | float | bool | bytes | None | list["AttributeValue"] | dict[str, "AttributeValue"]
"""An OTLP AnyValue in Python: arrays are lists, key-value lists are dicts."""


class Signal(StrEnum):
    """The OTLP signals that can carry parts of an interaction."""

    TRACES = "traces"
    LOGS = "logs"


@dataclass(frozen=True, slots=True, order=True)
class SourcePosition:
    """Where a record stands in its source. ``offset`` is the record's own offset, not the next one."""

    topic: str
    partition: int
    offset: int
    epoch: int = 0
    """Grows with every assignment of the partition to this reader, so that work on an earlier one is told apart."""


@dataclass(frozen=True, slots=True)
class Record:
    """One message of a source, undecoded."""

    position: SourcePosition
    value: bytes
    signal: Signal = Signal.TRACES
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp_ms: int = 0
    """Milliseconds since the epoch, as the source gives it; 0 when it gives none."""


class SpanKind(IntEnum):
    """Span kinds with their OTLP numbers."""

    UNSPECIFIED = 0
    INTERNAL = 1
    SERVER = 2
    CLIENT = 3
    PRODUCER = 4
    CONSUMER = 5


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """A timed event on a span."""

    name: str
    time_ns: int = 0
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """A decoded span. Ids are lower-case hex (32 and 16 characters); times are nanoseconds since the epoch."""

    trace_id: str
    span_id: str
    name: str
    parent_span_id: str | None = None
    kind: int = SpanKind.UNSPECIFIED
    start_ns: int = 0
    end_ns: int = 0
    """0 while the span has not ended: some SDKs export a span at its start as well."""
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    resource: Mapping[str, AttributeValue] = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""
    status_code: int = 0
    """0 unset, 1 ok, 2 error."""
    parent_is_remote: bool | None = None
    """Whether the parent lives in another process; None where the exporter did not say (OTLP flags bits 8, 9)."""
    size_bytes: int = 0
    """Approximate memory that the span takes; what the assembler's byte bound counts."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A decoded log record: GenAI events arrive as these, joined to spans by trace and span id."""

    trace_id: str
    span_id: str
    event_name: str
    time_ns: int = 0
    body: AttributeValue = None
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    resource: Mapping[str, AttributeValue] = field(default_factory=dict)
    scope_name: str = ""
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Trace:
    """All that is known of one trace at the moment it is handed on."""

    trace_id: str
    spans: tuple[Span, ...]
    logs: tuple[LogRecord, ...] = ()
    complete: bool = True
    """False when it was evicted or aged out before its root span had ended."""


@dataclass(frozen=True, slots=True)
class Document:
    """One retrieved document or passage."""

    text: str | None
    """None where the source captured only the id."""
    rank: int
    """1 for the first; the order in which the generator saw the documents where that is known."""
    id: str | None = None
    score: float | None = None
    """The retriever's own score, on its own scale."""
    metadata: Mapping[str, AttributeValue] = field(default_factory=dict)


class Capture(StrEnum):
    """How much of the interaction the application's telemetry carried."""

    CAPTURED = "captured"
    CONTENT_NOT_CAPTURED = "content_not_captured"
    """Question and answer were switched off, hidden or redacted at the source: nothing can be scored."""
    CONTEXTS_NOT_CAPTURED = "contexts_not_captured"
    """Question and answer are there, the retrieved texts are not."""
    INCOMPLETE = "incomplete"
    """Spans are missing or their content was cut, so the answer is not known whole."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """One answered question: what was asked, what was retrieved, what was said.

    ``contexts`` is None where the telemetry did not carry them, and empty where the retrieval returned nothing;
    the two are never confused, since the second makes an answer ungrounded and the first only unknown.
    """

    id: str
    """The trace id; with ``:<span id>`` appended where one trace holds several answered questions."""
    question: str | None
    answer: str | None
    contexts: tuple[Document, ...] | None
    trace_id: str = ""
    span_id: str = ""
    """The generation span whose output reached the user: evaluation events are parented to it."""
    capture: Capture = Capture.CAPTURED
    convention: str = ""
    """The convention that the answer was read by, e.g. ``openinference``; bounded, so safe as a label value."""
    remedy: str | None = None
    """What the application's operator can do about a capture other than ``captured``; one sentence."""
    app: str = "unknown"
    """``service.name`` of the resource."""
    app_version: str | None = None
    environment: str | None = None
    conversation_id: str | None = None
    model: str | None = None
    start_ns: int = 0
    end_ns: int = 0
    system_instructions: str | None = None
    cited_ids: tuple[str, ...] | None = None
    """Ids that the application itself reported as cited; None where it reported nothing."""
    feedback: float | None = None
    """The user's feedback, -1 (bad) to 1 (good); None where there is none."""
    reference: str | None = None
    """The known right answer, in golden sets and tests."""
    relevant_ids: tuple[str, ...] | None = None
    """Gold document ids, in golden sets and tests."""
    metadata: Mapping[str, AttributeValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SamplingDecision:
    """Whether an interaction is kept, and the probability with which it had been."""

    kept: bool
    probability: float
    """Inclusion probability in (0, 1]; sums are weighted by its inverse (Horvitz and Thompson, 1952)."""
    stratum: str = "base"
    """The name of the rule that set the probability; bounded by configuration, so safe as a label value."""
