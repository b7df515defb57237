"""``python -m bench.judge_cost``: run from the root of the repository."""

from pathlib import Path
from typing import Annotated

import typer

from bench.judge_cost.measure import MODES, SHAPES, Cost, measure

_COMMAND = "python -m bench.judge_cost"
_HEAD = """# What does judging one interaction cost?

`{command}`

Means over {count} interactions, one a language (en, pl, ru, bs, ms, zh), with answers of three statements and two
citations (`exchanges.toml`), counted at the judge server (`ragsonde.testing.judge_server`), without the result cache.
The server counts a token for every four characters, so the columns compare modes and shapes; a model's own count
differs, most of all in Chinese, where a character is about a token.

"""
_COLUMNS = ("interaction", "mode", "calls", "embedding calls", "tokens read", "tokens written", "tokens to merged")
_FOOT = """
The merged mode asks once, and once more for each further window of contexts that do not fit the model's window. The
decomposed mode asks for claims, verdicts, needed sentences, relevant documents and regenerated questions one by one
(and for two more metrics where a reference answer is known), and shows the contexts in three of these calls.
"""


def main(out: Annotated[Path, typer.Option()] = Path("bench/judge_cost/RESULTS.md")) -> None:
    """Count calls and tokens of the judge per interaction, merged and decomposed."""
    costs = measure()
    count = next(iter(costs.values())).interactions
    rows = [_row(shape.name, mode, costs) for shape in SHAPES for mode in MODES]
    table = f"| {' | '.join(_COLUMNS)} |\n|{' --- |' * len(_COLUMNS)}\n" + "".join(rows)
    typer.echo(table)
    out.write_text(_HEAD.format(command=_COMMAND, count=count) + table + _FOOT, encoding="utf-8")
    typer.echo(f"written: {out}")


def _row(shape: str, mode: str, costs: dict[tuple[str, str], Cost]) -> str:
    cost, merged = costs[shape, mode], costs[shape, "merged"]
    ratio = (cost.input_tokens + cost.output_tokens) / (merged.input_tokens + merged.output_tokens)
    cells = (
        shape,
        mode,
        f"{cost.calls:.1f}",
        f"{cost.embedding_calls:.1f}",
        f"{cost.input_tokens:,.0f}",
        f"{cost.output_tokens:,.0f}",
        f"{ratio:.2f}",
    )
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    typer.run(main)
