import errno
import os
from pathlib import Path

import pytest

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError, RetryableError
from ragsonde.exporters.jsonl import Fsync, JsonlConfig, JsonlExporter
from ragsonde.exporters.record_reader import from_json_line
from tests.exporters.scored import scored

SOON = Deadline(10)


def ids(path: Path) -> list[str]:
    content = path.read_bytes()
    assert content == b"" or content.endswith(b"\n")
    return [from_json_line(line).interaction.id for line in content.splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "scores.jsonl"


def opened(path: Path, **config: object) -> JsonlExporter:
    exporter = JsonlExporter(JsonlConfig(path=path, **config))
    exporter.start()
    return exporter


@pytest.mark.parametrize("fsync", Fsync)
def test_one_line_an_interaction_survives_a_restart(path: Path, fsync: Fsync) -> None:
    for part in (["a", "b"], ["c"]):
        exporter = opened(path, fsync=fsync)
        exporter.export([scored(id) for id in part], SOON)  # noqa: A001
        exporter.shutdown(SOON)
    assert ids(path) == ["a", "b", "c"]


def test_a_half_written_last_line_is_cut_off_at_the_next_start(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    exporter = opened(path)
    exporter.export([scored("a"), scored("b")], SOON)
    exporter.shutdown(SOON)
    path.write_bytes(path.read_bytes()[:-20])
    exporter = opened(path)
    assert ids(path) == ["a"]
    assert "half-written" in caplog.text
    exporter.export([scored("b")], SOON)
    exporter.shutdown(SOON)
    assert ids(path) == ["a", "b"]


def test_an_id_that_stands_in_the_file_is_not_written_again_but_a_rescoring_is(path: Path) -> None:
    first = opened(path)
    first.export([scored("a")], SOON)
    first.shutdown(SOON)
    second = opened(path)
    rescored = scored("a", faithfulness=0.0, rescored=True, scored_at=2_000.0)
    second.export([scored("a"), scored("b"), rescored, rescored], SOON)
    second.export([rescored], SOON)
    second.shutdown(SOON)
    assert ids(path) == ["a", "b", "a"]


def test_an_append_that_fails_midway_leaves_nothing_behind_and_can_be_tried_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = opened(path)
    exporter.export([scored("a")], SOON)
    write = os.write

    def full_disk(file: int, content: bytes) -> int:
        write(file, content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full_disk)
    with pytest.raises(RetryableError, match="No space left"):
        exporter.export([scored("b")], SOON)
    assert ids(path) == ["a"]
    monkeypatch.setattr(os, "write", write)
    exporter.export([scored("b")], SOON)
    exporter.shutdown(SOON)
    assert ids(path) == ["a", "b"]


def test_short_writes_are_continued(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, content: write(file, content[:7]))
    exporter = opened(path)
    exporter.export([scored("a"), scored("b")], SOON)
    exporter.shutdown(SOON)
    assert ids(path) == ["a", "b"]


def test_a_full_file_is_kept_aside_and_the_oldest_goes(path: Path) -> None:
    exporter = opened(path, max_bytes=1024, keep_files=2)
    for number in range(5):
        exporter.export([scored(str(number), question="x" * 1024)], SOON)
    exporter.shutdown(SOON)
    assert ids(path) == []
    assert ids(path.with_name("scores.jsonl.1")) == ["4"]
    assert ids(path.with_name("scores.jsonl.2")) == ["3"]
    assert not path.with_name("scores.jsonl.3").exists()


def test_a_second_process_cannot_write_to_the_same_file(path: Path) -> None:
    first = opened(path)
    with pytest.raises(ConfigError, match="another process"):
        opened(path)
    first.shutdown(SOON)
    opened(path).shutdown(SOON)


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"jsonl\.path: cannot write to"):
        opened(tmp_path)


def test_a_foreign_line_is_left_where_it_is(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    path.write_bytes(b"not ours\n")
    exporter = opened(path)
    exporter.export([scored("a")], SOON)
    exporter.shutdown(SOON)
    assert path.read_bytes().startswith(b"not ours\n")
    assert "not a record" in caplog.text
