"""A model's say beside the detector's."""

import importlib.util
import json
import math
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.detector import Rating
from ragsonde.scorers.entailment.config import EntailmentConfig
from ragsonde.scorers.entailment.model import EntailmentModel

CALIBRATION = "ragsonde.json"
_PACKAGES = ("numpy", "onnxruntime", "tokenizers")
_LEAST = 1e-6


class Calibration(BaseModel):
    """How much a model's log odds say, and how much they count: ``ragsonde.json`` beside the model."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    model_sha256: str | None = None
    """Of the model that it was fitted for."""
    scale: float = Field(default=1.0, gt=0)
    shift: float = 0.0
    """``scale * x + shift`` are calibrated log odds of support (Platt, 1999)."""
    weight: float = Field(default=0.5, ge=0, le=1)
    """Say of the model beside the detector's."""


@dataclass(frozen=True, slots=True)
class Entailment:
    """A model with its calibration."""

    model: EntailmentModel
    calibration: Calibration
    evidence_tokens: int
    """Most tokens of context that a claim is read with."""

    @property
    def version(self) -> str:
        """The model, and how it counts."""
        fitted = self.calibration
        return f"{self.model.version}-{fitted.weight:g}-{fitted.scale:g}-{fitted.shift:g}-{self.evidence_tokens}"

    def room(self, claim: str) -> int:
        """Tokens of context that may stand beside a claim; 0 or less where the claim is too long for the model."""
        return min(self.evidence_tokens, self.model.room(claim))

    def weighed(self, rating: Rating, premise: str, claim: str) -> Rating:
        """The detector's rating of a claim, mixed in log odds with what the model says of it."""
        fitted = self.calibration
        said = fitted.scale * self.model.log_odds(premise, claim) + fitted.shift
        probability, alone = (_mixed(held, said, fitted.weight) for held in (rating.probability, rating.alone))
        return Rating(probability, alone, by_words=False)


def open_entailment(config: EntailmentConfig) -> Entailment:
    """Load a model and its calibration.

    Raises:
        ConfigError: a package is missing, or the directory does not hold what it must.
    """
    if missing := [name for name in _PACKAGES if importlib.util.find_spec(name) is None]:
        raise ConfigError(
            f"entailment needs {', '.join(missing)}, which is not installed: pip install ragsonde[entailment]"
        )
    from ragsonde.scorers.entailment.onnx_model import OnnxEntailmentModel  # noqa: PLC0415  # optional packages

    model = OnnxEntailmentModel(config)
    calibration = _read_calibration(config.model_dir / CALIBRATION, model.digest)
    if config.weight is not None:
        calibration = calibration.model_copy(update={"weight": config.weight})
    return Entailment(model, calibration, config.evidence_tokens)


def _read_calibration(path: Path, digest: str) -> Calibration:
    if not path.is_file():
        return Calibration()
    remedy = "fit it anew with: python -m bench.entailment"
    try:
        calibration = Calibration.model_validate(json.loads(path.read_bytes()))
    except (ValueError, ValidationError) as error:
        raise ConfigError(f"{path} is no calibration: {error}; {remedy}") from error
    if calibration.model_sha256 not in (None, digest):
        raise ConfigError(f"{path} was fitted for another model (sha256 {calibration.model_sha256}); {remedy}")
    return calibration


def _mixed(probability: float, said: float, weight: float) -> float:
    held = min(1 - _LEAST, max(_LEAST, probability))
    odds = (1 - weight) * math.log(held / (1 - held)) + weight * said
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
