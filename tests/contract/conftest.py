from pathlib import Path

import pytest

from tests.contract.log_backends import EmbeddedBackend, KafkaBackend, LogBackend


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.kafka)])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> LogBackend:
    """Each log in turn, with a topic of its own."""
    if request.param == "kafka":
        return KafkaBackend(request.getfixturevalue("kafka"))
    return EmbeddedBackend(tmp_path)
