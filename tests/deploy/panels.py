"""Every panel of the dashboards against a real Prometheus that scrapes a real sidecar in a bad week.

``python -m tests.deploy.panels`` writes how many series each query gave to ``deploy/grafana/PANELS.md``.
"""

import json
import logging
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka import KafkaProducer

from deploy.grafana.build import FOLDER
from ragsonde.collector.embedded_log import EmbeddedLogConfig, EmbeddedPublisher
from ragsonde.collector.source import DEFAULT_TRACES_TOPIC
from ragsonde.exporters.alerting.rendering import RULES_FILE, render
from ragsonde.exporters.alerting.tunables import Floors, Tunables
from ragsonde.review.config import ReviewConfig
from ragsonde.review.store import open_store
from ragsonde.testing.judge_process import running_judge_server
from ragsonde.testing.judge_script import Fault, FaultRule, Script
from tests.app.sidecars import running, wait_for
from tests.deploy.prometheus_server import PrometheusServer, prometheus_server
from tests.deploy.stress import KNOWN_ID, LATE_SECONDS, MAX_TRACE_BYTES, MAX_TRACES, QUIET_SECONDS, bad_week

RECORD = FOLDER.parent / "PANELS.md"
_CLOSED_PORT = "http://127.0.0.1:9"
_READY = (
    "app:ragsonde_hallucination:upper5m >= 0",
    'sum(ragsonde_judge_calls_total{status="over_budget"}) > 0',
    "sum(ragsonde_rescored_total) > 0",
    "sum(ragsonde_redelivered_total) > 0",
    'sum(ragsonde_dropped_total{reason="retries_exhausted"}) > 0',
    "sum(ragsonde_dead_letters_total) > 0",
    "ragsonde_hallucination_rate_estimate >= 0",
)
"""What comes last in a bad week: from then on everything is there to be shown."""


@dataclass(frozen=True, slots=True)
class PanelQuery:
    """One query of a panel."""

    dashboard: str
    panel: str
    reference: str
    expression: str
    legend: str

    @property
    def where(self) -> str:
        """Where it stands, in words."""
        return f"{self.dashboard}: {self.panel} {self.reference}"

    @property
    def filled_in(self) -> str:
        """The expression as Grafana sends it, with all variables at "all"."""
        expression = self.expression
        for name, value in {"${window}": "5m", "$__rate_interval": "1m"}.items():
            expression = expression.replace(name, value)
        for name in ("$app", "$scorer", "$metric", "$instance"):
            expression = expression.replace(name, ".+")
        return expression


def dashboards() -> dict[str, dict[str, Any]]:
    """Return the committed dashboards by name."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def panel_queries() -> list[PanelQuery]:
    """Return every query there is."""
    return [
        PanelQuery(name, panel["title"], target["refId"], target["expr"], target["legendFormat"])
        for name, dashboard in dashboards().items()
        for panel in dashboard["panels"]
        for target in panel.get("targets", ())
    ]


@contextmanager
def watched_sidecar(
    folder: Path, kafka: dict[str, Any] | None = None, *, ready: Sequence[str] | None = None
) -> Iterator[PrometheusServer]:
    """Run a sidecar in a bad week, scraped by Prometheus; yield that when everything has happened.

    Args:
        folder: an empty directory.
        kafka: settings of a sidecar that reads from Kafka; None for the embedded log.
        ready: queries that have to show data first; None for all that comes late.
    """
    with ExitStack() as stack:
        judges = [stack.enter_context(running_judge_server(Script(faults=faults))).base_url for faults in _FAULTS]
        data_dir = folder / "data"
        sidecar = stack.enter_context(running(data_dir, **_settings(folder, judges, kafka)))
        publish = stack.enter_context(_into_kafka(kafka) if kafka else _into_the_embedded_log(data_dir))
        target = sidecar.url.removeprefix("http://")
        prometheus = stack.enter_context(prometheus_server(folder, target, _rules_with_floors(folder)))
        store = stack.enter_context(closing(open_store(ReviewConfig.model_validate(_REVIEW), data_dir)))
        stack.enter_context(bad_week(sidecar.url, publish, store))
        for query in _READY if ready is None else ready:
            wait_for(lambda query=query: prometheus.query(query), query, seconds=180)
        yield prometheus


_REVIEW = {"enabled": True, "rate_every_seconds": 1, "selection": {"random_share": 1.0}}
"""In a file even on Kafka: there is one replica. Everything is drawn for review."""
_FAULTS = (
    (FaultRule(fault=Fault.LENGTH, first=4),),
    (FaultRule(fault=Fault.STATUS, status=401, first=3),),
)
"""The first judge's replies are cut at first; the second one's key is refused a few times, which opens its
breaker long enough for a call to find it open."""


def _settings(folder: Path, judges: list[str], kafka: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "scoring": _judged_by(*judges),
        "assembly": {
            "quiet_seconds": QUIET_SECONDS,
            "late_window_seconds": LATE_SECONDS,
            "max_traces": MAX_TRACES,
            "max_trace_bytes": MAX_TRACE_BYTES,
        },
        "review": _REVIEW,
        "resolver": {
            "type": "sql",
            "url": f"sqlite:///{_passages(folder)}",
            "query": "SELECT body FROM passages WHERE id = :id",
        },
        "exporters": {
            "otlp_events": {"endpoint": _CLOSED_PORT},
            "fanout": {"best_effort_attempts": 1, "backoff_initial_seconds": 0.1},
        },
    } | (kafka or {})


def _judged_by(first: str, second: str) -> dict[str, Any]:
    """Two judges look at everything, until the first one's budget is spent."""
    price = {"input_per_million": 1.0, "output_per_million": 2.0}
    return {
        "judge": {"model": "judge-1", "base_url": first, "price": price, "budget": {"calls": 60}},
        "judge_sampling": {"probability": 1.0},
        "second_judge": {"model": "judge-2", "base_url": second, "price": price, "breaker": {"cooldown_seconds": 1}},
        "second_judge_probability": 1.0,
    }


