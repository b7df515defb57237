"""What every test shares: a clean environment, Hypothesis without deadlines, and one real Kafka for the session."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.broker import RUNNING_BROKER, Broker, BrokerUnavailableError, running_kafka, unavailable
from tests.postgres_server import PostgresUnavailableError, running_postgres

# Machines that run tests are shared: how long an example takes says nothing about the code.
settings.register_profile("ragsonde", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ragsonde")


def pytest_report_header() -> str | None:
    """Say once, at the top, when the tests against Kafka cannot run."""
    reason = unavailable()
    return f"Kafka tests cannot run: {reason}" if reason else None


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the developer's own OpenTelemetry and Ragsonde settings out of the tests."""
    for name in list(os.environ):
        if name.startswith(("OTEL_", "RAGSONDE_")) and name != RUNNING_BROKER:
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A running Kafka with all its listeners."""
    try:
        with running_kafka(tmp_path_factory.mktemp("kafka")) as running:
            yield running
    except BrokerUnavailableError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no Kafka to test with: {error}", pytrace=False)
        pytest.skip(f"no Kafka to test with: {error}")


@pytest.fixture(scope="session")
def kafka(broker: Broker) -> str:
    """The bootstrap address of a running Kafka."""
    return broker.bootstrap


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of an empty database of a running PostgreSQL."""
    try:
        with running_postgres() as url:
            yield url
    except PostgresUnavailableError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"no PostgreSQL to test with: {error}", pytrace=False)
        pytest.skip(f"no PostgreSQL to test with: {error}")
