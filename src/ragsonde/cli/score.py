"""``score``: the scorers over files, with no service."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ragsonde.app import scorer_set
from ragsonde.cli.configuration import ConfigFile
from ragsonde.cli.console import console, log_to_console, report_slips
from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.file_kinds import check_readable
from ragsonde.collector.interaction_file import InteractionFiles
from ragsonde.collector.model import Interaction
from ragsonde.collector.telemetry import ignore_events
from ragsonde.exporters.record import to_json_line
from ragsonde.garbage import collect_less_often
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest
from ragsonde.settings import load
from ragsonde.whole_file import partial_of, whole_file


def score(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="OTLP (JSON or protobuf), interactions as JSON lines, or Parquet."),
    ],
    scorers: Annotated[
        str | None,
        typer.Option("--scorers", metavar="local|judge|NAME,…", help="Scorers to run. Default: as configured (local)."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write here instead of to standard output.")] = None,
    config: ConfigFile = None,
) -> None:
    """Score the interactions in files: one JSON line each. No service is needed.

    A line that cannot be read is reported with its place and the others are scored; the exit code is then 1.
    """
    log_to_console()
    collect_less_often()
    check_readable(files)
    _check_destination(out, files)
    names = [name.strip() for name in (scorers or "").split(",") if name.strip()]
    settings = load(config, {"scoring": {"scorers": names}} if names else {})
    clock = SystemClock()
    source = InteractionFiles(files, clock)
    runner = scorer_set(settings, clock, ignore_events)
    with closing(runner), _destination(out) as stream:
        written = _score_all(source, runner, settings.scoring.engine.batch_size, stream)
        if not written:  # within, so that no empty file takes the place of another
            report_slips(source)
            raise ConfigError(f"no interaction to score in {', '.join(map(str, files))}")
    report_slips(source)
    where = f" to {out}" if out is not None else ""
    console.print(f"interactions written{where}: {written}, records not readable: {len(source.bad)}", soft_wrap=True)
    if source.bad:
        raise typer.Exit(1)


def _score_all(source: Iterable[Interaction], runner: ScorerSet, batch_size: int, stream: BinaryIO) -> int:
    columns = (SpinnerColumn(), TextColumn("scoring"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    written = 0
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("scoring", total=None)
        for batch in _batches(source, batch_size):
            for scored in runner.score([ScoringRequest(interaction) for interaction in batch], Deadline(3600.0)):
                stream.write(to_json_line(scored))
                written += 1
            stream.flush()
            progress.update(task, completed=written)
    return written


def _batches(source: Iterable[Interaction], size: int) -> Iterator[list[Interaction]]:
    iterator = iter(source)
    while batch := list(islice(iterator, size)):
        yield batch


def _check_destination(out: Path | None, files: Iterable[Path]) -> None:
    """Refuse a place for results that cannot be written, or that would replace what is to be read."""
    if out is None:
        return
    if out.is_dir():
        raise ConfigError(f"--out {out} is a directory: name a file, such as {out / 'scores.jsonl'}")
    for written in (out, partial_of(out)):
        if written.exists() and any(file.exists() and file.samefile(written) for file in files):
            raise ConfigError(f"--out {out} would replace {written}, which is to be read: name another file")


@contextmanager
def _destination(out: Path | None) -> Iterator[BinaryIO]:
    """Open where results go. A file appears under its name only when it is whole."""
    if out is None:
        yield sys.stdout.buffer
        return
    try:
        with whole_file(out, keep_partial=True) as stream:
            yield stream
    except BaseException:
        if (partial := partial_of(out)).exists():
            console.print(f"[yellow]interrupted[/]: what was scored so far is in {partial}", soft_wrap=True)
        raise
