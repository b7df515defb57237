"""The judge as a scorer: synchronous outside, concurrent inside, and never later than its deadline."""

import asyncio
import hashlib
import logging
import os
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.telemetry import EventListener, ignore_events
from ragsonde.scorers.judge.budget import BudgetStore
from ragsonde.scorers.judge.cache import ResultCache, open_cache
from ragsonde.scorers.judge.client import JudgeClient
from ragsonde.scorers.judge.concurrency import all_of
from ragsonde.scorers.judge.config import JudgeConfig, JudgeMode
from ragsonde.scorers.judge.decomposed import DECOMPOSED_RUBRICS, DecomposedJudge
from ragsonde.scorers.judge.endpoint import AsyncTransport
from ragsonde.scorers.judge.fence import DrawNonce, draw_nonce
from ragsonde.scorers.judge.judge import Judge
from ragsonde.scorers.judge.loop import LoopClosedError, LoopThread
from ragsonde.scorers.judge.merged import MERGED_RUBRICS, MergedJudge
from ragsonde.scorers.judge.rubric import RubricConfig, RubricScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Outcome

K = TypeVar("K")

_log = logging.getLogger(__name__)

_MAX_GRACE_SECONDS = 0.5
"""Time for the calls' own deadlines to give their typed outcomes before the batch's deadline cuts them off."""
_CLOSE_SECONDS = 5.0


class InteractionJudge(Protocol):
    """Judges one interaction."""

    @property
    def keys(self) -> tuple[MetricKey, ...]:
        """The metrics that it gives outcomes for."""
        ...

    async def outcomes(self, reading: Reading, deadline: Deadline) -> Mapping[MetricKey, Outcome]:
        """The outcome of each key."""
        ...


def build_judge(
    config: JudgeConfig,
    *,
    clock: Clock | None = None,
    listener: EventListener = ignore_events,
    budget_store: BudgetStore | None = None,
    cache: ResultCache | None = None,
    transport: AsyncTransport | None = None,
    chance: random.Random | None = None,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    environ: Mapping[str, str] = os.environ,
) -> Judge:
    """A judge with its client and cache. All but ``config`` is for sharing and for tests; see JudgeClient.

    Raises:
        ConfigError: the configuration cannot work (no key, no price for a money budget, unusable cache file).
    """
    clock = clock or SystemClock()
    client = JudgeClient(
        config,
        clock=clock,
        listener=listener,
        budget_store=budget_store,
        transport=transport,
        chance=chance,
        sleep=sleep,
        environ=environ,
    )
    return Judge(client, cache=cache or open_cache(config.cache, clock=clock), clock=clock, listener=listener)


class JudgeScorer:
    """Scores by a judge; satisfies the Scorer protocol.

    ``score`` returns by its deadline at the latest, whatever the judge does: what has no verdict by then is
    failed(timeout). It may be called from several threads; all calls share one event loop, so that concurrency,
    breaker and budget hold for all of them together. ``close`` frees connections and threads.

    Args:
        judge: who is asked; closed by ``close``.
        rubrics: the user's own metrics, which ``score_rubrics`` gives.
        draw: source of the calls' random words.
    """

    def __init__(self, judge: Judge, *, rubrics: Sequence[RubricConfig] = (), draw: DrawNonce = draw_nonce) -> None:
        config = judge.config
        self._judge = judge
        self._at_once = config.concurrency.maximum
        merged = config.mode is JudgeMode.MERGED
        self._interactions: InteractionJudge = (
            MergedJudge(judge, draw=draw) if merged else DecomposedJudge(judge, draw=draw)
        )
        self._rubrics = [RubricScorer(rubric, judge, draw=draw) for rubric in rubrics]
        prompts = judge.prompts.versions(MERGED_RUBRICS if merged else DECOMPOSED_RUBRICS)
        self._version = version_of(prompts, config)
        self._loop = LoopThread("ragsonde-judge")

    @property
    def name(self) -> str:
        """``judge``."""
        return "judge"

    @property
    def version(self) -> str:
        """Mode, prompts and model."""
        return self._version

    @property
    def keys(self) -> tuple[MetricKey, ...]:
        """The metrics of the configured mode."""
        return self._interactions.keys

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:
        """Judge a batch, as many interactions at once as the judge's concurrency allows."""
        return self._batch(readings, deadline, self.keys, self._interactions.outcomes)

    def score_rubrics(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[str, Outcome]]:
        """Judge a batch by the user's rubrics, each result keyed by the rubric's name."""

        async def outcomes(reading: Reading, until: Deadline) -> Mapping[str, Outcome]:
            results = await all_of([rubric.outcome(reading, until) for rubric in self._rubrics])
            return {result.name: result.outcome for result in results}

        return self._batch(readings, deadline, tuple(rubric.name for rubric in self._rubrics), outcomes)

    def close(self) -> None:
        """Free connections, files and threads. May be called twice."""
        try:
            self._loop.run(self._judge.aclose(), seconds=_CLOSE_SECONDS)
        except (TimeoutError, LoopClosedError):
            _log.debug("the judge's connections were not closed in order")
        self._loop.close(Deadline(_CLOSE_SECONDS))

    def _batch(
        self,
        readings: Sequence[Reading],
        deadline: Deadline,
        keys: tuple[K, ...],
        judged: Callable[[Reading, Deadline], Awaitable[Mapping[K, Outcome]]],
    ) -> list[Mapping[K, Outcome]]:
        """One result per reading by the deadline; what is missing then has failed."""
        if not readings:
            return []
        results: list[Mapping[K, Outcome] | None] = [None] * len(readings)
        missing = Failed(FailureKind.TIMEOUT, "no verdict came before the batch's deadline")
        left = deadline.remaining_seconds()
        inner = Deadline(left - min(_MAX_GRACE_SECONDS, 0.1 * left))

        async def work() -> None:
            places = asyncio.Semaphore(self._at_once)

            async def one(index: int, reading: Reading) -> None:
                async with places:
                    results[index] = await _shielded(reading, inner, keys, judged)

            await asyncio.gather(*(one(index, reading) for index, reading in enumerate(readings)))

        try:
            self._loop.run(work(), seconds=left)
        except TimeoutError:
            _log.warning("the judge's batch was cut off at its deadline")
        except LoopClosedError as error:
            missing = Failed(FailureKind.JUDGE_UNAVAILABLE, str(error))
        return [dict.fromkeys(keys, missing) if result is None else result for result in results]


async def _shielded(
    reading: Reading,
    deadline: Deadline,
    keys: tuple[K, ...],
    judged: Callable[[Reading, Deadline], Awaitable[Mapping[K, Outcome]]],
) -> Mapping[K, Outcome]:
    """The outcomes of one interaction; a fault of ours fails it and not its neighbours."""
    try:
        return await judged(reading, deadline)
    except Exception as error:  # noqa: BLE001  # one interaction must not fail its neighbours
        _log.warning("judging an interaction failed", exc_info=error)
        return dict.fromkeys(keys, Failed(FailureKind.INTERNAL_ERROR, type(error).__name__))


def version_of(prompts: Sequence[tuple[str, str]], config: JudgeConfig) -> str:
    """``mode+prompt versions:model``: changes with whatever may change a verdict."""
    versions = "+".join(f"{name}.{version}" for name, version in prompts)
    sampling = hashlib.sha256(repr((config.base_url, config.temperature, config.seed)).encode()).hexdigest()[:6]
    return f"{versions}:{config.model}:{sampling}"
