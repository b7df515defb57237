"""Captured traces of real libraries give the interactions that tests/traces/README.md says they hold."""

from dataclasses import replace

import orjson
import pytest

from ragsonde.collector.extraction import extract
from ragsonde.collector.model import Capture, Trace
from tests.golden_traces import GOLDEN, as_json, cases, interactions_of, logs_of, spans_of, trace_names

QUESTION = "How many days do customers have to return an item, and when is the refund paid?"
ANSWER = (
    "Customers have 30 days from delivery to return an unused item [1]. "
    "The refund is paid within 5 business days after the item is received [2]."
)
QUESTION_PL = "Ile dni ma klient na zwrot towaru i kiedy otrzyma zwrot pieniędzy?"
RETURNS = "Customers may return any unused item within 30 days of delivery for a full refund."
REFUNDS = "Refunds are paid to the original payment method within 5 business days after the returned item is received."
GIFTCARDS = "Gift cards and downloadable software cannot be returned."

RETURNS_FIRST = (
    "openllmetry-openai-chroma",
    "openllmetry-openai-chroma-0.47",
    "openinference-llamaindex",
    "openllmetry-llamaindex",
)
HIDDEN = ("openinference-langchain-hidden", "otel-genai-openai-nocontent")
WITHOUT_CONTENT = (*HIDDEN, "otel-genai-llamaindex", "otel-openai-v2-legacy-events")
ENGLISH = [name for name in trace_names() if not name.endswith(".pl") and name not in WITHOUT_CONTENT]
POLISH = [name for name in trace_names() if name.endswith(".pl")]

IDS = {RETURNS: "doc-returns", REFUNDS: "doc-refunds", GIFTCARDS: "doc-giftcards"}
WITHOUT_IDS = ("langsmith", "trulens")
"""Libraries whose spans carry no document ids at all."""
CONVENTIONS = {
    "haystack-native": "haystack",
    "langfuse": "langfuse",
    "langsmith": "langsmith",
    "mlflow": "mlflow",
    "openinference-haystack": "openinference",
    "openinference-langchain": "openinference",
    "openinference-llamaindex": "openinference",
    "openllmetry-langchain": "openllmetry",
    "openllmetry-langchain-0.47": "openllmetry",
    "openllmetry-llamaindex": "openllmetry",
    "openllmetry-openai-chroma": "openllmetry",
    "openllmetry-openai-chroma-0.47": "openllmetry",
    "otel-genai-langchain": "genai",
    "otel-genai-openai": "genai",
    "otel-genai-openai-stream": "genai",
    "otel-openai-v2-latest": "genai",
    "pydantic-ai": "pydantic_ai",
    "pydantic-ai-format1": "pydantic_ai",
    "pydantic-ai-v2": "pydantic_ai",
    "trulens": "trulens",
}
SESSIONS = (
    "openinference-langchain",
    "openinference-llamaindex",
    "openllmetry-langchain",
    "otel-genai-openai",
    "langfuse",
    "langsmith",
)


@pytest.mark.parametrize("name", ENGLISH)
def test_captured_trace_gives_question_contexts_in_order_and_answer(name: str) -> None:
    (interaction,) = interactions_of(name)
    expected = [RETURNS, REFUNDS, GIFTCARDS] if name in RETURNS_FIRST else [REFUNDS, RETURNS, GIFTCARDS]
    assert interaction.question == QUESTION
    assert interaction.answer == ANSWER
    assert interaction.contexts is not None
    assert [document.text for document in interaction.contexts] == expected
    assert [document.rank for document in interaction.contexts] == [1, 2, 3]
    assert interaction.capture is Capture.CAPTURED
    assert interaction.remedy is None


@pytest.mark.parametrize("name", POLISH)
def test_polish_trace_gives_the_same(name: str) -> None:
    (interaction,) = interactions_of(name)
    is_keyword = "chroma" not in name and "llamaindex" not in name
    first = ["doc-zwroty", "doc-pieniadze"] if is_keyword else ["doc-pieniadze", "doc-zwroty"]
    assert interaction.question == QUESTION_PL
    assert interaction.answer is not None
    assert interaction.answer.startswith("Klient ma 30 dni od dostawy")
    assert [document.id for document in interaction.contexts or ()] == [*first, "doc-karty"]
    assert interaction.capture is Capture.CAPTURED


