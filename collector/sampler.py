"""Which interactions are kept, and with what probability."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from ragsonde.collector.config import Config
from ragsonde.collector.model import Interaction, SamplingDecision

BASE_STRATUM = "base"

Probability = Annotated[float, Field(gt=0.0, le=1.0)]


class Stratum(Config):
    """A rule that raises the probability of the interactions it matches. All conditions given must hold."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
    """Label value in the metrics: lower-case letters, digits, underscores; 32 characters at most."""
    probability: Probability
    """Inclusion probability of what matches, in (0, 1]. Never below the base probability."""
    apps: tuple[str, ...] | None = None
    """Applications (``service.name``) that it matches; all when left out."""
    environments: tuple[str, ...] | None = None
    """Deployment environments that it matches; all when left out."""
    app_versions: tuple[str, ...] | None = None
    """Application versions that it matches, for a closer look at a new release; all when left out."""
    negative_feedback: Literal[True] | None = None
    """Match only interactions with the user's feedback below 0."""

    def matches(self, interaction: Interaction) -> bool:
        """Whether every condition given holds."""
        if self.apps is not None and interaction.app not in self.apps:
            return False
        if self.environments is not None and interaction.environment not in self.environments:
            return False
        if self.app_versions is not None and interaction.app_version not in self.app_versions:
            return False
        return self.negative_feedback is None or (interaction.feedback is not None and interaction.feedback < 0)


class SamplingConfig(Config):
    """How many interactions are scored."""

    probability: Probability = 1.0
    """Inclusion probability of every interaction that no stratum matches, in (0, 1]. Default 1: score everything."""
    salt: str = "ragsonde"
    """Mixed into the hash. Replicas that share traffic must share it; change it to draw another sample."""
    strata: tuple[Stratum, ...] = ()
    """Rules that raise the probability; of those that match, the highest probability decides."""


class Sampler:
    """Decides by hash(trace id, salt) < p.

    The decision is a pure function of trace id, salt and probability: every replica and every replay decides alike,
    and samples are nested (what is kept at 1 % is also kept at 10 %).
    """

    def __init__(self, config: SamplingConfig) -> None:
        self._salt = config.salt
        self._base = config.probability
        self._strata: Sequence[Stratum] = config.strata

    def decide(self, interaction: Interaction) -> SamplingDecision:
        """Decide on an interaction by the highest probability that matches it."""
        probability, stratum = self._base, BASE_STRATUM
        for candidate in self._strata:
            if candidate.probability > probability and candidate.matches(interaction):
                probability, stratum = candidate.probability, candidate.name
        kept = unit_hash(interaction.trace_id or interaction.id, self._salt) < probability
        return SamplingDecision(kept=kept, probability=probability, stratum=stratum)


def unit_hash(key: str, salt: str) -> float:
    """Map a key to [0, 1), evenly, the same on every machine (BLAKE2b, 53 bits)."""
    digest = hashlib.blake2b(key.encode(), key=salt.encode()[:64], digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / (1 << 53)
