"""What leaves the process: everything, redacted text, or no text at all."""

import logging
from typing import Any

import pytest

from ragsonde.instrumentation import RagTracer
from ragsonde.redaction import Redactor
from tests.instrumentation.tracing import Recorded

ADDRESS = "anna.nowak@example.pl"


def ask(rag: RagTracer) -> None:
    """Run an interaction with an address in every place that text can be in."""
    try:
        with rag.interaction(f"Is {ADDRESS} right?", conversation_id="c-1") as turn:
            with turn.retrieval(f"who is {ADDRESS}", data_source="people") as retrieval:
                retrieval.documents([{"id": "d1", "score": 1.5, "content": ADDRESS, "metadata": {"owner": ADDRESS}}])
            with turn.generation("m", messages=f"{ADDRESS}?", system=f"Protect {ADDRESS}") as call:
                call.output(f"Yes, {ADDRESS}")
            turn.answer(f"Yes, {ADDRESS} [1].")
            raise RuntimeError(f"cannot write to {ADDRESS}")
    except RuntimeError:
        pass


def everything(recorded: Recorded) -> str:
    return " ".join(
        f"{span.name} {dict(span.attributes or {})} {span.status.description} {span.events}" for span in recorded.spans
    )


def test_switched_off_capture_sends_no_text_but_ids_and_scores() -> None:
    recorded = Recorded()
    ask(recorded.tracer(capture="off"))
    assert ADDRESS not in everything(recorded)
    assert recorded.json("retrieval", "gen_ai.retrieval.documents") == [{"id": "d1", "score": 1.5}]
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == "off"
    assert recorded.attributes("invoke_workflow")["gen_ai.conversation.id"] == "c-1"


def test_redaction_reaches_every_text_and_keeps_one_placeholder_per_value() -> None:
    recorded = Recorded()
    ask(recorded.tracer(capture="redacted"))
    assert ADDRESS not in everything(recorded)
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == "redacted"
    assert recorded.attributes("invoke_workflow")["ragsonde.answer"] == "Yes, [EMAIL_1] [1]."
    assert recorded.json("retrieval", "gen_ai.retrieval.documents")[0]["content"] == "[EMAIL_1]"
    assert recorded.span("invoke_workflow").status.description == "cannot write to [EMAIL_1]"


@pytest.mark.parametrize("broken", [lambda text: 1 / 0, lambda text: None, lambda text: b"bytes"])
def test_a_failing_redactor_withholds_the_content(broken: Any, caplog: pytest.LogCaptureFixture) -> None:
    recorded = Recorded()
    ask(recorded.tracer(redact=broken))
    assert ADDRESS not in everything(recorded)
    assert ADDRESS not in caplog.text
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == "off"


def test_content_withheld_in_part_is_not_called_captured() -> None:
    def redact(text: str) -> str:
        if "who" in text:
            raise ValueError(text)
        return text

    recorded = Recorded()
    ask(recorded.tracer(redact=redact))
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == "off"


@pytest.mark.parametrize(
    ("value", "capture"),
    [
        ("", "full"),
        ("full", "full"),
        ("true", "full"),
        ("OFF", "off"),
        ("0", "off"),
        ("redacted", "redacted"),
        ("ful", "off"),
    ],
)
def test_the_environment_decides_where_the_code_does_not(
    value: str, capture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSONDE_CAPTURE_CONTENT", value)
    recorded = Recorded()
    ask(recorded.tracer())
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == capture


def test_the_code_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSONDE_CAPTURE_CONTENT", "off")
    recorded = Recorded()
    ask(recorded.tracer(capture="full"))
    assert recorded.attributes("invoke_workflow")["ragsonde.content_capture"] == "full"


def test_a_redactor_is_never_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGSONDE_CAPTURE_CONTENT", "full")
    recorded = Recorded()
    ask(recorded.tracer(redact=Redactor()))
    ask(recorded.tracer(capture="full", redact=Redactor()))
    assert ADDRESS not in everything(recorded)


def test_an_unknown_value_in_the_environment_is_reported(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RAGSONDE_CAPTURE_CONTENT", "ful")
    caplog.set_level(logging.INFO, "ragsonde.instrumentation")
    RagTracer()
    assert "RAGSONDE_CAPTURE_CONTENT" in caplog.text
