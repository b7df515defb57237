"""Spans as Kafka messages: one trace per message, no message larger than allowed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.trace import format_trace_id

from ragsonde.instrumentation.losses import LossReason

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

_RECORD_OVERHEAD_BYTES = 100
"""Room for the record's own fields and its batch header."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message to be: spans of a single trace."""

    key: bytes
    """The trace id as 32 lower-case hex characters, as the Collector writes it with ``partition_traces_by_id``."""
    value: bytes
    """A serialised ``ExportTraceServiceRequest`` (``otlp_proto``)."""
    spans: int

    @property
    def size_bytes(self) -> int:
        """What the message counts for against size limits."""
        return len(self.key) + len(self.value) + _RECORD_OVERHEAD_BYTES


@dataclass(frozen=True, slots=True)
class Refused:
    """A single span that cannot be sent."""

    reason: LossReason
    detail: str


def messages_of(spans: Iterable["ReadableSpan"], max_bytes: int) -> Iterator[Message | Refused]:
    """Yield the messages that carry ``spans``, a trace at a time.

    A trace that is larger than ``max_bytes`` is spread over several messages by halving its spans; they share the
    key, so they stay on one partition. So is a trace that cannot be encoded, until only the span at fault is left out.
    """
    traces: dict[int, list[ReadableSpan]] = {}
    for span in spans:
        context = span.get_span_context()
        if context is not None:
            traces.setdefault(context.trace_id, []).append(span)
    for trace_id, members in traces.items():
        yield from _fitting(format_trace_id(trace_id).encode("ascii"), members, max_bytes)


def _fitting(key: bytes, spans: Sequence["ReadableSpan"], max_bytes: int) -> Iterator[Message | Refused]:
    made = _encoded(key, spans, max_bytes)
    if isinstance(made, Message) or len(spans) == 1:
        yield made
        return
    middle = len(spans) // 2
    yield from _fitting(key, spans[:middle], max_bytes)
    yield from _fitting(key, spans[middle:], max_bytes)


def _encoded(key: bytes, spans: Sequence["ReadableSpan"], max_bytes: int) -> Message | Refused:
    try:
        message = Message(key, encode_spans(spans).SerializeToString(), len(spans))
    except Exception as error:  # noqa: BLE001 - one span that cannot be encoded must not cost the others
        return Refused(LossReason.UNENCODABLE, type(error).__name__)
    if message.size_bytes > max_bytes:
        return Refused(LossReason.TOO_LARGE, f"a span of {message.size_bytes} bytes is over max_message_bytes")
    return message
