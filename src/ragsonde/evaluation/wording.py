"""The words of the report, the same in the terminal and on the page."""

from collections.abc import Mapping

from ragsonde.evaluation.comparison import Change, ChangeResult
from ragsonde.evaluation.gate import CheckResult
from ragsonde.evaluation.summary import MetricSummary
from ragsonde.exporters.pages.wording import score as score_text

__all__ = ["CHANGES", "CHECKS", "reasons_text", "score_text", "shown_change"]

CHECKS: Mapping[CheckResult, tuple[str, str]] = {
    CheckResult.PASSED: ("✓", "passed"),
    CheckResult.MISSED: ("✕", "missed"),
    CheckResult.COVERAGE: ("✕", "too few scored"),
    CheckResult.NOT_MEASURED: ("–", "not measured"),
}
"""A sign and a name for each result, so that colour is never the only difference."""

CHANGES: Mapping[ChangeResult, tuple[str, str]] = {
    ChangeResult.WORSE: ("▼", "worse"),
    ChangeResult.BETTER: ("▲", "better"),
    ChangeResult.NOT_SHOWN: ("≈", "no change shown"),
    ChangeResult.TOO_FEW: ("–", "too few items"),
}


def reasons_text(summary: MetricSummary) -> str:
    """Why items have no score: ``refusal 3, failed timeout 1``."""
    parts = [f"{reason} {count}" for reason, count in summary.not_applicable.items()]
    parts += [f"failed {kind} {count}" for kind, count in summary.failed.items()]
    return ", ".join(parts)


def shown_change(change: Change) -> str:
    """A change in words: its sign and name, with the adjusted p-value where there is one."""
    sign, name = CHANGES[change.result]
    return f"{sign} {name}" + (f" (p = {change.adjusted:.2g})" if change.adjusted is not None else "")
