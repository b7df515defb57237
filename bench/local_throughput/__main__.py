"""``python -m bench.local_throughput``: run from the root of the repository."""

from pathlib import Path
from typing import Annotated

import typer

from bench.local_throughput.measure import Cost, measure
from ragsonde.garbage import collect_less_often
from ragsonde.scorers.embedding.source import missing_packages
from ragsonde.scorers.entailment import EntailmentConfig, open_entailment

_SIZES = (500, 1500, 4000, 12000)
_HEAD = """# How many interactions does one core score?

`{command}`

Interactions a second and core, and processor milliseconds for one. {count} interactions of each size in seven
languages, with answers of one to six sentences (`measure.py` says how they are made); the median of {rounds} rounds,
in which the ways of scoring take turns. Machines differ, so compare within the table: *to encoder* is the time as a
multiple of what the encoder (multilingual-e5-small, 8 bits, one thread) takes for the same answer and contexts, each
read once. Word lists and models are loaded before.

"""
_COLUMNS = ("characters of contexts", "way", "interactions / s", "ms", "to encoder")
_FOOT = """
*Contexts seen before*: the retriever returned passages whose analysis is still held (`AnalysisCache`, 500,000
characters by default). A batch brings `local_faithfulness` nothing but that; `local_relevance` embeds the texts of a
batch together and each sentence once, and here sentences come back, the more the longer the contexts.
`local_faithfulness` uses no encoder unless it is given a model for entailment, which reads each claim with up to 160
tokens of context.
"""


def main(
    count: Annotated[int, typer.Option(min=1, help="Interactions of each size.")] = 40,
    rounds: Annotated[int, typer.Option(min=1)] = 5,
    entailment: Annotated[Path | None, typer.Option(help="Directory of a model for entailment.")] = None,
    out: Annotated[Path, typer.Option()] = Path("bench/local_throughput/RESULTS.md"),
) -> None:
    """Measure the throughput of the local scorers."""
    collect_less_often()
    with_encoder = not missing_packages()
    model = open_entailment(EntailmentConfig(model_dir=entailment)) if entailment is not None else None
    costs = measure(_SIZES, count, rounds, with_encoder=with_encoder, entailment=model)
    rows = [_row(cost, costs) for cost in costs]
    table = f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}\n" + "".join(rows)
    typer.echo(table)
    command = f"python -m bench.local_throughput --count {count} --rounds {rounds}"
    command += " --entailment DIR" if entailment is not None else ""
    out.write_text(_HEAD.format(command=command, count=count, rounds=rounds) + table + _FOOT, encoding="utf-8")
    typer.echo(f"written: {out}")


def _row(cost: Cost, costs: list[Cost]) -> str:
    encoder = next((c for c in costs if c.size == cost.size and c.way.startswith("encoder")), None)
    ratio = "–" if encoder is None else f"{cost.milliseconds / encoder.milliseconds:.2f}"
    return f"| {cost.size} | {cost.way} | {cost.per_second:.0f} | {cost.milliseconds:.1f} | {ratio} |\n"


if __name__ == "__main__":
    typer.run(main)