@pytest.mark.parametrize("name", [n for n in ENGLISH if n not in (*WITHOUT_IDS, "openllmetry-openai-chroma-0.47")])
def test_captured_trace_gives_document_ids(name: str) -> None:
    (interaction,) = interactions_of(name)
    assert [document.id for document in interaction.contexts or ()] == [
        IDS[document.text or ""] for document in interaction.contexts or ()
    ]


@pytest.mark.parametrize("name", ENGLISH)
def test_captured_trace_names_convention_app_and_environment(name: str) -> None:
    (interaction,) = interactions_of(name)
    assert interaction.convention == CONVENTIONS[name]
    assert interaction.app == "rag-demo"
    assert interaction.environment == (None if name in ("mlflow", "trulens") else "test")
    assert interaction.id == interaction.trace_id == spans_of(name)[0].trace_id


@pytest.mark.parametrize("name", SESSIONS)
def test_session_is_read_where_the_library_carries_it(name: str) -> None:
    assert interactions_of(name)[0].conversation_id == "session-42"


def test_trulens_names_the_app_and_its_version_rather_than_the_library() -> None:
    (interaction,) = interactions_of("trulens")
    assert (interaction.app, interaction.app_version) == ("rag-demo", "v1")


@pytest.mark.parametrize("name", HIDDEN)
def test_hidden_content_is_told_with_its_remedy_and_no_text(name: str) -> None:
    (interaction,) = interactions_of(name)
    assert interaction.capture is Capture.CONTENT_NOT_CAPTURED
    assert (interaction.question, interaction.answer, interaction.contexts) == (None, None, None)
    switch = (
        "OPENINFERENCE_HIDE_" if "hidden" in name else "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
    )
    assert switch in (interaction.remedy or "")


def test_lone_retrieval_is_no_interaction() -> None:
    assert interactions_of("otel-genai-llamaindex") == ()


def test_legacy_events_carry_the_content_and_without_them_it_is_not_captured() -> None:
    name = "otel-openai-v2-legacy-events"
    (without,) = interactions_of(name)
    assert without.capture is Capture.CONTENT_NOT_CAPTURED
    (joined,) = interactions_of(name, with_logs=True)
    assert (joined.question, joined.answer, joined.capture) == (QUESTION, ANSWER, Capture.CAPTURED)
    assert [document.text for document in joined.contexts or ()] == [REFUNDS, RETURNS, GIFTCARDS]


@pytest.mark.parametrize("name", [n for n in trace_names() if logs_of(n) and n not in WITHOUT_CONTENT])
def test_events_that_repeat_the_span_change_nothing(name: str) -> None:
    assert interactions_of(name, with_logs=True) == interactions_of(name)


@pytest.mark.parametrize("name", [n for n in trace_names() if logs_of(n) and n not in WITHOUT_CONTENT])
def test_events_alone_carry_the_content(name: str) -> None:
    """EVENT_ONLY: the spans carry no messages, the log records do."""
    keys = (
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "gen_ai.prompt.variable.context",
        "gen_ai.prompt.variable.question",
    )
    spans = tuple(
        replace(span, attributes={key: value for key, value in span.attributes.items() if key not in keys})
        for span in spans_of(name)
    )
    (interaction,) = extract(Trace(spans[0].trace_id, spans, logs_of(name))).interactions
    assert interaction == interactions_of(name)[0]


@pytest.mark.parametrize(("golden", "name", "with_logs"), [*cases()], ids=[case[0] for case in cases()])
@pytest.mark.parametrize("encoding", ["json", "bin"])
def test_whole_interaction_is_as_recorded(golden: str, name: str, with_logs: bool, encoding: str) -> None:
    expected = orjson.loads((GOLDEN / f"{golden}.json").read_bytes())
    assert as_json(interactions_of(name, encoding, with_logs=with_logs)) == expected


def test_every_golden_file_has_its_trace() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == {golden for golden, _, _ in cases()}
