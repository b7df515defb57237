"""An exported cross-encoder in onnxruntime, on the CPU."""

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.entailment.config import EntailmentConfig
from ragsonde.scorers.entailment.files import read_model_files

_IDS, _MASK, _TYPES = "input_ids", "attention_mask", "token_type_ids"
_MOST = 20.0
"""Log odds beyond which nothing is gained, and a flat answer of the model cannot become infinite."""
_NOT_FUSED = ("SkipLayerNormFusion",)
"""On a CPU the fused kernel is slower than its two parts (a sixth of the whole time, at 192 tokens) and less exact."""
_COUNTED_TEXTS = 20_000
"""Sentences whose length is kept: retrieval returns the same passages often."""


class OnnxEntailmentModel:
    """An ``EntailmentModel`` for any sequence classifier over pairs: three labels, two, or a single logit.

    Pairs are read one at a time. From 128 tokens on a batch gains nothing on a CPU, and in most eight-bit graphs the
    neighbours in a batch would move an answer.
    """

    def __init__(self, config: EntailmentConfig) -> None:
        """Load the model and try it on a pair.

        Raises:
            ConfigError: the directory does not hold such a model.
        """
        self._files = files = read_model_files(config)
        try:
            self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        except Exception as error:  # the library raises bare Exception
            raise ConfigError(f"{files.tokenizer} is no tokenizer of the tokenizers library: {error}") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text
        self._markers = self._tokenizer.num_special_tokens_to_add(is_pair=True)
        self._session = _session(config, str(files.graph))
        self._inputs = [given.name for given in self._session.get_inputs()]
        if unknown := set(self._inputs) - {_IDS, _MASK, _TYPES}:
            raise ConfigError(f"{files.graph} wants {', '.join(sorted(unknown))}, which a cross-encoder does not need")
        self._length = lru_cache(_COUNTED_TEXTS)(self._count)
        self._try()

    @property
    def version(self) -> str:
        """The first digits of the sha256 of graph and tokenizer."""
        return self._files.digest[:12]

    @property
    def digest(self) -> str:
        """sha256 of graph, weights and tokenizer."""
        return self._files.digest

    def tokens(self, text: str) -> int:
        """Length of a text in tokens, markers left out."""
        return self._length(text)

    def room(self, claim: str) -> int:
        """Tokens of premise that fit beside a claim."""
        return self._files.window - self._markers - self._length(claim)

    def log_odds(self, premise: str, claim: str) -> float:
        """Log odds of entailment: its logit, less the logarithm of the summed exponentials of the others."""
        return self._odds_in(self._logits(premise, claim))

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(_writable(text), add_special_tokens=False).ids)

    def _odds_in(self, logits: NDArray[np.float64]) -> float:
        supported = float(logits[self._files.supported])
        others = np.delete(logits, self._files.supported)
        odds = supported - float(np.logaddexp.reduce(others)) if len(others) else supported
        return max(-_MOST, min(_MOST, odds))

    def _logits(self, premise: str, claim: str) -> NDArray[np.float64]:
        premise, claim = _writable(premise), _writable(claim)
        encoded = self._tokenizer.encode(premise, claim)
        if len(encoded.ids) > self._files.window:
            encoded = self._tokenizer.encode(self._beginning(premise, self.room(claim)), claim)
        (found, *_) = self._session.run(None, {name: _row(encoded, name) for name in self._inputs})
        return np.asarray(found, np.float64).reshape(-1)

    def _beginning(self, premise: str, room: int) -> str:
        offsets = self._tokenizer.encode(premise, add_special_tokens=False).offsets
        return premise[: offsets[room - 1][1]] if room > 0 else ""

    def _try(self) -> None:
        """One pair, which loads what is loaded late and shows whether the graph is what ``config.json`` says."""
        try:
            logits = self._logits("The ferry leaves at ten.", "The ferry leaves at ten.")
        except Exception as error:  # onnxruntime raises classes of its own for every kind of fault
            raise ConfigError(f"{self._files.graph} cannot be run: {error}") from error
        if len(logits) != self._files.labels or not np.isfinite(logits).all():
            raise ConfigError(
                f"{self._files.graph} gives {len(logits)} values for a pair where config.json has "
                f"{self._files.labels} labels: only sequence classifiers can be used"
            )


def _session(config: EntailmentConfig, graph: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = config.threads
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=_NOT_FUSED
        )
    except Exception as error:  # see above
        raise ConfigError(f"{graph} is no ONNX graph that can be run here: {error}") from error


def _row(encoded: Encoding, name: str) -> NDArray[np.int64]:
    rows: Mapping[str, list[int]] = {_IDS: encoded.ids, _MASK: encoded.attention_mask, _TYPES: encoded.type_ids}
    return np.array([rows[name]], np.int64)


def _writable(text: str) -> str:
    """The text without lone surrogates, which cannot be written as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
