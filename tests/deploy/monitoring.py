"""Real Prometheus, Alertmanager and Ragsonde as child processes on loopback, and a webhook that takes notifications."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

import httpx
import promql_parser
import pytest
import yaml

DEPLOY = Path(__file__).parents[2] / "deploy"
T = TypeVar("T")


def tool(*names: str) -> str:
    """Return the path of a program, under any of its names; skip the test where there is none, fail it in CI."""
    for name in names:
        found = shutil.which(name)
        if found is not None:
            return found
    message = f"{names[0]} is not installed: run tests/install_servers.sh"
    if os.environ.get("CI") == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message)


def eventually(look: Callable[[], T | None], seconds: float, what: str) -> T:
    """Poll until ``look`` returns something true; fail once the time is up."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() >= deadline:
            pytest.fail(f"not within {seconds:g} s: {what}")
        time.sleep(0.2)


# Shortened time ---------------------------------------------------------------------------------------------------


def shortened(rules: str, factor: float) -> str:
    """Return a rule file in which every duration is ``factor`` times shorter: windows, offsets, intervals, holds.

    Names of recorded series keep their window (``rate1h``), and thresholds and sizes stay: only time runs faster.
    """
    document = yaml.safe_load(rules)
    for group in document["groups"]:
        if "interval" in group:
            group["interval"] = _divided(group["interval"], factor)
        for rule in group["rules"]:
            rule["expr"] = re.sub(
                r"(?<=\[)\d+[smhdw](?=\])|(?<=offset )\d+[smhdw]",
                lambda match: _divided(match.group(), factor),
                rule["expr"],
            )
            for field in {"for", "keep_firing_for"} & rule.keys():
                rule[field] = _divided(rule[field], factor)
            for name, text in rule.get("annotations", {}).items():
                rule["annotations"][name] = re.sub(
                    r"(?<=offset )\d+[smhdw]", lambda match: _divided(match.group(), factor), text
                )
    return yaml.safe_dump(document, sort_keys=False, width=1_000_000)


def _divided(duration: str, factor: float) -> str:
    length: timedelta = promql_parser.parse_duration(duration) if duration[0] != "0" else timedelta()
    return f"{round(length.total_seconds() * 1000 / factor)}ms"


# Processes --------------------------------------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(command: list[str], log: Path, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program; end it by its own process id when the block is left."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=env)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def answers(url: str) -> Callable[[], bool]:
    def look() -> bool:
        try:
            return httpx.get(url, timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    return look


@contextmanager
def ragsonde(folder: Path, **settings: str) -> Iterator[str]:
    """Run ``ragsonde up``; give its base URL. ``settings`` are environment variables without their prefix."""
    environment = os.environ | {f"RAGSONDE__{name}": value for name, value in settings.items()}
    log = folder / "ragsonde.log"
    command = [sys.executable, "-m", "ragsonde", "up", "--port", "0", "--data-dir", str(folder / "data")]
    with running(command, log, environment) as process:

        def url() -> str | None:
            assert process.poll() is None, log.read_text("utf-8")
            found = re.search(r"page\s+(http://\S+?)/?\s", log.read_text("utf-8"))
            return found.group(1) if found else None

        yield eventually(url, 120, "ragsonde up says where it is")


@contextmanager
def alertmanager(folder: Path, webhook: str, factor: float) -> Iterator[str]:
    """Run Alertmanager with the deployed configuration, its receivers turned to ``webhook`` and its waits shortened."""
    program = tool("prometheus-alertmanager", "alertmanager")
    text = (DEPLOY / "alertmanager" / "alertmanager.yaml").read_text("utf-8")
    text = text.replace("http://127.0.0.1:9099", webhook)
    text = re.sub(r"(?<=(?:wait|rval): )\d+[smh]", lambda match: _divided(match.group(), factor), text)
    config = folder / "alertmanager.yaml"
    config.write_text(text, "utf-8")
    port = free_port()
    command = [
        program,
        f"--config.file={config}",
        f"--storage.path={folder / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=",
    ]
    with running(command, folder / "alertmanager.log"):
        eventually(answers(f"http://127.0.0.1:{port}/-/ready"), 60, "Alertmanager is ready")
        yield f"127.0.0.1:{port}"


@contextmanager
def prometheus(folder: Path, target: str, alerts_to: str, factor: float) -> Iterator["Prometheus"]:
    """Run Prometheus with the deployed configuration and rules, time running ``factor`` times faster."""
    program = tool("prometheus")
    for name in ("rules.yaml", "alerts.yaml"):
        text = (DEPLOY / "prometheus" / name).read_text("utf-8")
        (folder / name).write_text(shortened(text, factor), "utf-8")
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yaml").read_text("utf-8"))
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "500ms"}
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    config["alerting"]["alertmanagers"][0]["static_configs"] = [{"targets": [alerts_to]}]
    (folder / "prometheus.yaml").write_text(yaml.safe_dump(config), "utf-8")
    port = free_port()
    command = [
        program,
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--rules.alert.resend-delay=1s",
    ]
    with running(command, folder / "prometheus.log"):
        eventually(answers(f"http://127.0.0.1:{port}/-/ready"), 60, "Prometheus is ready")
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", timeout=10) as client:
            yield Prometheus(client)


class Prometheus:
    """Asks a running Prometheus."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def value(self, query: str) -> float | None:
        """Return the value of a query that gives one series; None where it gives none."""
        result = self._get("/query", query=query)["result"]
        return float(result[0]["value"][1]) if result else None

    def alerts(self) -> list[dict[str, str]]:
        """Return the labels of every alert that fires at the moment, or waits to."""
        return [alert["labels"] for alert in self._get("/alerts")["alerts"]]

    def _get(self, path: str, **parameters: str) -> Any:
        response = self._client.get(path, params=parameters)
        response.raise_for_status()
        return response.json()["data"]


class Webhook:
    """Takes Alertmanager's notifications over HTTP."""

    def __init__(self) -> None:
        self._received: list[tuple[str, dict[str, Any]]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook._received.append((self.path, json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that it has above
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> "Webhook":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def alerts(self, path: str) -> list[dict[str, Any]]:
        """Return every alert in the notifications to a path, in the order they came."""
        return [alert for to, payload in list(self._received) if to == path for alert in payload["alerts"]]
