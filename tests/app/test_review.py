"""From spans over HTTP to an item on the review page, and to the metrics of what people said."""

from functools import partial
from pathlib import Path

import httpx
import pytest

from ragsonde.app import Sidecar
from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.errors import ConfigError
from ragsonde.review.config import ReviewConfig
from ragsonde.review.model import ItemState, QueueFilter, Review
from ragsonde.review.store import open_store
from ragsonde.settings import load
from tests.app.sidecars import rag_trace, running, wait_for

QUESTION, CONTEXT = "How long can I return an item?", "Returns are free within 30 days."


def test_what_is_scored_can_be_reviewed_and_outlives_a_restart(tmp_path: Path) -> None:
    review = {"selection": {"random_share": 1.0}, "rate_every_seconds": 1.0}
    with running(tmp_path, review=review) as sidecar:
        assert sidecar.post(rag_trace(QUESTION, [CONTEXT], "Within 30 days.")).status_code == 200
        desk = open_store(ReviewConfig(), tmp_path)
        wait_for(lambda: desk.queue(QueueFilter()).total, "the interaction to be in the queue")
        (entry,) = desk.queue(QueueFilter()).entries
        page = httpx.get(f"{sidecar.url}/review")
        assert (page.status_code, QUESTION in page.text) == (200, True)
        assert httpx.get(f"{sidecar.url}/overview").status_code == 200
        desk.save(Review(entry.id, "ann", verdict=LabelVerdict.GROUNDED))
        wait_for(
            lambda: sidecar.total("ragsonde_review_labelled_interactions", scorer="local") == 1, "the label to count"
        )
        assert sidecar.total("ragsonde_review_queue_items", state="done") == 1
        assert sidecar.samples("ragsonde_hallucination_rate_estimate") == {}
        desk.close()
    with running(tmp_path, review=review) as sidecar:
        wait_for(lambda: sidecar.total("ragsonde_review_queue_items", state="done") == 1, "the queue after a restart")
    desk = open_store(ReviewConfig(), tmp_path)
    assert set(desk.counts().values()) == {0, 1}
    assert desk.item(entry.id).state is ItemState.DONE
    desk.close()


def test_replicas_fill_one_queue_in_postgresql(tmp_path: Path, postgres: str) -> None:
    review = {"database_url": postgres, "selection": {"random_share": 1.0}, "rate_every_seconds": 1.0}
    with (
        running(tmp_path / "one", review=review) as one,
        running(tmp_path / "two", review=review) as two,
    ):
        for number, sidecar in enumerate((one, two)):
            assert sidecar.post(rag_trace(f"{QUESTION} ({number})", [CONTEXT], "Within 30 days.")).status_code == 200
        for sidecar in (one, two):
            open_items = partial(sidecar.total, "ragsonde_review_queue_items", state="open")
            wait_for(lambda items=open_items: items() == 2, "both to be in each queue")
            page = httpx.get(f"{sidecar.url}/review").text
            assert all(f"{QUESTION} ({number})" in page for number in (0, 1))
    assert not list(tmp_path.rglob("review.sqlite3"))


def test_a_sidecar_without_a_review_store_has_no_pages_for_it(tmp_path: Path) -> None:
    with running(tmp_path, review={"enabled": False}) as sidecar:
        assert httpx.get(f"{sidecar.url}/review").status_code == 404
        assert 'href="/review"' not in httpx.get(sidecar.url).text
    assert not (tmp_path / "review.sqlite3").exists()


@pytest.mark.parametrize(
    ("fields", "embedded", "enabled"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"database_url": "postgresql://h/b"}, False, True),
        ({"database_url_file": "/run/secrets/url"}, False, True),
        ({"enabled": True}, False, True),
        ({"enabled": False}, True, False),
    ],
)
def test_replicas_keep_a_queue_only_where_they_can_share_it(
    fields: dict[str, object], embedded: bool, enabled: bool
) -> None:
    assert ReviewConfig.model_validate(fields).is_enabled(embedded=embedded) is enabled


def test_the_address_may_stand_in_a_file_and_is_masked(tmp_path: Path) -> None:
    secret = tmp_path / "url"
    secret.write_text("postgresql://u:secret@h/b\n")
    assert ReviewConfig(database_url_file=secret).address(tmp_path) == "postgresql://u:secret@h/b"
    assert "secret" not in repr(ReviewConfig.model_validate({"database_url": "postgresql://u:secret@h/b"}))
    for wrong, said in ((tmp_path / "none", "cannot be read"), (tmp_path / "empty", "is empty")):
        (tmp_path / "empty").write_text(" ")
        with pytest.raises(ConfigError, match=said):
            ReviewConfig(database_url_file=wrong).address(tmp_path)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"database_url": "a", "database_url_file": "b"}, "not both"),
        ({"retention_days": 800}, "reviewed_retention_days"),
        ({"rate_window_days": 60}, "rate_window_days"),
        ({"selection": {"uncertain_low": 0.9}}, "uncertain_low"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(None, {"review": fields})


def test_a_store_that_cannot_be_opened_is_said_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "review.sqlite3").write_text("no database" * 1000)
    settings = load(None, {"data_dir": tmp_path, "server": {"port": 0}})
    with pytest.raises(ConfigError, match="move it away"):
        Sidecar(settings)
