"""The dashboards are what the code says, use only what is exported, and show data from a real Prometheus."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

from deploy.grafana.build import DASHBOARDS, FOLDER, to_json
from ragsonde.demo import run_traffic
from ragsonde.exporters.metrics import CATALOGUE, MetricKind
from ragsonde.testing.judge_process import running_judge_server
from ragsonde.testing.judge_script import Fault, FaultRule, Script
from tests.app.sidecars import RunningSidecar, running, wait_for
from tests.deploy.prometheus_server import PrometheusServer, prometheus_server

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yaml"

WITHOUT_DATA = {
    "quality: $metric D": "no floor is set by default",
    "quality: Scored anew and redelivered A": "no span of the demonstration comes late",
    "quality: Scored anew and redelivered B": "nothing was restarted",
    "sidecar: Late A": "no span of the demonstration comes late",
    "sidecar: Passages looked up A": "the demonstration's spans carry their texts",
    "sidecar: Circuit breaker A": "it shows from its first change on",
}
"""Which queries may be empty here, and why."""

_COLLECTED = {MetricKind.HISTOGRAM: ("_bucket", "_count", "_sum")}


def dashboards() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def queries() -> list[tuple[str, str, str]]:
    """Every query there is: where it stands, its expression, its legend."""
    found = []
    for name, dashboard in dashboards().items():
        for panel in dashboard["panels"]:
            for target in panel.get("targets", ()):
                where = f"{name}: {panel['title']} {target['refId']}"
                found.append((where, target["expr"], target["legendFormat"]))
    return found


def names_in(expression: str) -> set[str]:
    """Every metric and recording rule that an expression names, windows taken off."""
    bare = re.sub(r"\{[^{}]*\}", "", expression.replace("${window}", "").replace("$window", ""))
    return set(re.findall(r"(?:\w+:)?(?:ragsonde|process)_\w+(?::\w+)?", bare))


def exported_names() -> set[str]:
    return {
        metric.name + suffix for metric in CATALOGUE for suffix in _COLLECTED.get(metric.kind, ("",))
    }  # fmt: skip


def recorded_names() -> set[str]:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    return {re.sub(r"\d+[smhd]$", "", rule["record"]) for group in groups for rule in group["rules"]}


def filled_in(expression: str) -> str:
    """Do what Grafana does with variables."""
    for name, value in {"${window}": "5m", "$__rate_interval": "1m", "$app": ".+", "$scorer": ".+"}.items():
        expression = expression.replace(name, value)
    return expression.replace("$metric", ".+").replace("$instance", ".+")


@pytest.mark.parametrize("name", DASHBOARDS)
def test_the_committed_json_is_what_the_code_builds(name: str) -> None:
    committed = (FOLDER / f"{name}.json").read_text("utf-8")
    assert committed == to_json(DASHBOARDS[name]()), "run `python -m deploy.grafana`"


def test_no_other_dashboard_lies_beside_them() -> None:
    assert set(dashboards()) == set(DASHBOARDS)


def test_dashboards_use_only_what_is_exported_or_recorded() -> None:
    known = exported_names() | recorded_names() | {"app_metric:ragsonde_score:floor"}
    unknown = {
        (where, name)
        for where, expression, _ in queries()
        for name in names_in(expression)
        if name not in known and not name.startswith("process_")
    }
    assert not unknown


def test_every_exported_metric_is_on_a_dashboard_or_in_a_rule() -> None:
    rules = "\n".join(path.read_text("utf-8") for path in (DEPLOY / "prometheus").glob("*.yaml"))
    shown = set(re.findall(r"ragsonde_\w+", rules + "\n" + "\n".join(expression for _, expression, _ in queries())))
    unused = {
        metric.name
        for metric in CATALOGUE
        if not any(metric.name + suffix in shown for suffix in _COLLECTED.get(metric.kind, ("",)))
    }
    assert not unused


def test_each_panel_says_what_it_shows_and_has_its_own_place() -> None:
    for dashboard in dashboards().values():
        panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
        assert all(panel["description"] for panel in panels)
        places = [tuple(sorted(panel["gridPos"].items())) for panel in dashboard["panels"]]
        assert len(set(places)) == len(places)
        assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_provisioning_points_at_the_dashboards_and_at_prometheus() -> None:
    provisioning = DEPLOY / "grafana" / "provisioning"
    (source,) = yaml.safe_load((provisioning / "datasources" / "prometheus.yaml").read_text("utf-8"))["datasources"]
    assert source["type"] == "prometheus"
    (exemplars,) = source["jsonData"]["exemplarTraceIdDestinations"]
    assert exemplars["name"] == "trace_id", "the label that our exemplars carry"
    (provider,) = yaml.safe_load((provisioning / "dashboards" / "ragsonde.yaml").read_text("utf-8"))["providers"]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    mounts = [mount.split(":") for mount in compose["services"]["grafana"]["volumes"] if mount.startswith("./")]
    assert (DEPLOY / {inside: outside for outside, inside, *_ in mounts}[provider["options"]["path"]]) == FOLDER


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusServer]:
    """A sidecar under the demonstration's traffic, with a judge, scraped by Prometheus."""
    folder = tmp_path_factory.mktemp("grafana")
    script = Script(faults=(FaultRule(fault=Fault.LENGTH, first=4),))
    with ExitStack() as stack:
        judges = stack.enter_context(running_judge_server(script))
        sidecar = stack.enter_context(running(folder / "data", scoring=judged_by(judges.base_url)))
        target = sidecar.url.removeprefix("http://")
        prometheus = stack.enter_context(prometheus_server(folder, target, RULES))
        stop = threading.Event()
        users = threading.Thread(target=ask, args=(sidecar, stop))
        users.start()
        stack.callback(users.join)
        stack.callback(stop.set)
        upper = "app:ragsonde_hallucination:upper5m"
        wait_for(lambda: prometheus.query(f"{upper} >= 0"), upper)
        yield prometheus


