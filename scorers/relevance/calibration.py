"""Logistic models that turn features into probabilities, with where they come from."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.scorers.relevance.features import ANSWER_FEATURES, PASSAGE_FEATURES, SENTENCE_FEATURES


@dataclass(frozen=True, slots=True)
class LogisticModel:
    """P = 1 / (1 + exp(-(intercept + sum of weight times feature)))."""

    intercept: float
    weights: tuple[float, ...]

    def probability(self, features: Sequence[float]) -> float:
        """Probability, 0 to 1, to four digits: the last bits of a vector may differ between batches."""
        score = self.intercept + sum(weight * value for weight, value in zip(self.weights, features, strict=True))
        return round(1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, score)))), 4)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The three models of one embedder."""

    version: str
    embedder: str
    """Name of the embedder whose cosines they were fitted on: another one's scale is another."""
    sentence: LogisticModel
    """Does this sentence help to answer the question?"""
    passage: LogisticModel
    """Does this passage hold the answer?"""
    answer: LogisticModel
    """Does this answer address the question?"""


class _ModelFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    intercept: float
    weights: dict[str, float]

    def model(self, features: Sequence[str]) -> LogisticModel:
        if set(self.weights) != set(features):
            raise ValueError(f"weights for {sorted(self.weights)}, expected {sorted(features)}")
        return LogisticModel(self.intercept, tuple(self.weights[name] for name in features))


class _CalibrationFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    version: str
    embedder: str
    provenance: str
    sentence: _ModelFile
    passage: _ModelFile
    answer: _ModelFile


def read_calibration(content: str | bytes) -> Calibration:
    """Parse a calibration file. Raises ConfigError that names the faulty field."""
    try:
        file = _CalibrationFile.model_validate_json(content)
        return Calibration(
            file.version,
            file.embedder,
            file.sentence.model(SENTENCE_FEATURES),
            file.passage.model(PASSAGE_FEATURES),
            file.answer.model(ANSWER_FEATURES),
        )
    except (ValidationError, ValueError) as error:
        raise ConfigError(f"the calibration of local_relevance cannot be read: {error}") from error


def write_calibration(calibration: Calibration, provenance: str) -> str:
    """The file's text."""

    def written(model: LogisticModel, features: Sequence[str]) -> Mapping[str, object]:
        weights = {name: round(weight, 4) for name, weight in zip(features, model.weights, strict=True)}
        return {"intercept": round(model.intercept, 4), "weights": weights}

    content = {
        "version": calibration.version,
        "embedder": calibration.embedder,
        "provenance": provenance,
        "sentence": written(calibration.sentence, SENTENCE_FEATURES),
        "passage": written(calibration.passage, PASSAGE_FEATURES),
        "answer": written(calibration.answer, ANSWER_FEATURES),
    }
    return json.dumps(content, indent=2) + "\n"


@cache
def default_calibration() -> Calibration:
    """The calibration that is shipped, for multilingual-e5-small."""
    return read_calibration(resources.files("ragsonde.scorers.relevance").joinpath("calibration.json").read_bytes())
