"""``up`` and ``run``: the sidecar as a process."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ragsonde.app import Sidecar
from ragsonde.cli.configuration import ConfigFile
from ragsonde.cli.console import console, log_to_console
from ragsonde.garbage import collect_less_often
from ragsonde.settings import Settings, load

HostOption = Annotated[
    str | None,
    typer.Option("--host", help="Address to bind; anything but loopback needs a token in the configuration."),
]
PortOption = Annotated[int | None, typer.Option("--port", min=0, max=65535, help="TCP port; 0 picks a free one.")]
DataDirOption = Annotated[
    Path | None, typer.Option("--data-dir", help="Directory for the embedded log and other files.")
]


def up(
    host: HostOption = None, port: PortOption = None, data_dir: DataDirOption = None, config: ConfigFile = None
) -> None:
    """Run everything in one process: receiver, embedded log, scorers, metrics, pages. No other service, no key."""
    settings = load(config, overrides(host, port, data_dir) | {"kafka": None})
    serve(settings)


def run(
    config: Annotated[Path, typer.Option("--config", "-c", help="YAML file with settings.", show_default=False)],
    host: HostOption = None,
    port: PortOption = None,
) -> None:
    """Run in production, as the configuration says."""
    serve(load(config, overrides(host, port, None)))


def overrides(host: str | None, port: int | None, data_dir: Path | None) -> dict[str, Any]:
    """Return the settings that the command line gives, as nested values."""
    server = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    values: dict[str, Any] = {"server": server} if server else {}
    if data_dir is not None:
        values["data_dir"] = data_dir
    return values


def serve(settings: Settings) -> None:
    """Run until the loop ends or SIGINT or SIGTERM comes; a second signal ends the process at once."""
    log_to_console()
    collect_less_often()
    with stop_on_signals() as stop:
        sidecar = Sidecar(settings)
        try:
            announce(settings, sidecar.start())
            while not stop.is_set() and not sidecar.wait(0.2):
                pass
            console.print("stopping: letting open traces finish, committing")
        finally:
            sidecar.stop()


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Give an event that SIGINT and SIGTERM set; a second signal interrupts at once."""
    stop = threading.Event()

    def on_signal(number: int, frame: object) -> None:  # noqa: ARG001 - the signature of a signal handler
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    previous = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def announce(settings: Settings, url: str) -> None:
    """Say where everything is."""
    console.print(f"[bold]ragsonde[/] is up\n  page     {url}/\n  metrics  {url}/metrics\n  health   {url}/healthz")
    if settings.receiver is not None:
        console.print(
            f"  OTLP     {url}  (OTEL_EXPORTER_OTLP_ENDPOINT={url} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf)",
            soft_wrap=True,  # to be copied in one piece
        )
