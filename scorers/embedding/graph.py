"""Build the encoder as an ONNX graph that keeps the four-bit weights.

BERT (Devlin et al., 2019) as multilingual-e5-small has it (Wang et al., 2024, arXiv 2402.05672): post-norm layers,
exact GELU, mean pooling over the tokens that are not padding, unit length. Matrices become onnxruntime's
``MatMulNBits`` (activations in eight bits inside), the word table ``GatherBlockQuantized``: nothing is unpacked, on
disk or in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ragsonde.scorers.embedding.weights import BLOCK_WEIGHTS, Matrix, PackedModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INPUT_IDS = "input_ids"
"""``[batch, tokens]``, int64."""
ATTENTION_MASK = "attention_mask"
"""``[batch, tokens]``, int32: 1 for a token, 0 for padding."""
EMBEDDING = "embedding"
"""``[batch, width]``, float32, unit length."""

_OPSET = 21
_CONTRIBUTED = "com.microsoft"
_ACTIVATIONS_IN_INT8 = 4


def build_graph(model: PackedModel) -> bytes:
    """Serialise the encoder: token ids and mask in, unit vectors out."""
    graph = _Graph(model)
    hidden = graph.embed()
    for layer in range(model.shape.layers):
        hidden = graph.transform(layer, hidden)
    graph.pool(hidden)
    return graph.serialise()


class _Graph:
    """Nodes and constants as they are added; each method returns the name of its result."""

    def __init__(self, model: PackedModel) -> None:
        self._model = model
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def embed(self) -> str:
        """Sum words, positions and the one token type, then normalise."""
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        vectors, shape = self._model.vectors, self._model.shape
        places = vectors["emb.pos"].reshape(shape.positions, shape.width) + vectors["emb.type"][: shape.width]
        words = self._add("Cast", [self._look_up_words()], to=_float_type())
        size = self._add("Shape", [INPUT_IDS], start=1, end=2)
        start = self._constant("first", np.zeros(1, np.int64))
        used = self._add("Slice", [self._constant("places", places), start, size, start])
        return self._normalise(self._add("Add", [words, used]), "emb.ln")

    def transform(self, layer: int, hidden: str) -> str:
        """One layer: attention and a feed-forward part, each added to its input and normalised."""
        model, prefix = self._model, f"l{layer}."
        joined = self._multiply([f"{prefix}{part}" for part in "qkv"], hidden, biased=True)
        query, key, value = self._add_many("Split", [joined], 3, axis=-1, num_outputs=3)
        attended = self._add(
            "MultiHeadAttention",
            [query, key, value, "", ATTENTION_MASK],
            domain=_CONTRIBUTED,
            num_heads=model.shape.heads,
        )
        hidden = self._add_and_normalise(self._multiply([prefix + "ao"], attended), hidden, prefix + "ao", prefix + "aln")
        inner = self._multiply([prefix + "fi"], hidden)
        bias = self._constant(prefix + "fi.b", model.vectors[prefix + "fi.b"])
        inner = self._add("BiasGelu", [inner, bias], domain=_CONTRIBUTED)
        return self._add_and_normalise(self._multiply([prefix + "fo"], inner), hidden, prefix + "fo", prefix + "oln")

    def pool(self, hidden: str) -> None:
        """Mean over the tokens that are not padding, brought to unit length."""
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        last = self._constant("last", np.array([-1], np.int64))
        tokens = self._constant("tokens", np.array([1], np.int64))
        mask = self._add("Unsqueeze", [self._add("Cast", [ATTENTION_MASK], to=_float_type()), last])
        total = self._add("ReduceSum", [self._add("Mul", [hidden, mask]), tokens], keepdims=0)
        mean = self._add("Div", [total, self._add("ReduceSum", [mask, tokens], keepdims=0)])
        self._add("LpNormalization", [mean], result=EMBEDDING, axis=-1, p=2)

    def serialise(self) -> bytes:
        """Put the parts together and check the result."""
        from onnx import TensorProto, checker, helper  # noqa: PLC0415  # an optional package, needed only here

        inputs = [
            helper.make_tensor_value_info(INPUT_IDS, TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info(ATTENTION_MASK, TensorProto.INT32, ["batch", "tokens"]),
        ]
        width = self._model.shape.width
        outputs = [helper.make_tensor_value_info(EMBEDDING, TensorProto.FLOAT, ["batch", width])]
        graph = helper.make_graph(self._nodes, "multilingual-e5-small", inputs, outputs, self._constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_CONTRIBUTED, 1)]
        proto = helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="ragsonde")
        checker.check_model(proto)
        return bytes(proto.SerializeToString())

    def _look_up_words(self) -> str:
        words = self._model.matrices["emb.word"]
        rows = words.quanta.shape[0]
        signed = (words.quanta ^ 8).reshape(rows, -1)  # 8 above its value, as two's complement in four bits
        table = self._four_bits("words", signed, (rows, self._model.shape.width), signed=True)
        scales = self._constant("words.scales", words.scales)
        return self._add(
            "GatherBlockQuantized",
            [table, INPUT_IDS, scales],
            domain=_CONTRIBUTED,
            block_size=BLOCK_WEIGHTS,
            gather_axis=0,
            quantize_axis=1,
        )

    def _multiply(self, names: list[str], operand: str, *, biased: bool = False) -> str:
        import numpy as np  # noqa: PLC0415  # an optional package, needed only here

        parts = [self._model.matrices[f"{name}.w"] for name in names]
        joined = Matrix(np.concatenate([p.quanta for p in parts]), np.concatenate([p.scales for p in parts]))
        outputs, blocks, _ = joined.quanta.shape
        inputs = [
            operand,
            self._constant(f"{names[0]}.quanta", _pack(joined.quanta)),
            self._constant(f"{names[0]}.scales", joined.scales.astype(np.float32)),
        ]
        if biased:
            bias = np.concatenate([self._model.vectors[f"{name}.b"] for name in names])
            inputs += ["", "", self._constant(f"{names[0]}.bias", bias)]
        return self._add(
            "MatMulNBits",
            inputs,
            domain=_CONTRIBUTED,
            K=blocks * BLOCK_WEIGHTS,
            N=outputs,
            bits=4,
            block_size=BLOCK_WEIGHTS,
            accuracy_level=_ACTIVATIONS_IN_INT8,
        )

    def _add_and_normalise(self, change: str, hidden: str, bias: str, norm: str) -> str:
        constants = [
            self._constant(name, self._model.vectors[name]) for name in (f"{norm}.w", f"{norm}.b", f"{bias}.b")
        ]
        inputs = [change, hidden, *constants]
        return self._add("SkipLayerNormalization", inputs, domain=_CONTRIBUTED, epsilon=self._model.shape.epsilon)

    def _normalise(self, hidden: str, norm: str) -> str:
        constants = [self._constant(name, self._model.vectors[name]) for name in (f"{norm}.w", f"{norm}.b")]
        return self._add("LayerNormalization", [hidden, *constants], axis=-1, epsilon=self._model.shape.epsilon)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        from onnx import numpy_helper  # noqa: PLC0415  # an optional package, needed only here

        self._constants.append(numpy_helper.from_array(value, name))
        return name

    def _four_bits(self, name: str, quanta: NDArray[np.uint8], dims: tuple[int, ...], *, signed: bool) -> str:
        from onnx import TensorProto, helper  # noqa: PLC0415  # an optional package, needed only here

        kind = TensorProto.INT4 if signed else TensorProto.UINT4
        self._constants.append(helper.make_tensor(name, kind, dims, _pack(quanta).tobytes(), raw=True))
        return name

    def _add(self, operation: str, inputs: list[str], *, result: str = "", domain: str = "", **attributes: Any) -> str:
        (name,) = self._add_many(operation, inputs, 1, result=result, domain=domain, **attributes)
        return name

    def _add_many(
        self, operation: str, inputs: list[str], results: int, *, result: str = "", domain: str = "", **attributes: Any
    ) -> list[str]:
        from onnx import helper  # noqa: PLC0415  # an optional package, needed only here

        first = len(self._nodes)
        names = [result or f"{operation}_{first}_{place}" for place in range(results)]
        self._nodes.append(helper.make_node(operation, inputs, names, domain=domain, **attributes))
        return names


def _pack(quanta: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put neighbours into one byte, the first in the low four bits."""
    return (quanta[..., 0::2] | (quanta[..., 1::2] << 4)).astype("uint8")


def _float_type() -> int:
    from onnx import TensorProto  # noqa: PLC0415  # an optional package, needed only here

    return int(TensorProto.FLOAT)
