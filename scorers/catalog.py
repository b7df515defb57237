"""Which scorers there are, and how they are made. Explicit: nothing registers itself."""

from collections.abc import Callable, Sequence
from typing import Annotated

from pydantic import Field, field_validator

from ragsonde.collector.config import Config
from ragsonde.scorers.citations.scorer import CitationScorer
from ragsonde.scorers.diagnosis import DiagnosisConfig
from ragsonde.scorers.embedding import EmbeddingConfig, open_embedder
from ragsonde.scorers.engine import EngineConfig
from ragsonde.scorers.faithfulness import FaithfulnessScorer, Support
from ragsonde.scorers.relevance import RelevanceScorer
from ragsonde.scorers.retrieval import RetrievalScorer
from ragsonde.scorers.scorer import Scorer

LOCAL = "local"
"""Stands for every scorer that needs neither a key nor a network."""


class ScoringConfig(Config):
    """How interactions are scored."""

    scorers: tuple[str, ...] = (LOCAL,)
    """Scorers to run, in order: ``local`` for all local ones, or single names. Where two give one metric, the later
    one wins. Default ``local``."""
    retrieval_k: Annotated[int, Field(ge=1, le=1000)] = 5
    """The k of hit@k, recall@k, precision@k and nDCG@k. Default 5."""
    embedding: EmbeddingConfig = EmbeddingConfig()
    """The local multilingual model."""
    diagnosis: DiagnosisConfig = DiagnosisConfig()
    """The thresholds below which a metric is called bad."""
    engine: EngineConfig = EngineConfig()
    """Scoring in the background."""

    @field_validator("scorers")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name != LOCAL and name not in _CONSTRUCTORS:
                raise ValueError(f"there is no scorer {name!r}; choose among {', '.join([LOCAL, *_CONSTRUCTORS])}")
        if not names:
            raise ValueError(f"name at least one scorer, for example {LOCAL!r}")
        return names


def build_scorers(config: ScoringConfig) -> Sequence[Scorer]:
    """Make the scorers that the configuration names.

    Raises:
        ConfigError: a model cannot be made ready.
    """
    names = [name for given in config.scorers for name in (_LOCAL_NAMES if given == LOCAL else (given,))]
    return [_CONSTRUCTORS[name](config) for name in dict.fromkeys(names)]


_CONSTRUCTORS: dict[str, Callable[[ScoringConfig], Scorer]] = {
    "local_faithfulness": lambda _: FaithfulnessScorer(),
    "local_relevance": lambda config: RelevanceScorer(open_embedder(config.embedding)),
    "local_citations": lambda _: CitationScorer(Support()),
    "retrieval": lambda config: RetrievalScorer(k=config.retrieval_k),
}
_LOCAL_NAMES = tuple(_CONSTRUCTORS)
