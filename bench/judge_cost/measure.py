"""Judges a fixed set of exchanges by a judge server and reads off at that server what it was asked."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document, Interaction
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed
from ragsonde.testing.judge_process import JudgeServer, running_judge_server

MODES = ("merged", "decomposed")
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Shape:
    """Exchanges that are alike in what they cost."""

    name: str
    passages: int
    repeated: int = 1
    """How often each passage is repeated, to make it long."""
    reference: bool = False
    """Whether a reference answer is known, so that two more metrics of the decomposed mode can be given."""


SHAPES = (
    Shape("1 passage", 1),
    Shape("3 passages", 3),
    Shape("5 passages", 5),
    Shape("5 passages, reference answer", 5, reference=True),
    Shape("5 long passages (about 10,000 characters each)", 5, repeated=120),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one interaction costs in the mean."""

    interactions: int
    calls: float
    """Chat completions."""
    embedding_calls: float
    input_tokens: float
    output_tokens: float


def measure(modes: Sequence[str] = MODES, shapes: Sequence[Shape] = SHAPES) -> dict[tuple[str, str], Cost]:
    """The cost of each shape in each mode.

    Raises:
        RuntimeError: a judgement failed, so that its cost would say nothing.
    """
    with running_judge_server() as server:
        return {(shape.name, mode): _cost(server, shape, mode) for shape in shapes for mode in modes}


def _cost(server: JudgeServer, shape: Shape, mode: str) -> Cost:
    settings = {
        "model": "judge",
        "base_url": server.base_url,
        "mode": mode,
        "cache": {"max_entries": 0},
        "embeddings": {"model": "embeddings"},
    }
    readings = [Reading(interaction) for interaction in interactions(shape)]
    judge = JudgeScorer(build_judge(JudgeConfig.model_validate(settings)))
    server.reset()
    try:
        results = judge.score(readings, Deadline(_SECONDS))
    finally:
        judge.close()
    failed = [outcome for result in results for outcome in result.values() if isinstance(outcome, Failed)]
    if failed:
        raise RuntimeError(f"{shape.name}, {mode}: {failed[0]}")
    stats, count = server.stats(), len(readings)
    embeddings = stats.get("calls.embeddings", 0)
    return Cost(
        count,
        (stats["calls"] - embeddings) / count,
        embeddings / count,
        stats["input_tokens"] / count,
        stats["output_tokens"] / count,
    )


def interactions(shape: Shape) -> list[Interaction]:
    """The exchanges in this shape, one a language."""
    return [
        Interaction(
            id=f"{shape.name} {language}",
            question=exchange["question"],
            answer=exchange["answer"],
            contexts=tuple(
                Document(" ".join([text] * shape.repeated), rank, id=f"doc-{rank}")
                for rank, text in enumerate(exchange["passages"][: shape.passages], start=1)
            ),
            reference=exchange["answer"] if shape.reference else None,
        )
        for language, exchange in _exchanges().items()
    ]


@cache
def _exchanges() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("exchanges.toml").read_text(encoding="utf-8"))
