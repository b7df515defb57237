"""The rates of the review store, printed."""

import time
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING

import orjson
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragsonde.cli.console import console
from ragsonde.cli.review import opened
from ragsonde.collector.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragsonde.review.overview import HonestRate

_DAY_MS = 86_400_000


class RateFormat(StrEnum):
    """How the rate is printed."""

    TABLE = "table"
    JSON = "json"


def show_honest_rates(where: str, days: float, scorer: str | None, form: RateFormat) -> None:
    """Print the rate of each application by each scorer, or by one of them; end with exit code 1 where there is none.

    Raises:
        ConfigError: there is no store, or nothing in it for this time and scorer.
    """
    from ragsonde.review.honest_rates import honest_rates  # noqa: PLC0415 - numerical libraries load slowly

    until = int(time.time() * 1000) + 1
    with opened(where) as store, store.database.reading() as connection:
        every = honest_rates(connection, until - int(days * _DAY_MS), until)
    rates = [rate for rate in every if scorer in {None, rate.scorer}]
    if not rates:
        known = ", ".join(sorted({rate.scorer for rate in every}))
        said = f"--scorer {scorer}: its verdicts are not among those of {known}" if known else "nothing was scored"
        raise ConfigError(f"--review {where}: {said} in the last {days:g} days; --days looks further back")
    if form is RateFormat.JSON:
        typer.echo(orjson.dumps([asdict(rate) for rate in rates], option=orjson.OPT_INDENT_2).decode())
    else:
        Console().print(_table(rates, days))
    for rate in rates:
        if rate.reason is not None:
            console.print(f"[red]no rate[/] of {escape(rate.app)} by {escape(rate.scorer)}: {escape(rate.reason)}")
    if any(rate.rate is None for rate in rates):
        raise typer.Exit(1)


def _table(rates: "Sequence[HonestRate]", days: float) -> Table:
    table = Table(title=f"hallucinated answers in all traffic of {days:g} days", title_justify="left")
    for name in ("app", "scorer", "rate", "by the scorer alone (biased)", "labels", "scored", "kappa"):
        table.add_column(name)
    for rate in rates:
        table.add_row(
            escape(rate.app),
            escape(rate.scorer),
            "not known" if rate.rate is None else f"{rate.rate:.1%} [{rate.low:.1%}, {rate.high:.1%}]",
            "not known" if rate.uncorrected is None else f"{rate.uncorrected:.1%}",
            str(rate.labelled),
            str(rate.population),
            "not defined" if rate.kappa is None else f"{rate.kappa:.2f} ({rate.compared})",
        )
    return table