def judged_by(base_url: str) -> dict[str, Any]:
    """Two judges look at everything, until the first one's budget is spent."""
    price = {"input_per_million": 1.0, "output_per_million": 2.0}
    first = {"model": "judge-1", "base_url": base_url, "price": price, "budget": {"calls": 60}}
    return {
        "judge": first,
        "judge_sampling": {"probability": 1.0},
        "second_judge": {"model": "judge-2", "base_url": base_url, "price": price},
        "second_judge_probability": 1.0,
    }


def ask(sidecar: RunningSidecar, stop: threading.Event) -> None:
    run_traffic(
        OTLPSpanExporter(endpoint=f"{sidecar.url}/v1/traces"),
        stop=stop,
        on_progress=lambda _: None,
        interactions_per_second=8,
        spike_after_seconds=2,
        spike_seconds=600,
    )


@pytest.mark.parametrize(("where", "expression", "legend"), queries(), ids=[where for where, _, _ in queries()])
def test_every_query_shows_data(watched: PrometheusServer, where: str, expression: str, legend: str) -> None:
    query = filled_in(expression)
    if where in WITHOUT_DATA:
        watched.query(query)  # it parses
        return
    result = wait_for(lambda: watched.query(query), f"data for {where}: {query}", seconds=15)
    labels = set(re.findall(r"\{\{(\w+)\}\}", legend))
    assert all(labels <= set(series["metric"]) for series in result)


def test_the_variables_have_values(watched: PrometheusServer) -> None:
    for dashboard in dashboards().values():
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()  # type: ignore[union-attr]
                assert watched.get(f"label/{label}/values", **{"match[]": metric}), variable["name"]


def test_exemplars_lead_to_traces(watched: PrometheusServer) -> None:
    found = wait_for(
        lambda: watched.get("query_exemplars", query="ragsonde_score_ratio_bucket", start=0, end=4e9), "exemplars"
    )
    labels = {key for series in found for exemplar in series["exemplars"] for key in exemplar["labels"]}
    assert labels == {"trace_id"}
