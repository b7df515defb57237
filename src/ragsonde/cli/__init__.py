"""The command line: one module for each command, put together here."""

import typer

from ragsonde import __version__
from ragsonde.cli import calibrate, configuration, demo, evaluate, golden, judge_check, rate, review, score, serve

app = typer.Typer(
    name="ragsonde",
    help="Watch a live RAG application: read its OpenTelemetry spans, score its answers, export Prometheus metrics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_show_version, is_eager=True, help="Print the version."),
) -> None:
    """Watch a live RAG application."""


app.command("up")(serve.up)
app.command("run")(serve.run)
app.command("demo")(demo.demo)
app.command("score")(score.score)
app.command("evaluate")(evaluate.evaluate)
app.add_typer(golden.app)
app.add_typer(review.app)
app.command("calibrate")(calibrate.calibrate)
app.command("rate")(rate.rate)
app.command("judge-check")(judge_check.judge_check)
app.command("check-config")(configuration.check_config)
app.command("print-config")(configuration.print_config)
