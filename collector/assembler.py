"""Spans in, traces out: puts the spans of a trace back together, whatever order they come in.

A trace is handed on when its root span has ended and nothing has come for the quiet period, or at the hard age. Its
spans are kept for the late window after that, so that a late span hands the whole trace on again, marked ``late``:
its interactions replace their earlier selves. What comes later still is ignored and counted. Memory is bounded by
traces and by bytes; what must go early is handed on incomplete and counted, never forgotten in silence.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Annotated, Generic, Self, TypeVar

from pydantic import Field, model_validator

from ragsonde.collector.clock import Clock
from ragsonde.collector.config import Config
from ragsonde.collector.model import LogRecord, Span, Trace
from ragsonde.collector.telemetry import (
    EventListener,
    EvictionReason,
    IgnoreReason,
    InFlight,
    SpanIgnored,
    TraceEvicted,
    ignore_events,
)

Handle = TypeVar("Handle", bound=Hashable)


class AssemblyConfig(Config):
    """When a trace counts as complete, and how much is kept in memory."""

    quiet_seconds: Annotated[float, Field(ge=0.0, le=600.0)] = 5.0
    """Seconds without a new span, after the root span has ended, until a trace is complete. 0 to 600; default 5."""
    max_age_seconds: Annotated[float, Field(gt=0.0, le=86_400.0)] = 120.0
    """Seconds after its first span at which a trace is handed on whatever is missing. Up to a day; default 120.
    It also bounds what a restart replays, since an open trace holds the committed offset back."""
    late_window_seconds: Annotated[float, Field(ge=0.0, le=86_400.0)] = 600.0
    """Seconds for which a finished trace is remembered, so that a late span re-opens it. Default 600."""
    max_traces: Annotated[int, Field(ge=1)] = 50_000
    """Traces held, open and remembered together. Default 50000."""
    max_bytes: Annotated[int, Field(ge=1_000_000)] = 256_000_000
    """Bytes of spans held, open and remembered together. Default 256 MB."""
    max_trace_bytes: Annotated[int, Field(ge=10_000)] = 32_000_000
    """Bytes of one trace; a larger one is handed on incomplete. Default 32 MB."""

    @model_validator(mode="after")
    def _ages_in_order(self) -> Self:
        if self.max_age_seconds < self.quiet_seconds:
            raise ValueError("max_age_seconds must not be below quiet_seconds: no trace could ever become quiet")
        return self


@dataclass(frozen=True, slots=True)
class Assembled(Generic[Handle]):
    """A trace that is ready, with the records that it came from."""

    trace: Trace
    late: bool
    """True when this trace had been handed on before: it replaces what came of it then."""
    handles: tuple[Handle, ...]
    """What the caller gave with the spans, each once: released when the trace has been dealt with."""


@dataclass(slots=True)
class _HeldTrace(Generic[Handle]):
    spans: dict[str, Span] = field(default_factory=dict)
    logs: dict[tuple[str, str, int, int], LogRecord] = field(default_factory=dict)
    handles: dict[Handle, None] = field(default_factory=dict)
    opened_at: float = 0.0
    last_seen: float = 0.0
    size_bytes: int = 0
    emitted: bool = False
    """It has been handed on at least once."""

    def has_ended_root(self) -> bool:
        """Whether a span without a parent in this process has ended."""
        return any(
            span.end_ns > 0 and (span.parent_span_id is None or span.parent_is_remote) for span in self.spans.values()
        )


class Assembler(Generic[Handle]):
    """Holds open and remembered traces. Not thread-safe: one loop owns it.

    ``Handle`` is whatever names the record that a span came from; the assembler only keeps and returns it.
    """

    def __init__(self, config: AssemblyConfig, clock: Clock, listener: EventListener = ignore_events) -> None:
        self._config = config
        self._clock = clock
        self._listener = listener
        # Both ordered by last change, so that the heads have been quiet for longest.
        self._open: OrderedDict[str, _HeldTrace[Handle]] = OrderedDict()
        self._remembered: OrderedDict[str, _HeldTrace[Handle]] = OrderedDict()
        self._forgotten: OrderedDict[str, None] = OrderedDict()
        self._overflow: list[Assembled[Handle]] = []
        self._size_bytes = 0

    @property
    def open_traces(self) -> int:
        """Traces that hold something which has not been handed on."""
        return len(self._open)

    @property
    def size_bytes(self) -> int:
        """Bytes of all spans and log records held, remembered traces included."""
        return self._size_bytes

    def add(self, spans: Iterable[Span], logs: Iterable[LogRecord], handle: Handle) -> set[str]:
        """Take the decoded content of one record; return the ids of the traces that now hold its handle.

        Duplicates are ignored and hold nothing; of two versions of a span the ended one wins.
        """
        touched = {span.trace_id for span in spans if self._add_span(span)}
        touched |= {log.trace_id for log in logs if self._add_log(log)}
        for trace_id in touched:
            self._open[trace_id].handles[handle] = None
        self._enforce_bounds(touched)
        self._listener(InFlight("assembly", len(self._open), self._size_bytes))
        return touched

    def ready(self) -> list[Assembled[Handle]]:
        """Hand on every trace that is complete or too old, and forget those whose late window has passed."""
        assembled, self._overflow = self._overflow, []
        now = self._clock.monotonic()
        for trace_id, trace in list(self._open.items()):
            is_quiet = now - trace.last_seen >= self._config.quiet_seconds
            if is_quiet and (trace.emitted or trace.has_ended_root()):
                assembled.append(self._emit(trace_id, complete=True))
            elif now - trace.opened_at >= self._config.max_age_seconds:
                complete = trace.has_ended_root()
                if not complete:
                    self._listener(TraceEvicted(EvictionReason.MAX_AGE))
                assembled.append(self._emit(trace_id, complete=complete))
        self._forget_old(now)
        self._listener(InFlight("assembly", len(self._open), self._size_bytes))
        return assembled

    def drain(self) -> list[Assembled[Handle]]:
        """Hand on everything that is open, complete or not: the input has ended, as a file does."""
        assembled, self._overflow = self._overflow, []
        for trace_id in list(self._open):
            assembled.append(self._emit(trace_id, complete=self._open[trace_id].has_ended_root()))
        return assembled

    def abandon(self, belongs: Callable[[Handle], bool]) -> None:
        """Forget, without handing them on, the open traces with a matching handle: another consumer will read them."""
        for trace_id in [t for t, trace in self._open.items() if any(map(belongs, trace.handles))]:
            self._size_bytes -= self._open.pop(trace_id).size_bytes
        self._overflow = [item for item in self._overflow if not any(map(belongs, item.handles))]

    def _add_span(self, span: Span) -> bool:
        if self._is_too_late(span.trace_id):
            return False
        known = self._known(span.trace_id)
        previous = known.spans.get(span.span_id) if known is not None else None
        if previous is not None and (previous.end_ns > 0 or span.end_ns == 0):
            self._listener(SpanIgnored(IgnoreReason.DUPLICATE))
            return False
        trace = self._touch(span.trace_id, span.size_bytes - (previous.size_bytes if previous is not None else 0))
        trace.spans[span.span_id] = span
        return True

    def _add_log(self, log: LogRecord) -> bool:
        if self._is_too_late(log.trace_id):
            return False
        known = self._known(log.trace_id)
        identity = (log.span_id, log.event_name, log.time_ns, hash(repr((log.body, log.attributes))))
        if known is not None and identity in known.logs:
            self._listener(SpanIgnored(IgnoreReason.DUPLICATE))
            return False
        self._touch(log.trace_id, log.size_bytes).logs[identity] = log
        return True

    def _is_too_late(self, trace_id: str) -> bool:
        """Whether the trace was handed on and has been forgotten since: what comes now would look like half a trace."""
        if trace_id not in self._forgotten:
            return False
        self._listener(SpanIgnored(IgnoreReason.TOO_LATE))
        return True

    def _known(self, trace_id: str) -> _HeldTrace[Handle] | None:
        return self._open.get(trace_id) or self._remembered.get(trace_id)

    def _touch(self, trace_id: str, size_bytes: int) -> _HeldTrace[Handle]:
        """Open, re-open or keep open a trace that something new came for."""
        now = self._clock.monotonic()
        trace = self._open.get(trace_id)
        if trace is None:
            trace = self._remembered.pop(trace_id) if trace_id in self._remembered else _HeldTrace()
            trace.opened_at = now
            self._open[trace_id] = trace
        trace.last_seen = now
        trace.size_bytes += size_bytes
        self._size_bytes += size_bytes
        self._open.move_to_end(trace_id)
        return trace

    def _emit(self, trace_id: str, *, complete: bool) -> Assembled[Handle]:
        trace = self._open.pop(trace_id)
        assembled = Assembled(
            trace=Trace(trace_id, tuple(trace.spans.values()), tuple(trace.logs.values()), complete=complete),
            late=trace.emitted,
            handles=tuple(trace.handles),
        )
        trace.handles.clear()
        trace.emitted = True
        trace.last_seen = self._clock.monotonic()
        self._remembered[trace_id] = trace
        return assembled

    def _forget(self, trace_id: str) -> None:
        self._size_bytes -= self._remembered.pop(trace_id).size_bytes
        self._forgotten[trace_id] = None
        if len(self._forgotten) > self._config.max_traces:
            self._forgotten.popitem(last=False)

    def _forget_old(self, now: float) -> None:
        while self._remembered:
            trace_id, trace = next(iter(self._remembered.items()))
            if now - trace.last_seen < self._config.late_window_seconds:
                return
            self._forget(trace_id)

    def _enforce_bounds(self, touched: Iterable[str]) -> None:
        """Give up remembered traces first, the longest quiet before others; then hand open ones on early."""
        for trace_id in touched:
            if self._open[trace_id].size_bytes > self._config.max_trace_bytes:
                self._evict(trace_id, EvictionReason.TRACE_TOO_LARGE)
        while (reason := self._exceeded()) is not None:
            if self._remembered:
                self._forget(next(iter(self._remembered)))
            else:
                self._evict(next(iter(self._open)), reason)

    def _exceeded(self) -> EvictionReason | None:
        if len(self._open) + len(self._remembered) > self._config.max_traces:
            return EvictionReason.MAX_TRACES
        if self._size_bytes > self._config.max_bytes:
            return EvictionReason.MAX_BYTES
        return None

    def _evict(self, trace_id: str, reason: EvictionReason) -> None:
        self._listener(TraceEvicted(reason))
        self._overflow.append(self._emit(trace_id, complete=self._open[trace_id].has_ended_root()))
        self._forget(trace_id)
