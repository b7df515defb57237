"""``judge-check``: whether a scorer leans on what should not count."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from ragsonde.app import scorer_set
from ragsonde.cli.configuration import ConfigFile
from ragsonde.cli.console import console, log_to_console, report_slips
from ragsonde.collector.clock import SystemClock
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import InteractionFiles
from ragsonde.collector.telemetry import ignore_events
from ragsonde.settings import Settings, load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ragsonde.collector.model import Interaction
    from ragsonde.evaluation.comparison import Change

_SEED = 20080823
"""Of the bootstrap: the same files give the same report."""
_MISSING = {
    "order": "no interaction with two contexts or more was scored both ways",
    "length": "no answer was scored both ways",
}
_NAMES = {"order": "contexts in the opposite order", "length": "the answer said twice"}


def judge_check(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="OTLP (JSON or protobuf), interactions as JSON lines, or Parquet."),
    ],
    scorers: Annotated[
        str, typer.Option("--scorers", metavar="local|judge|NAME,…", help="Scorers to check.")
    ] = "judge",
    limit: Annotated[
        int, typer.Option(min=6, help="Interactions to check, at most; each is scored three times.")
    ] = 100,
    config: ConfigFile = None,
) -> None:
    """Check whether scores depend on the order of contexts or on the length of the answer. They should not.

    Exit code 1 when a metric shifts beyond chance, 2 when nothing could be compared.
    """
    log_to_console()
    names = [name.strip() for name in scorers.split(",") if name.strip()]
    settings = load(config, {"scoring": {"scorers": names}})
    source = InteractionFiles(files, SystemClock())
    interactions = list(source)[:limit]
    report_slips(source)
    if not interactions:
        raise ConfigError(f"no interaction found in {', '.join(map(str, files))}")
    found = _shifts(interactions, settings)
    if not any(found.values()):
        raise ConfigError(
            f"nothing could be compared: {scorers} gave none of the metrics that are checked a value on "
            f"{len(interactions)} interactions; name other --scorers, or files with answers that they can score"
        )
    leans = False
    for check, changes in found.items():
        if changes:
            leans = _show(_NAMES[check], changes) or leans
        else:
            console.print(f"{_NAMES[check]}: not checked, {_MISSING[check]}", soft_wrap=True)
    if leans or source.bad:
        raise typer.Exit(1)


def _shifts(interactions: "Sequence[Interaction]", settings: Settings) -> "Mapping[str, list[Change]]":
    import numpy as np  # noqa: PLC0415 - numerical libraries load slowly

    from ragsonde.evaluation.leanings import shifts  # noqa: PLC0415 - as above

    engine = settings.scoring.engine
    columns = (TextColumn("scoring"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("scoring", total=3 * len(interactions))
        return shifts(
            interactions,
            scorer_set(settings, SystemClock(), ignore_events),
            np.random.default_rng(_SEED),
            batch_size=engine.batch_size,
            timeout_seconds=engine.timeout_seconds,
            progress=lambda done: progress.advance(task, done),
        )


def _show(name: str, changes: "Sequence[Change]") -> bool:
    """Print a check and return whether a metric shifts."""
    from ragsonde.evaluation.comparison import ChangeResult  # noqa: PLC0415 - numerical libraries load slowly

    verdicts = {
        ChangeResult.WORSE: "✕ lower",
        ChangeResult.BETTER: "✕ higher",
        ChangeResult.NOT_SHOWN: "✓ no shift shown",
        ChangeResult.TOO_FEW: "– too few",
    }
    table = Table("metric", "as it is", "changed", "shift, 95 % interval", "items", "verdict", title=name)
    table.title_justify = "left"
    for change in changes:
        interval = "" if change.low is None or change.high is None else f" ({change.low:+.3f} to {change.high:+.3f})"
        table.add_row(
            change.key,
            f"{change.before:.3f}",
            f"{change.after:.3f}",
            f"{change.difference:+.3f}{interval}",
            str(change.pairs),
            verdicts[change.result],
        )
    Console().print(table)
    return any(change.result in {ChangeResult.WORSE, ChangeResult.BETTER} for change in changes)
