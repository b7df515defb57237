"""Ragsonde's own instrumentation: GenAI, completed by what GenAI has no key for."""

from collections.abc import Sequence

from ragsonde.attributes import (
    ANSWER,
    ANSWER_STATE,
    CITED_IDS,
    CONTENT_CAPTURE,
    CONTENT_TRUNCATED,
    FEEDBACK,
    QUESTION,
)
from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.values import Attributes, identifier
from ragsonde.collector.model import LogRecord, Span

NAME = "ragsonde"
CONTENT_REMEDY = "Switch content capture on in the application: ragsonde.content_capture says that it is off."

PREFIX = "ragsonde."


def read(span: Span, logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span with its log records; None where it has nothing of this convention."""
    attributes = Attributes(span.attributes)
    feedback = [attributes.number(FEEDBACK), *(Attributes(log.attributes).number(FEEDBACK) for log in logs)]
    given = [min(1.0, max(-1.0, value)) for value in feedback if value is not None]
    if not attributes.has_prefix(PREFIX) and not given:
        return None
    question, answer = attributes.text(QUESTION), attributes.text(ANSWER)
    is_root = QUESTION in attributes or ANSWER in attributes
    reading = SpanReading(
        NAME,
        Role.AGENT if is_root else Role.OTHER,
        question=question,
        answer=answer,
        declared=is_root,
        feedback=given[-1] if given else None,
        cited_ids=_ids(attributes),
        hidden=attributes.name(CONTENT_CAPTURE) == "off",
        cut=bool(attributes.get(CONTENT_TRUNCATED)),
        cancelled=attributes.name(ANSWER_STATE) == "cancelled",
    )
    return noting(reading, attributes)


def _ids(attributes: Attributes) -> tuple[str, ...] | None:
    value = attributes.get(CITED_IDS)
    if CITED_IDS not in attributes:
        return None
    values = value if isinstance(value, list) else [value]
    return tuple(found for item in values if (found := identifier(item)) is not None)
