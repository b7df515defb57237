"""The fitted model: how the parts that look at claims and answers are put together, and the file that holds them."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ragsonde.scorers.detector.features import (
    ANSWER,
    CLAIM,
    FEATURES,
    AnswerFeatures,
    ClaimFeatures,
    answer_row,
    claim_row,
    vectors,
)
from ragsonde.scorers.detector.linear import Linear, read_linear
from ragsonde.scorers.detector.trees import Forest, read_forest

FORMAT = 2


class Rating(NamedTuple):
    """How likely a claim is supported, 0 to 1."""

    probability: float
    """In the light of its answer: where one claim is wrong, the others deserve less trust."""
    alone: float
    """By itself: what a verdict on this one claim is taken from."""
    by_words: bool = True
    """From words and facts alone; False where a model for entailment has had its say."""


@dataclass(frozen=True, slots=True)
class Platt:
    """Turns log odds of a fault into calibrated ones: ``scale * x + shift`` (Platt, 1999)."""

    scale: float
    shift: float

    def supported(self, fault: float) -> float:
        """The probability, 0 to 1, of no fault."""
        return 1.0 / (1.0 + math.exp(max(-30.0, min(30.0, self.scale * fault + self.shift))))


@dataclass(frozen=True, slots=True)
class Blend:
    """How a claim's own log odds and those of its answer become probabilities."""

    share: float
    """Say of the answer, 0 to 1."""
    together: Platt
    alone: Platt

    def ratings(self, claims: Sequence[float], answer: float) -> list[Rating]:
        """Rate each claim."""
        return [
            Rating(self.together.supported((1 - self.share) * claim + self.share * answer), self.alone.supported(claim))
            for claim in claims
        ]


@dataclass(frozen=True, slots=True)
class ProseModel:
    """For contexts of prose alone: a regression over a claim, and one over its answer."""

    claim: Linear
    answer: Linear
    blend: Blend

    def ratings(self, claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[Rating]:
        """Rate each claim; there is at least one."""
        own = [self.claim.at(claim_row(claim)) for claim in claims]
        return self.blend.ratings(own, self.answer.at(answer_row(claims, answer)))


@dataclass(frozen=True, slots=True)
class RecordModel:
    """For contexts with a record among them, which an answer tells in words of its own."""

    forest: Forest
    blend: Blend

    def ratings(self, claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[Rating]:
        """Rate each claim; there is at least one."""
        own = [self.forest.at(vector) for vector in vectors(claims, answer)]
        return self.blend.ratings(own, pooled(own))


def pooled(claims: Sequence[float]) -> float:
    """The log odds of an answer from those of its claims: the worst counts most, and many doubtful ones add up."""
    worst = max(claims)
    return worst + math.log(sum(math.exp(claim - worst) for claim in claims))


@dataclass(frozen=True, slots=True)
class Model:
    """All of it."""

    version: str
    languages: frozenset[str]
    """Languages (ISO 639) in which people's labels were there to check it."""
    prose: ProseModel
    record: RecordModel


@cache
def shipped_model() -> Model:
    """The model that ships with this version.

    Raises:
        ValueError: the file does not belong to this version's features.
    """
    return read_model(json.loads(files(__package__).joinpath("model.json").read_text(encoding="utf-8")))


def read_model(table: Mapping[str, Any]) -> Model:
    """Read a model.

    Raises:
        ValueError: the file does not belong to this version's features.
    """
    record = table["record"]
    if table["format"] != FORMAT or tuple(record["features"]) != FEATURES:
        raise ValueError("model.json was fitted for other features: fit it anew with python -m bench.detector.fit")
    prose = table["prose"]
    return Model(
        table["version"],
        frozenset(table["languages"]),
        ProseModel(read_linear(prose["claim"], CLAIM), read_linear(prose["answer"], ANSWER), _blend(prose)),
        RecordModel(read_forest(record), _blend(record)),
    )


def _blend(table: Mapping[str, Any]) -> Blend:
    return Blend(table["share"], Platt(**table["together"]), Platt(**table["alone"]))
