"""``calibrate``: a scorer against people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ragsonde.cli.console import console
from ragsonde.cli.review import ReviewOption, opened
from ragsonde.collector.errors import ConfigError

if TYPE_CHECKING:
    from ragsonde.calibration.agreement import Figure
    from ragsonde.calibration.labels import Labels
    from ragsonde.calibration.mapping import CalibrationMap
    from ragsonde.calibration.report import CalibrationReport, LevelReport
    from ragsonde.calibration.self_preference import SelfPreference
    from ragsonde.golden.records import Records as ReadRecords

Records = Annotated[
    list[Path] | None,
    typer.Argument(metavar="RECORDS…", help="What `ragsonde score` wrote (JSON lines).", show_default=False),
]
LabelsFile = Annotated[
    Path | None,
    typer.Option("--labels", "-l", metavar="LABELS", help="Verdicts of people (JSON lines).", show_default=False),
]
ScorerName = Annotated[
    str | None,
    typer.Option("--scorer", metavar="NAME", help="Source of scores: local, judge, … Default: the best known of each."),
]


def calibrate(
    records: Records = None,
    labels: LabelsFile = None,
    review: ReviewOption = None,
    scorer: ScorerName = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Write calibration.json and a diagram here.")
    ] = None,
    maps: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Fit a map from score to probability and keep it here, by scorer version."),
    ] = None,
    earlier: Annotated[
        Path | None,
        typer.Option(metavar="REPORT", help="calibration.json of an earlier time: says what has changed since."),
    ] = None,
    judge_model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="The judge's model: says whether it is kinder to answers of its own family."
        ),
    ] = None,
) -> None:
    """Measure how far a scorer agrees with people: by claim and by answer, the fault being an unsupported claim.

    Records and labels come from files, or both from the review store. Exit code 1 when a label could not be read.
    """
    from ragsonde.calibration.report import earlier_circumstances  # noqa: PLC0415 - numerical libraries load slowly
    from ragsonde.calibration.reporting import calibration_report  # noqa: PLC0415 - as above

    before = earlier_circumstances(earlier) if earlier is not None else None
    read, given = read_labelled(records, labels, review)
    for bad in (*read.bad, *given.bad):
        console.print(f"[red]✕[/] {escape(str(bad))}", soft_wrap=True)
    report = calibration_report(
        read.scored, given.labels, scorer, before=before, judge_model=judge_model, fit=maps is not None
    )
    output = Console()
    for level in report.levels:
        output.print(_table(level))
        for reason, count in level.cases.left_out.items():
            output.print(f"{count} labels left out: {reason.value}")
    if judge_model is not None:
        output.print(_preference(report.self_preference))
    for warning in report.warnings:
        console.print(f"[yellow]![/] {escape(warning)}", soft_wrap=True)
    if out is not None:
        _write(report, out)
    if maps is not None and report.fitted is not None:
        _keep(report.fitted, maps)
    if read.bad or given.bad:
        raise typer.Exit(1)


def read_labelled(records: list[Path] | None, labels: Path | None, review: str | None) -> "tuple[ReadRecords, Labels]":
    """Read records and labels: from files, or both from the review store.

    Raises:
        ConfigError: both ways are named, or neither; or nothing is labelled there.
    """
    from ragsonde.calibration.labels import Labels, read_labels  # noqa: PLC0415 - numerical libraries load slowly
    from ragsonde.golden.records import Records as Read  # noqa: PLC0415 - as above
    from ragsonde.golden.records import read_records  # noqa: PLC0415 - as above

    if review is None:
        if not records or labels is None:
            raise ConfigError("name RECORDS and --labels, or the review store with --review")
        return read_records(records), read_labels(labels)
    if records or labels is not None:
        raise ConfigError("--review brings records and labels along: leave RECORDS and --labels out")
    with opened(review) as store:
        found = list(store.labels())
        labelled = {label.id for label in found}
        scored = {one.interaction.id: one for one in store.scored() if one.interaction.id in labelled}
    if not found:
        raise ConfigError(f"--review {review}: nobody has reviewed anything yet; open /review on the sidecar's port")
    return Read(scored), Labels(found)


def _table(level: "LevelReport") -> Table:
    found = level.agreement
    counts = found.confusion
    plural = f"{level.cases.level.value}s"
    weighted = "weighted to all traffic" if level.cases.weighted else "of the labelled cases as they are"
    table = Table("", "", title=f"{found.cases} {plural}, {found.faults} faults; {weighted}", show_header=False)
    table.title_justify = "left"
    table.add_row("both see a fault / scorer only", f"{counts.both} / {counts.scorer_only}")
    table.add_row("people only / neither", f"{counts.people_only} / {counts.neither}")
    for name, figure in (
        ("precision", found.precision),
        ("recall", found.recall),
        ("F1", found.f1),
        ("Cohen's kappa", found.kappa),
        ("bias (scorer - people)", found.bias),
    ):
        table.add_row(name, _shown(figure))
    table.add_row("Krippendorff's alpha, with people", _number(found.alpha))
    table.add_row("Krippendorff's alpha, among people", _number(found.alpha_of_people))
    table.add_row("Spearman", _number(found.spearman))
    if level.reliability is not None:
        table.add_row("calibration error (ECE)", f"{level.reliability.ece:.3f}")
        table.add_row("Brier score", f"{level.reliability.brier:.3f}")
        limit = level.reliability.threshold
        if limit is not None:
            span = "" if limit.low is None else f" [{limit.low:.2f}, {limit.high:.2f}]"
            table.add_row("suggested threshold", f"{limit.value:.2f}{span}, F1 {limit.f1:.2f}")
    if level.mapped is not None:
        table.add_row("after the map, on the same cases", f"ECE {level.mapped.ece:.3f}, Brier {level.mapped.brier:.3f}")
    return table


def _shown(figure: "Figure | None") -> str:
    if figure is None:
        return "not defined"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _preference(found: "SelfPreference | None") -> str:
    if found is None:
        return "self-preference: not known (too few labelled answers of either side, or models that are not known)"
    interval = f"[{found.low:+.3f}, {found.high:+.3f}]"
    groups = f"{found.family} answers ({found.own}) than to others ({found.others})"
    return f"kinder to {groups} by {found.shift:+.3f} {interval}"


def _number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.3f}"


def _write(report: "CalibrationReport", out: Path) -> None:
    from ragsonde.calibration.report import to_json, to_svg  # noqa: PLC0415 - numerical libraries load slowly

    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "calibration.json").write_bytes(to_json(report))
        for level in report.levels:
            if level.reliability is not None:
                name = level.cases.level.value
                drawn = to_svg(level.reliability, f"Reliability by {name}", level.mapped)
                (out / f"reliability.{name}.svg").write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write to {out}: {error.strerror}") from error
    console.print(f"written: {escape(str(out))}")


def _keep(fitted: "CalibrationMap", maps: Path) -> None:
    from ragsonde.calibration.mapping import save_map  # noqa: PLC0415 - numerical libraries load slowly

    console.print(
        f"{fitted.method.value} map from {fitted.cases} answers kept: {escape(str(save_map(maps, fitted)))}",
        soft_wrap=True,
    )
