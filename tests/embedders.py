"""Embedders for tests: one that needs no model, and where the real one keeps its files."""

import atexit
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, TextKind


class TrigramEmbedder:
    """Counts of letter triples, hashed into a vector: texts that share words lie close together."""

    name = "trigrams"
    version = "1"
    dimension = 256

    def embed(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """Embed texts; both kinds alike."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            padded = f"  {text.casefold()}  "
            for at in range(len(padded) - 2):
                digest = hashlib.blake2b(padded[at : at + 3].encode("utf-8", "replace"), digest_size=4).digest()
                vectors[row, int.from_bytes(digest) % self.dimension] += 1.0
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class MissingEmbedder:
    """The real embedder's name on a machine that lost the model."""

    name = "multilingual-e5-small"
    version = "gone"
    dimension = 384

    def embed(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """Fail as an embedder does whose packages are missing."""
        raise ConfigError("the local model needs onnxruntime: pip install ragsonde[local]")


@cache
def local_model_config() -> EmbeddingConfig:
    """The real model, converted once a test run into a directory that goes with it."""
    directory = TemporaryDirectory(prefix="ragsonde-model-")
    atexit.register(directory.cleanup)
    return EmbeddingConfig(model_dir=Path(directory.name), cache_entries=100)


@cache
def local_embedder() -> OnnxEmbedder:
    """The real embedder."""
    return OnnxEmbedder(local_model_config())
