"""What text may leave the process: all of it, redacted text, or none."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from ragsonde.instrumentation.failures import FailureLog

CAPTURE_VARIABLE = "RAGSONDE_CAPTURE_CONTENT"


class Capture(StrEnum):
    """How much text the spans carry; written to ``ragsonde.content_capture``."""

    FULL = "full"
    REDACTED = "redacted"
    OFF = "off"


Redact = Callable[[str], str]
"""Takes a text, returns it without what must not leave the process."""


class RedactionSession(Protocol):
    """Redacts the texts of one interaction, so that one value gets one placeholder in all of them."""

    def redact(self, text: str) -> str:
        """Return ``text`` with the sensitive values replaced."""
        ...


@runtime_checkable
class SessionRedactor(Protocol):
    """A redactor that can remember its placeholders for the length of an interaction."""

    def session(self) -> RedactionSession:
        """Return a new session for one interaction."""
        ...


@dataclass(frozen=True, slots=True)
class ContentPolicy:
    """The decision for a whole tracer."""

    capture: Capture = Capture.FULL
    redactor: Redact | SessionRedactor | None = None
    """Set exactly when ``capture`` is ``redacted``."""

    def content(self, failures: FailureLog) -> "Content":
        """Return the gate that the texts of one interaction pass through."""
        return Content(self, failures)


class Content:
    """The gate for the texts of one interaction.

    A redactor that raises, or returns something that is not text, withholds the text: it is never sent raw.
    """

    def __init__(self, policy: ContentPolicy, failures: FailureLog) -> None:
        self._capture = policy.capture
        self._failures = failures
        self._redact: Redact | None = None
        self._withheld = False
        if policy.capture is Capture.REDACTED:
            self._redact = self._redaction(policy.redactor)

    @property
    def captured(self) -> bool:
        """Whether texts are carried at all."""
        return self._capture is not Capture.OFF

    @property
    def capture(self) -> Capture:
        """What the span should say: ``off`` once anything had to be withheld, since a part is not the whole."""
        return Capture.OFF if self._withheld else self._capture

    def text(self, value: str) -> str | None:
        """Return what may be sent of ``value``; None when nothing may."""
        if self._capture is Capture.OFF:
            return None
        if self._capture is Capture.FULL:
            return value
        redacted: object = None
        with self._failures.guard("the redactor failed, so the content was withheld"):
            redacted = self._redact(value) if self._redact else None
        if isinstance(redacted, str):
            return redacted
        self._withheld = True
        return None

    def _redaction(self, redactor: Redact | SessionRedactor | None) -> Redact | None:
        if isinstance(redactor, SessionRedactor):
            with self._failures.guard("the redactor gave no session, so the content was withheld"):
                return redactor.session().redact
            return None
        return redactor


def content_policy(capture: str | None, redact: Redact | SessionRedactor | None, failures: FailureLog) -> ContentPolicy:
    """Resolve the arguments and the environment into a policy.

    ``capture`` wins over the environment variable ``RAGSONDE_CAPTURE_CONTENT``; a redactor on its own means
    ``redacted``; nothing at all means ``full``. A value of the environment that is not understood means ``off``,
    and is logged: a typing error must not publish what someone meant to hide.

    Raises:
        ValueError: ``capture`` is not ``full``, ``redacted`` or ``off``.
        RedactionUnavailableError: the built-in redactor was asked for and its packages are not installed.
    """
    if capture is not None:
        chosen = _named_capture(capture)
    else:
        chosen = _environment_capture(failures) or (Capture.FULL if redact is None else Capture.REDACTED)
    if redact is not None and chosen is Capture.FULL:
        chosen = Capture.REDACTED
    if chosen is not Capture.REDACTED:
        return ContentPolicy(chosen)
    if redact is not None:
        return ContentPolicy(chosen, redact)
    if capture is not None:
        return ContentPolicy(chosen, _built_in_redactor())
    with failures.guard(f"{CAPTURE_VARIABLE}=redacted needs ragsonde[redaction]; no content is captured"):
        return ContentPolicy(chosen, _built_in_redactor())
    return ContentPolicy(Capture.OFF)


def _built_in_redactor() -> SessionRedactor:
    from ragsonde.redaction import Redactor  # noqa: PLC0415 - only those who redact pay for the import

    return Redactor()


def _named_capture(name: str) -> Capture:
    try:
        return Capture(name)
    except ValueError:
        raise ValueError(f"capture must be 'full', 'redacted' or 'off', not {name!r}") from None


def _environment_capture(failures: FailureLog) -> Capture | None:
    value = os.environ.get(CAPTURE_VARIABLE, "").strip().lower()
    if not value:
        return None
    words = {"true": Capture.FULL, "1": Capture.FULL, "false": Capture.OFF, "0": Capture.OFF}
    words |= {str(capture): capture for capture in Capture}
    if value not in words:
        failures.report(CAPTURE_VARIABLE, "must be full, redacted or off; no content is captured")
    return words.get(value, Capture.OFF)
