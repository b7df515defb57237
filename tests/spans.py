"""Short ways to write the spans of a trace: a test names only what it is about."""

import json
from collections.abc import Iterable
from typing import Any

from ragsonde.collector.extraction import Extraction, extract
from ragsonde.collector.model import Interaction, LogRecord, Span, SpanEvent, Trace

TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
QUESTION = "How long may I keep the rented drill?"
ANSWER = "You may keep it for seven days [1]."
PASSAGES = ("A drill may be kept for seven days.", "A deposit of 50 EUR is due.")


class Spans:
    """Makes spans one after another, each a millisecond later than the last, and reads them as one trace."""

    def __init__(self, service: str = "shop") -> None:
        self.spans: list[Span] = []
        self.logs: list[LogRecord] = []
        self._resource = {"service.name": service}

    def add(
        self,
        name: str,
        attributes: dict[str, Any] | None = None,
        *,
        parent: str | None = None,
        lasts: int = 1,
        events: Iterable[SpanEvent] = (),
        **values: Any,
    ) -> str:
        """Add a span and return its id. A parent lasts as long as it is told to, in milliseconds."""
        number = len(self.spans) + 1
        span_id = f"{number:016x}"
        start = 1_000_000_000_000 + number * 1_000_000
        defaults: dict[str, Any] = {
            "start_ns": start,
            "end_ns": start + lasts * 1_000_000 - 1,
            "resource": self._resource,
        }
        span = Span(
            trace_id=TRACE_ID,
            span_id=span_id,
            name=name,
            parent_span_id=parent,
            attributes=attributes or {},
            events=tuple(events),
            **(defaults | values),
        )
        self.spans.append(span)
        return span_id

    def log(self, span_id: str, event_name: str, body: Any = None, **attributes: Any) -> None:
        time_ns = 1_000_000_000_000 + (len(self.spans) + 1) * 1_000_000 + len(self.logs)
        self.logs.append(LogRecord(TRACE_ID, span_id, event_name, time_ns, body, attributes))

    def extract(self, *, complete: bool = True) -> Extraction:
        return extract(Trace(TRACE_ID, tuple(self.spans), tuple(self.logs), complete))

    def interactions(self, *, complete: bool = True) -> tuple[Interaction, ...]:
        return self.extract(complete=complete).interactions

    def interaction(self, *, complete: bool = True) -> Interaction:
        (found,) = self.interactions(complete=complete)
        return found


def chat(
    user: str, answer: str | None = None, *, tool_call: bool = False, system: str | None = None, **more: Any
) -> dict[str, Any]:
    """Attributes of a GenAI chat span."""
    messages = [{"role": "system", "parts": [{"type": "text", "content": system}]}] if system else []
    messages.append({"role": "user", "parts": [{"type": "text", "content": user}]})
    parts: list[dict[str, Any]] = [] if answer is None else [{"type": "text", "content": answer}]
    if tool_call:
        parts.append({"type": "tool_call", "id": "1", "name": "search", "arguments": "{}"})
    found: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps(messages),
    }
    if parts:
        found["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": parts}])
    return found | more


def retrieval(query: str | None, texts: Iterable[str] | None = PASSAGES, **more: Any) -> dict[str, Any]:
    """Attributes of a GenAI retrieval span with texts."""
    found: dict[str, Any] = {"gen_ai.operation.name": "retrieval"}
    if query is not None:
        found["gen_ai.retrieval.query.text"] = query
    if texts is not None:
        documents = [{"id": f"d{hash_id(text)}", "content": text} for text in texts]
        found["gen_ai.retrieval.documents"] = json.dumps(documents)
    return found | more


def hash_id(text: str) -> int:
    return sum(map(ord, text)) % 1000


def prompt(question: str = QUESTION, passages: Iterable[str] = PASSAGES) -> str:
    """A prompt filled as templates fill it."""
    numbered = "\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, start=1))
    return f"Context:\n{numbered}\n\nQuestion: {question}"


def texts(interaction: Interaction) -> list[str | None] | None:
    return None if interaction.contexts is None else [document.text for document in interaction.contexts]


def chain(spans: Spans, parent: str | None, question: str, answer: str) -> str:
    top = spans.add(
        "rag",
        {"openinference.span.kind": "CHAIN", "input.value": question, "output.value": answer},
        parent=parent,
        lasts=3,
    )
    spans.add("retrieval", retrieval(question, [f"About: {question}"]), parent=top)
    spans.add("chat", chat(prompt(question, [f"About: {question}"]), answer), parent=top)
    return top
