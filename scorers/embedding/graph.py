"""Build the encoder as an ONNX graph with small integer weights.

BERT (Devlin et al., 2019) as multilingual-e5-small has it (Wang et al., 2024, arXiv 2402.05672): post-norm layers,
exact GELU, mean pooling over the tokens that are not padding, unit length.

The word table, two thirds of the model, keeps its four bits (``GatherBlockQuantized``), so nothing of it is unpacked
in memory. The other matrices become integers with one scale an output, and each token's activations become bytes with
one scale a token: integer arithmetic, several times as fast as four-bit weights, and a text's vector does not depend
on which other texts are in its batch, as it would with one scale for all. Weights take seven of the eight bits: the
byte products of processors without VNNI instructions add pairs in 16 bits, which eight would overflow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, checker, helper, numpy_helper

from ragsonde.scorers.embedding.weights import BLOCK_WEIGHTS, PackedModel

INPUT_IDS = "input_ids"
"""``[batch, tokens]``, int64."""
ATTENTION_MASK = "attention_mask"
"""``[batch, tokens]``, int32: 1 for a token, 0 for padding."""
EMBEDDING = "embedding"
"""``[batch, width]``, float32, unit length."""

_OPSET = 21
_CONTRIBUTED = "com.microsoft"
_WEIGHT_LIMIT = 63
_ACTIVATION_LIMIT = 127
_ACTIVATION_ZERO = 128


def build_graph(model: PackedModel) -> bytes:
    """Serialise the encoder: token ids and mask in, unit vectors out."""
    graph = _Graph(model)
    hidden = graph.embed()
    for layer in range(model.shape.layers):
        hidden = graph.transform(layer, hidden)
    graph.pool(hidden)
    return graph.serialise()


class _Graph:
    """Nodes and constants as they are added; each method returns the name of its result.

    Hidden states are ``[batch * tokens, width]``, except inside attention.
    """

    def __init__(self, model: PackedModel) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._batch_and_tokens = self._add("Shape", [INPUT_IDS])

    def embed(self) -> str:
        """Sum words, positions and the one token type, then normalise."""
        vectors, shape = self._model.vectors, self._model.shape
        places = vectors["emb.pos"].reshape(shape.positions, shape.width) + vectors["emb.type"][: shape.width]
        words = self._to_float(self._look_up_words())
        size = self._add("Shape", [INPUT_IDS], start=1, end=2)
        first = self._integers("first", [0])
        used = self._add("Slice", [self._constant("places", places), first, size, first])
        summed = self._flatten(self._add("Add", [words, used]), shape.width)
        inputs = [summed, *self._vectors("emb.ln.w", "emb.ln.b")]
        return self._add("LayerNormalization", inputs, axis=-1, epsilon=shape.epsilon)

    def transform(self, layer: int, hidden: str) -> str:
        """One layer: attention and a feed-forward part, each added to its input and normalised."""
        prefix, shape = f"l{layer}.", self._model.shape
        joined = self._multiply(hidden, *(prefix + part for part in "qkv"))
        joined = self._unflatten(self._add("Add", [joined, self._join_biases(prefix)]), 3 * shape.width)
        query, key, value = self._add_many("Split", [joined], 3, axis=-1, num_outputs=3)
        attention = [query, key, value, "", ATTENTION_MASK]
        attended = self._add("MultiHeadAttention", attention, domain=_CONTRIBUTED, num_heads=shape.heads)
        change = self._multiply(self._flatten(attended, shape.width), prefix + "ao")
        hidden = self._add_and_normalise(change, hidden, prefix + "ao.b", prefix + "aln")
        inner = self._multiply(hidden, prefix + "fi")
        inner = self._add("BiasGelu", [inner, *self._vectors(prefix + "fi.b")], domain=_CONTRIBUTED)
        return self._add_and_normalise(self._multiply(inner, prefix + "fo"), hidden, prefix + "fo.b", prefix + "oln")

    def pool(self, hidden: str) -> None:
        """Mean over the tokens that are not padding, brought to unit length."""
        tokens = self._integers("tokens", [1])
        mask = self._add("Unsqueeze", [self._to_float(ATTENTION_MASK), self._integers("last", [-1])])
        kept = self._add("Mul", [self._unflatten(hidden, self._model.shape.width), mask])
        total = self._add("ReduceSum", [kept, tokens], keepdims=0)
        mean = self._add("Div", [total, self._add("ReduceSum", [mask, tokens], keepdims=0)])
        self._add("LpNormalization", [mean], result=EMBEDDING, axis=-1, p=2)

    def serialise(self) -> bytes:
        """Put the parts together and check the result."""
        inputs = [
            helper.make_tensor_value_info(INPUT_IDS, TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info(ATTENTION_MASK, TensorProto.INT32, ["batch", "tokens"]),
        ]
        width = self._model.shape.width
        outputs = [helper.make_tensor_value_info(EMBEDDING, TensorProto.FLOAT, ["batch", width])]
        constants = list(self._constants.values())
        graph = helper.make_graph(self._nodes, "multilingual-e5-small", inputs, outputs, constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
        proto = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="ragsonde")
        checker.check_model(proto)
        return bytes(proto.SerializeToString())

    def _look_up_words(self) -> str:
        words = self._model.matrices["emb.word"]
        signed = (words.quanta ^ 8).reshape(len(words.quanta), -1)  # 8 above the value becomes two's complement
        pairs = (signed[:, 0::2] | (signed[:, 1::2] << 4)).astype(np.uint8)  # the first in the low four bits
        table = helper.make_tensor("words", TensorProto.INT4, signed.shape, pairs.tobytes(), raw=True)
        self._constants["words"] = table
        inputs = ["words", INPUT_IDS, self._constant("words.scales", words.scales)]
        layout: dict[str, Any] = {"block_size": BLOCK_WEIGHTS, "gather_axis": 0, "quantize_axis": 1}
        return self._add("GatherBlockQuantized", inputs, domain=_CONTRIBUTED, **layout)

    def _multiply(self, operand: str, *names: str) -> str:
        """Multiply by one matrix, or by several side by side, without the bias."""
        weights = np.concatenate([self._model.matrices[f"{name}.w"].values() for name in names])
        weight_scales = np.abs(weights).max(axis=1) / _WEIGHT_LIMIT
        integers = np.round(weights / weight_scales[:, None]).astype(np.int8)
        zero = self._constant("activation_zero", np.array(_ACTIVATION_ZERO, np.uint8))
        one = self._constant("one", np.array(1, np.float32))
        quanta, token_scales = self._to_bytes(operand)
        matrix = self._constant(f"{names[0]}.integers", np.ascontiguousarray(integers.T))
        scales = self._constant(f"{names[0]}.scales", weight_scales.astype(np.float32))
        product = self._add("MatMulIntegerToFloat", [quanta, matrix, one, scales, zero], domain=_CONTRIBUTED)
        return self._add("Mul", [product, token_scales])

    def _to_bytes(self, operand: str) -> tuple[str, str]:
        """Each row as bytes around 128, and the rows' scales as a column."""
        columns = self._integers("columns", [1])
        largest = self._add("ReduceMax", [self._add("Abs", [operand]), columns], keepdims=1)
        step = self._constant("step", np.array(1 / _ACTIVATION_LIMIT, np.float32))
        token_scales = self._add("Mul", [largest, step])
        row = self._add("Squeeze", [token_scales, columns])
        zero = self._constant("activation_zeros", np.array([_ACTIVATION_ZERO], np.uint8))
        zeros = self._add("Expand", [zero, self._add("Shape", [row])])
        return self._add("QuantizeLinear", [operand, row, zeros], axis=0), token_scales

    def _join_biases(self, prefix: str) -> str:
        joined = np.concatenate([self._model.vectors[f"{prefix}{part}.b"] for part in "qkv"])
        return self._constant(prefix + "qkv.b", joined)

    def _add_and_normalise(self, change: str, hidden: str, bias: str, norm: str) -> str:
        inputs = [change, hidden, *self._vectors(f"{norm}.w", f"{norm}.b", bias)]
        return self._add("SkipLayerNormalization", inputs, domain=_CONTRIBUTED, epsilon=self._model.shape.epsilon)

    def _flatten(self, name: str, width: int) -> str:
        return self._add("Reshape", [name, self._integers(f"rows_of_{width}", [-1, width])])

    def _unflatten(self, name: str, width: int) -> str:
        last = self._integers(f"width_{width}", [width])
        return self._add("Reshape", [name, self._add("Concat", [self._batch_and_tokens, last], axis=0)])

    def _to_float(self, name: str) -> str:
        return self._add("Cast", [name], to=TensorProto.FLOAT)

    def _vectors(self, *names: str) -> list[str]:
        return [self._constant(name, self._model.vectors[name]) for name in names]

    def _integers(self, name: str, values: list[int]) -> str:
        return self._constant(name, np.array(values, np.int64))

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        """A constant; one that is there already under this name is used again."""
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(value, name)
        return name

    def _add(self, operation: str, inputs: list[str], *, result: str = "", domain: str = "", **attributes: Any) -> str:
        (name,) = self._add_many(operation, inputs, 1, result=result, domain=domain, **attributes)
        return name

    def _add_many(
        self, operation: str, inputs: list[str], results: int, *, result: str = "", domain: str = "", **attributes: Any
    ) -> list[str]:
        first = len(self._nodes)
        names = [result or f"{operation}_{first}_{place}" for place in range(results)]
        self._nodes.append(helper.make_node(operation, inputs, names, domain=domain, **attributes))
        return names
