"""Spans of vector stores (OpenLLMetry's instrumentations): what was found stands in span events, if anywhere.

Chroma, Pinecone, Marqo and Milvus queries emit ``db.query.result``, Milvus searches ``db.search.result``; Qdrant,
Weaviate and LanceDB emit nothing, so there the contexts have to come from elsewhere. A distance is smaller for a better
hit, unlike a score, so it is kept as metadata and never as the score.
"""

from collections.abc import Sequence

from ragsonde.collector.conventions.document_fields import document_in
from ragsonde.collector.conventions.documents import ranked
from ragsonde.collector.conventions.reading import Role, SpanReading, noting
from ragsonde.collector.conventions.values import Attributes, number
from ragsonde.collector.model import AttributeValue, LogRecord, Span, SpanEvent

NAME = "vector_db"
CONTENT_REMEDY = "Let the retriever record its documents: this vector store's instrumentation records none."

SYSTEMS = ("db.system", "db.system.name", "vector_db.vendor")
VECTOR_STORES = frozenset(
    {"chroma", "chromadb", "pinecone", "qdrant", "milvus", "weaviate", "lancedb", "marqo", "vespa", "turbopuffer"}
)
OPERATIONS = ("db.operation", "db.operation.name")
READS = ("query", "search", "retrieve", "hybrid", "recommend", "near", "get", "fetch")
"""An operation that contains one of these reads; others write or administrate."""
TOP_K = "db.vector.query.top_k"
RESULT_EVENTS = {"db.query.result": "db.query.result.", "db.search.result": "db.search.result."}


def read(span: Span, _logs: Sequence[LogRecord]) -> SpanReading | None:
    """Read a span; None where it is no read of a vector store."""
    attributes = Attributes(span.attributes)
    hits = [(event, RESULT_EVENTS[event.name]) for event in span.events if event.name in RESULT_EVENTS]
    if not hits and not _is_vector_read(attributes, span.name):
        return None
    found = [document for event, prefix in hits if (document := document_in(_hit(event, prefix), 1)) is not None]
    return noting(SpanReading(NAME, Role.RETRIEVAL, documents=ranked(found) if found else None), attributes)


def _is_vector_read(attributes: Attributes, span_name: str) -> bool:
    if TOP_K in attributes:
        return True
    system = next((name for key in SYSTEMS if (name := attributes.name(key).lower())), "")
    operation = next((name for key in OPERATIONS if (name := attributes.name(key).lower())), span_name.lower())
    return system in VECTOR_STORES and any(word in operation for word in READS)


def _hit(event: SpanEvent, prefix: str) -> AttributeValue:
    fields = {key.removeprefix(prefix): value for key, value in event.attributes.items() if key.startswith(prefix)}
    hit = Attributes(fields).with_prefix("")
    distance = number(hit.pop("distance", None))
    if distance is None:
        return hit
    wrapped: dict[str, AttributeValue] = {"node": hit, "metadata": {"distance": distance}}
    return wrapped
