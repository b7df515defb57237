"""A real Prometheus that scrapes one target every second and evaluates the recording rules as often."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.deploy.monitoring import answers, eventually, free_port, running, tool


class PrometheusServer:
    """A running Prometheus, from outside."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the result of an instant query; fail with Prometheus' own words where it does not parse."""
        return list(self.get("query", query=expression)["result"])

    def get(self, path: str, **parameters: Any) -> Any:
        answer = httpx.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=30).json()
        assert answer["status"] == "success", f"{parameters}: {answer.get('error')}"
        return answer["data"]


@contextmanager
def prometheus_server(folder: Path, target: str, rules: Path) -> Iterator[PrometheusServer]:
    """Run Prometheus on ``host:port`` of a target."""
    port = free_port()
    command = [
        tool("prometheus"),
        f"--config.file={_configuration(folder, target, rules)}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--enable-feature=exemplar-storage",
    ]
    url = f"http://127.0.0.1:{port}"
    with running(command, folder / "prometheus.log"):
        eventually(answers(f"{url}/-/ready"), 60, "Prometheus is ready")
        yield PrometheusServer(url)


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
