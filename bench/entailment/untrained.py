"""A cross-encoder that knows nothing, in the shape of all-MiniLM-L6 (6 layers, 384 wide, 12 heads): for timing.

Time depends on the shape and the number of tokens, not on what was learnt. The weights are random and become eight-bit
integers by onnxruntime's dynamic quantisation, as an exported model's would; the tokenizer is WordPiece, trained on the
texts that are to be timed.
"""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing
from tokenizers.trainers import WordPieceTrainer

_LAYERS, _WIDTH, _HEADS, _INNER = 6, 384, 12, 1536
_POSITIONS, _VOCABULARY = 512, 16_000
_LABELS = ("entailment", "neutral", "contradiction")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_LEAST = float(np.finfo(np.float32).min)


def write_untrained(folder: Path, texts: Iterable[str]) -> Path:
    """Write the model, its tokenizer and its labels into a directory that is there; the same texts give the same."""
    tokenizer = _tokenizer(texts)
    tokenizer.save(str(folder / "tokenizer.json"))
    described = {"id2label": dict(enumerate(_LABELS)), "max_position_embeddings": _POSITIONS}
    (folder / "config.json").write_text(json.dumps(described), encoding="utf-8")
    full = folder / "full.onnx"
    save(_Graph(tokenizer.get_vocab_size()).model(), str(full))
    quantize_dynamic(full, folder / "model.onnx", weight_type=QuantType.QInt8)
    full.unlink()
    return folder


def _tokenizer(texts: Iterable[str]) -> Tokenizer:
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = WordPieceTrainer(vocab_size=_VOCABULARY, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    ids = {name: tokenizer.token_to_id(name) for name in special}
    tokenizer.post_processor = BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    return tokenizer


class _Graph:
    """BERT (Devlin et al., 2019), nodes and constants as they are added; methods return the name of their result."""

    def __init__(self, vocabulary: int) -> None:
        self._draw = np.random.default_rng(0)
        self._vocabulary = vocabulary
        self._nodes: list[object] = []
        self._constants: list[object] = []

    def model(self) -> object:
        hidden = self._normed(self._embedded())
        mask = self._mask()
        for _ in range(_LAYERS):
            hidden = self._normed(self._node("Add", hidden, self._attended(hidden, mask)))
            inner = self._node("Gelu", self._dense(hidden, _WIDTH, _INNER))
            hidden = self._normed(self._node("Add", hidden, self._dense(inner, _INNER, _WIDTH)))
        first = self._node("Gather", hidden, self._constant(np.array(0, np.int64)), axis=1)
        logits = self._node("Identity", self._dense(first, _WIDTH, len(_LABELS)))
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in _INPUTS]
        output = helper.make_tensor_value_info(logits, TensorProto.FLOAT, ["batch", len(_LABELS)])
        graph = helper.make_graph(self._nodes, "untrained", inputs, [output], self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def _embedded(self) -> str:
        words = self._node("Gather", self._weights(self._vocabulary, _WIDTH), "input_ids")
        types = self._node("Gather", self._weights(2, _WIDTH), "token_type_ids")
        tokens = self._node("Shape", "input_ids", start=1)
        ends = self._constant(np.array([0], np.int64)), tokens, self._constant(np.array([0], np.int64))
        places = self._node("Slice", self._weights(_POSITIONS, _WIDTH), *ends)
        return self._node("Add", self._node("Add", words, types), places)

    def _mask(self) -> str:
        """Nothing where a token is, the least number where padding is, for every head and query."""
        given = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        padding = self._node("Sub", self._constant(np.array(1, np.float32)), given)
        scaled = self._node("Mul", padding, self._constant(np.array(_LEAST, np.float32)))
        return self._node("Unsqueeze", scaled, self._constant(np.array([1, 2], np.int64)))

    def _attended(self, hidden: str, mask: str) -> str:
        query, value = self._heads(hidden, (0, 2, 1, 3)), self._heads(hidden, (0, 2, 1, 3))
        key = self._heads(hidden, (0, 2, 3, 1))
        scale = self._constant(np.array((_WIDTH // _HEADS) ** -0.5, np.float32))
        scores = self._node("Add", self._node("Mul", self._node("MatMul", query, key), scale), mask)
        mixed = self._node("MatMul", self._node("Softmax", scores, axis=-1), value)
        back = self._node("Transpose", mixed, perm=(0, 2, 1, 3))
        flat = self._node("Reshape", back, self._constant(np.array([0, 0, _WIDTH], np.int64)))
        return self._dense(flat, _WIDTH, _WIDTH)

    def _heads(self, hidden: str, order: tuple[int, ...]) -> str:
        shape = self._constant(np.array([0, 0, _HEADS, _WIDTH // _HEADS], np.int64))
        return self._node("Transpose", self._node("Reshape", self._dense(hidden, _WIDTH, _WIDTH), shape), perm=order)

    def _dense(self, hidden: str, width: int, wanted: int) -> str:
        product = self._node("MatMul", hidden, self._weights(width, wanted))
        return self._node("Add", product, self._constant(np.zeros(wanted, np.float32)))

    def _normed(self, hidden: str) -> str:
        ones, zeros = (self._constant(np.full(_WIDTH, value, np.float32)) for value in (1, 0))
        return self._node("LayerNormalization", hidden, ones, zeros)

    def _weights(self, rows: int, columns: int) -> str:
        return self._constant(self._draw.normal(0, 0.02, (rows, columns)).astype(np.float32))

    def _constant(self, value: np.ndarray) -> str:  # type: ignore[type-arg]
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def _node(self, kind: str, *inputs: str, **attributes: object) -> str:
        name = f"n{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name
