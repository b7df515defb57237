"""``review``: what people have said, read straight from the review store; and how other commands name that store."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import orjson
import typer

from ragsonde.collector.errors import ConfigError
from ragsonde.review.config import FILE_NAME, ReviewConfig

if TYPE_CHECKING:
    from ragsonde.review.store import ReviewStore

app = typer.Typer(name="review", help="Take labels and records out of the review store.", no_args_is_help=True)

_HELP = (
    "The review store: a sidecar's data directory, or the address of a database (a password may stand in PGPASSWORD)."
)
ReviewOption = Annotated[str | None, typer.Option("--review", metavar="DIR|URL", help=_HELP, show_default=False)]
Store = Annotated[str, typer.Argument(metavar="DIR|URL", help=_HELP, show_default=False)]


@app.command("labels")
def labels(store: Store) -> None:
    """Print all verdicts of reviewers as JSON lines, as `ragsonde calibrate` and `ragsonde rate` take them."""
    with opened(store) as found:
        for label in found.labels():
            _print(orjson.dumps(label.model_dump(mode="json", exclude_none=True)))


@app.command("records")
def records(store: Store) -> None:
    """Print the score records of all interactions in the queue as JSON lines."""
    from ragsonde.exporters.record import to_json_line  # noqa: PLC0415 - only here

    with opened(store) as found:
        for scored in found.scored():
            _print(to_json_line(scored).rstrip(b"\n"))


@contextmanager
def opened(where: str) -> Iterator["ReviewStore"]:
    """Open the store of a data directory, of an SQLite file, or at an address.

    Raises:
        ConfigError: there is no store, or its address cannot work.
        RetryableError: the database does not answer.
    """
    from ragsonde.review.store import open_store  # noqa: PLC0415 - numerical libraries load slowly

    store = open_store(ReviewConfig.model_validate({"database_url": _address(where)}), Path())
    try:
        store.database.prepare()
        yield store
    finally:
        store.close()


def _address(where: str) -> str:
    if "://" in where:
        return where
    path = Path(where)
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        raise ConfigError(
            f"{where}: there is no review store; name the data directory of a sidecar that has run with review on, "
            "or the address of its database (review.database_url)"
        )
    return f"sqlite:///{file.resolve()}"


def _print(line: bytes) -> None:
    typer.echo(line.decode())
