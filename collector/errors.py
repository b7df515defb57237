"""The error tree.

::

    RagsondeError
    ├── ConfigError       the operator's input is wrong; the message names the field and the remedy
    ├── RetryableError    the same call may succeed later (broker away, store locked)
    │   └── FullError     a bounded queue or log is full; carries ``retry_after_seconds``
    └── PermanentError    the same call can never succeed
        └── DecodeError   a record cannot be read; carries a ``reason`` that is safe as a label value
"""

from enum import StrEnum


class RagsondeError(Exception):
    """Root of every error that Ragsonde raises on purpose."""


class ConfigError(RagsondeError):
    """Configuration or command line input is wrong; the message names the field and the remedy."""


class RetryableError(RagsondeError):
    """The same call may succeed later."""


class FullError(RetryableError):
    """A bounded queue or log is full."""

    def __init__(self, message: str, *, retry_after_seconds: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class PermanentError(RagsondeError):
    """The same call can never succeed."""


class DecodeReason(StrEnum):
    """Why a record could not be decoded. Closed, so that it can be a label value."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    INVALID_PROTOBUF = "invalid_protobuf"
    INVALID_JSON = "invalid_json"
    INVALID_SHAPE = "invalid_shape"
    TOO_DEEP = "too_deep"
    INVALID_IDS = "invalid_ids"


class DecodeError(PermanentError):
    """A record cannot be read."""

    def __init__(self, reason: DecodeReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
