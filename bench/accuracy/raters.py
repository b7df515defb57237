"""Names to scorers: the baselines, every scorer of the catalogue, and the judge."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import ValidationError

from bench.accuracy.baselines import EMBEDDING_MAX, PLAIN, Baseline, embedding_max
from bench.accuracy.probes import SUPPORT, SupportProbe
from ragsonde.collector.errors import ConfigError
from ragsonde.scorers import catalog
from ragsonde.scorers.catalog import ScoringConfig, build_scorers
from ragsonde.scorers.embedding import EmbeddingConfig, OnnxEmbedder, open_embedder
from ragsonde.scorers.entailment import EntailmentConfig, open_entailment
from ragsonde.scorers.faithfulness import Support
from ragsonde.scorers.judge.config import JudgeConfig
from ragsonde.scorers.judge.scorer import JudgeScorer, build_judge
from ragsonde.scorers.relevance import RelevanceScorer
from ragsonde.scorers.score import MetricKey
from ragsonde.scorers.scorer import Scorer

JUDGE = "judge"
DEFAULT = (*PLAIN, EMBEDDING_MAX, "local_faithfulness", SUPPORT, "local_citations", "local_relevance")
_USED_BY_BASELINES, _ALL = ("text", "embedding"), (".",)
"""Folders under ``scorers`` that the baselines use, and those that the scorers do."""
_SUFFIXES = {".py", ".json", ".toml", ".txt"}
_BATCH, _JUDGE_BATCH = 16, 64


@dataclass(frozen=True, slots=True)
class Rater:
    """A scorer with what tells its kept scores from those of another state of the code."""

    scorer: Scorer
    fingerprint: str
    batch_size: int = _BATCH

    @property
    def name(self) -> str:
        """The scorer's name."""
        return self.scorer.name

    def only(self, keys: Sequence[MetricKey]) -> Scorer:
        """The scorer, kept from computing other metrics where it can be: that is time which nobody asked it for."""
        if isinstance(self.scorer, Baseline):
            return replace(self.scorer, keys=tuple(key for key in self.scorer.keys if key in keys))
        return self.scorer

    def close(self) -> None:
        """Free what the scorer holds; only the judge holds connections."""
        if isinstance(self.scorer, JudgeScorer):
            self.scorer.close()


class RaterFactory:
    """Makes raters; those that need the local embedding share one."""

    def __init__(self, judge_config: Path | None = None, entailment: Path | None = None) -> None:
        self._embedder: OnnxEmbedder | None = None
        self._asked = EntailmentConfig(model_dir=entailment) if entailment is not None else None
        self._special: Mapping[str, Callable[[], Scorer | None]] = {
            "length": lambda: Baseline("length", PLAIN["length"], keys=(MetricKey.FAITHFULNESS,)),
            EMBEDDING_MAX: self._embedding_max,
            "local_relevance": self._relevance,
            SUPPORT: self._support,
            JUDGE: lambda: _judge(judge_config),
        }

    def make(self, name: str) -> Rater | None:
        """The rater of that name; None where the model that it needs is not installed.

        Raises:
            ConfigError: there is no such scorer, or it cannot be made.
        """
        if name in self._special:
            scorer = self._special[name]()
        else:
            scorer = Baseline(name, PLAIN[name]) if name in PLAIN else _from_catalogue(name, self._asked)
        if scorer is None:
            return None
        code = _digest_of_code(_USED_BY_BASELINES if isinstance(scorer, Baseline) else _ALL)
        fingerprint = hashlib.sha256(f"{scorer.name}\0{scorer.version}\0{code}".encode()).hexdigest()
        return Rater(scorer, fingerprint[:16], _JUDGE_BATCH if name == JUDGE else _BATCH)

    def _support(self) -> Scorer:
        support = Support(entailment=open_entailment(self._asked) if self._asked is not None else None)
        return SupportProbe(support.support, version=support.version)

    def _embedding_max(self) -> Scorer | None:
        embedder = self._opened()
        return Baseline(EMBEDDING_MAX, embedding_max(embedder), embedder.version) if embedder else None

    def _relevance(self) -> Scorer | None:
        embedder = self._opened()
        return RelevanceScorer(embedder) if embedder else None

    def _opened(self) -> OnnxEmbedder | None:
        if self._embedder is None:
            self._embedder = open_embedder(EmbeddingConfig(cache_entries=100_000))
        return self._embedder


def _from_catalogue(name: str, entailment: EntailmentConfig | None) -> Scorer:
    try:
        config = ScoringConfig(scorers=(name,), entailment=entailment)
    except ValidationError as error:
        known = ", ".join(dict.fromkeys((*DEFAULT, JUDGE)))
        raise ConfigError(f"there is no scorer {name!r}; choose among {known}") from error
    return build_scorers(config)[0]


def _judge(path: Path | None) -> Scorer:
    if path is None:
        raise ConfigError("the judge needs --judge FILE: YAML with model, base_url, api_key_env and the like")
    try:
        config = JudgeConfig.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is no judge configuration: {error}") from error
    return JudgeScorer(build_judge(config))


def _digest_of_code(folders: Sequence[str]) -> str:
    """Of the code that may change a score without changing a version: the scorers', and what makes their input."""
    digest = hashlib.sha256()
    scorers, here = Path(catalog.__file__).resolve().parent, Path(__file__).resolve().parent
    files = [path for folder in folders for path in (scorers / folder).rglob("*") if path.suffix in _SUFFIXES]
    files += [here / "baselines.py", here / "data.py", here / "probes.py"]
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()
