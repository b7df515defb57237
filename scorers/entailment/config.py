"""What the operator may set about a model for entailment."""

from pathlib import Path

from pydantic import Field

from ragsonde.collector.config import Config


class EntailmentConfig(Config):
    """A cross-encoder of yours for natural language inference, exported to ONNX, with a say in each claim."""

    model_dir: Path
    """Directory with the graph, ``tokenizer.json`` and ``config.json``, as ``optimum-cli export onnx`` writes them.
    Needs the ``entailment`` extra."""
    file: str = "model.onnx"
    """The graph within it, for example ``onnx/model_quantized.onnx``. Default ``model.onnx``."""
    supported_label: str | None = None
    """The label that means "the text entails the claim", where ``config.json`` calls it something unusual."""
    evidence_tokens: int = Field(default=160, ge=32, le=8192)
    """Most tokens of context that a claim is read with: the sentences nearest to it. Time grows faster than this."""
    weight: float | None = Field(default=None, ge=0, le=1)
    """Its say beside the detector's, from 0 (none) to 1 (all). Default: what ``ragsonde.json`` beside the model says,
    else 0.5."""
    threads: int = Field(default=1, ge=1, le=256)
    """Processor threads that one call may use; default 1, since scoring workers already run side by side."""
