"""``python -m bench.judge_outage``: run from the root of the repository."""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from bench.judge_outage.measure import Result, Say, measure
from bench.judge_outage.stand import Fault

RESULTS = Path(__file__).parent / "RESULTS.md"
_LINE_SECONDS = 30.0

_HEAD = """# What does a judge's outage cost?

`{command}`

Whole sidecars with the embedded log, one for each fault, side by side; judge servers in processes of their own; the
demonstration's users in seven languages at {rate:g} interactions per second each, before, during and after the outage.
Every interaction is sent to the judge and none is answered from its cache; timeouts, retries, breaker and all else have
their defaults. The judge is out for {minutes:g} minutes, then it is back and nothing else is done.

Faults: `down` kills its process, `hang` takes requests and never answers, `refuse` answers 401, `overload` answers 429
with Retry-After 5.

"""
_FOOT = """
What waits for the judge holds the committed offset back, so commits pause for as long as a question may take
(`timeouts.total_seconds`, 120 by default) until the breaker has opened; nothing else waits. While it is open a hanging
judge holds up one probe at a time.

`lost`: accepted by the receiver and not in the scores file after the sidecar has stopped. `judged` and `failed` are
those of faithfulness in that file and add up to the interactions sent; the counter
`ragsonde_outcomes_total{scorer="judge",outcome="failed"}` says the same (checked). Pauses, openings and recovery are
read from `/metrics` once a second. The exit code is 1 when a promise is broken.
"""


def main(
    fault: Annotated[list[Fault] | None, typer.Option(help="Fault to measure, again for more. Default: all.")] = None,
    minutes: Annotated[float, typer.Option(min=0.1, max=24 * 60, help="Length of the outage.")] = 10.0,
    rate: Annotated[float, typer.Option(min=0.1, max=50, help="Interactions per second, for each fault.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Markdown file to write. Default: none, only print.")] = None,
) -> None:
    """Break the judge under traffic, mend it, and account for every interaction."""
    faults = tuple(fault or Fault)
    results = _measured(faults, minutes, rate)
    command = f"python -m bench.judge_outage --minutes {minutes:g} --rate {rate:g}"
    if fault:
        command += "".join(f" --fault {each}" for each in faults)
    report = _HEAD.format(command=command, rate=rate, minutes=minutes) + _table(results) + _FOOT
    typer.echo(report)
    if out is not None:
        out.write_text(report, "utf-8")
    broken = [promise for result in results for promise in result.broken_promises()]
    for promise in broken:
        typer.echo(promise, err=True)
    raise typer.Exit(1 if broken else 0)


def _measured(faults: Sequence[Fault], minutes: float, rate: float) -> list[Result]:
    console = Console(stderr=True, width=None if sys.stderr.isatty() else 180)
    columns = (TextColumn("{task.description:>8}"), TimeElapsedColumn(), TextColumn("{task.fields[state]}"))
    with (
        tempfile.TemporaryDirectory(prefix="ragsonde-outage-") as folder,
        Progress(*columns, console=console) as progress,
        ThreadPoolExecutor(len(faults)) as pool,
    ):

        def run(number: int, fault: Fault) -> Result:
            place = Path(folder) / fault
            place.mkdir()
            return measure(
                fault,
                place,
                outage_seconds=60 * minutes,
                interactions_per_second=rate,
                seed=number,
                say=_teller(progress, fault),
            )

        return list(pool.map(run, range(len(faults)), faults))


def _teller(progress: Progress, fault: Fault) -> Say:
    """Show the state as a line that changes, and where that cannot be seen, as a new line now and then."""
    task = progress.add_task(fault, total=None, state="starting")
    told = 0.0

    def tell(state: str) -> None:
        nonlocal told
        progress.update(task, state=state)
        if not progress.console.is_terminal and time.monotonic() - told > _LINE_SECONDS:
            told = time.monotonic()
            progress.console.print(f"{fault}: {state}")

    return tell


_ROWS: Mapping[str, Callable[[Result], str]] = {
    "interactions sent": lambda result: f"{result.account.sent}",
    "… of which during the outage": lambda result: f"{result.sent_in_outage}",
    "scored during the outage": lambda result: f"{result.scored_in_outage}",
    "scored locally": lambda result: f"{result.account.scored_locally}",
    "judged": lambda result: f"{result.account.judged}",
    "failed": lambda result: ", ".join(f"{n} {kind}" for kind, n in sorted(result.account.failed.items())) or "0",
    "**lost**": lambda result: f"**{result.account.lost}**",
    "written twice": lambda result: f"{result.account.repeated}",
    "longest pause between commits, s": lambda result: f"{result.commit_pause_seconds:.0f}",
    "requests to the judge in the outage": lambda result: f"{result.requests_in_outage}",
    "breaker seen opening": lambda result: f"{result.openings}",
    "breaker open, share of the outage": lambda result: f"{result.open_share:.0%}",
    "recovery after the judge's return, s": lambda result: (
        "none" if result.recovery_seconds is None else f"{result.recovery_seconds:.0f}"
    ),
}


def _table(results: Sequence[Result]) -> str:
    lines = [f"| | {' | '.join(result.fault for result in results)} |", f"| --- |{' ---: |' * len(results)}"]
    lines += [f"| {name} | {' | '.join(cell(result) for result in results)} |" for name, cell in _ROWS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    typer.run(main)
