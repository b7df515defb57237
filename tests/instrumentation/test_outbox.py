"""The queue towards Kafka keeps its bound and loses nothing silently."""

from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan

from ragsonde.instrumentation.kafka_messages import Message, Refused, messages_of
from ragsonde.instrumentation.losses import Losses, LossReason
from ragsonde.instrumentation.outbox import Outbox
from tests.instrumentation.tracing import Recorded


def message(size: int = 100, name: str = "k") -> Message:
    return Message(name.encode(), b"x" * size, 1)


def spans_of(*traces: tuple[int, int]) -> list[ReadableSpan]:
    """Return spans for (number of spans, bytes of text in each), one trace per pair, mixed by round robin."""
    recorded = Recorded()
    rag = recorded.tracer()
    for count, size in traces:
        with rag.interaction("x" * size):
            for _ in range(count - 1):
                with rag.retrieval("x" * size):
                    pass
    return sorted(recorded.spans, key=lambda span: hash((span.name, span.start_time)))


def test_the_oldest_message_goes_when_the_queue_is_full() -> None:
    outbox = Outbox(max_bytes=700, max_in_flight_bytes=700)
    messages = [message(100, f"{number:032}") for number in range(4)]
    lost = [gone for one in messages for gone in outbox.put(one)]
    assert lost == messages[:1]
    assert outbox.take(0) == messages[1]


def test_what_is_in_flight_counts_against_the_bound_and_is_not_dropped() -> None:
    outbox = Outbox(max_bytes=520, max_in_flight_bytes=520)
    first, second, third = message(100, "a"), message(100, "b"), message(200, "c")
    assert outbox.put(first) + outbox.put(second) == []
    assert outbox.take(0) == first
    assert outbox.put(third) == [second]
    assert outbox.put(message(400)) == [message(400)]
    outbox.done(first)
    assert outbox.take(0) == third


def test_a_slow_broker_is_not_given_more_than_the_bound_at_once() -> None:
    outbox = Outbox(max_bytes=10_000, max_in_flight_bytes=450)
    for _ in range(3):
        outbox.put(message())
    first = outbox.take(0)
    second = outbox.take(0)
    assert first is not None
    assert second is not None
    assert outbox.take(0) is None
    outbox.done(first)
    assert outbox.take(0) is not None


def test_a_message_put_back_is_the_next_to_be_taken() -> None:
    outbox = Outbox(max_bytes=10_000, max_in_flight_bytes=10_000)
    outbox.put(message(name="a"))
    outbox.put(message(name="b"))
    taken = outbox.take(0)
    assert taken is not None
    assert outbox.put_back(taken)
    assert outbox.take(0) == taken


def test_an_abandoned_queue_returns_what_waits_and_takes_no_more() -> None:
    outbox = Outbox(max_bytes=10_000, max_in_flight_bytes=10_000)
    outbox.put(message(name="a"))
    outbox.put(message(name="b"))
    taken = outbox.take(0)
    assert taken is not None
    assert outbox.abandon() == [message(name="b")]
    assert not outbox.put_back(taken)
    assert outbox.put(message(name="c")) == [message(name="c")]
    assert outbox.take(0) is None
    assert outbox.wait_empty(0)


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3000)), min_size=1, max_size=4), st.integers(1024, 9000))
def test_each_message_holds_one_trace_and_fits_and_no_span_is_lost(traces: list[tuple[int, int]], limit: int) -> None:
    spans = spans_of(*traces)
    kept: list[bytes] = []
    refused = 0
    for one in messages_of(spans, limit):
        if isinstance(one, Refused):
            refused += 1
            assert one.reason is LossReason.TOO_LARGE
            continue
        request = ExportTraceServiceRequest.FromString(one.value)
        inside = [span for resource in request.resource_spans for scope in resource.scope_spans for span in scope.spans]
        assert {span.trace_id.hex().encode() for span in inside} == {one.key}
        assert len(inside) == one.spans
        assert one.size_bytes <= limit
        kept += [span.span_id for span in inside]
    assert len(kept) == len(set(kept))
    assert len(kept) + refused == len(spans)


def test_a_span_that_cannot_be_encoded_does_not_cost_the_others() -> None:
    recorded = Recorded()
    tracer = recorded.provider.get_tracer("theirs")
    with tracer.start_as_current_span("root"):
        for name in ("fine", "broken \ud83d", "fine too"):
            with tracer.start_as_current_span(name):
                pass
    made = list(messages_of(recorded.spans, 1_000_000))
    assert sum(one.spans for one in made if isinstance(one, Message)) == 3
    assert [one.reason for one in made if isinstance(one, Refused)] == [LossReason.UNENCODABLE]


def test_a_message_is_the_whole_request_of_the_protocol() -> None:
    spans = spans_of((2, 10))
    [one] = messages_of(spans, 1_000_000)
    assert isinstance(one, Message)
    assert one.value == encode_spans(spans).SerializeToString()
    assert len(one.key) == 32


def test_losses_are_counted_always_and_logged_once_a_minute(caplog: object) -> None:
    now = [0.0]
    losses = Losses(monotonic=lambda: now[0])
    for moment in (0.0, 1.0, 59.0, 61.0):
        now[0] = moment
        losses.add(LossReason.QUEUE_FULL, 2)
    losses.add(LossReason.SHUTDOWN, 1)
    assert losses.by_reason == {LossReason.QUEUE_FULL: 8, LossReason.SHUTDOWN: 1}
    messages = [record.getMessage() for record in caplog.records]  # type: ignore[attr-defined]
    assert [text for text in messages if "queue_full" in text] == [
        "ragsonde: kafka: 2 spans dropped so far, reason queue_full",
        "ragsonde: kafka: 8 spans dropped so far, reason queue_full",
    ]
