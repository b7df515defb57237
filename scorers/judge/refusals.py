"""Reads an HTTP refusal: what it means, whether to retry, and what the server would accept instead.

Messages are built from the status and the server's short error code alone: the free text of a server's message may
repeat a key or the application's text.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ragsonde.scorers.judge.config import Structure
from ragsonde.scorers.judge.errors import ContextOverflowError, JudgeError, JudgeUnavailableError
from ragsonde.scorers.judge.wire import Dialect

RETRYABLE = frozenset({408, 409, 425, 429})
_PERMANENT = {
    401: "check the key (api_key_env or api_key_file)",
    402: "the account has no credit",
    403: "the key may not use this model or endpoint",
    404: "check base_url and model",
}
_OVERFLOW = re.compile(
    r"context_length_exceeded|maximum (?:context|model|sequence) length|max_model_len|prompt is too long"
    r"|input is too long|context window|available context size|too many (?:input )?tokens"
    r"|exceed[a-z]* .{0,40}context",
    re.IGNORECASE | re.DOTALL,
)
_QUOTA = re.compile(
    r"insufficient_quota|billing_hard_limit|credit balance|insufficient (?:funds|credit|balance)", re.IGNORECASE
)
_MODEL = re.compile(
    r"model_not_found|invalid_model|unknown model|model .{0,80}(?:does not exist|not found)", re.IGNORECASE
)
REFUSED_CONTENT = "content"
_CONTENT = re.compile(r"content_filter|content_policy|content management policy|ResponsibleAIPolicy", re.IGNORECASE)
_FIELDS = ("max_tokens", "max_completion_tokens", "temperature", "seed")
_CODE = re.compile(r"[a-z][a-z0-9_]{2,48}")


def classify(status: int, body: str, headers: Mapping[str, str], now: float) -> JudgeError:
    """The error that an HTTP refusal means. ``now`` (seconds since the epoch) resolves a Retry-After date."""
    said = f"the judge answered HTTP {status}{_code(body)}"
    if status in (400, 413, 422) and (status == 413 or _OVERFLOW.search(body)):
        return ContextOverflowError(f"{said}: the text does not fit the model's window (context_window_tokens)")
    if (remedy := _remedy(status, body)) is not None:
        return JudgeUnavailableError(f"{said}: {remedy}", status=status, permanent=True)
    if status in RETRYABLE or (status >= 500 and status not in (501, 505)):
        after = retry_after_seconds(headers, now)
        return JudgeUnavailableError(said, status=status, retryable=True, retry_after_seconds=after)
    if _CONTENT.search(body):
        return JudgeUnavailableError(
            f"{said}: the provider's content filter refused the text",
            status=status,
            complaints=frozenset({REFUSED_CONTENT}),
        )
    lowered = body.casefold()
    return JudgeUnavailableError(said, status=status, complaints=frozenset(name for name in _FIELDS if name in lowered))


def _remedy(status: int, body: str) -> str | None:
    """What someone must do before the same request can succeed; None where nobody need do anything."""
    if status in (400, 402, 403, 429) and _QUOTA.search(body):
        return "the account has no quota left"
    if status in (400, 422) and _MODEL.search(body):
        return "the model is not known there (model)"
    if 300 <= status < 400:
        return "redirects are not followed, check base_url"
    return _PERMANENT.get(status)


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as a date."""
    millis = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", millis):
        return float(millis) / 1000
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", value):
        return float(value)
    if not value:
        return None
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - datetime.fromtimestamp(now, UTC)).total_seconds())


def adapt(dialect: Dialect, refusal: JudgeUnavailableError, steps: tuple[Structure, ...]) -> Dialect | None:
    """What to try after a plain refusal of the request: leave out the field that it names, else ask for the shape
    less strictly.

    None where the refusal is of another kind, or nothing is left to leave out.
    """
    if refusal.permanent or refusal.status not in (400, 422, 501) or REFUSED_CONTENT in refusal.complaints:
        return None
    named = refusal.complaints
    if "max_completion_tokens" in named and dialect.output_limit == "max_tokens":
        return replace(dialect, output_limit="max_completion_tokens")
    if "temperature" in named and dialect.temperature:
        return replace(dialect, temperature=False)
    if "seed" in named and dialect.seed:
        return replace(dialect, seed=False)
    position = steps.index(dialect.structure)
    return replace(dialect, structure=steps[position + 1]) if position + 1 < len(steps) else None


def _code(body: str) -> str:
    try:
        error = json.loads(body)
    except ValueError:
        return ""
    for _ in range(2):
        if isinstance(error, dict) and isinstance(error.get("error"), dict):
            error = error["error"]
    if not isinstance(error, dict):
        return ""
    found = next((error[name] for name in ("code", "type") if isinstance(error.get(name), str)), "")
    return f" ({found})" if _CODE.fullmatch(found) else ""
