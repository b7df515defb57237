"""``python -m bench.review_queue``: run from the root of the repository."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from bench.review_queue.measure import Timing, measure, served

_HEAD = """# How long do the review pages take?

`{command}`

A store in {database} with {items:,} items of five passages and four claims each, behind the sidecar's own HTTP server;
{repetitions} requests of each kind over one connection, in turn, from another thread of the same process. The bare
route answers `ok` and shows what HTTP alone takes on this machine at that time. All items are drawn by chance, where a
live store draws some percent, so that the overview has more to do than it would have.

"""
_COLUMNS = ("page", "median (ms)", "nine of ten under (ms)", "bytes")


def main(
    items: Annotated[int, typer.Option(min=100)] = 10_000,
    repetitions: Annotated[int, typer.Option(min=10)] = 100,
    database_url: Annotated[str | None, typer.Option(help="Default: an SQLite file.")] = None,
    out: Annotated[Path, typer.Option()] = Path("bench/review_queue/RESULTS.md"),
) -> None:
    """Measure the pages of a large review queue over real HTTP."""
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, Progress(console=console) as progress:
        task = progress.add_task("filling", total=items)
        with served(Path(folder), database_url, items, lambda number: progress.advance(task, number)) as url:
            timings = measure(url, repetitions)
    command = f"python -m bench.review_queue --items {items} --repetitions {repetitions}"
    database = "SQLite" if database_url is None else "PostgreSQL"
    head = _HEAD.format(command=command, items=items, repetitions=repetitions, database=database)
    out.write_text(head + _table(timings), encoding="utf-8")
    console.print(_table(timings))
    console.print(f"written: {out}")


def _table(timings: Sequence[Timing]) -> str:
    rows = [
        f"| {timing.name} | {timing.median:.1f} | {timing.slowest_tenth:.1f} | {timing.size_bytes:,} |\n"
        for timing in timings
    ]
    return f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}\n" + "".join(rows)


if __name__ == "__main__":
    typer.run(main)
