"""A small cross-encoder on disk: a graph that says how many tokens of the claim are in the premise."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

NLI_LABELS = ("contradiction", "entailment", "neutral")
WINDOW = 64
_MARKERS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
_INPUTS = ("input_ids", "token_type_ids")
_STEEPNESS, _HALF = 12.0, 0.6


def write_overlap_model(
    folder: Path,
    texts: Sequence[str],
    *,
    labels: Sequence[str] = NLI_LABELS,
    supported: int = 1,
    window: int = WINDOW,
    file: str = "model.onnx",
) -> Path:
    """Write a model that knows the words of some texts: its logit of entailment is 12 times (share - 0.6).

    *Share* is that of the claim's tokens which stand in the premise; the logits of the other labels are 0.
    """
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_bytes(_graph(len(labels), supported))
    _tokenizer(texts).save(str(folder / "tokenizer.json"))
    write_json(folder / "config.json", {"id2label": dict(enumerate(labels)), "max_position_embeddings": window + 2})
    write_json(folder / "tokenizer_config.json", {"model_max_length": window})
    return folder


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def _tokenizer(texts: Sequence[str]) -> Tokenizer:
    pieces = BertPreTokenizer()
    words = {piece for text in texts for piece, _ in pieces.pre_tokenize_str(text.lower())}
    vocabulary = {word: number for number, word in enumerate((*_MARKERS, *sorted(words)))}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = pieces
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    return tokenizer


def _graph(labels: int, supported: int) -> bytes:
    """Token ids ``[1, n]`` and the segment of each in, logits ``[1, labels]`` out."""
    last = len(_MARKERS) - 1
    column = np.zeros((1, labels), np.float32)
    column[0, supported] = 1.0
    constants = {
        "last": np.array([last], np.int64), "one": np.array([1], np.int64), "axis": np.array([1], np.int64),
        "half": np.array([_HALF], np.float32), "steep": np.array([_STEEPNESS], np.float32), "column": column,
        "tiny": np.array([1e-6], np.float32), "zero": np.array([0], np.int64),
        "rows": np.array([-1, 1], np.int64), "columns": np.array([1, -1], np.int64),
    }  # fmt: skip
    nodes = [
        helper.make_node("Greater", ["input_ids", "last"], ["word"]),
        helper.make_node("Equal", ["token_type_ids", "one"], ["second"]),
        helper.make_node("Not", ["second"], ["first"]),
        helper.make_node("And", ["word", "second"], ["claim"]),
        helper.make_node("And", ["word", "first"], ["premise"]),
        helper.make_node("Reshape", ["input_ids", "rows"], ["ids_down"]),
        helper.make_node("Equal", ["ids_down", "input_ids"], ["same"]),
        helper.make_node("And", ["same", "premise"], ["found"]),
        helper.make_node("Cast", ["found"], ["found_f"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["found_f", "axis"], ["held"], keepdims=0),
        helper.make_node("Cast", ["claim"], ["claim_2d"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMax", ["claim_2d", "zero"], ["claim_f"], keepdims=0),
        helper.make_node("Mul", ["held", "claim_f"], ["held_claim"]),
        helper.make_node("ReduceSum", ["held_claim", "zero"], ["sum_held"], keepdims=1),
        helper.make_node("ReduceSum", ["claim_f", "zero"], ["sum_claim"], keepdims=1),
        helper.make_node("Max", ["sum_claim", "tiny"], ["total"]),
        helper.make_node("Div", ["sum_held", "total"], ["share"]),
        helper.make_node("Sub", ["share", "half"], ["above"]),
        helper.make_node("Mul", ["above", "steep"], ["logit"]),
        helper.make_node("Reshape", ["logit", "columns"], ["logit_2d"]),
        helper.make_node("Mul", ["logit_2d", "column"], ["logits"]),
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in _INPUTS]
    graph = helper.make_graph(
        nodes, "overlap",
        given,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, labels])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    return bytes(model.SerializeToString())
