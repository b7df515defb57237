"""What the judge's tests share: a clock that tests move, interactions, and judges without a network."""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import httpx

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Document, Interaction
from ragsonde.collector.telemetry import Event
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, Outcome
from ragsonde.testing.judge_script import FaultRule, Script
from ragsonde.testing.judge_server import create_app

BASE_URL = "http://judge.test/v1"


class MovableClock:
    """Stands still until it is moved; ``sleep`` moves it and keeps what was asked for."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.date = 1_800_000_000.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self.date

    def move(self, seconds: float) -> None:
        self.now += seconds
        self.date += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.move(seconds)
        await asyncio.sleep(0)


E = TypeVar("E", bound=Event)


class Recorder:
    """Keeps events."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.events.append(event)

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]


def config(**fields: Any) -> JudgeConfig:
    return JudgeConfig.model_validate({"model": "judge-1", "base_url": BASE_URL, **fields})


def interaction(
    answer: str | None,
    contexts: Sequence[str | tuple[str, str]] | None = (),
    question: str | None = "What is known?",
    **fields: Any,
) -> Interaction:
    documents = None
    if contexts is not None:
        pairs = [context if isinstance(context, tuple) else (None, context) for context in contexts]
        documents = tuple(Document(text, rank, id=name) for rank, (name, text) in enumerate(pairs, start=1))
    return Interaction("i-1", question, answer, documents, **fields)


def reading(*args: Any, **fields: Any) -> Reading:
    return Reading(interaction(*args, **fields))


class InProcess:
    """A scripted judge server without a network, and what arrived there."""

    def __init__(self, script: Script) -> None:
        self.app = create_app(script)

    def judge(self, settings: JudgeConfig, **parts: Any) -> Judge:
        return build_judge(settings, transport=httpx.ASGITransport(app=self.app), chance=random.Random(0), **parts)

    async def get(self, path: str) -> Any:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app), base_url=BASE_URL) as client:
            return (await client.get(f"http://judge.test{path}")).json()

    def stats(self) -> Mapping[str, int]:
        counts: Mapping[str, int] = asyncio.run(self.get("/stats"))
        return counts

    def prompts(self) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = asyncio.run(self.get("/prompts"))
        return seen


def script(faults: Sequence[Mapping[str, Any]] = (), **fields: Any) -> Script:
    return Script.model_validate({"faults": [FaultRule.model_validate(rule) for rule in faults], **fields})


@contextmanager
def scorer(server: InProcess, settings: JudgeConfig | None = None, **parts: Any) -> Iterator[JudgeScorer]:
    made = JudgeScorer(server.judge(settings or config(), **parts))
    try:
        yield made
    finally:
        made.close()


def outcomes(
    of: Reading,
    server: InProcess | None = None,
    settings: JudgeConfig | None = None,
    seconds: float = 20.0,
    **parts: Any,
) -> Mapping[MetricKey, Outcome]:
    """The outcomes of one interaction from a scripted judge."""
    with scorer(server or InProcess(Script()), settings, **parts) as judge:
        (result,) = judge.score([of], Deadline(seconds))
        return result
