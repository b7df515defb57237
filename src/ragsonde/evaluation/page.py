"""The report as one HTML file that needs nothing else: plots are SVG within it, in light and dark."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ragsonde.evaluation.comparison import Change
from ragsonde.evaluation.report import Report, worst_first
from ragsonde.evaluation.wording import CHECKS, reasons_text, score_text, shown_change
from ragsonde.scorers.score import Scored

_ITEMS_SHOWN = 100
_BINS = 10
_HEIGHT = 28.0


@dataclass(frozen=True, slots=True)
class Bar:
    """One bin of a histogram, in the coordinates of a 100 by ``_HEIGHT`` SVG."""

    x: float
    y: float
    height: float
    count: int
    words: str


def to_html(report: Report) -> str:
    """Return the report as a page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["scored"] = lambda outcome: isinstance(outcome, Scored)
    environment.globals |= {
        "score": score_text,
        "reasons": reasons_text,
        "histogram": histogram,
        "shown_change": shown_change,
    }
    return environment.get_template("report.html.j2").render(
        report=report,
        created=datetime.fromtimestamp(report.origin.created_at, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        checks={check.key: check for check in report.gate.checks},
        check_words=CHECKS,
        diagnoses=Counter(known.diagnosis.label for known in report.scored).most_common(),
        worst=worst_first(report, _ITEMS_SHOWN),
        reach=_reach(report.comparison.changes if report.comparison else ()),
    )


def histogram(values: Sequence[float]) -> list[Bar]:
    """Count values from 0 to 1 in ten bins; the last one holds 1."""
    counts = Counter(min(_BINS - 1, int(value * _BINS + 1e-9)) for value in values)
    most = max(counts.values(), default=1)
    return [
        Bar(
            x=100.0 / _BINS * number,
            y=round(_HEIGHT * (1 - counts[number] / most), 2),
            height=round(_HEIGHT * counts[number] / most, 2),
            count=counts[number],
            words=f"{number / _BINS:.1f} to {(number + 1) / _BINS:.1f}: {counts[number]}",
        )
        for number in range(_BINS)
    ]


def _reach(changes: Sequence[Change]) -> float:
    """Half the width of the axis that all intervals of differences fit on."""
    ends = [abs(end) for change in changes for end in (change.low, change.high, change.difference) if end is not None]
    return max([0.05, *ends]) * 1.1
