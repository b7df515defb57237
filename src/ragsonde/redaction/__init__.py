"""Taking personal data and credentials out of texts before they are sent or stored."""

from ragsonde.redaction.finding import Detector, Finding, RedactionTimeoutError, RedactionUnavailableError
from ragsonde.redaction.redactor import KINDS, RedactionSession, Redactor

__all__ = [
    "KINDS",
    "Detector",
    "Finding",
    "RedactionSession",
    "RedactionTimeoutError",
    "RedactionUnavailableError",
    "Redactor",
]
