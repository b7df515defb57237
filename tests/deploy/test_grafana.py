"""The dashboards are what the code says, use only what is exported, and show data from a real Prometheus."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from deploy.grafana.build import DASHBOARDS, FOLDER, to_json
from ragsonde.exporters.metrics import CATALOGUE, MetricKind
from tests.app.sidecars import wait_for
from tests.app.test_kafka import Topics
from tests.deploy.panels import RECORD, PanelQuery, dashboards, panel_queries, watched_sidecar
from tests.deploy.prometheus_server import PrometheusServer

DEPLOY = Path(__file__).parent.parent.parent / "deploy"
RULES = DEPLOY / "prometheus" / "rules.yaml"
QUERIES = panel_queries()

_COLLECTED = {MetricKind.HISTOGRAM: ("_bucket", "_count", "_sum")}


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


@pytest.mark.parametrize("name", DASHBOARDS)
def test_the_committed_json_is_what_the_code_builds(name: str) -> None:
    committed = (FOLDER / f"{name}.json").read_text("utf-8")
    assert committed == to_json(DASHBOARDS[name]()), "run `python -m deploy.grafana`"


def test_no_other_dashboard_lies_beside_them() -> None:
    assert set(dashboards()) == set(DASHBOARDS)


def test_dashboards_use_only_what_is_exported_or_recorded() -> None:
    known = exported_names() | recorded_names() | {"app_metric:ragsonde_score:floor"}
    unknown = {
        (query.where, name)
        for query in QUERIES
        for name in names_in(query.expression)
        if name not in known and not name.startswith("process_")
    }
    assert not unknown


def test_every_exported_metric_is_on_a_dashboard_or_in_a_rule() -> None:
    rules = "\n".join(path.read_text("utf-8") for path in (DEPLOY / "prometheus").glob("*.yaml"))
    shown = set(re.findall(r"ragsonde_\w+", rules + "\n" + "\n".join(query.expression for query in QUERIES)))
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
    """A sidecar under traffic and trouble, with two judges and a reviewer, scraped by Prometheus."""
    with watched_sidecar(tmp_path_factory.mktemp("grafana")) as prometheus:
        yield prometheus


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.where)
def test_every_query_shows_data(watched: PrometheusServer, query: PanelQuery) -> None:
    asked = query.filled_in
    result = wait_for(lambda: watched.query(asked), f"data for {query.where}: {asked}", seconds=15)
    labels = set(re.findall(r"\{\{(\w+)\}\}", query.legend))
    assert all(labels <= set(series["metric"]) for series in result)


@pytest.mark.kafka
def test_what_is_read_from_kafka_shows_data_too(kafka: str, tmp_path: Path) -> None:
    settings = Topics(kafka).settings()
    del settings["exporters"]
    queries = [query.filled_in for query in QUERIES if re.search(r"ragsonde_(source|record|commit)", query.expression)]
    assert len(queries) >= 5
    with watched_sidecar(tmp_path, settings, ready=queries) as prometheus:
        lag = prometheus.query("sum by (topic, partition) (ragsonde_source_lag_records)")
        assert {series["metric"]["topic"] for series in lag} == {
            *settings["topics"]["traces"],
            *settings["topics"]["logs"],
        }


HAPPENED = {
    "undecodable records are set aside": "sum(ragsonde_dead_letters_total)",
    "an exporter that cannot deliver loses": 'sum(ragsonde_dropped_total{reason="retries_exhausted"})',
    "traces are handed on early": "sum(ragsonde_evicted_traces_total)",
    "spans come late": "sum(ragsonde_late_interactions_total)",
    "interactions are scored anew": "sum(ragsonde_rescored_total)",
    "interactions come again": "sum(ragsonde_redelivered_total)",
    "passages are found by id": 'sum(ragsonde_document_lookups_total{result="found"})',
    "passages are missed": 'sum(ragsonde_document_lookups_total{result="missing"})',
    "citations are made up": 'sum(ragsonde_citations_total{kind="fabricated"})',
    "claims are contradicted": 'sum(ragsonde_claims_total{verdict="contradicted"})',
    "answers refuse": "sum(ragsonde_refusals_total)",
    "two judges look at one answer": "sum(ragsonde_judge_pairs_total)",
    "replies are rejected": "sum(ragsonde_judge_rejected_replies_total)",
    "a breaker opens": 'sum(ragsonde_judge_calls_total{status="breaker_open"})',
    "people label answers": "sum(ragsonde_review_labelled_interactions)",
    "a budget is spent": "sum(ragsonde_judge_budget_refusals_total)",
}


@pytest.mark.parametrize("what", HAPPENED)
def test_what_the_panels_are_there_for_has_happened(watched: PrometheusServer, what: str) -> None:
    wait_for(lambda: watched.query(f"{HAPPENED[what]} > 0"), what, seconds=30)


def test_languages_are_told_apart(watched: PrometheusServer) -> None:
    wait_for(lambda: len(watched.query("sum by (language) (ragsonde_hallucination_weights_total)")) >= 5, "languages")


def test_the_record_holds_every_query_and_that_it_gave_series() -> None:
    rows = re.findall(r"^\| (\w+) \| (.+) \| (\w) \| (\d+) \|$", RECORD.read_text("utf-8"), re.MULTILINE)
    known = [(query.dashboard, query.panel, query.reference) for query in QUERIES]
    assert [row[:3] for row in rows] == known, "run `python -m tests.deploy.panels`"
    assert all(int(row[3]) > 0 for row in rows)


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
