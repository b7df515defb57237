"""The report as tables in the terminal."""

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from ragsonde.evaluation.comparison import ChangeResult
from ragsonde.evaluation.gate import CheckResult
from ragsonde.evaluation.report import Comparison, Report
from ragsonde.evaluation.wording import CHECKS, reasons_text, score_text, shown_change

_CHECK_STYLES = {CheckResult.PASSED: "green", CheckResult.MISSED: "bold red", CheckResult.COVERAGE: "bold red"}
_CHANGE_STYLES = {ChangeResult.WORSE: "bold red", ChangeResult.BETTER: "green"}


def to_terminal(report: Report) -> RenderableType:
    """Return what is printed."""
    parts: list[RenderableType] = [_metrics(report)]
    if report.comparison is not None:
        parts.append(_comparison(report.comparison))
        parts += [Text(warning, style="yellow") for warning in report.comparison.warnings]
    if report.unanswered:
        parts.append(Text(f"golden items not answered: {len(report.unanswered)}", style="yellow"))
    if report.origin.strangers:
        parts.append(Text(f"interactions left out, as they answer no golden item: {report.origin.strangers}"))
    parts += [Text(f"{check.key}: {check.explanation}", style="red") for check in report.gate.checks if check.failed]
    if not report.gate.passed and not any(check.failed for check in report.gate.checks):
        parts.append(Text("none of the metrics with a threshold could be measured", style="red"))
    parts.append(Text("passed", style="bold green") if report.passed else Text("failed", style="bold red"))
    return Group(*parts)


def _metrics(report: Report) -> Table:
    checks = {check.key: check for check in report.gate.checks}
    table = _table("metric", "mean", "95 % interval", "threshold", "scored", "without a score")
    for summary in report.summaries:
        mean, check = summary.estimate, checks.get(summary.key)
        verdict = Text("")
        if check is not None:
            words = f"{CHECKS[check.result][0]} {check.threshold:.2f}"
            verdict = Text(words, style=_CHECK_STYLES.get(check.result, ""))
        table.add_row(
            summary.key,
            score_text(mean.mean) if mean else "–",
            f"{score_text(mean.low)} – {score_text(mean.high)}" if mean else "",
            verdict,
            f"{summary.scored} of {summary.eligible}",
            Text(reasons_text(summary), style="dim"),
        )
    return table


def _comparison(comparison: Comparison) -> Table:
    title = f"compared with {escape(comparison.baseline)}"
    table = _table("metric", "before", "after", "difference", "95 % interval", "items", "verdict", title=title)
    for change in comparison.changes:
        known = change.low is not None and change.high is not None
        table.add_row(
            change.key,
            score_text(change.before or 0.0),
            score_text(change.after or 0.0),
            f"{change.difference:+.3f}",
            f"{change.low:+.3f} to {change.high:+.3f}" if known else "",
            str(change.pairs),
            Text(shown_change(change), style=_CHANGE_STYLES.get(change.result, "")),
        )
    return table


def _table(*columns: str, title: str | None = None) -> Table:
    """A plain table of which only the last column may be broken over lines."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column != columns[-1])
    return table
