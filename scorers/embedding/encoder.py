"""Run the converted model: texts in, unit vectors out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from ragsonde.scorers.embedding.config import EmbeddingConfig
from ragsonde.scorers.embedding.graph import ATTENTION_MASK, EMBEDDING, INPUT_IDS
from ragsonde.scorers.embedding.store import ModelFiles
from ragsonde.scorers.embedding.tokenizer import Tokenizer

WINDOW_TOKENS = 512
"""Positions that the model knows, begin and end included."""


@dataclass(frozen=True, slots=True)
class _Window:
    text: int
    """Place of its text in the call."""
    ids: list[int]


class Encoder:
    """One loaded model. Safe to use from several threads."""

    def __init__(self, files: ModelFiles, config: EmbeddingConfig) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = config.threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer(files.tokenizer, WINDOW_TOKENS)
        self._batch_tokens = config.batch_tokens

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Encode texts, prefix included: one unit row a text. A long text is the mean of its windows by tokens."""
        windows = [_Window(place, ids) for place, text in enumerate(texts) for ids in self._tokenizer.windows(text)]
        sums: dict[int, NDArray[np.float32]] = {}
        for batch in _batches(windows, self._batch_tokens):
            for window, vector in zip(batch, self._run(batch), strict=True):
                weighted = np.float32(len(window.ids)) * vector
                sums[window.text] = sums[window.text] + weighted if window.text in sums else weighted
        stacked = np.stack([sums[place] for place in range(len(texts))])
        unit: NDArray[np.float32] = stacked / np.linalg.norm(stacked, axis=1, keepdims=True)
        return unit

    def _run(self, batch: Sequence[_Window]) -> NDArray[np.float32]:
        longest = max(len(window.ids) for window in batch)
        ids = np.full((len(batch), longest), self._tokenizer.pad_id, np.int64)
        mask = np.zeros((len(batch), longest), np.int32)
        for row, window in enumerate(batch):
            ids[row, : len(window.ids)] = window.ids
            mask[row, : len(window.ids)] = 1
        vectors: NDArray[np.float32] = self._session.run([EMBEDDING], {INPUT_IDS: ids, ATTENTION_MASK: mask})[0]
        return vectors


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
