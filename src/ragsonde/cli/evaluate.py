"""``evaluate``: a golden set or any file of answers, to a report and an exit code."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from ragsonde.app import scorer_set
from ragsonde.cli.configuration import ConfigFile
from ragsonde.cli.console import console, log_to_console, report_slips
from ragsonde.collector.clock import SystemClock
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import InteractionFiles
from ragsonde.collector.telemetry import ignore_events
from ragsonde.golden.files import read_valid_set
from ragsonde.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragsonde.evaluation.report import Report
    from ragsonde.evaluation.session import Session


class ReportFormat(StrEnum):
    """A file that is written."""

    JSON = "json"
    HTML = "html"
    JUNIT = "junit"
    CSV = "csv"


_NAMES = {
    ReportFormat.JSON: "report.json",
    ReportFormat.HTML: "report.html",
    ReportFormat.JUNIT: "junit.xml",
    ReportFormat.CSV: "items.csv",
}
_DEFAULT_FORMATS = [ReportFormat.JSON, ReportFormat.HTML]


def evaluate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="OTLP (JSON or protobuf), interactions as JSON lines, or Parquet."),
    ],
    golden: Annotated[
        Path | None, typer.Option("--golden", "-g", metavar="SET", help="Golden set that the answers are held against.")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Directory for the report and the results.")
    ] = Path("ragsonde-evaluation"),
    formats: Annotated[
        list[ReportFormat] | None,
        typer.Option("--format", "-f", help="Reports to write; may be given often. Default: json and html."),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="RUN.json", help="report.json of an earlier run to compare with.")
    ] = None,
    scorers: Annotated[
        str | None,
        typer.Option("--scorers", metavar="local|judge|NAME,…", help="Scorers to run. Default: as configured."),
    ] = None,
    config: ConfigFile = None,
) -> None:
    """Evaluate answers, with a golden set or without, and gate a release on it.

    Scored items are kept in DIR/results.jsonl: a stopped run goes on where it was, and only what has changed (answer,
    golden item, scorer) is scored anew. Exit code 0: every threshold of the configuration is met. 1: one is missed, a
    metric has become worse than in the baseline, or a record cannot be read. 2: wrong usage.
    """
    from ragsonde.evaluation.run import RESULTS_FILE  # noqa: PLC0415 - numerical libraries load slowly
    from ragsonde.evaluation.run_file import read_baseline  # noqa: PLC0415 - as above
    from ragsonde.evaluation.terminal import to_terminal  # noqa: PLC0415 - as above

    log_to_console()
    names = [name.strip() for name in (scorers or "").split(",") if name.strip()]
    settings = load(config, {"scoring": {"scorers": names}} if names else {})
    known = read_baseline(baseline) if baseline is not None else None
    items = read_valid_set(golden).items if golden is not None else None
    source = InteractionFiles(files, SystemClock())
    interactions = list(source)
    report_slips(source)
    if not interactions:
        raise ConfigError(f"no interaction found in {', '.join(map(str, files))}")
    with _progress() as progress:
        task = progress.add_task("scoring", total=len(interactions))
        try:
            report = session(settings).evaluate(
                interactions,
                out / RESULTS_FILE,
                golden=items,
                files=[str(file) for file in files],
                golden_name=None if golden is None else str(golden),
                unreadable=len(source.bad),
                baseline=known,
                progress=lambda done: progress.advance(task, done),
            )
        except KeyboardInterrupt:
            progress.stop()
            console.print(
                f"[yellow]interrupted[/]: what was scored is in {out / RESULTS_FILE}; the same command goes on"
            )
            raise
    written = write_reports(report, out, formats or _DEFAULT_FORMATS)
    Console().print(to_terminal(report))
    console.print(f"written: {', '.join(str(path) for path in written)}", soft_wrap=True)
    if not report.passed or source.bad:
        raise typer.Exit(1)


def session(settings: Settings) -> "Session":
    """Return how the settings say that interactions are evaluated."""
    from ragsonde.evaluation.session import Session  # noqa: PLC0415 - numerical libraries load slowly

    scoring = settings.scoring
    return Session(
        config=settings.evaluation,
        make_scorers=lambda further: scorer_set(settings, SystemClock(), ignore_events, further),
        retrieval_k=scoring.retrieval_k,
        batch_size=scoring.engine.batch_size,
        timeout_seconds=scoring.engine.timeout_seconds,
    )


def write_reports(report: "Report", out: Path, formats: list[ReportFormat]) -> list[Path]:
    """Write the report in each format and return the files."""
    from ragsonde.evaluation.page import to_html  # noqa: PLC0415 - numerical libraries load slowly
    from ragsonde.evaluation.run_file import to_json  # noqa: PLC0415 - as above
    from ragsonde.evaluation.tables import to_csv, to_junit  # noqa: PLC0415 - as above

    writers: dict[ReportFormat, Callable[[Report], bytes]] = {
        ReportFormat.JSON: to_json,
        ReportFormat.HTML: lambda shown: to_html(shown).encode("utf-8", "replace"),
        ReportFormat.JUNIT: to_junit,
        ReportFormat.CSV: lambda shown: to_csv(shown).encode("utf-8", "replace"),
    }
    paths = []
    for chosen in dict.fromkeys(formats):
        path = out / _NAMES[chosen]
        try:
            path.write_bytes(writers[chosen](report))
        except OSError as error:
            raise ConfigError(f"cannot write {path}: {error.strerror}") from error
        paths.append(path)
    return paths


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, TimeRemainingColumn(), console=console, transient=True)
