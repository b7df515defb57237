"""Builders of values with sensible defaults, so that a test names only what it is about."""

from typing import Any

from ragsonde.collector.model import Document, Interaction, LogRecord, Span

TRACE = "0af7651916cd43dd8448eb211c80319c"


def span(span_id: str = "00f067aa0ba902b7", **values: Any) -> Span:
    return Span(
        **{"trace_id": TRACE, "span_id": span_id, "name": "span", "start_ns": 1, "end_ns": 2, "size_bytes": 100}
        | values
    )


def log(span_id: str = "00f067aa0ba902b7", **values: Any) -> LogRecord:
    return LogRecord(**{"trace_id": TRACE, "span_id": span_id, "event_name": "event", "size_bytes": 50} | values)


def interaction(**values: Any) -> Interaction:
    contexts = values.pop("contexts", ("Returns are free within 30 days.",))
    if contexts is not None:
        contexts = tuple(
            text if isinstance(text, Document) else Document(text=text, rank=rank, id=f"doc-{rank}")
            for rank, text in enumerate(contexts, start=1)
        )
    defaults: dict[str, Any] = {
        "id": TRACE,
        "trace_id": TRACE,
        "span_id": "00f067aa0ba902b7",
        "question": "How long can I return an item?",
        "answer": "You can return it within 30 days.",
        "app": "shop",
    }
    return Interaction(contexts=contexts, **defaults | values)
