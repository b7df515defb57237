"""``golden``: keep golden sets in order."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.markup import escape

from ragsonde.cli.console import console
from ragsonde.cli.review import opened
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.golden.diff import Merge, SetDiff, diff, merge
from ragsonde.golden.exporting import ReviewedLines, drafts, from_reviews
from ragsonde.golden.files import as_row, read_set, read_valid_set, write_set
from ragsonde.golden.importing import SetFormat, import_set
from ragsonde.golden.item import GoldenItem
from ragsonde.golden.records import read_records
from ragsonde.golden.rows import Rows, write_lines
from ragsonde.golden.staleness import Change, find_stale, read_documents

app = typer.Typer(name="golden", help="Keep golden sets: check, compare, merge, import, export.", no_args_is_help=True)

SetFile = Annotated[Path, typer.Argument(metavar="SET", help="A golden set (JSON lines).", show_default=False)]
OutFile = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where to write.", show_default=False)]


@app.command("validate")
def validate(
    files: Annotated[list[Path], typer.Argument(metavar="SET…", help="Golden sets (JSON lines).", show_default=False)],
    documents: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Also look for items whose documents have changed: a directory, or rows "
            "with id and sha256, version or text.",
        ),
    ] = None,
) -> None:
    """Check golden sets: each problem with its file, line, field and remedy. Exit code 1 when there is any."""
    troubles = 0
    for file in files:
        golden = read_set(file)
        _report_bad(golden.bad)
        stale = _report_stale(golden.items, documents) if documents is not None else 0
        troubles += len(golden.bad) + stale + (not golden.items)
        console.print(
            f"{escape(str(file))}: {_count(len(golden.items), 'valid item')}, "
            f"{_count(len(golden.bad), 'problem')}" + (f", {stale} to look at again" if documents else "")
        )
    if troubles:
        raise typer.Exit(1)


@app.command("diff")
def show_diff(
    before: SetFile,
    after: Annotated[Path, typer.Argument(metavar="SET", help="The later state.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Show what differs between two sets, item by item and field by field. Exit code 1 when anything does."""
    found = diff(read_valid_set(before).by_id(), read_valid_set(after).by_id())
    typer.echo(_diff_json(found) if as_json else _diff_text(found), nl=as_json)
    if found:
        raise typer.Exit(1)


@app.command("merge")
def merge_sets(
    ours: SetFile,
    theirs: Annotated[Path, typer.Argument(metavar="SET", help="The other edit.", show_default=False)],
    out: OutFile,
    base: Annotated[
        Path | None, typer.Option(metavar="SET", help="What both started from: lets one-sided edits through.")
    ] = None,
    conflicts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the conflicts here, one JSON line each.")
    ] = None,
) -> None:
    """Put two edits of a set together. With conflicts nothing is written but their report; exit code 1."""
    known = read_valid_set(base).by_id() if base is not None else None
    merged = merge(read_valid_set(ours).by_id(), read_valid_set(theirs).by_id(), known)
    if merged.conflicts:
        _report_conflicts(merged, conflicts)
        raise typer.Exit(1)
    console.print(f"{_count(write_set(out, merged.items), 'item')} written to {escape(str(out))}")


@app.command("import")
def import_items(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON, JSON lines or Parquet.")],
    out: OutFile,
    layout: Annotated[SetFormat, typer.Option("--format", help="What the file was made for.")] = SetFormat.COLUMNS,
    column: Annotated[
        list[str] | None, typer.Option(metavar="FIELD=COLUMN", help="The column of a field; may be given often.")
    ] = None,
    interactions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the answers and retrieved contexts here, for `ragsonde evaluate`."),
    ] = None,
) -> None:
    """Make a golden set from a data set of ragas or DeepEval, or from a table. Exit code 1 when a row is not usable."""
    imported = import_set(Rows(file), layout, _mapping(column or []))
    _report_bad(imported.bad)
    if not imported.items:
        raise ConfigError(f"no item in {file} can be used; {out} is not written")
    console.print(f"{_count(write_set(out, imported.items), 'item')} written to {escape(str(out))}")
    if interactions is not None:
        written = write_lines(interactions, imported.interactions)
        console.print(f"{_count(written, 'interaction')} written to {escape(str(interactions))}")
    if imported.bad:
        raise typer.Exit(1)


