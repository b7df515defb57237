"""The recording of one search."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Tracer
from opentelemetry.util.types import AttributeValue

from ragsonde import attributes
from ragsonde.instrumentation.content import Content
from ragsonde.instrumentation.documents import document_records
from ragsonde.instrumentation.failures import FailureLog
from ragsonde.instrumentation.recording import Recording


class Retrieval(Recording):
    """One search: the span ``retrieval <data source>``."""

    def __init__(
        self,
        tracer: Tracer,
        *,
        query: str | None,
        data_source: str | None,
        top_k: int | None,
        content: Content,
        failures: FailureLog,
        parent: Context | None = None,
    ) -> None:
        given: Mapping[str, AttributeValue | None] = {
            attributes.OPERATION_NAME: "retrieval",
            attributes.DATA_SOURCE_ID: data_source,
            attributes.RETRIEVAL_TOP_K: top_k,
        }
        name = f"retrieval {data_source}" if data_source else "retrieval"
        super().__init__(
            tracer, name=name, kind=SpanKind.CLIENT, content=content, failures=failures, parent=parent, given=given
        )
        self._collected: list[Any] = []
        if query is not None and self.recording:
            with self._failures.guard("noting the query"):
                self._write_text(attributes.RETRIEVAL_QUERY_TEXT, query)

    def documents(self, documents: Iterable[Any]) -> None:
        """Note what was found, best first: strings, mappings, or the documents of a common library.

        Call it with an empty list when nothing was found: an answer without documents is then known to be
        ungrounded, where otherwise the documents are only unknown. The last call wins.
        """
        if not self.recording:
            return
        with self._failures.guard("noting documents"):
            if not isinstance(documents, Collection):
                self._failures.report("documents", f"pass a list: reading a {type(documents).__name__} would use it up")
                return
            self._write_json(attributes.RETRIEVAL_DOCUMENTS, document_records(documents, self._content))

    def take(self, result: Any) -> None:
        """Note the documents that the recorded function gave back."""
        self.documents(result)

    def collect(self, chunk: Any) -> None:
        """Note one document of a function that yields them."""
        self._collected.append(chunk)

    def _before_end(self) -> None:
        if self._collected:
            self.documents(self._collected)
