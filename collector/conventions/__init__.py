"""Semantic conventions for RAG traces: one module and one table each, all read into one shape (``SpanReading``).

A span is read by every convention whose keys it carries (scope names decide nothing), and the readings are merged: the
more specific convention first, OpenTelemetry GenAI last, since most others write some of its keys as well, and not
always by its rules.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ragsonde.collector.conventions import (
    genai,
    google_adk,
    haystack,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    openllmetry,
    pydantic_ai,
    ragsonde,
    trulens,
    vector_db,
    vercel_ai,
)
from ragsonde.collector.conventions.reading import Message, Role, SpanReading, ToolResult
from ragsonde.collector.model import Document, LogRecord, Span

__all__ = ["CONTENT_REMEDIES", "Message", "Role", "SpanReading", "ToolResult", "read_span"]

_Reader = Callable[[Span, Sequence[LogRecord]], SpanReading | None]

_READERS: tuple[_Reader, ...] = (
    ragsonde.read,
    openinference.read,
    trulens.read,
    mlflow.read,
    langfuse.read,
    langsmith.read,
    haystack.read,
    pydantic_ai.read,
    openllmetry.read,
    google_adk.read,
    vercel_ai.read,
    vector_db.read,
    genai.read,
)

CONTENT_REMEDIES: dict[str, str] = {
    module.NAME: module.CONTENT_REMEDY
    for module in (
        ragsonde,
        openinference,
        trulens,
        mlflow,
        langfuse,
        langsmith,
        haystack,
        pydantic_ai,
        openllmetry,
        google_adk,
        vercel_ai,
        vector_db,
        genai,
    )
}
"""What switches content on, by convention: one sentence for the application's operator."""


def read_span(span: Span, logs: Sequence[LogRecord] = ()) -> SpanReading | None:
    """Read a span with its log records by every convention that it carries; None where it carries none."""
    readings = [reading for read in _READERS if (reading := read(span, logs)) is not None]
    if not readings:
        return None
    merged = readings[0]
    for reading in readings[1:]:
        merged = _merge(merged, reading)
    return merged


def _merge(first: SpanReading, second: SpanReading) -> SpanReading:
    """Fill what the first convention leaves open from the second."""
    is_weaker = first.role in (Role.OTHER, Role.CHAIN) and second.role is not Role.OTHER
    answer_from_second = first.answer is None and second.answer is not None and not first.called_tool
    return replace(
        first,
        convention=second.convention if answer_from_second and first.role is Role.OTHER else first.convention,
        role=second.role if is_weaker else first.role,
        question=first.question or second.question,
        answer=second.answer if answer_from_second else first.answer,
        declared=first.declared or second.declared,
        messages=first.messages or second.messages,
        system_instructions=first.system_instructions or second.system_instructions,
        documents=_better_documents(first.documents, second.documents),
        mentioned=first.mentioned or second.mentioned,
        variables=first.variables or second.variables,
        tool_result=first.tool_result or second.tool_result,
        called_tool=first.called_tool or second.called_tool,
        model=first.model or second.model,
        conversation_id=first.conversation_id or second.conversation_id,
        app=first.app or second.app,
        app_version=first.app_version or second.app_version,
        environment=first.environment or second.environment,
        feedback=first.feedback if first.feedback is not None else second.feedback,
        cited_ids=first.cited_ids if first.cited_ids is not None else second.cited_ids,
        hidden=first.hidden or second.hidden,
        cut=first.cut or second.cut,
        cut_lengths=first.cut_lengths | second.cut_lengths,
        cancelled=first.cancelled or second.cancelled,
    )


def _better_documents(
    first: tuple[Document, ...] | None, second: tuple[Document, ...] | None
) -> tuple[Document, ...] | None:
    """Prefer the list that carries texts; ids alone are less than texts alone."""
    if not first or (second and not any(d.text for d in first) and any(d.text for d in second)):
        return second if second is not None else first
    return first
