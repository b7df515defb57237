"""The command: ``python -m bench accuracy``."""

import logging
import os
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bench.accuracy.figures import Chance
from bench.accuracy.published import published_tables
from bench.accuracy.raters import DEFAULT, RaterFactory
from bench.accuracy.render import to_json, to_markdown
from bench.accuracy.report import Findings, Measurement, Plan
from bench.accuracy.scorebook import ScoreBook
from bench.accuracy.sets import BY_NAME, SETS, BenchSet
from ragsonde.collector.errors import ConfigError

_ROOT = Path(__file__).resolve().parent.parent.parent
DATA_VARIABLE = "RAGSONDE_BENCH_DATA"


def accuracy(
    data: Annotated[
        Path | None, typer.Option(help=f"Directory of the sets. Default: ${DATA_VARIABLE}, else ../shared/bench.")
    ] = None,
    scorers: Annotated[
        str, typer.Option(metavar="NAME,…", help="Scorers and baselines to measure; `judge` needs --judge.")
    ] = ",".join(DEFAULT),
    sets: Annotated[str, typer.Option(metavar="NAME,…", help="Sets to measure on. Default: all.")] = "",
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="About this many cases of each set, family and language, for a quick look."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Directory for accuracy.md and accuracy.json.")] = Path("bench/results"),
    cache: Annotated[Path, typer.Option(help="Directory for kept scores: a stopped run goes on.")] = Path(
        ".cache/bench"
    ),
    judge: Annotated[Path | None, typer.Option(help="YAML with the judge's configuration.")] = None,
    entailment: Annotated[
        Path | None, typer.Option(help="Directory of a model for entailment, for the local scorers that take one.")
    ] = None,
    draws: Annotated[int, typer.Option(min=100, help="Bootstrap draws for the intervals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 2024,
) -> None:
    """Measure scorers and baselines on the human-labelled sets."""
    console = Console(stderr=True)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[RichHandler(console=console)])
    try:
        folder = _folder(data)
        plan = Plan(folder, _chosen(sets, folder), limit, Chance(draws, seed))
        findings = _run(plan, _names(scorers), RaterFactory(judge, entailment), ScoreBook(cache), console)
    except ConfigError as error:
        console.print(f"[red]{error}[/]", soft_wrap=True)
        raise typer.Exit(2) from error
    out.mkdir(parents=True, exist_ok=True)
    (out / "accuracy.md").write_text(to_markdown(findings, published_tables()), encoding="utf-8")
    (out / "accuracy.json").write_text(to_json(findings), encoding="utf-8")
    console.print(f"written: {out / 'accuracy.md'}, {out / 'accuracy.json'}")


def _run(plan: Plan, names: list[str], factory: RaterFactory, book: ScoreBook, console: Console) -> Findings:
    measurement = Measurement(plan, book)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console) as progress:
        for name in names:
            rater = factory.make(name)
            if rater is None:
                measurement.findings.not_run[name] = "the local model is not installed"
                continue
            with closing(rater):
                task = progress.add_task(name, total=measurement.cases(rater))
                measurement.rate(rater, partial(progress.advance, task))
                progress.update(task, total=progress.tasks[task].completed)
        measurement.published()
    missing = [known.name for known in SETS if not (plan.folder / known.name).is_dir()]
    measurement.findings.not_run.update(dict.fromkeys(missing, "its folder is not there"))
    return measurement.findings


def _names(given: str) -> list[str]:
    names = list(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))
    if not names:
        raise ConfigError("--scorers names none; leave it out for the usual ones")
    return names


def _chosen(given: str, folder: Path) -> list[BenchSet]:
    """The sets named; without names, those that are there: not everybody may have all of them."""
    names = [name.strip() for name in given.split(",") if name.strip()]
    if unknown := [name for name in names if name not in BY_NAME]:
        raise ConfigError(f"--sets: there is no set {unknown[0]!r}; choose among {', '.join(BY_NAME)}")
    if names:
        return [BY_NAME[name] for name in dict.fromkeys(names)]
    there = [known for known in SETS if (folder / known.name).is_dir()]
    if not there:
        raise ConfigError(f"{folder} holds none of the sets {', '.join(BY_NAME)}; name their directory with --data")
    return there


def _folder(given: Path | None) -> Path:
    folder = given or Path(os.environ.get(DATA_VARIABLE) or _ROOT.parent / "shared" / "bench")
    if not folder.is_dir():
        raise ConfigError(f"there are no sets at {folder}; name their directory with --data or ${DATA_VARIABLE}")
    return folder
