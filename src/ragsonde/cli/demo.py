"""``demo``: the sidecar, and a small RAG application whose answers go bad for a while."""

import tempfile
import threading
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from rich.live import Live
from rich.text import Text

from ragsonde.app import Sidecar
from ragsonde.cli.console import console, log_to_console
from ragsonde.cli.serve import DataDirOption, HostOption, PortOption, announce, overrides, stop_on_signals
from ragsonde.demo import Phase, Progress, run_traffic
from ragsonde.settings import load

_IN_A_HURRY = {
    "assembly": {"quiet_seconds": 2.0},  # all spans of the demonstration come at once
    "review": {"selection": {"random_share": 0.1}, "rate_every_seconds": 15.0},
}
"""What differs from production, so that there is something to see after a minute."""


def demo(
    host: HostOption = None,
    port: PortOption = None,
    data_dir: DataDirOption = None,
    rate: Annotated[float, typer.Option("--rate", min=0.1, max=50.0, help="Questions per second.")] = 3.0,
    spike_after: Annotated[float, typer.Option("--spike-after", min=0.0, help="Seconds until answers go bad.")] = 30.0,
    spike_seconds: Annotated[
        float, typer.Option("--spike-seconds", min=0.0, help="Seconds that they stay bad.")
    ] = 60.0,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.0, help="End after so long; 0 goes on until Ctrl-C.")
    ] = 0,
    seed: Annotated[
        int, typer.Option("--seed", help="Decides which questions are asked and which answers go bad.")
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = False,
) -> None:
    """Show a hallucination spike live: `up`, plus a small real RAG application with users in seven languages."""
    log_to_console()
    with ExitStack() as stack:
        directory = data_dir or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ragsonde-demo-")))
        settings = load(None, overrides(host, port, directory) | _IN_A_HURRY)
        console.print("making the local models ready (a few seconds the first time) …")
        stop = stack.enter_context(stop_on_signals())
        sidecar = Sidecar(settings)
        stack.callback(sidecar.stop)
        url = sidecar.start()
        announce(settings, url)
        if browser:
            webbrowser.open(url)
        console.print(
            f"\n[bold]Open {url}/[/] and watch: answers go bad after {spike_after:g} s, for {spike_seconds:g} s. "
            "Ctrl-C ends it.\n"
        )
        if seconds:
            timer = threading.Timer(seconds, stop.set)
            timer.daemon = True
            timer.start()
            stack.callback(timer.cancel)
        live = stack.enter_context(Live(console=console, refresh_per_second=4, transient=False))
        run_traffic(
            OTLPSpanExporter(endpoint=f"{url}/v1/traces"),
            stop=stop,
            on_progress=lambda progress: live.update(_line(progress)),
            seed=seed,
            interactions_per_second=rate,
            spike_after_seconds=spike_after,
            spike_seconds=spike_seconds,
        )


def _line(progress: Progress) -> Text:
    is_spike = progress.phase is Phase.SPIKE
    return Text.assemble(
        (f"{progress.elapsed_seconds:6.0f} s  ", "dim"),
        ("answers are bad now" if is_spike else "answers are fine   ", "bold red" if is_spike else "green"),
        f"  asked {progress.sent}, of which {progress.hallucinated} were made to hallucinate  ",
        (progress.last.question[:60], "dim"),
    )
