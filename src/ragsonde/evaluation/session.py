"""One evaluation from interactions to report, for the command line and for tests alike."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ragsonde import __version__
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Interaction
from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.evaluation.correctness import AnswerCorrectness
from ragsonde.evaluation.golden_scorers import GoldenRefusal, GoldenRetrieval
from ragsonde.evaluation.report import Origin, Report, make_report
from ragsonde.evaluation.run import Progress, Runner, duplicates, marked
from ragsonde.evaluation.run_file import Baseline, compare_with
from ragsonde.golden.item import GoldenItem
from ragsonde.golden.joining import Joined, join
from ragsonde.scorers.scorer import Scorer
from ragsonde.scorers.scoring import ScorerSet

_SEED = 20080823
"""Of the bootstrap: the same files give the same report."""

MakeScorers = Callable[[Sequence[Scorer]], ScorerSet]
"""Makes the configured scorers with further ones, which win where both give a metric."""


@dataclass(frozen=True, slots=True)
class Session:
    """How interactions are evaluated."""

    config: EvaluationConfig
    make_scorers: MakeScorers
    retrieval_k: int
    batch_size: int
    timeout_seconds: float
    """Seconds that a batch may take."""
    wall: Callable[[], float] = time.time

    def evaluate(
        self,
        interactions: Sequence[Interaction],
        results: Path,
        *,
        golden: Sequence[GoldenItem] | None = None,
        files: Sequence[str] = (),
        golden_name: str | None = None,
        unreadable: int = 0,
        baseline: Baseline | None = None,
        progress: Progress = lambda _: None,
    ) -> Report:
        """Score what ``results`` does not hold yet, add it up, and compare it.

        With ``golden``, only interactions that answer an item of it are scored.

        Raises:
            ConfigError: there is nothing to score, two interactions have one id, or ``results`` cannot be written.
        """
        joined = _joined(interactions, golden)
        scorers = self.make_scorers(self._reference_scorers(joined, with_golden=golden is not None))
        runner = Runner(scorers, self.batch_size, self.config.workers, self.timeout_seconds)
        scored = tuple(runner.run(joined.interactions, results, progress))
        comparison = None
        if baseline is not None:
            chance = np.random.default_rng(_SEED)
            comparison = compare_with(baseline, scored, scorers.versions, chance, self.config.significance)
        origin = Origin(
            files=tuple(files),
            golden=golden_name,
            created_at=self.wall(),
            version=__version__,
            scorer_versions=scorers.versions,
            strangers=len(joined.strangers),
            unreadable=unreadable,
        )
        return make_report(
            origin, scored, self.config, items=joined.items, unanswered=joined.unanswered, comparison=comparison
        )

    def _reference_scorers(self, joined: Joined, *, with_golden: bool) -> list[Scorer]:
        further: list[Scorer] = [AnswerCorrectness(joined.items)]
        if with_golden:
            retrieval = GoldenRetrieval(joined.items, k=self.retrieval_k, level=self.config.retrieval_level)
            further += [retrieval, GoldenRefusal(joined.items)]
        return further


def _joined(interactions: Sequence[Interaction], golden: Sequence[GoldenItem] | None) -> Joined:
    if repeated := duplicates(interactions):
        first, count = next(iter(repeated.items()))
        raise ConfigError(f"the id {first!r} stands {count} times among the interactions; give each its own")
    if golden is None:
        if not interactions:
            raise ConfigError("there is no interaction to evaluate")
        return Joined(tuple(interactions), {}, (), ())
    joined = join(interactions, golden)
    if not joined.interactions:
        raise ConfigError(
            f"none of the {len(interactions)} interactions answers one of the {len(golden)} golden items: "
            "neither an id nor a question is the same"
        )
    noted = tuple(marked(interaction, joined.items[interaction.id]) for interaction in joined.interactions)
    return replace(joined, interactions=noted)