@app.command("export")
def export_items(
    out: OutFile,
    records: Annotated[
        Path | None,
        typer.Argument(
            metavar="RECORDS", help="What `ragsonde score` wrote (JSON lines).", show_default="none: with --from-review"
        ),
    ] = None,
    reviews: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Reviewed items (JSON lines). Default: unreviewed drafts.")
    ] = None,
    from_review: Annotated[
        str | None,
        typer.Option(metavar="DIR|URL", help="Take what reviewers settled from the review store.", show_default=False),
    ] = None,
    faithful_from: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Without reviews: draft answers of at least this faithfulness.")
    ] = 1.0,
) -> None:
    """Make golden items from live traffic: from reviews, or drafts to review. Exit code 1 when one is not usable."""
    if from_review is not None:
        if records is not None or reviews is not None:
            raise ConfigError("--from-review brings records and reviews along: leave RECORDS and --reviews out")
        items, bad = _reviewed(from_review), list[BadRecord]()
    elif records is None:
        raise ConfigError("name RECORDS, or the review store with --from-review")
    else:
        items, bad = _recorded(records, reviews, faithful_from)
    bad += [item for item in items if isinstance(item, BadRecord)]
    _report_bad(bad)
    written = write_set(out, [item for item in items if isinstance(item, GoldenItem)])
    console.print(f"{_count(written, 'item')} written to {escape(str(out))}")
    if bad:
        raise typer.Exit(1)


def _recorded(
    records: Path, reviews: Path | None, faithful_from: float
) -> tuple[list[GoldenItem | BadRecord], list[BadRecord]]:
    read = read_records([records])
    if reviews is None:
        return list(drafts(read.scored.values(), faithful_from=faithful_from)), list(read.bad)
    lines = ReviewedLines(reviews)
    items = list(from_reviews(lines, read.scored))
    return items, [*read.bad, *lines.bad]


def _reviewed(where: str) -> list[GoldenItem | BadRecord]:
    with opened(where) as store:
        reviews = list(store.reviewed_items())
        wanted = {review.id for review in reviews}
        scored = {one.interaction.id: one for one in store.scored() if one.interaction.id in wanted}
    if not reviews:
        raise ConfigError(
            f"--from-review {where}: no review says what is right; on the review page write the right answer or key "
            "facts, or mark the answer as right or the question as unanswerable"
        )
    return list(from_reviews(reviews, scored))


# What is printed ---------------------------------------------------------------------------------------------


def _report_bad(bad: Iterable[BadRecord]) -> None:
    for record in bad:
        console.print(f"[red]✕[/] {escape(str(record))}", soft_wrap=True)


def _report_stale(items: Iterable[GoldenItem], documents: Path) -> int:
    said = {
        Change.CHANGED: "has changed since the item was written",
        Change.GONE: "is no longer there",
        Change.UNKNOWN: "may have changed: the item notes no hash or version of it; add one to sources",
    }
    found = list(find_stale(items, read_documents(documents)))
    for stale in found:
        console.print(
            f"[yellow]![/] {escape(stale.item.id)}: document {escape(stale.document_id)} {said[stale.change]}",
            soft_wrap=True,
        )
    return len({stale.item.id for stale in found})


def _report_conflicts(merged: Merge, report: Path | None) -> None:
    for conflict in merged.conflicts:
        console.print(
            f"[red]✕[/] {escape(conflict.id)}, field {conflict.field}: ours {escape(_short(conflict.ours))}, "
            f"theirs {escape(_short(conflict.theirs))}",
            soft_wrap=True,
        )
    console.print(f"{_count(len(merged.conflicts), 'conflict')}, nothing merged: settle each in one of the sets")
    if report is not None:
        write_lines(
            report,
            (
                {"id": c.id, "field": c.field, "base": c.base, "ours": c.ours, "theirs": c.theirs}
                for c in merged.conflicts
            ),
        )


def _diff_text(found: SetDiff) -> str:
    lines = [f"+ {item.id}: {item.question}" for item in found.added]
    lines += [f"- {item.id}: {item.question}" for item in found.removed]
    for change in found.changed:
        lines.append(f"~ {change.id}")
        lines += [f"    {field.field}: {_short(field.before)} → {_short(field.after)}" for field in change.fields]
    counts = f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"
    return "\n".join([*lines, counts]) + "\n"


def _diff_json(found: SetDiff) -> str:
    value = {
        "added": [as_row(item) for item in found.added],
        "removed": [as_row(item) for item in found.removed],
        "changed": [
            {
                "id": change.id,
                "fields": [{"field": f.field, "before": f.before, "after": f.after} for f in change.fields],
            }
            for change in found.changed
        ],
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _short(value: Any) -> str:
    text = "(not set)" if value is None else orjson.dumps(value).decode()
    return text if len(text) <= 200 else f"{text[:199]}…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _mapping(given: Iterable[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for name, sign, column in pairs:
        if not (name and sign and column):
            raise ConfigError(f"--column {name}{sign}{column}: write FIELD=COLUMN, for example question=Frage")
    return {name: column for name, _, column in pairs}
