"""Files that appear under their name only when they are whole."""

import os
import threading
from pathlib import Path

import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.whole_file import partial_of, whole_file


def _broken_off(path: Path, written: bytes, *, keep_partial: bool) -> None:
    with whole_file(path, keep_partial=keep_partial) as stream:
        stream.write(written)
        raise KeyboardInterrupt


def test_a_file_appears_only_when_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with whole_file(path) as stream:
        stream.write(b"one\n")
        assert not path.exists()
    assert path.read_bytes() == b"one\n"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_when_writing_is_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old\n")
    with pytest.raises(KeyboardInterrupt):
        _broken_off(path, b"new\n", keep_partial=False)
    assert path.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_written_so_far_can_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with pytest.raises(KeyboardInterrupt):
        _broken_off(path, b"half\n", keep_partial=True)
    assert partial_of(path).read_bytes() == b"half\n"


def test_nothing_is_kept_where_nothing_was_written(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        _broken_off(tmp_path / "out", b"", keep_partial=True)
    assert not list(tmp_path.iterdir())


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to("real")
    with whole_file(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_is_written_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with whole_file(pipe) as stream:
        stream.write(b"line\n")
    reader.join()
    assert read == [b"line\n"]
    assert pipe.is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_named_and_a_device_stays() -> None:
    with pytest.raises(ConfigError, match="/dev/full"), whole_file(Path("/dev/full")) as stream:
        stream.write(b"line\n" * 100_000)
    assert Path("/dev/full").is_char_device()


def test_a_directory_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=str(tmp_path)), whole_file(tmp_path):
        pass
    assert not partial_of(tmp_path).exists()
