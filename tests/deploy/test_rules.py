"""The rule files are those that the tunables give, read only what is exported, and alert when they should."""

import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser as promql
import pytest
import yaml

from ragsonde.collector.errors import ConfigError
from ragsonde.exporters.alerting.rendering import ALERTS_FILE, RULES_FILE, render
from ragsonde.exporters.alerting.tunables import Floors, Tunables, load
from ragsonde.exporters.metrics import CATALOGUE, MetricKind
from tests.deploy.monitoring import DEPLOY, shortened, tool

PROMETHEUS = DEPLOY / "prometheus"
TESTS = sorted((PROMETHEUS / "tests").glob("*_test.yaml"))
FROM_PROMETHEUS = {"up": {"job", "instance"}}
"""What Prometheus itself makes for a target."""


def groups(name: str, tunables: Tunables | None = None) -> list[dict[str, Any]]:
    text = render(tunables)[name] if tunables is not None else (PROMETHEUS / name).read_text("utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return list(document["groups"])


def rules(name: str, tunables: Tunables | None = None) -> list[dict[str, Any]]:
    return [rule for group in groups(name, tunables) for rule in group["rules"]]


ALERTS = rules(ALERTS_FILE)


# What is committed ------------------------------------------------------------------------------------------------


def test_the_committed_tunables_are_the_defaults() -> None:
    assert load(PROMETHEUS / "tunables.yaml") == Tunables()


@pytest.mark.parametrize("name", [RULES_FILE, ALERTS_FILE])
def test_the_committed_rules_are_what_the_tunables_give(name: str) -> None:
    assert (PROMETHEUS / name).read_text("utf-8") == render(Tunables())[name], (
        "render them: python -m ragsonde.exporters.alerting --tunables deploy/prometheus/tunables.yaml "
        "--output deploy/prometheus"
    )


def test_the_command_writes_the_files_and_notices_a_difference(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ragsonde.exporters.alerting", "--output", str(tmp_path)]
    subprocess.run([*command, "--tunables", str(PROMETHEUS / "tunables.yaml")], check=True)
    assert subprocess.run([*command, "--check"], check=False).returncode == 0
    (tmp_path / ALERTS_FILE).write_text("groups: []\n", "utf-8")
    changed = subprocess.run([*command, "--check"], check=False, capture_output=True, text=True)
    assert changed.returncode == 1
    assert "alerts.yaml is out of date" in changed.stderr


# Tunables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("objectives: {hallucination: 0.1}", "objectives.hallucination"),
        ("fast: 3", "fast"),
        ("windows: [5m]", "baseline.window is 1d, which is not among windows"),
        ("objectives: {hallucination_ratio: 0.6}", "no share can reach that"),
        ("apps: {shop: {retrieval_fault_ratio: 0.5}}", "shop.retrieval_fault_ratio"),
        ("apps: {'a\"b': {}}", "apps"),
        ("- a list", "(top level)"),
        ("job: [", "not valid YAML"),
    ],
)
def test_wrong_tunables_are_refused_by_name(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "tunables.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"tunables\.yaml") as refused:
        load(path)
    assert named in str(refused.value)


def test_a_missing_file_of_tunables_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        load(tmp_path / "none.yaml")


def test_an_application_of_its_own_objectives_is_kept_from_the_default() -> None:
    tunables = Tunables.model_validate(
        {
            "objectives": {"floors": {"citation_presence": 0.5}},
            "apps": {
                "shop.eu": {"hallucination_ratio": 0.02},
                "chat": {"floors": {"citation_presence": None}},
            },
        }
    )
    found = [rule for rule in rules(RULES_FILE, tunables) if rule["record"].endswith((":objective", ":floor"))]
    own = [rule for rule in found if rule.get("labels", {}).get("app")]
    assert [(rule["record"], rule["expr"], rule["labels"]) for rule in own] == [
        ("app:ragsonde_hallucination:objective", "vector(0.02)", {"app": "shop.eu"})
    ]
    defaults = {
        (rule["record"], rule.get("labels", {}).get("metric")): rule["expr"] for rule in found if rule not in own
    }
    assert 'app!~"shop[.]eu"' in defaults["app:ragsonde_hallucination:objective", None]
    assert "app!~" not in defaults["app:ragsonde_retrieval_fault:objective", None]
    assert 'app!~"chat"' in defaults["app_metric:ragsonde_score:floor", "citation_presence"]


def test_rules_of_other_tunables_are_valid_too(tmp_path: Path) -> None:
    tunables = Tunables.model_validate(
        {
            "job": "rag/sidecar",
            "windows": ["10m", "2h", "1d", "7d"],
            "fast": {"windows": ["10m", "2h"], "short_window": "10m", "factor": 3, "rise_factor": 4, "min_size": 50,
                     "hold": "1m", "keep": "5m"},
            "slow": {"windows": ["1d"], "short_window": "2h", "factor": 1, "rise_factor": 2, "min_size": 50,
                     "hold": "1h", "keep": "1h"},
            "daily": {"windows": ["7d"], "short_window": "1d", "factor": 1, "rise_factor": 2, "min_size": 50,
                      "hold": "1h", "keep": "1h"},
            "baseline": {"window": "7d"},
            "apps": {"shop": {"floors": {"answer_relevance": 0.4}}},
        }
    )  # fmt: skip
    for name, text in render(tunables).items():
        (tmp_path / name).write_text(text, "utf-8")
        subprocess.run([tool("promtool"), "check", "rules", str(tmp_path / name)], check=True, capture_output=True)


# What the rules read ----------------------------------------------------------------------------------------------


def nodes(node: Any) -> Iterator[Any]:
    """Yield an expression and every part of it."""
    yield node
    for name in ("lhs", "rhs", "expr", "vector_selector", "param"):
        part = getattr(node, name, None)
        if part is not None and isinstance(part, promql.Expr):
            yield from nodes(part)
    for part in getattr(node, "args", None) or ():
        yield from nodes(part)


@functools.cache
def exported() -> dict[str, set[str]]:
    """Every series that a target exports, with its labels."""
    found = dict(FROM_PROMETHEUS)
    for metric in CATALOGUE:
        labels = {*metric.labels, "job", "instance"}
        if metric.kind is MetricKind.HISTOGRAM:
            found |= {f"{metric.name}_bucket": {*labels, "le"}, f"{metric.name}_sum": labels}
            found[f"{metric.name}_count"] = labels
        else:
            found[metric.name] = labels
    return found


@functools.cache
def recorded() -> dict[str, set[str]]:
    """Every recorded series, with its labels as far as its name tells: `app_metric:` stands for app and metric."""
    found: dict[str, set[str]] = {}
    floors = dict.fromkeys(Floors.model_fields, 0.5)
    for rule in rules(RULES_FILE, Tunables.model_validate({"objectives": {"floors": floors}})):
        level = rule["record"].split(":")[0]
        found[rule["record"]] = {*level.split("_"), "scorer", *rule.get("labels", {})}
    return found


EVERYTHING = [(rule.get("record") or rule["alert"], rule["expr"]) for rule in (*rules(RULES_FILE), *ALERTS)]


@pytest.mark.parametrize(
    ("name", "expression"), EVERYTHING, ids=[f"{i}-{name}" for i, (name, _) in enumerate(EVERYTHING)]
)
def test_a_rule_reads_only_what_is_there_by_labels_that_it_has(name: str, expression: str) -> None:
    known = exported() | recorded()
    for node in nodes(promql.parse(expression)):
        if isinstance(node, promql.VectorSelector):
            assert node.name in known, f"{name} reads {node.name}"
            assert {matcher.name for matcher in node.matchers.matchers} <= known[node.name], (
                f"{name}: {node.prettify()}"
            )
        if isinstance(node, promql.AggregateExpr) and node.modifier is not None:
            below = [part.name for part in nodes(node.expr) if isinstance(part, promql.VectorSelector)]
            for selected in below:
                assert set(node.modifier.labels) <= known[selected], f"{name}: {node.prettify()}"


def test_every_quality_score_keeps_its_scorer_apart() -> None:
    for rule in rules(RULES_FILE):
        for node in nodes(promql.parse(rule["expr"])):
            if isinstance(node, promql.AggregateExpr) and str(node.op) == "sum":
                read = {part.name for part in nodes(node.expr) if isinstance(part, promql.VectorSelector)}
                if any("scorer" in exported()[name] for name in read):
                    assert "scorer" in node.modifier.labels, rule["record"]


# What every alert says --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_whom_and_where_to_read_on(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["labels"]["component"] in {"quality", "judge", "pipeline"}
    assert "for" in rule
    assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}
    assert "$value" in rule["annotations"]["description"] or rule["alert"] == "RagsondeInstanceDown"
    assert rule["annotations"]["runbook_url"].endswith(f"/{rule['alert']}.md")


