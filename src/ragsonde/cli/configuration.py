"""``check-config`` and ``print-config``."""

from pathlib import Path
from typing import Annotated

import typer

from ragsonde.cli.console import console
from ragsonde.config_reference import as_commented_yaml, as_markdown
from ragsonde.settings import Settings, load

ConfigFile = Annotated[
    Path | None, typer.Option("--config", "-c", help="YAML file with settings. Environment variables win over it.")
]


def check_config(
    config: Annotated[Path, typer.Argument(help="YAML file with settings.", show_default=False)],
) -> None:
    """Check a configuration file, without connecting to anything. Exit code 2 when it is not valid."""
    settings = load(config)
    transport = "Kafka" if settings.kafka is not None else "the embedded log"
    console.print(
        f"[green]✓[/] {config} is valid: reads from {transport}, serves on "
        f"{settings.server.host}:{settings.server.port}"
    )


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
