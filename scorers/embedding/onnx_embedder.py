"""multilingual-e5-small in onnxruntime, on the CPU."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragsonde.scorers.embedding.config import EmbeddingConfig
from ragsonde.scorers.embedding.embedder import TextKind
from ragsonde.scorers.embedding.source import (
    FORMAT,
    MODEL_NAME,
    SOURCE_SHA256,
    Progress,
    ignore_progress,
    missing_packages,
    require_packages,
)

if TYPE_CHECKING:  # optional packages: they are loaded with the model
    import numpy as np
    from numpy.typing import NDArray

    from ragsonde.scorers.embedding.encoder import Encoder

_DIMENSION = 384


class OnnxEmbedder:
    """An ``Embedder`` for a hundred languages. Nothing is loaded before the first use (or ``load``).

    A text of more than 510 tokens is read in windows of 510; its vector is the mean of theirs, weighted by their
    tokens and brought back to unit length. Vectors of passages are kept, the most recently used first.
    """

    def __init__(self, config: EmbeddingConfig | None = None, *, progress: Progress = ignore_progress) -> None:
        self._config = config or EmbeddingConfig()
        self._progress = progress
        self._loading = threading.Lock()
        self._encoder: Encoder | None = None
        self._kept = _RecentVectors(self._config.cache_entries)

    @property
    def name(self) -> str:
        """The model's name; calibrations belong to it."""
        return MODEL_NAME

    @property
    def version(self) -> str:
        """The weights and the form they were converted into."""
        return f"{SOURCE_SHA256[:12]}-{FORMAT}"

    @property
    def dimension(self) -> int:
        """384."""
        return _DIMENSION

    def load(self) -> None:
        """Convert the model where that was not done yet, and load it; later calls do nothing.

        Raises ConfigError where a package is missing, the weights are not the pinned ones, or ``model_dir`` cannot be
        used.
        """
        self._loaded()

    def embed(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """Embed texts: ``[len(texts), 384]`` float32, unit rows. Raises ConfigError as ``load`` does."""
        encoder = self._loaded()
        import numpy as np  # noqa: PLC0415  # an optional package, there once the encoder is

        vectors: dict[str, NDArray[np.float32]] = {}
        if kind is TextKind.PASSAGE:
            vectors = {text: kept for text in set(texts) if (kept := self._kept.get(text)) is not None}
        unknown = [text for text in dict.fromkeys(texts) if text not in vectors]
        if unknown:
            found = encoder.encode([f"{kind.value}: {text}" for text in unknown])
            vectors.update(zip(unknown, found, strict=True))
        if kind is TextKind.PASSAGE:
            for text in unknown:
                self._kept.put(text, vectors[text])
        return np.stack([vectors[text] for text in texts]) if texts else np.empty((0, _DIMENSION), np.float32)

    def _loaded(self) -> Encoder:
        with self._loading:
            if self._encoder is None:
                require_packages()
                from ragsonde.scorers.embedding.encoder import Encoder  # noqa: PLC0415  # loads optional packages
                from ragsonde.scorers.embedding.store import prepare_model  # noqa: PLC0415  # the same

                self._encoder = Encoder(prepare_model(self._config, self._progress), self._config)
            return self._encoder


def open_embedder(config: EmbeddingConfig, *, progress: Progress = ignore_progress) -> OnnxEmbedder | None:
    """Load the local model; None where the ``local`` extra is not installed.

    Raises ConfigError where it is installed but cannot be made ready.
    """
    if missing_packages():
        return None
    embedder = OnnxEmbedder(config, progress=progress)
    embedder.load()
    return embedder


class _RecentVectors:
    """The most recently used vectors, by a digest of the text; bounded."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, text: str) -> NDArray[np.float32] | None:
        digest = _digest(text)
        with self._lock:
            vector = self._vectors.get(digest)
            if vector is not None:
                self._vectors.move_to_end(digest)
            return vector

    def put(self, text: str, vector: NDArray[np.float32]) -> None:
        if self._entries == 0:
            return
        digest = _digest(text)
        with self._lock:
            self._vectors[digest] = vector.copy()  # a row would keep its whole batch alive
            self._vectors.move_to_end(digest)
            while len(self._vectors) > self._entries:
                self._vectors.popitem(last=False)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