@pytest.mark.parametrize("rule", [rule for rule in ALERTS if rule["labels"]["component"] == "quality"],
                         ids=lambda rule: rule["alert"])  # fmt: skip
def test_a_quality_alert_can_be_routed_by_application(rule: dict[str, Any]) -> None:
    assert "$labels.app" in rule["annotations"]["summary"]


def test_names_of_alerts_are_distinct() -> None:
    names = [rule["alert"] for rule in ALERTS]
    assert len(set(names)) == len(names)


# promtool and amtool ----------------------------------------------------------------------------------------------


def checked(*command: str) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", [RULES_FILE, ALERTS_FILE])
def test_promtool_accepts_the_rules(name: str) -> None:
    checked(tool("promtool"), "check", "rules", "--lint-fatal", str(PROMETHEUS / name))


def test_promtool_accepts_the_configuration() -> None:
    checked(tool("promtool"), "check", "config", str(PROMETHEUS / "prometheus.yaml"))


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_only_then(path: Path) -> None:
    checked(tool("promtool"), "test", "rules", str(path))


@pytest.mark.parametrize("alert", [rule["alert"] for rule in ALERTS])
def test_every_alert_has_a_case_that_fires_and_one_that_does_not(alert: str) -> None:
    cases = [
        case
        for path in TESTS
        for test in yaml.safe_load(path.read_text("utf-8"))["tests"]
        for case in test.get("alert_rule_test", [])
        if case["alertname"] == alert
    ]
    assert any(case["exp_alerts"] for case in cases)
    assert any(not case["exp_alerts"] for case in cases)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_cases_evaluate_the_groups_in_their_order(path: Path) -> None:
    names = [group["name"] for name in (RULES_FILE, ALERTS_FILE) for group in groups(name)]
    assert yaml.safe_load(path.read_text("utf-8"))["group_eval_order"] == names


