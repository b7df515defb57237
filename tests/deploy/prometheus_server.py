"""A real Prometheus as a child process, scraping what a test runs."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml


class PrometheusServer:
    """A running Prometheus, from outside."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the result of an instant query; fail with Prometheus' own words where it does not parse."""
        return list(self.get("query", query=expression)["result"])

    def get(self, path: str, **parameters: Any) -> Any:
        response = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=30)
        answer = response.json()
        assert answer["status"] == "success", f"{parameters}: {answer.get('error')}"
        return answer["data"]


@contextmanager
def running_prometheus(folder: Path, target: str, rules: Path) -> Iterator[PrometheusServer]:
    """Run Prometheus on ``host:port`` of a target, every second, with the rules of a file evaluated as often."""
    if shutil.which("prometheus") is None:
        reason = "no prometheus to test with: run tests/install_servers.sh as root"
        if os.environ.get("CI") == "true":
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)
    port = _free_port()
    config = _configuration(folder, target, rules)
    command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage", "--log.level=error"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        server = PrometheusServer(f"http://127.0.0.1:{port}")
        _wait_until_ready(process, server.url, folder / "prometheus.log")
        yield server
    finally:
        process.terminate()
        process.wait(timeout=30)


def _configuration(folder: Path, target: str, rules: Path) -> Path:
    groups = yaml.safe_load(rules.read_text("utf-8"))
    for group in groups["groups"]:
        group["interval"] = "1s"
    (folder / "rules.yaml").write_text(yaml.safe_dump(groups), "utf-8")
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [{"job_name": "ragsonde", "static_configs": [{"targets": [target]}]}],
    }
    path = folder / "prometheus.yaml"
    path.write_text(yaml.safe_dump(config), "utf-8")
    return path


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def _wait_until_ready(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(f"{url}/-/ready").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"Prometheus did not become ready:\n{log.read_text('utf-8', 'replace')}")
