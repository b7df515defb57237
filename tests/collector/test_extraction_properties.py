"""What is extracted depends on what a trace holds, never on how it came."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsonde.collector.conventions import google_adk, read_span, vercel_ai
from ragsonde.collector.extraction import extract
from ragsonde.collector.model import AttributeValue, Capture, Span, Trace
from ragsonde.collector.telemetry import IgnoreReason
from tests.golden_traces import logs_of, spans_of, trace_names

NAMES = st.sampled_from(trace_names())


def read(spans: list[Span], name: str) -> object:
    return extract(Trace(spans[0].trace_id, tuple(spans), logs_of(name))).interactions


@settings(max_examples=60)
@given(NAMES, st.randoms(use_true_random=False))
def test_order_and_duplicates_of_spans_change_nothing(name: str, random: object) -> None:
    spans = [*spans_of(name)]
    expected = read(spans, name)
    repeated = spans + random.choices(spans, k=3)  # type: ignore[attr-defined]
    random.shuffle(repeated)  # type: ignore[attr-defined]
    extraction = extract(Trace(spans[0].trace_id, tuple(repeated), logs_of(name)[::-1] * 2))
    assert extraction.interactions == expected
    assert extraction.ignored[IgnoreReason.DUPLICATE] >= 3


@settings(max_examples=40)
@given(NAMES, st.randoms(use_true_random=False))
def test_spans_exported_at_their_start_as_well_change_nothing(name: str, random: object) -> None:
    spans = [*spans_of(name)]
    started = [replace(span, end_ns=0, attributes=dict([*span.attributes.items()][:2]), events=()) for span in spans]
    mixed = spans + started
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert read(mixed, name) == read(spans, name)


@settings(max_examples=60)
@given(NAMES, st.data())
def test_any_part_of_a_trace_can_be_read(name: str, data: st.DataObject) -> None:
    spans = spans_of(name)
    part = data.draw(st.lists(st.sampled_from(spans), min_size=1, unique_by=lambda span: span.span_id))
    for interaction in extract(Trace(spans[0].trace_id, tuple(part), complete=False)).interactions:
        assert (interaction.answer is None) == (
            interaction.capture is Capture.CONTENT_NOT_CAPTURED
            or (interaction.capture is Capture.INCOMPLETE and interaction.answer is None)
        )


CUT_CASES = [(name, limit) for name in trace_names() for limit in (64, 128, 200, 256, 300, 400, 512, 600, 1000)]
CUT_CASES.remove(("openllmetry-openai-chroma-0.47", 200))  # one plain text over a limit that nothing else shows,
CUT_CASES.remove(("openllmetry-openai-chroma-0.47", 300))  # and nobody would guess


@pytest.mark.parametrize(("name", "limit"), CUT_CASES)
def test_cut_content_is_never_taken_for_whole(name: str, limit: int) -> None:
    """The SDK's length limit cuts every string: what then reads as captured must be what was really written."""
    spans = spans_of(name)
    cut = [
        replace(
            span,
            attributes={key: cut_to(value, limit) for key, value in span.attributes.items()},
            events=tuple(
                replace(event, attributes={key: cut_to(value, limit) for key, value in event.attributes.items()})
                for event in span.events
            ),
        )
        for span in spans
    ]
    whole = extract(Trace(spans[0].trace_id, spans)).interactions
    for interaction in extract(Trace(spans[0].trace_id, tuple(cut))).interactions:
        if interaction.capture is Capture.CAPTURED:
            assert interaction.answer == whole[0].answer
            assert interaction.question == whole[0].question
            assert {d.text for d in interaction.contexts or ()} <= {d.text for d in whole[0].contexts or ()}
        if interaction.capture is Capture.INCOMPLETE:
            assert "OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT" in (interaction.remedy or "")


def cut_to(value: AttributeValue, limit: int) -> AttributeValue:
    if isinstance(value, str):
        return value[:limit]
    return [cut_to(item, limit) for item in value] if isinstance(value, list) else value


JSON_LIKE: st.SearchStrategy[AttributeValue] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
UNTRACED = {*vercel_ai.SIGNS, *vercel_ai.OBJECTS, *vercel_ai.TOOL_CALLS, google_adk.REQUEST, google_adk.RESPONSE}
UNTRACED |= {
    google_adk.TOOL_RESPONSE,
    "gen_ai.prompt",
    "gen_ai.completion",
    "llm.prompts.0.content",
    "output.mime_type",
}
KEYS = sorted({key for name in trace_names() for span in spans_of(name) for key in span.attributes} | UNTRACED)


@settings(max_examples=300)
@given(
    st.dictionaries(
        st.sampled_from(KEYS), JSON_LIKE | st.sampled_from(["{", "[1", '{"a": ', "[]", "{}", '"', "[[]]"]), max_size=8
    )
)
def test_no_attribute_value_makes_a_convention_fail(attributes: dict[str, AttributeValue]) -> None:
    span = replace(spans_of("langfuse")[0], attributes=attributes)
    read_span(span)
    extract(Trace(span.trace_id, (span,)))


@settings(max_examples=150)
@given(NAMES, st.data())
def test_no_mutation_of_a_real_trace_makes_extraction_fail(name: str, data: st.DataObject) -> None:
    spans = [*spans_of(name)]
    for _ in range(3):
        index = data.draw(st.integers(0, len(spans) - 1))
        keys = sorted(spans[index].attributes)
        if keys:
            key = data.draw(st.sampled_from(keys))
            spans[index] = replace(spans[index], attributes={**spans[index].attributes, key: data.draw(JSON_LIKE)})
        parents = [span.span_id for span in spans]
        spans[index] = replace(spans[index], parent_span_id=data.draw(st.sampled_from(parents)))
    extract(Trace(spans[0].trace_id, tuple(spans)))
