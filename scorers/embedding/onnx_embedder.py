"""multilingual-e5-small in onnxruntime, on the CPU."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragsonde.scorers.embedding.config import EmbeddingConfig
from ragsonde.scorers.embedding.embedder import TextKind
from ragsonde.scorers.embedding.graph import ATTENTION_MASK, EMBEDDING, INPUT_IDS
from ragsonde.scorers.embedding.store import FORMAT, MODEL_NAME, SOURCE_SHA256, Progress, ignore_progress, prepare_model
from ragsonde.scorers.embedding.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIMENSION = 384
_WINDOW_TOKENS = 512


@dataclass(frozen=True, slots=True)
class _Window:
    text: int
    """Place of its text in the call."""
    ids: list[int]


class OnnxEmbedder:
    """An ``Embedder`` for a hundred languages. Nothing is loaded before the first use (or ``load``).

    A text of more than 510 tokens is read in windows of 510; its vector is the mean of theirs, weighted by their
    tokens and brought back to unit length. Vectors of passages are kept, the most recently used first.
    """

    def __init__(self, config: EmbeddingConfig | None = None, *, progress: Progress = ignore_progress) -> None:
        self._config = config or EmbeddingConfig()
        self._progress = progress
        self._loading = threading.Lock()
        self._session: Any = None
        self._tokenizer: Tokenizer | None = None
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
        with self._loading:
            if self._session is not None:
                return
            files = prepare_model(self._config, self._progress)
            import onnxruntime  # noqa: PLC0415  # an optional package, needed only here

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = self._config.threads
            options.inter_op_num_threads = 1
            self._tokenizer = Tokenizer(files.tokenizer, _WINDOW_TOKENS)
            self._session = onnxruntime.InferenceSession(
                str(files.graph), options, providers=["CPUExecutionProvider"]
            )

    def embed(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """Embed texts: ``[len(texts), 384]`` float32, unit rows. Raises ConfigError as ``load`` does."""
        self.load()
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        vectors: dict[str, NDArray[np.float32]] = {}
        for text in texts:
            if text not in vectors and kind is TextKind.PASSAGE and (kept := self._kept.get(text)) is not None:
                vectors[text] = kept
        unknown = [text for text in dict.fromkeys(texts) if text not in vectors]
        for text, vector in zip(unknown, self._encode([f"{kind.value}: {text}" for text in unknown]), strict=True):
            vectors[text] = vector
            if kind is TextKind.PASSAGE:
                self._kept.put(text, vector)
        return np.stack([vectors[text] for text in texts]) if texts else np.empty((0, _DIMENSION), np.float32)

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        if self._tokenizer is None:
            raise RuntimeError("load() was not called")
        windows = [_Window(place, ids) for place, text in enumerate(texts) for ids in self._tokenizer.windows(text)]
        sums = np.zeros((len(texts), _DIMENSION), np.float32)
        for batch in _batches(windows, self._config.batch_tokens):
            for window, vector in zip(batch, self._run(batch), strict=True):
                sums[window.text] += len(window.ids) * vector
        return sums / np.linalg.norm(sums, axis=1, keepdims=True)

    def _run(self, batch: Sequence[_Window]) -> NDArray[np.float32]:
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        longest = max(len(window.ids) for window in batch)
        ids = np.ones((len(batch), longest), np.int64)  # the id of padding is 1; the mask hides it
        mask = np.zeros((len(batch), longest), np.int32)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        (vectors,) = self._session.run([EMBEDDING], {INPUT_IDS: ids, ATTENTION_MASK: mask})
        result: NDArray[np.float32] = vectors
        return result


def _batches(windows: Sequence[_Window], batch_tokens: int) -> Iterator[list[_Window]]:
    """Windows of like length together, so that little is padding."""
    batch: list[_Window] = []
    for window in sorted(windows, key=lambda window: len(window.ids)):
        if batch and (len(batch) + 1) * len(window.ids) > batch_tokens:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


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