@pytest.mark.parametrize(
    ("labels", "receiver"),
    [(("severity=critical", "app=shop"), "on-call"), (("severity=warning", "app=shop"), "team")],
)
def test_alertmanager_routes_by_severity(labels: tuple[str, ...], receiver: str) -> None:
    config = str(DEPLOY / "alertmanager" / "alertmanager.yaml")
    checked(tool("amtool"), "check-config", config)
    assert checked(tool("amtool"), "config", "routes", "test", f"--config.file={config}", *labels).strip() == receiver


# The shortened time of the end-to-end test ------------------------------------------------------------------------


def test_shortening_changes_durations_and_nothing_else(tmp_path: Path) -> None:
    text = (PROMETHEUS / ALERTS_FILE).read_text("utf-8")
    assert yaml.safe_load(shortened(text, 1.0)) != yaml.safe_load(text)  # 1h is written as 3600000ms
    short = yaml.safe_load(shortened(text, 120.0))["groups"][0]["rules"]
    spike = next(rule for rule in short if rule["alert"] == "RagsondeHallucinationSpike")
    assert (spike["for"], spike["keep_firing_for"]) == ("1000ms", "5000ms")
    assert "ragsonde_hallucination:lower1h >" in spike["expr"]
    jump = next(rule for rule in short if rule["alert"] == "RagsondeHallucinationJump")
    assert "offset 30000ms" in jump["expr"]
    (tmp_path / "alerts.yaml").write_text(shortened(text, 120.0), "utf-8")
    checked(tool("promtool"), "check", "rules", str(tmp_path / "alerts.yaml"))
