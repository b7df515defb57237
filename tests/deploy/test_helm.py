"""The chart lints, renders valid Kubernetes resources in both modes, and refuses values that cannot work.

Helm's own packages lint and render it; Kubernetes' OpenAPI schemas and the types of the Prometheus operator and of KEDA
judge it.
"""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from ragsonde.settings import load
from tests.deploy.go_tools import built

DEPLOY = Path(__file__).parents[2] / "deploy"
CHART = DEPLOY / "helm" / "ragsonde"
KUBERNETES = ("1.29", "1.34")
"""The oldest version that the chart takes, and a recent one."""

KAFKA = {"config": {"kafka": {"connection": {"bootstrap_servers": ["kafka-0:9092", "kafka-1:9092"]}}}}
CASES: dict[str, dict[str, Any]] = {
    "defaults": KAFKA,
    "hpa": KAFKA | {"autoscaling": {"type": "hpa"}},
    "keda": KAFKA
    | {"autoscaling": {"type": "keda", "keda": {"authenticationRef": "kafka", "metadata": {"tls": "enable"}}}},
    "everything": KAFKA
    | {
        "image": {"repository": "example/ragsonde", "digest": "sha256:" + "0" * 64},
        "imagePullSecrets": [{"name": "pull"}],
        "review": {"existingSecret": "review-database"},
        "secretFiles": [{"name": "kafka", "secretName": "kafka-password"}],
        "env": [{"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "judge", "key": "api-key"}}}],
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "ai", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}},
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        "podAnnotations": {"note": "yes"},
        "podLabels": {"team": "search"},
        "networkPolicy": {"egress": [{"ports": [{"port": 9092, "protocol": "TCP"}]}]},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "prometheusRule": {"enabled": True},
    },
    "bare": KAFKA
    | {
        "serviceAccount": {"create": False},
        "podDisruptionBudget": {"enabled": False},
        "networkPolicy": {"enabled": False},
    },
    "sidecar": {"mode": "sidecar", "serviceMonitor": {"enabled": True}, "prometheusRule": {"enabled": True}},
}

APPLICATION = {
    "Chart.yaml": {
        "apiVersion": "v2",
        "name": "assistant",
        "version": "1.0.0",
        "icon": "file://icon.png",
        "dependencies": [{"name": "ragsonde", "version": "0.1.0", "repository": "file://charts/ragsonde"}],
    },
    "values.yaml": {"ragsonde": {"mode": "sidecar"}},
}
POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: assistant}
spec:
  selector: {matchLabels: {app: assistant}}
  template:
    metadata:
      labels:
        app: assistant
        {{- include "ragsonde.sidecar.labels" . | nindent 8 }}
    spec:
      initContainers:
        - {{- include "ragsonde.sidecar.container" . | nindent 10 }}
      containers:
        - name: assistant
          image: assistant:1
      volumes:
        {{- include "ragsonde.sidecar.volumes" . | nindent 8 }}
