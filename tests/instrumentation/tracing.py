"""A provider whose finished spans a test can read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ragsonde.instrumentation import RagTracer


class Recorded:
    """The spans that a tracer has finished."""

    def __init__(self, limits: SpanLimits | None = None) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider(span_limits=limits, shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def tracer(self, **options: Any) -> RagTracer:
        """Return a tracer that records here."""
        return RagTracer("shop", tracer_provider=self.provider, **options)

    @property
    def spans(self) -> list[ReadableSpan]:
        """Finished spans, in the order in which they ended."""
        return list(self._exporter.get_finished_spans())

    def span(self, start_of_name: str) -> ReadableSpan:
        """Return the one finished span whose name starts so."""
        [found] = [span for span in self.spans if span.name.startswith(start_of_name)]
        return found

    def attributes(self, start_of_name: str) -> dict[str, Any]:
        """Return the attributes of that span."""
        return dict(self.span(start_of_name).attributes or {})

    def json(self, start_of_name: str, key: str) -> Any:
        """Return an attribute of that span, read as JSON."""
        return json.loads(self.attributes(start_of_name)[key])


@contextmanager
def recorded() -> Iterator[Recorded]:
    """Yield a place to record, shut down at the end."""
    place = Recorded()
    yield place
    place.provider.shutdown()
