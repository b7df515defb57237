"""Which scorers there are, and how they are made. Explicit: nothing registers itself."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from ragsonde.collector.clock import Clock, SystemClock
from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.sampler import Probability
from ragsonde.collector.telemetry import EventListener, ignore_events
from ragsonde.scorers.cascade import JudgeSamplingConfig
from ragsonde.scorers.citations.scorer import CitationScorer
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.embedding import EmbeddingConfig, open_embedder
from ragsonde.scorers.engine import EngineConfig
from ragsonde.scorers.entailment import Entailment, EntailmentConfig, open_entailment
from ragsonde.scorers.faithfulness import AnalysisCache, FaithfulnessScorer, Support
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.rubric import load_rubric_file
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.relevance import RelevanceScorer
from ragsonde.scorers.retrieval import RetrievalScorer
from ragsonde.scorers.scorer import Scorer

LOCAL = "local"
"""Stands for every scorer that needs neither a key nor a network."""
JUDGE = "judge"
SECOND_JUDGE = "second_judge"


class ScoringConfig(Config):
    """How interactions are scored."""

    scorers: tuple[str, ...] = (LOCAL,)
    """Scorers that look at every kept interaction, in order: ``local`` for all local ones, or single names. Where two
    give one metric, the later one wins. Default ``local``. For live traffic the judge has its own section."""
    retrieval_k: Annotated[int, Field(ge=1, le=1000)] = 5
    """The k of hit@k, recall@k, precision@k and nDCG@k. Default 5."""
    embedding: EmbeddingConfig = EmbeddingConfig()
    """The local multilingual model."""
    entailment: EntailmentConfig | None = None
    """A model of yours for natural language inference, with a say in faithfulness and citations. Default: none."""
    judge: JudgeConfig | None = None
    """The LLM judge. Default: none."""
    judge_sampling: JudgeSamplingConfig = JudgeSamplingConfig()
    """Which of the kept interactions the judge looks at."""
    judge_queue_size: Annotated[int, Field(ge=1, le=100_000)] = 500
    """Interactions that wait for a judge; beyond it they go on without a verdict, counted as failed. Default 500."""
    second_judge: JudgeConfig | None = None
    """A judge of another family, to see how far the two agree. Default: none."""
    second_judge_probability: Probability = 0.01
    """Share of the kept interactions that the second judge looks at too, in (0, 1]. Default 0.01."""
    rubrics: tuple[Path, ...] = ()
    """Files with rubrics of your own: each is a metric that the judge gives beside the built-in ones."""
    diagnosis: DiagnosisConfig = DiagnosisConfig()
    """The thresholds below which a metric is called bad."""
    engine: EngineConfig = EngineConfig()
    """Scoring in the background."""

    @field_validator("scorers")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        known = [LOCAL, *_LOCAL, JUDGE]
        for name in names:
            if name not in known:
                raise ValueError(f"there is no scorer {name!r}; choose among {', '.join(known)}")
        if not names:
            raise ValueError(f"name at least one scorer, for example {LOCAL!r}")
        return names

    @model_validator(mode="after")
    def _judge_is_set(self) -> Self:
        if self.judge is None and (JUDGE in self.scorers or self.second_judge is not None or self.rubrics):
            raise ValueError("the scorer 'judge', second_judge and rubrics need the section judge: name its model")
        return self


def build_scorers(
    config: ScoringConfig, clock: Clock | None = None, listener: EventListener = ignore_events
) -> Sequence[Scorer]:
    """Make the scorers that the configuration names.

    Raises:
        ConfigError: a model cannot be made ready, or the judge cannot work as configured.
    """
    names = [name for given in config.scorers for name in (_LOCAL if given == LOCAL else (given,))]
    shared = _Shared(AnalysisCache(), _open_for(names, config.entailment))
    return [
        make_judge(config, config.judge, clock, listener)
        if name == JUDGE and config.judge is not None
        else _LOCAL[name](config, shared)
        for name in dict.fromkeys(names)
    ]


@contextmanager
def settings_of(name: str) -> Iterator[None]:
    """Name settings in errors as those of ``name``, ``judge`` or ``second_judge``: one judge's code serves both.

    Raises:
        ConfigError: one was raised within, of whose settings it now speaks.
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(re.sub(rf"\bscoring\.{JUDGE}\b", f"scoring.{name}", str(error))) from error


def make_judge(
    config: ScoringConfig, judge: JudgeConfig, clock: Clock | None = None, listener: EventListener = ignore_events
) -> JudgeScorer:
    """Make a judge with the user's rubrics; who asks for it closes it.

    Raises:
        ConfigError: the judge cannot work as configured, or a rubric file is not valid.
    """
    rubrics = [load_rubric_file(path) for path in config.rubrics]
    return JudgeScorer(build_judge(judge, clock=clock or SystemClock(), listener=listener), rubrics=rubrics)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What several local scorers use."""

    cache: AnalysisCache
    entailment: Entailment | None


def _open_for(names: Sequence[str], config: EntailmentConfig | None) -> Entailment | None:
    """The model for entailment, where there is one and a scorer asks it."""
    return open_entailment(config) if config is not None and _ENTAILING.intersection(names) else None


_ENTAILING = frozenset({"local_faithfulness", "local_citations"})
_LOCAL: dict[str, Callable[[ScoringConfig, _Shared], Scorer]] = {
    "local_faithfulness": lambda _, shared: FaithfulnessScorer(cache=shared.cache, entailment=shared.entailment),
    "local_relevance": lambda config, _: RelevanceScorer(open_embedder(config.embedding)),
    "local_citations": lambda _, shared: CitationScorer(Support(cache=shared.cache, entailment=shared.entailment)),
    "retrieval": lambda config, _: RetrievalScorer(k=config.retrieval_k),
}