"""


def chart(folder: Path, values: Mapping[str, Any]) -> "subprocess.CompletedProcess[str]":
    program = built("chart")
    return subprocess.run(
        [program, folder], input=json.dumps(values), capture_output=True, text=True, check=False, timeout=60
    )


def rendered(values: Mapping[str, Any], folder: Path = CHART) -> dict[str, dict[str, Any]]:
    """Every resource by its kind; there is one of each."""
    done = chart(folder, values)
    assert done.returncode == 0, done.stderr
    texts = [text for text in re.split(r"(?m)^---$", done.stdout) if "NOTES.txt" not in text.partition("\n\n")[0]]
    resources = [resource for text in texts if (resource := yaml.safe_load(text))]
    assert len({resource["kind"] for resource in resources}) == len(resources)
    return {resource["kind"]: resource for resource in resources}


@pytest.mark.parametrize("version", KUBERNETES)
@pytest.mark.parametrize("case", CASES)
def test_every_case_renders_resources_that_kubernetes_takes(case: str, version: str) -> None:
    for resource in rendered(CASES[case]).values():
        if not resource["apiVersion"].startswith(("monitoring.coreos.com", "keda.sh")):
            kubernetes_validate.validate(resource, version, strict=True)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "set config.kafka.connection.bootstrap_servers"),
        (KAFKA | {"mode": "daemonset"}, "mode"),
        (KAFKA | {"replicaCount": 3}, "replicaCount"),
        (KAFKA | {"auth": {"existingSecret": "", "key": "token"}}, "existingSecret"),
        (KAFKA | {"autoscaling": {"type": "vpa"}}, "type"),
        (
            KAFKA | {"autoscaling": {"type": "keda", "minReplicas": 7}},
            "autoscaling.minReplicas is above autoscaling.maxReplicas",
        ),
        (KAFKA | {"autoscaling": {"type": "hpa", "maxReplicas": 1}}, "autoscaling.minReplicas is above"),
        (KAFKA | {"image": {"repository": "x", "digest": "latest"}}, "digest"),
        (KAFKA | {"secretFiles": [{"name": "ragsonde", "secretName": "x"}]}, "secretFiles"),
        (KAFKA | {"secretFiles": [{"name": "review", "secretName": "x"}]}, "secretFiles"),
    ],
)
def test_values_that_cannot_work_are_refused_by_name(values: dict[str, Any], words: str) -> None:
    done = chart(CHART, values)
    assert done.returncode != 0
    assert words in done.stderr


def container(resources: Mapping[str, Any]) -> dict[str, Any]:
    (one,) = resources["Deployment"]["spec"]["template"]["spec"]["containers"]
    return dict(one)


def test_the_pod_is_restricted_and_probed() -> None:
    resources = rendered(KAFKA)
    pod, one = resources["Deployment"]["spec"]["template"]["spec"], container(resources)
    assert pod["automountServiceAccountToken"] is False
    security = one["securityContext"]
    assert security["readOnlyRootFilesystem"] is True
    assert security["runAsNonRoot"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    paths = {name: one[name]["httpGet"]["path"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    assert paths == {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    assert pod["terminationGracePeriodSeconds"] > load().pipeline.drain_seconds
    assert {"requests", "limits"} <= set(one["resources"])


def test_everything_that_is_mounted_is_a_volume_and_no_secret_is_a_value() -> None:
    resources = rendered(CASES["everything"])
    volumes = {volume["name"] for volume in resources["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    assert {mount["name"] for mount in container(resources)["volumeMounts"]} == volumes
    assert "Secret" not in resources


@pytest.mark.parametrize("case", ["defaults", "sidecar"])
def test_the_configuration_is_one_that_the_sidecar_takes(case: str, tmp_path: Path) -> None:
    path = tmp_path / "ragsonde.yaml"
    path.write_text(rendered(CASES[case])["ConfigMap"]["data"]["ragsonde.yaml"], "utf-8")
    settings = load(path)
    assert settings.server.port == 4318
    assert str(settings.server.token_file) == "/run/secrets/ragsonde/token"
    assert (settings.kafka is None) == (case == "sidecar")


def test_the_review_database_is_named_by_its_secret(tmp_path: Path) -> None:
    resources = rendered(CASES["everything"])
    path = tmp_path / "ragsonde.yaml"
    path.write_text(resources["ConfigMap"]["data"]["ragsonde.yaml"], "utf-8")
    file = load(path).review.database_url_file
    assert file is not None
    volumes = {volume["name"]: volume for volume in resources["Deployment"]["spec"]["template"]["spec"]["volumes"]}
    (mount,) = [mount for mount in container(resources)["volumeMounts"] if mount["mountPath"] == str(file.parent)]
    secret = volumes[mount["name"]]["secret"]
    assert (secret["secretName"], secret["items"][0]["path"]) == ("review-database", file.name)
    assert "review" not in yaml.safe_load(rendered(KAFKA)["ConfigMap"]["data"]["ragsonde.yaml"])


def test_a_changed_configuration_starts_new_pods() -> None:
    def checksum(values: Mapping[str, Any]) -> str:
        annotations = rendered(values)["Deployment"]["spec"]["template"]["metadata"]["annotations"]
        return str(annotations["checksum/config"])

    other = {"config": KAFKA["config"] | {"group_id": "other"}}
    assert checksum(KAFKA) == checksum(KAFKA | {"replicas": 5})
    assert checksum(KAFKA) != checksum(other)


def test_keda_follows_the_lag_of_the_group_that_is_configured() -> None:
    values = CASES["keda"] | {"config": KAFKA["config"] | {"group_id": "scorers"}}
    (trigger,) = rendered(values)["ScaledObject"]["spec"]["triggers"]
    assert trigger["metadata"]["consumerGroup"] == "scorers"
    assert trigger["metadata"]["bootstrapServers"] == "kafka-0:9092,kafka-1:9092"
    assert trigger["authenticationRef"] == {"name": "kafka"}
    assert all(isinstance(value, str) for value in trigger["metadata"].values())


def test_an_autoscaler_alone_decides_the_number_of_replicas() -> None:
    assert rendered(KAFKA)["Deployment"]["spec"]["replicas"] == 2
    assert "replicas" not in rendered(CASES["hpa"])["Deployment"]["spec"]
    assert "replicas" not in rendered(CASES["keda"])["Deployment"]["spec"]


def test_the_monitor_reaches_the_port_with_the_token_under_the_job_of_the_alerts() -> None:
    resources = rendered(CASES["everything"])
    (endpoint,) = resources["ServiceMonitor"]["spec"]["endpoints"]
    assert endpoint["port"] in {port["name"] for port in resources["Service"]["spec"]["ports"]}
    assert endpoint["authorization"]["credentials"] == {"name": "ragsonde-token", "key": "token"}
    assert {"targetLabel": "job", "replacement": "ragsonde"} in endpoint["relabelings"]
    selector = resources["ServiceMonitor"]["spec"]["selector"]["matchLabels"]
    assert selector.items() <= resources["Service"]["metadata"]["labels"].items()


def test_the_rules_are_those_of_the_repository() -> None:
    groups = rendered(CASES["everything"])["PrometheusRule"]["spec"]["groups"]
    files = [DEPLOY / "prometheus" / name for name in ("rules.yaml", "alerts.yaml")]
    assert groups == [group for path in files for group in yaml.safe_load(path.read_text("utf-8"))["groups"]]


def test_another_chart_takes_the_sidecar_into_its_pods(tmp_path: Path) -> None:
    for name, content in APPLICATION.items():
        (tmp_path / name).write_text(yaml.safe_dump(content), "utf-8")
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "deployment.yaml").write_text(POD, "utf-8")
    shutil.copytree(CHART, tmp_path / "charts" / "ragsonde")
    resources = rendered({}, tmp_path)
    kubernetes_validate.validate(resources["Deployment"], KUBERNETES[-1], strict=True)
    template = resources["Deployment"]["spec"]["template"]
    (sidecar,) = template["spec"]["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    volumes = {volume["name"] for volume in template["spec"]["volumes"]}
    assert {mount["name"] for mount in sidecar["volumeMounts"]} == volumes
    (configured,) = [v for v in template["spec"]["volumes"] if v["name"] == "ragsonde-config"]
    assert configured["configMap"]["name"] == resources["ConfigMap"]["metadata"]["name"]
    monitor = rendered({"ragsonde": {"mode": "sidecar", "serviceMonitor": {"enabled": True}}}, tmp_path)["PodMonitor"]
    assert monitor["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()
