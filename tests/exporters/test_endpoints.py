import gzip

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_text
from starlette.applications import Starlette
from starlette.testclient import TestClient

from ragsonde.collector.clock import Deadline
from ragsonde.exporters.endpoints import health_endpoints, metrics_endpoint
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.prometheus import PrometheusExporter
from tests.exporters.scored import scored

PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,"
    "text/plain;version=0.0.4;q=0.3,*/*;q=0.2"
)
"""What Prometheus 3 sends unless told otherwise."""
PROMETHEUS_3_TEXT_FIRST = (
    "text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,*/*;q=0.2"
)
"""With ``scrape_protocols`` turned round."""
PROMETHEUS_2 = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)


@pytest.fixture
def client() -> TestClient:
    instruments = Instruments()
    exporter = PrometheusExporter(instruments, LabelPolicy(LabelsConfig()))
    exporter.export([scored(trace_id="4bf92f3577b34da6a3ce929d0e0e4736")], Deadline(1))
    return TestClient(Starlette(routes=[metrics_endpoint(instruments)]))


@pytest.mark.parametrize("accept", [PROMETHEUS_2, PROMETHEUS_3, "application/openmetrics-text"])
def test_prometheus_gets_openmetrics_with_exemplars(client: TestClient, accept: str) -> None:
    response = client.get("/metrics", headers={"Accept": accept})
    assert response.headers["content-type"].startswith("application/openmetrics-text; version=1.0.0; charset=utf-8")
    assert response.text.endswith("# EOF\n")
    families = list(parse_openmetrics(response.text))
    assert any(sample.exemplar for family in families for sample in family.samples)


@pytest.mark.parametrize("accept", ["", "*/*", "text/plain", "text/html,application/xhtml+xml", "text/plain;q=abc"])
def test_everyone_else_gets_text(client: TestClient, accept: str) -> None:
    response = client.get("/metrics", headers={"Accept": accept})
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4; charset=utf-8")
    assert "# EOF" not in response.text
    assert any(family.name == "ragsonde_interactions" for family in parse_text(response.text))


@pytest.mark.parametrize("accept", [PROMETHEUS_3_TEXT_FIRST, "application/openmetrics-text;q=0, text/plain"])
def test_the_weights_of_the_accept_header_decide(client: TestClient, accept: str) -> None:
    assert client.get("/metrics", headers={"Accept": accept}).headers["content-type"].startswith("text/plain")


def test_a_scrape_is_compressed_when_asked_for(client: TestClient) -> None:
    with client.stream("GET", "/metrics", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["content-encoding"] == "gzip"
        assert b"ragsonde_interactions_total" in gzip.decompress(b"".join(response.iter_raw()))
    assert "content-encoding" not in client.get("/metrics", headers={"Accept-Encoding": "identity"}).headers


def test_a_scrape_is_not_kept_by_caches(client: TestClient) -> None:
    response = client.get("/metrics")
    assert response.headers["cache-control"] == "no-store"
    assert "Accept" in response.headers["vary"]


def test_health_answers_with_the_reasons_and_recovers() -> None:
    stuck: list[str] = []
    unready = ["the source does not answer", "too many dead letters in a row"]
    routes = health_endpoints(alive=lambda: stuck, ready=lambda: unready)
    client = TestClient(Starlette(routes=routes))
    assert client.get("/healthz").json() == {"status": "ok", "reasons": []}
    refused = client.get("/readyz")
    assert refused.status_code == 503
    assert refused.json() == {"status": "unavailable", "reasons": unready}
    stuck.append("the loop has made no progress for 90 s")
    unready.clear()
    assert client.get("/healthz").status_code == 503
    assert client.get("/readyz").status_code == 200
