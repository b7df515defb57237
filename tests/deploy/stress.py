"""What a sidecar meets in a bad week, all at once: so that whatever a dashboard can show is there to be shown."""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import httpx
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.demo import run_traffic
from ragsonde.review.model import QueueFilter, Review
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import MetricKey, Scored
from tests.instrumentation.tracing import recorded

QUIET_SECONDS = 0.3
LATE_SECONDS = 3.0
"""For how long the sidecar waits for late spans of a finished trace."""
MAX_TRACES = 30
"""Traces that the sidecar holds; it knows twice as many again by name, which is a few seconds' worth here."""
MAX_TRACE_BYTES = 200_000
KNOWN_ID, UNKNOWN_ID = "passage-1", "passage-2"

_PAUSE_SECONDS = 1.0
_REVIEW_SECONDS = 0.3
_LATE_AFTER_SECONDS = 4 * QUIET_SECONDS
_AGAIN_AFTER_SECONDS = 12.0
"""Longer than a trace is known for."""


@contextmanager
def bad_week(url: str, publish: Callable[[bytes], None], store: ReviewStore) -> Iterator[None]:
    """Send until the block is left: the demonstration's users, who meet a spike soon, everything odd, and a reviewer.

    Args:
        url: of the sidecar.
        publish: puts a record into the log of traces, past the receiver.
        store: of the sidecar's reviews.
    """
    stop = threading.Event()
    threads = [
        threading.Thread(target=_ask, args=(url, stop), name="users"),
        threading.Thread(target=_annoy, args=(url, publish, stop), name="oddities"),
        threading.Thread(target=_review, args=(store, stop), name="reviewer"),
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def _ask(url: str, stop: threading.Event) -> None:
    run_traffic(
        OTLPSpanExporter(endpoint=f"{url}/v1/traces"),
        stop=stop,
        on_progress=lambda _: None,
        interactions_per_second=4,
        spike_after_seconds=2,
        spike_seconds=600,
    )


def _annoy(url: str, publish: Callable[[bytes], None], stop: threading.Event) -> None:
    late: deque[tuple[float, bytes]] = deque()
    again: deque[tuple[float, bytes]] = deque()
    for number in itertools.count():
        if stop.wait(_PAUSE_SECONDS):
            return
        now = time.monotonic()
        early, last = _trace_with_a_late_span(number)
        _post(url, early)
        late.append((now + _LATE_AFTER_SECONDS, last))
        again.append((now + _AGAIN_AFTER_SECONDS, early))
        for waiting in (late, again):
            while waiting and waiting[0][0] <= now:
                _post(url, waiting.popleft()[1])
        _post(url, _trace(f"Which passage is it, {number}?", [(KNOWN_ID, None)]))
        _post(url, _trace(f"Which passage is missing, {number}?", [(UNKNOWN_ID, None)]))
        _post(url, _trace(f"What does nobody say, {number}?", [("only", "It is blue.")], "It is blue [9]."))
        if number % 4 == 0:
            publish(b"not OTLP at all")
            _post(url, _trace("What is long?", [("long", "A long story. " * (MAX_TRACE_BYTES // 10))]))


def _review(store: ReviewStore, stop: threading.Event) -> None:
    """Label what comes up as the local scorers do, and pass over some of it."""
    for number in itertools.count():
        if stop.wait(_REVIEW_SECONDS):
            return
        item_id = store.take_next("ada", QueueFilter(not_reviewed_by="ada"))
        if item_id is None:
            continue
        if number % 10 == 9:
            store.dismiss(item_id, "ada")
            continue
        scored = store.item(item_id).scored
        local = (scored.scores if scored.local_scores is None else scored.local_scores).get(MetricKey.FAITHFULNESS)
        supported = isinstance(local, Scored) and local.value == 1.0
        verdict = LabelVerdict.GROUNDED if supported else LabelVerdict.HALLUCINATED
        store.save(Review(item_id, "ada", verdict))


def _post(url: str, body: bytes) -> None:
    headers = {"Content-Type": "application/x-protobuf"}
    httpx.post(f"{url}/v1/traces", content=body, headers=headers, timeout=30).raise_for_status()


def _trace(question: str, documents: Sequence[tuple[str, str | None]], answer: str = "It is so.") -> bytes:
    return _encoded(_spans(question, documents, answer))


def _trace_with_a_late_span(number: int) -> tuple[bytes, bytes]:
    """A trace without its retrieval, and the retrieval."""
    spans = _spans(f"How many chairs has room {number}?", [("room", f"It has {number} chairs.")], f"{number} chairs.")
    retrievals = [span for span in spans if "retriev" in span.name]
    return _encoded([span for span in spans if span not in retrievals]), _encoded(retrievals)


def _spans(question: str, documents: Sequence[tuple[str, str | None]], answer: str) -> list[ReadableSpan]:
    with recorded() as place:
        with place.tracer().interaction(question) as interaction:
            with interaction.retrieval("kb") as retrieval:
                retrieval.documents(
                    [{"id": name} | ({} if text is None else {"content": text}) for name, text in documents]
                )
            with interaction.generation("model-1") as generation:
                generation.output(answer)
            interaction.answer(answer)
        return place.spans


def _encoded(spans: Sequence[ReadableSpan]) -> bytes:
    return encode_spans(spans).SerializeToString()
