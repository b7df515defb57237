"""``python -m bench COMMAND``: run from the root of the repository."""

import typer

from bench.accuracy.command import accuracy

app = typer.Typer(help="Measurements that are too long or need too much data for the tests.", add_completion=False)
app.command()(accuracy)


@app.callback(invoke_without_command=True)
def list_commands(context: typer.Context) -> None:
    """Measurements that are too long, or need too much data, for the test suite."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


if __name__ == "__main__":
    app(prog_name="python -m bench")
