"""The parts of the stand: a judge that can be broken and mended, a whole sidecar, and traffic that knows its ids.

Judge and sidecar are processes of their own and talk over loopback; the traffic is the demonstration's.
"""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import yaml
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ragsonde.demo.traffic import run_traffic
from ragsonde.testing import judge_script
from ragsonde.testing.judge_process import JudgeServer, running_judge_server
from ragsonde.testing.judge_script import FaultRule, Script

_START_SECONDS = 180.0
_STOP_SECONDS = 180.0


class Fault(StrEnum):
    """How the judge is out."""

    DOWN = "down"
    """Its process is killed: connections are refused."""
    HANG = "hang"
    """It takes requests and never answers."""
    REFUSE = "refuse"
    """It answers every request with 401."""
    OVERLOAD = "overload"
    """It answers every request with 429 and asks to wait five seconds."""


_RULES = {
    Fault.HANG: FaultRule(fault=judge_script.Fault.HANG),
    Fault.REFUSE: FaultRule(fault=judge_script.Fault.STATUS, status=401, code="invalid_api_key"),
    Fault.OVERLOAD: FaultRule(fault=judge_script.Fault.STATUS, status=429, code="rate_limited", retry_after="5"),
}


class BreakableJudge(AbstractContextManager["BreakableJudge"]):
    """A judge server that keeps its address while it is out."""

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._stack = ExitStack()
        self._server: JudgeServer | None = None

    def __enter__(self) -> Self:
        self._server = self._stack.enter_context(running_judge_server())
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    @property
    def server(self) -> JudgeServer:
        """The server, running or not.

        Raises:
            RuntimeError: it has never been started.
        """
        if self._server is None:
            raise RuntimeError("the judge is not started: use it as a context manager")
        return self._server

    def break_off(self) -> None:
        """Begin the outage."""
        if self._fault is Fault.DOWN:
            self._stack.close()
        else:
            self.server.control(Script(faults=(_RULES[self._fault],)))

    def mend(self) -> None:
        """End the outage: what comes from now on is answered."""
        if self._fault is Fault.DOWN:
            port = urlsplit(self.server.url).port or 0
            self._server = self._stack.enter_context(running_judge_server(port=port))
        else:
            self.server.control(Script())


def settings(folder: Path, judge: JudgeServer) -> dict[str, Any]:
    """The sidecar's settings: every interaction goes to the judge, none is answered from its cache, and each ends up
    in a file that offsets wait for. All else has its default.
    """
    return {
        "data_dir": str(folder / "data"),
        "server": {"port": 0},
        "scoring": {
            "judge": {"model": "judge-1", "base_url": judge.base_url, "cache": {"max_entries": 0}},
            "judge_sampling": {"probability": 1.0},
        },
        "exporters": {"jsonl": {"path": str(scores_file(folder)), "required": True}},
    }


def scores_file(folder: Path) -> Path:
    """Where the sidecar writes what it has scored."""
    return folder / "scores.jsonl"


@contextmanager
def running_sidecar(folder: Path, judge: JudgeServer) -> Iterator[str]:
    """Run the sidecar; give its URL. On leaving, it is asked to stop, and finishes what it holds.

    Raises:
        RuntimeError: it did not start, or did not end by itself; the message holds the end of its log.
    """
    config, log = folder / "ragsonde.yaml", folder / "ragsonde.log"
    config.write_text(yaml.safe_dump(settings(folder, judge)), "utf-8")
    command = [sys.executable, "-m", "ragsonde", "run", "--config", str(config)]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=os.environ | {"COLUMNS": "200"}
        )
        try:
            yield _url(process, log)
            process.send_signal(signal.SIGTERM)
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"the sidecar did not stop within {_STOP_SECONDS:g} s: {_end_of(log)}") from None
        finally:
            process.kill()
            process.wait()


def _url(process: subprocess.Popen[bytes], log: Path) -> str:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"page\s+(http://\S+?)/?\s", log.read_text("utf-8"))
        if found:
            return found.group(1)
        time.sleep(0.2)
    raise RuntimeError(f"the sidecar did not start within {_START_SECONDS:g} s: {_end_of(log)}")


def _end_of(log: Path) -> str:
    return log.read_text("utf-8", errors="replace")[-2000:]


class CountingExporter(SpanExporter):
    """Sends spans to the sidecar and notes which traces it took, and when."""

    def __init__(self, url: str) -> None:
        self._exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces")
        self.accepted: dict[str, float] = {}
        """Trace id to the monotonic time of its first accepted span."""
        self.refused = 0
        """Spans that the sidecar did not take."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send a batch."""
        result = self._exporter.export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.refused += len(spans)
            return result
        now = time.monotonic()
        for span in spans:
            if span.context is not None:
                self.accepted.setdefault(f"{span.context.trace_id:032x}", now)
        return result

    def shutdown(self) -> None:
        """Close the connection."""
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Nothing waits here."""
        return self._exporter.force_flush(timeout_millis)


@contextmanager
def traffic(exporter: CountingExporter, interactions_per_second: float, seed: int) -> Iterator[None]:
    """Have users ask in seven languages until the block is left; then everything they asked has been sent."""
    stop = threading.Event()
    thread = threading.Thread(
        target=run_traffic,
        args=(exporter,),
        kwargs={
            "stop": stop,
            "on_progress": lambda _: None,
            "seed": seed,
            "interactions_per_second": interactions_per_second,
        },
        name="traffic",
    )
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
