"""What both OTLP encodings share: the gathered result, ids, sizes, and the two questions asked of every span."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ragsonde.collector.errors import DecodeError, DecodeReason
from ragsonde.collector.model import AttributeValue, LogRecord, Span
from ragsonde.collector.telemetry import IgnoreReason

TRACE_ID_HEX = 32
SPAN_ID_HEX = 16

_IS_REMOTE_KNOWN = 0x100
_IS_REMOTE = 0x200

_OBJECT_BYTES = 56
"""What CPython spends on a small object and its place in a container, roughly."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one record held."""

    spans: tuple[Span, ...] = ()
    logs: tuple[LogRecord, ...] = ()
    ignored: Mapping[IgnoreReason, int] = field(default_factory=lambda: MappingProxyType({}))
    """Spans and log records left out, by reason."""
    fault: DecodeError | None = field(default=None, compare=False)
    """Where some of the spans or log records could not be read: how many, and what is wrong with the first."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The resource and instrumentation scope that spans and log records share."""

    resource: Mapping[str, AttributeValue]
    scope_name: str
    scope_version: str


@dataclass(slots=True)
class Gathering:
    """Collects spans and log records while a request is walked."""

    spans: list[Span] = field(default_factory=list)
    logs: list[LogRecord] = field(default_factory=list)
    ignored: Counter[IgnoreReason] = field(default_factory=Counter)
    fault: DecodeError | None = None
    """Why the first of the unreadable ones could not be read."""

    def refuse(self, error: DecodeError, count: int = 1) -> None:
        """Leave out ``count`` spans or log records that cannot be read, and go on with the others."""
        self.fault = self.fault or error
        self.ignored[IgnoreReason.UNREADABLE] += count

    def finish(self) -> Decoded:
        """Freeze what was gathered.

        Raises:
            DecodeError: nothing could be read; it is what was wrong with the first.
        """
        return Decoded(tuple(self.spans), tuple(self.logs), MappingProxyType(dict(self.ignored)), self._partial_fault())

    def _partial_fault(self) -> DecodeError | None:
        if self.fault is None:
            return None
        read, unreadable = len(self.spans) + len(self.logs), self.ignored[IgnoreReason.UNREADABLE]
        if not read:
            raise self.fault
        found = f"{unreadable} of {read + unreadable} spans and log records cannot be read, the others were"
        return DecodeError(self.fault.reason, f"{found}; the first: {self.fault}")


def check_id(value: str, length: int, where: str) -> str | None:
    """Return a lower-case hex id; None where it is missing or all zeros, which OTLP calls invalid.

    Raises:
        DecodeError: it is neither missing nor hex digits of the right number.
    """
    if not value.strip("0"):
        return None
    lowered = value.lower()
    if len(value) != length or not all(digit in "0123456789abcdef" for digit in lowered):
        raise DecodeError(
            DecodeReason.INVALID_IDS,
            f"{where}: {length} hex digits are expected, not {len(value)} characters; "
            "OTLP/JSON writes ids in hex, not in base64",
        )
    return lowered


def remote_parent(flags: int) -> bool | None:
    """Say whether the parent is in another process; None where the exporter did not (flags bits 8 and 9)."""
    return bool(flags & _IS_REMOTE) if flags & _IS_REMOTE_KNOWN else None


def estimate_bytes(value: AttributeValue | Mapping[str, AttributeValue]) -> int:
    """Estimate the memory that a value takes: cheap, and right within a factor of about two."""
    if isinstance(value, str | bytes):
        return _OBJECT_BYTES + len(value)
    if isinstance(value, Mapping):
        return _OBJECT_BYTES + sum(_OBJECT_BYTES + len(key) + estimate_bytes(item) for key, item in value.items())
    if isinstance(value, list):
        return _OBJECT_BYTES + sum(map(estimate_bytes, value))
    return _OBJECT_BYTES // 2
