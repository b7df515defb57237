"""What can go wrong with a judge, each mapped to the outcome that it means.

::

    JudgeError
    ├── JudgeUnavailableError  refused, overloaded, unreachable, or the breaker is open
    │   └── BudgetUnavailableError  the store of the budget cannot be asked, so that nothing may be spent
    ├── JudgeTimeoutError      no complete reply before the deadline
    ├── TruncatedError         the reply was cut
    ├── InvalidReplyError      the reply is not what was asked for, even after the repair
    │   └── ExtractorEmptyError    it names no claims of an answer that states facts
    │       └── ClaimsMissingError     or leaves some of them out
    ├── ContextOverflowError   the text does not fit the model's window
    └── OverBudgetError        today's budget is spent

No message carries a key, a header or text of the monitored application.
"""

from ragsonde.collector.errors import RagsondeError
from ragsonde.scorers.score import Failed, FailureKind, NotApplicable, Outcome, Reason


class JudgeError(RagsondeError):
    """The judge gave no verdict."""

    kind: FailureKind = FailureKind.INTERNAL_ERROR

    def outcome(self) -> Outcome:
        """The outcome that stands for this error in an interaction's scores."""
        return Failed(self.kind, str(self))


class JudgeUnavailableError(JudgeError):
    """The judge refused, was overloaded or could not be reached.

    ``retryable`` says whether the same call may succeed within seconds; ``permanent`` that it cannot until someone
    changes a key, a quota or a name.
    """

    kind = FailureKind.JUDGE_UNAVAILABLE

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        permanent: bool = False,
        retry_after_seconds: float | None = None,
        complaints: frozenset[str] = frozenset(),
        sent: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retryable = retryable
        self.permanent = permanent
        self.retry_after_seconds = retry_after_seconds
        self.complaints = complaints
        """What the refusal named: request fields, or ``content`` where it was the text that was refused."""
        self.sent = sent
        """The connection broke after the request had gone out, so that it may be charged."""

    @property
    def overloaded(self) -> bool:
        """Whether the judge asked for fewer calls at once."""
        return self.status in (429, 503, 529)


class BudgetUnavailableError(JudgeUnavailableError):
    """The store of the budget cannot be asked: what cannot be checked is not spent.

    This is a failure and not ``over_budget``, since nobody knows whether the budget is spent.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, retryable=True)


class JudgeTimeoutError(JudgeError):
    """No complete reply came before the deadline."""

    kind = FailureKind.TIMEOUT


class TruncatedError(JudgeError):
    """The reply was cut: by the output limit, or on its way."""

    kind = FailureKind.TRUNCATED


class InvalidReplyError(JudgeError):
    """The reply is not what was asked for. The message names the fault, for the repair and for the operator."""

    kind = FailureKind.INVALID_REPLY


class ContextOverflowError(JudgeError):
    """The text does not fit the model's window."""

    kind = FailureKind.CONTEXT_OVERFLOW


class ExtractorEmptyError(InvalidReplyError):
    """The judge says that the answer states facts, and names none."""

    kind = FailureKind.EXTRACTOR_EMPTY


class ClaimsMissingError(ExtractorEmptyError):
    """The judge names claims, and leaves sentences out that state something."""


class OverBudgetError(JudgeError):
    """Today's budget is spent: the interaction is not judged, which is no failure of the judge."""

    def outcome(self) -> Outcome:
        """``over_budget`` is a reason, not a failure."""
        return NotApplicable(Reason.OVER_BUDGET, str(self))