def _passages(folder: Path) -> Path:
    path = folder / "passages.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE passages (id text PRIMARY KEY, body text NOT NULL)")
        database.execute("INSERT INTO passages VALUES (?, 'It is so.')", (KNOWN_ID,))
    database.close()
    return path


def _rules_with_floors(folder: Path) -> Path:
    """The recording rules with a floor for every score that can have one: by default there is none."""
    floors = dict.fromkeys(Floors.model_fields, 0.5)
    rendered = render(Tunables.model_validate({"objectives": {"floors": floors}}))
    path = folder / "with-floors.yaml"
    path.write_text(rendered[RULES_FILE], "utf-8")
    return path


@contextmanager
def _into_the_embedded_log(data_dir: Path) -> Iterator[Callable[[bytes], None]]:
    log = EmbeddedPublisher(EmbeddedLogConfig(), data_dir)
    try:
        yield lambda value: log.publish(DEFAULT_TRACES_TOPIC, value)
    finally:
        log.close()


@contextmanager
def _into_kafka(settings: dict[str, Any]) -> Iterator[Callable[[bytes], None]]:
    producer = KafkaProducer(bootstrap_servers=settings["kafka"]["connection"]["bootstrap_servers"])
    (topic,) = settings["topics"]["traces"]
    try:
        yield lambda value: producer.send(topic, value).get(timeout=30)
    finally:
        producer.close()


# The record -------------------------------------------------------------------------------------------------------

_HEAD = """# Panels and their data

Written by `python -m tests.deploy.panels`: how many series each query gave on a real Prometheus that scrapes a sidecar
(embedded log, two judges, a reviewer, users in seven languages, and whatever can go wrong).
`tests/deploy/test_grafana.py` holds every one of them to giving some, and those about the source on Kafka as well.

| dashboard | panel | query | series |
| --- | --- | --- | ---: |
"""


def record(prometheus: PrometheusServer) -> str:
    """Return the record as Markdown."""
    rows = [
        f"| {query.dashboard} | {query.panel} | {query.reference} | {len(prometheus.query(query.filled_in))} |"
        for query in panel_queries()
    ]
    return _HEAD + "\n".join(rows) + "\n"


def main() -> None:
    """Run the stand, and write the record."""
    logging.disable(logging.WARNING)  # that an exporter cannot deliver is meant to be
    with tempfile.TemporaryDirectory(prefix="ragsonde-panels-") as folder, watched_sidecar(Path(folder)) as prometheus:
        time.sleep(5)  # a few more scrapes: rates need two
        RECORD.write_text(record(prometheus), "utf-8")


if __name__ == "__main__":
    main()
