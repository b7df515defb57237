"""Replacing sensitive values by numbered placeholders, alike throughout one interaction."""

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragsonde.redaction.finding import (
    Detector,
    Finding,
    RedactionTimeoutError,
    merged,
)

KINDS = ("key", "email", "iban", "card", "phone", "ip")
"""The kinds of value that are found by default; where two overlap, the label of the first counts."""

_PATTERN_SECONDS = 0.25
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_NUMERIC_LABELS = frozenset({"IBAN", "CARD", "PHONE"})


class Redactor:
    """Replaces sensitive values in texts by placeholders such as ``[EMAIL_1]``.

    Within a `session` the same value always gets the same placeholder, so an answer that repeats an address from its
    context is still seen to repeat it. Redacting takes time linear in the text, patterns of your own aside.

    Args:
        kinds: which of ``key`` (API keys, tokens, private keys, passwords in URLs or after their name), ``email``,
            ``iban``, ``card``, ``phone`` and ``ip`` to find; default: all of them.
        patterns: patterns of your own, placeholder name to regular expression, e.g. ``{"member": r"M-[0-9]{6}"}``
            gives ``[MEMBER_1]``. A pattern can take exponential time on an unlucky text: avoid nested repetitions.
            Where the ``regex`` package is installed, a text on which a pattern takes over a quarter of a second
            raises `RedactionTimeoutError`, and instrumentation then withholds that text.
        regions: countries whose national telephone formats are looked for, as ISO 3166 codes.
        detectors: detectors of your own, e.g. `ragsonde.redaction.presidio.PresidioDetector`.

    Raises:
        RedactionUnavailableError: ``iban``, ``card`` or ``phone`` is asked for in an install without
            ``ragsonde[redaction]``.
        ValueError: an unknown kind, a pattern that is not valid or that matches nothing at all, a bad name, or an
            unknown country.
    """

    def __init__(
        self,
        *,
        kinds: Iterable[str] = KINDS,
        patterns: Mapping[str, str] | None = None,
        regions: Sequence[str] | None = None,
        detectors: Sequence[Detector] = (),
    ) -> None:
        wanted = set(kinds)
        if unknown := sorted(wanted - set(KINDS)):
            raise ValueError(f"kinds: unknown {', '.join(unknown)}; choose from {', '.join(KINDS)}")
        own = [PatternDetector(name, pattern) for name, pattern in (patterns or {}).items()]
        self._labels = [detector.label for detector in own] + [kind.upper() for kind in KINDS]
        built_in = [_detector(kind, regions) for kind in KINDS if kind in wanted]
        self._detectors: list[Detector] = [*own, *built_in, *detectors]

    def __call__(self, text: str) -> str:
        """Return ``text`` redacted on its own; use a `session` for texts that belong together."""
        return self.session().redact(text)

    def session(self) -> "RedactionSession":
        """Return a session that remembers its placeholders: one for each interaction."""
        return RedactionSession(self)

    def find(self, text: str) -> list[Finding]:
        """Return the sensitive values in ``text``, in order and without overlaps.

        Raises:
            RedactionTimeoutError: a pattern of your own took too long.
        """
        return merged((found for detector in self._detectors for found in detector(text)), self._labels)


class RedactionSession:
    """Redacts the texts of one interaction; the same value gets the same placeholder in all of them."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._placeholders: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def redact(self, text: str) -> str:
        """Return ``text`` with each sensitive value replaced.

        Raises:
            RedactionTimeoutError: a pattern of your own took too long.
        """
        pieces, position = [], 0
        for finding in self._redactor.find(text):
            pieces += [
                text[position : finding.start],
                self._placeholder(finding.label, text[finding.start : finding.end]),
            ]
            position = finding.end
        return "".join([*pieces, text[position:]])

    def _placeholder(self, label: str, value: str) -> str:
        key = label, _canonical(label, value)
        with self._lock:
            if key not in self._placeholders:
                self._counts[label] = self._counts.get(label, 0) + 1
                self._placeholders[key] = f"[{label}_{self._counts[label]}]"
            return self._placeholders[key]


class PatternDetector:
    """Finds what a pattern of the user's own matches.

    Raises:
        ValueError: the name or the pattern cannot be used; the message says why.
    """

    def __init__(self, name: str, pattern: str) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(f"patterns: {name!r} must be a letter followed by letters, digits or underscores")
        self.label = name.upper()
        try:
            self._pattern, self._options = _compiled(pattern)
        except Exception as error:
            raise ValueError(f"patterns: {name}: {error}") from error
        if self._pattern.search(""):
            raise ValueError(f"patterns: {name}: the pattern matches the empty text")

    def __call__(self, text: str) -> Iterable[Finding]:
        """Return what the pattern matches."""
        try:
            matches = [match.span() for match in self._pattern.finditer(text, **self._options)]
        except TimeoutError as error:
            raise RedactionTimeoutError(f"pattern {self.label} took over {_PATTERN_SECONDS} s on one text") from error
        return [Finding(start, end, self.label) for start, end in matches if end > start]


def _compiled(pattern: str) -> tuple[Any, dict[str, Any]]:
    try:
        import regex  # noqa: PLC0415 - not in the bare install
    except ImportError:
        return re.compile(pattern), {}
    return regex.compile(pattern), {"timeout": _PATTERN_SECONDS}


def _detector(kind: str, regions: Sequence[str] | None) -> Detector:
    # Each kind loads its own module, and with it its own third-party package, only when it is wanted.
    if kind == "key":
        from ragsonde.redaction.secrets import find_secrets  # noqa: PLC0415

        return find_secrets
    if kind in ("email", "ip"):
        from ragsonde.redaction import network  # noqa: PLC0415

        return network.find_emails if kind == "email" else network.find_ip_addresses
    if kind in ("iban", "card"):
        from ragsonde.redaction import accounts  # noqa: PLC0415

        return accounts.find_ibans if kind == "iban" else accounts.find_cards
    from ragsonde.redaction.phones import DEFAULT_REGIONS, PhoneDetector  # noqa: PLC0415

    return PhoneDetector(DEFAULT_REGIONS if regions is None else regions)


def _canonical(label: str, value: str) -> str:
    """Return the form under which two spellings are one value."""
    if label in _NUMERIC_LABELS:
        return "".join(character for character in value.casefold() if character.isalnum())
    return value if label == "KEY" else value.casefold()
