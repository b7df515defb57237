"""The spans of a trace as a tree of readings: duplicates gone, log records joined, own work and evaluations cut off.

Everything here depends on what the trace holds, never on the order in which it came.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragsonde.attributes import OWN_SCOPE_PREFIX, OWN_SPAN
from ragsonde.collector.conventions import Role, SpanReading, read_span
from ragsonde.collector.conventions.genai import EVALUATION_EVENT, is_content_event
from ragsonde.collector.model import LogRecord, Span, Trace
from ragsonde.collector.telemetry import IgnoreReason

_NOTHING = SpanReading("")


@dataclass(eq=False)
class Node:
    """A span, what it says, and what happened inside it."""

    span: Span
    reading: SpanReading
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)
    depth: int = 0
    """Number of nodes above this one."""
    inside: frozenset[Role] = frozenset()
    """Roles of this node and of all below it, leaving out guardrails with what is inside them."""

    def below(self) -> Iterator["Node"]:
        """Yield this node and all below it, parents first, in order of start."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def upwards(self) -> Iterator["Node"]:
        """Yield this node and all above it, nearest first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def role(self) -> Role:
        """What the span does."""
        return self.reading.role

    @property
    def started(self) -> tuple[int, str]:
        """Sorts nodes by start; the id breaks ties."""
        return (self.span.start_ns, self.span.span_id)

    @property
    def ended(self) -> tuple[int, int, str]:
        """Sorts nodes by end, one that has not ended by its start."""
        return (self.span.end_ns or self.span.start_ns, self.span.start_ns, self.span.span_id)


@dataclass(frozen=True)
class SpanTree:
    """What is left of a trace, ready to be read."""

    roots: tuple[Node, ...]
    """Nodes whose parent is not in the trace, in order of start."""
    ignored: Mapping[IgnoreReason, int]

    def nodes(self) -> Iterator[Node]:
        """Yield every node."""
        for root in self.roots:
            yield from root.below()


def build_tree(trace: Trace) -> SpanTree:
    """Read every span of a trace and put them into a tree."""
    ignored: Counter[IgnoreReason] = Counter()
    spans = _distinct_spans(trace.spans, ignored)
    logs = _joined_logs(trace.logs, ignored)
    spans |= {span_id: _stand_in(span_id, found) for span_id, found in logs.items() if span_id not in spans}
    nodes = {span_id: Node(span, read_span(span, logs.get(span_id, ())) or _NOTHING) for span_id, span in spans.items()}
    roots = _guarded(_linked(nodes), ignored)
    _note_roles(roots)
    return SpanTree(tuple(roots), dict(ignored))


def _linked(nodes: Mapping[str, Node]) -> list[Node]:
    """Link nodes to their parents and return the roots, in order of start."""
    in_order = sorted(nodes.values(), key=lambda node: node.started)
    for node in in_order:
        node.parent = nodes.get(node.span.parent_span_id or "")
        if node.parent is not None:
            node.parent.children.append(node)
    roots: list[Node] = []
    reached: set[str] = set()
    # What no root leads to hangs on a circle of parents, which a broken exporter can send: cut it at its first span.
    for node in [n for n in in_order if n.parent is None] + in_order:
        if node.span.span_id in reached:
            continue
        if node.parent is not None:
            node.parent.children.remove(node)
            node.parent = None
        roots.append(node)
        for below in node.below():
            reached.add(below.span.span_id)
            for child in below.children:
                child.depth = below.depth + 1
    return sorted(roots, key=lambda node: node.started)


def _distinct_spans(spans: Iterable[Span], ignored: Counter[IgnoreReason]) -> dict[str, Span]:
    """Keep one span for each id: the ended one before the one exported at its start, then the fuller one."""
    distinct: dict[str, Span] = {}
    for span in spans:
        known = distinct.get(span.span_id)
        if known is not None:
            ignored[IgnoreReason.DUPLICATE] += 1
        if known is None or _fullness(span) > _fullness(known):
            distinct[span.span_id] = span
    return distinct


def _fullness(span: Span) -> tuple[bool, int, int, str]:
    return (span.end_ns > 0, len(span.attributes) + len(span.events), span.end_ns, repr(span))


def log_ignore_reason(log: LogRecord) -> IgnoreReason | None:
    """Tell why a log record is no part of an interaction; None where it is one.

    To be asked before assembly: an evaluation comes after its trace was scored, and would have it scored again.
    """
    if log.attributes.get(OWN_SPAN) is True or log.scope_name.startswith(OWN_SCOPE_PREFIX):
        return IgnoreReason.OWN_SPAN
    if log.event_name == EVALUATION_EVENT:
        return IgnoreReason.EVALUATION
    return None if is_content_event(log) else IgnoreReason.NO_CONTENT


def _joined_logs(logs: Iterable[LogRecord], ignored: Counter[IgnoreReason]) -> dict[str, tuple[LogRecord, ...]]:
    """Group content events by span, in order of time; the same event twice counts once."""
    joined: dict[str, dict[str, LogRecord]] = {}
    for log in logs:
        reason = log_ignore_reason(log)
        if reason in (IgnoreReason.EVALUATION, IgnoreReason.OWN_SPAN):
            ignored[reason] += 1
        elif reason is None:
            known = joined.setdefault(log.span_id, {})
            if (identity := repr(log)) in known:
                ignored[IgnoreReason.DUPLICATE] += 1
            known[identity] = log
    return {
        span_id: tuple(log for _, log in sorted(found.items(), key=lambda item: (item[1].time_ns, item[0])))
        for span_id, found in joined.items()
    }


def _stand_in(span_id: str, logs: Sequence[LogRecord]) -> Span:
    """Let log records whose span was sampled away speak for it."""
    first, last = logs[0], logs[-1]
    return Span(
        trace_id=first.trace_id,
        span_id=span_id,
        name="",
        start_ns=first.time_ns,
        end_ns=last.time_ns,
        resource=first.resource,
    )


def _guarded(roots: Iterable[Node], ignored: Counter[IgnoreReason]) -> list[Node]:
    """Cut off what Ragsonde itself and evaluators did, with all below it: the loop guard."""
    kept = _not_guarded(roots, ignored)
    for root in kept:
        for node in root.below():
            node.children = _not_guarded(node.children, ignored)
    return kept


def _not_guarded(nodes: Iterable[Node], ignored: Counter[IgnoreReason]) -> list[Node]:
    kept = []
    for node in nodes:
        reason = _guard_reason(node)
        if reason is None:
            kept.append(node)
        else:
            ignored[reason] += sum(1 for _ in node.below())
    return kept


def _note_roles(roots: Iterable[Node]) -> None:
    for root in roots:
        for node in reversed([*root.below()]):
            if node.role is not Role.GUARDRAIL:
                node.inside = frozenset({node.role}).union(*(child.inside for child in node.children))


def _guard_reason(node: Node) -> IgnoreReason | None:
    if node.span.attributes.get(OWN_SPAN) is True or node.span.scope_name.startswith(OWN_SCOPE_PREFIX):
        return IgnoreReason.OWN_SPAN
    return IgnoreReason.EVALUATION if node.role is Role.EVALUATION else None
