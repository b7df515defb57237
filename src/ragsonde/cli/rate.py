"""``rate``: how many answers of all traffic are hallucinated."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragsonde.cli.calibrate import LabelsFile, Records, ScorerName, read_labelled
from ragsonde.cli.console import console
from ragsonde.cli.honest_rates import RateFormat, show_honest_rates
from ragsonde.cli.review import ReviewOption
from ragsonde.collector.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragsonde.calibration.ppi import Interval, NoRate
    from ragsonde.calibration.rate import HallucinationRate, Unused


def rate(
    records: Records = None,
    labels: LabelsFile = None,
    review: ReviewOption = None,
    days: Annotated[
        float, typer.Option(min=0.001, max=36_500.0, help="With --review: how many days to look back.")
    ] = 7.0,
    scorer: ScorerName = None,
    form: Annotated[RateFormat, typer.Option("--format", "-f", help="How to print it.")] = RateFormat.TABLE,
    maps: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Use the map that `ragsonde calibrate --maps` has kept here.")
    ] = None,
    labelled_at_random: Annotated[
        bool,
        typer.Option(
            "--labelled-at-random",
            help="The labelled interactions are a simple random sample of the records: labels need no probability.",
        ),
    ] = False,
) -> None:
    """Estimate the true rate of hallucinated answers in all traffic, with its 95 % interval.

    A scorer's own rate is biased; labels alone are few. Both together (prediction-powered inference) give a rate that
    is right whatever the scorer is worth. Only labels that were drawn by chance can count: each needs the probability
    with which its interaction was drawn. From the review store it is the rate of each application by each scorer, as
    on its overview page. Exit code 1 when no rate can be given.
    """
    from ragsonde.calibration.cases import Level, by_scorer  # noqa: PLC0415 - numerical libraries load slowly
    from ragsonde.calibration.drift import circumstances, warnings  # noqa: PLC0415 - as above
    from ragsonde.calibration.mapping import find_map  # noqa: PLC0415 - as above
    from ragsonde.calibration.ppi import NoRate  # noqa: PLC0415 - as above
    from ragsonde.calibration.rate import hallucination_rate  # noqa: PLC0415 - as above

    if review is not None:
        if records or labels is not None or maps is not None or labelled_at_random:
            raise ConfigError(
                "--review brings records, labels and their probabilities along: leave RECORDS, --labels, --maps and "
                "--labelled-at-random out"
            )
        show_honest_rates(review, days, scorer, form)
        return
    read, given = read_labelled(records, labels, None)
    for bad in (*read.bad, *given.bad):
        console.print(f"[red]✕[/] {escape(str(bad))}", soft_wrap=True)
    scored = by_scorer(read.scored, scorer)
    now = circumstances(scored.values())
    for warning in warnings(now, given.labels, scored):
        console.print(f"[yellow]![/] {escape(warning)}", soft_wrap=True)
    fitted = None
    if maps is not None:
        fitted = find_map(maps, scorer, Level.ANSWER, now.single_versions())
        if fitted is None:
            raise ConfigError(
                f"--maps {maps}: it holds no map for these scorer versions; run `ragsonde calibrate --maps`"
            )
    found = hallucination_rate(scored, given.labels, calibration=fitted, labelled_at_random=labelled_at_random)
    if form is RateFormat.JSON:
        typer.echo(orjson.dumps(_as_json(found), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode())
    else:
        Console().print(_table(found))
    if isinstance(found.rate, NoRate):
        console.print(f"[red]no rate[/]: {escape(_why(found.rate, found.unused))}", soft_wrap=True)
        raise typer.Exit(1)
    if read.bad or given.bad:
        raise typer.Exit(1)


def _why(missing: "NoRate", unused: "Mapping[Unused, int]") -> str:
    reasons = ", ".join(f"{reason.value}: {count}" for reason, count in unused.items())
    return missing.explanation + (f"; labels that could not count: {reasons}" if reasons else "")


def _as_json(found: "HallucinationRate") -> dict[str, Any]:
    from ragsonde.calibration.ppi import Rate  # noqa: PLC0415 - numerical libraries load slowly

    value = asdict(found)
    return {**value, "rate": {"known": isinstance(found.rate, Rate), **value["rate"]}}


def _table(found: "HallucinationRate") -> Table:
    from ragsonde.calibration.ppi import Rate  # noqa: PLC0415 - numerical libraries load slowly

    table = Table("", "", show_header=False, title="hallucinated answers in all traffic", title_justify="left")
    known = found.rate
    if isinstance(known, Rate):
        table.add_row("rate", _shown(known.estimate), style="bold")
        table.add_row("from labels alone", _shown(known.labels_alone))
        table.add_row("from the scorer alone (biased)", _shown(known.predictions_alone))
        table.add_row("scorer's bias", f"{known.bias:+.1%}")
        table.add_row("reliance on the scorer (λ)", f"{known.reliance:.2f}")
        table.add_row("labels (effective)", f"{known.labelled} ({known.effective_labels:.1f})")
    table.add_row("records that faithfulness applies to", str(found.population))
    if found.unpredicted:
        table.add_row("… of which the scorer failed on", str(found.unpredicted))
    for reason, count in found.not_in_population.items():
        table.add_row(f"records left out: {reason}", str(count))
    for unused, count in found.unused.items():
        table.add_row(f"labelled, not counted: {unused.value}", str(count))
    return table


def _shown(interval: "Interval") -> str:
    return f"{interval.rate:.1%} [{interval.low:.1%}, {interval.high:.1%}]"
