"""What ``Sidecar.start`` promises: the source is open when it returns, and what keeps it shut is raised."""

from pathlib import Path

import pytest

from ragsonde import app
from ragsonde.collector.errors import ConfigError, PermanentError
from ragsonde.collector.pipeline import Pipeline
from tests.app.sidecars import running


@pytest.fixture(autouse=True)
def endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start that waits until its patience is over, rather than until it knows, would hang."""
    monkeypatch.setattr(app, "_START_SECONDS", 3600.0)


def test_the_source_is_open_once_the_start_returns_so_a_second_one_is_refused_in_its_own(tmp_path: Path) -> None:
    with (
        running(tmp_path),
        pytest.raises(ConfigError, match="has a reader already"),
        running(tmp_path),
    ):
        pass


def test_a_loop_that_ends_early_does_not_hold_up_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pipeline, "run", lambda *_, **__: None)
    with running(tmp_path) as sidecar:
        assert sidecar.sidecar.wait(60.0)


def test_a_loop_that_fails_before_it_has_started_fails_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermanentError("no such thing")

    monkeypatch.setattr(Pipeline, "run", fail)
    with pytest.raises(PermanentError, match="no such thing"), running(tmp_path):
        pass
