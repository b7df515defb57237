"""``check-config`` and ``print-config``."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ragsonde.cli.console import console
from ragsonde.collector.errors import ConfigError
from ragsonde.config_reference import as_commented_yaml, as_markdown
from ragsonde.scorers.catalog import JUDGE, SECOND_JUDGE, settings_of
from ragsonde.scorers.entailment.files import read_model_files
from ragsonde.scorers.judge.credentials import secret_headers
from ragsonde.scorers.judge.prices import find_embedding_price, find_price
from ragsonde.settings import Settings, load

ConfigFile = Annotated[
    Path | None, typer.Option("--config", "-c", help="YAML file with settings. Environment variables win over it.")
]


def check_config(
    config: Annotated[Path, typer.Argument(help="YAML file with settings.", show_default=False)],
) -> None:
    """Check a configuration file, without connecting to anything. Exit code 2 when it is not valid.

    What it names that is not on this machine (a token's file, a key's variable, a model) is told, and is no fault.
    """
    settings = load(config)
    transport = "Kafka" if settings.kafka is not None else "the embedded log"
    console.print(
        f"[green]✓[/] {config} is valid: reads from {transport}, serves on "
        f"{settings.server.host}:{settings.server.port}"
    )
    for missing in _not_here(settings):
        console.print(f"[yellow]![/] it would not start here: {escape(missing)}", soft_wrap=True)


def _not_here(settings: Settings) -> Iterator[str]:
    """What a start would miss, of all that the settings name outside their file."""
    scoring = settings.scoring
    checks: list[Callable[[], object]] = [settings.server.secret]
    if settings.receiver is not None:
        checks.append(settings.receiver.expected_token)
    for name, judge in ((JUDGE, scoring.judge), (SECOND_JUDGE, scoring.second_judge)):
        if judge is not None:
            needed = partial(secret_headers, judge, os.environ), partial(find_price, judge)
            checks += [settings_of(name)(check) for check in (*needed, partial(find_embedding_price, judge))]
    if scoring.entailment is not None:
        checks.append(partial(read_model_files, scoring.entailment))
    for check in checks:
        try:
            check()
        except ConfigError as error:
            yield str(error)


def print_config(
    config: ConfigFile = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the reference of all settings as Markdown instead.")
    ] = False,
) -> None:
    """Print the settings in force, each with its documentation. Secrets are masked."""
    if markdown:
        typer.echo(as_markdown(Settings), nl=False)
    else:
        typer.echo(as_commented_yaml(load(config)), nl=False)
