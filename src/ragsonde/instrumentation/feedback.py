"""The user's judgement of an answer, which mostly comes after the answer's span has ended."""

import math

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from ragsonde import attributes

_PROPAGATOR = TraceContextTextMapPropagator()


def reference_to(span: Span) -> str | None:
    """Return the W3C ``traceparent`` of ``span``; None for one that is not recorded."""
    carrier: dict[str, str] = {}
    _PROPAGATOR.inject(carrier, trace.set_span_in_context(span))
    return carrier.get("traceparent")


def emit_feedback(tracer: Tracer, reference: str | None, value: float) -> None:
    """Send feedback as a span of its own in the trace that ``reference`` names.

    Raises:
        ValueError: the reference is not a ``traceparent``, or the value is not a number.
    """
    if reference is None:
        return
    context = _PROPAGATOR.extract({"traceparent": reference})
    if not trace.get_current_span(context).get_span_context().is_valid:
        raise ValueError("the reference is not one that Interaction.reference gave")
    span = tracer.start_span("feedback", context=context, kind=SpanKind.INTERNAL)
    span.set_attribute(attributes.FEEDBACK, clamped(value))
    span.end()


def clamped(value: float) -> float:
    """Return ``value`` within -1 and 1.

    Raises:
        ValueError: it is not a number.
    """
    number = float(value)
    if math.isnan(number):
        raise ValueError("feedback must be a number from -1 (bad) to 1 (good)")
    return max(-1.0, min(1.0, number))
