"""A refusal is read once: what it means, how long to wait, what to leave out."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.scorers.judge.config import Structure
from ragsonde.scorers.judge.errors import ContextOverflowError, JudgeUnavailableError
from ragsonde.scorers.judge.refusals import adapt, classify, retry_after_seconds
from ragsonde.scorers.judge.wire import Dialect

NOW = 1_800_000_000.0


def unavailable(status: int, body: str = "") -> JudgeUnavailableError:
    error = classify(status, body, {}, NOW)
    assert isinstance(error, JudgeUnavailableError)
    return error


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_may_pass_is_retried(status: int) -> None:
    assert unavailable(status).retryable
    assert not unavailable(status).permanent


@pytest.mark.parametrize("status", [301, 302, 401, 402, 403, 404])
def test_what_cannot_succeed_is_permanent(status: int) -> None:
    assert unavailable(status).permanent
    assert not unavailable(status).retryable


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (429, '{"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}}'),
        (400, '{"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}'),
        (400, '{"error": {"code": "model_not_found", "message": "no"}}'),
        (400, '{"error": {"message": "The model `x` does not exist"}}'),
    ],
)
def test_no_quota_and_an_unknown_model_are_permanent_whatever_the_status(status: int, body: str) -> None:
    assert unavailable(status, body).permanent
    assert not unavailable(status, body).retryable


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (413, ""),
        (400, '{"error": {"code": "context_length_exceeded"}}'),
        (400, "This model's maximum context length is 8192 tokens"),
        (400, '{"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}'),
        (422, "Input is too long for requested model."),
        (400, "The decoder prompt (length 9000) is longer than the maximum model length of 4096."),
    ],
)
def test_a_prompt_that_is_too_long_is_a_context_overflow(status: int, body: str) -> None:
    assert isinstance(classify(status, body, {}, NOW), ContextOverflowError)


def test_the_message_keeps_the_code_and_drops_the_servers_words() -> None:
    body = '{"error": {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-12345 for question Who?"}}'
    message = str(classify(401, body, {}, NOW))
    assert "invalid_api_key" in message
    assert "api_key_env" in message
    assert "sk-12345" not in message
    assert "Who" not in message
    assert "sk-1" not in str(classify(401, '{"error": {"code": "sk-12345 leaked"}}', {}, NOW))


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW + 30, UTC), usegmt=True)}, 30.0),
        ({"retry-after": format_datetime(datetime.fromtimestamp(NOW - 30, UTC), usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_seconds_and_as_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == seconds


@given(st.text(max_size=60))
def test_any_retry_after_is_a_time_or_nothing(value: str) -> None:
    seconds = retry_after_seconds({"retry-after": value}, NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(300, 599), st.text(max_size=200))
def test_any_refusal_is_classified(status: int, body: str) -> None:
    assert str(status) in str(classify(status, body, {}, NOW))


def test_a_content_filter_is_no_reason_to_ask_in_another_way() -> None:
    error = unavailable(400, '{"error": {"code": "content_filter", "message": "content management policy"}}')
    assert "content filter" in str(error)
    assert adapt(Dialect(Structure.JSON_SCHEMA), error, (Structure.JSON_SCHEMA, Structure.NONE)) is None


def test_a_dialect_is_learnt_one_step_at_a_time() -> None:
    steps = (Structure.JSON_SCHEMA, Structure.JSON_OBJECT, Structure.NONE)
    dialect: Dialect | None = Dialect(Structure.JSON_SCHEMA)
    bodies = [
        "use max_completion_tokens instead of max_tokens",
        "temperature is fixed",
        "seed?",
        "response_format",
        "no",
    ]
    seen = []
    for body in bodies:
        assert dialect is not None
        dialect = adapt(dialect, unavailable(400, body), steps)
        seen.append(dialect)
    assert seen[-1] == Dialect(Structure.NONE, temperature=False, seed=False, output_limit="max_completion_tokens")
    assert adapt(Dialect(Structure.NONE), unavailable(400, "no"), steps) is None
    assert adapt(Dialect(Structure.JSON_SCHEMA), unavailable(401), steps) is None
    assert adapt(Dialect(Structure.JSON_SCHEMA), unavailable(500), steps) is None
