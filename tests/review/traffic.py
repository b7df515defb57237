"""Traffic with known faults, two scorers of known worth, and reviewers who know the truth."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.model import SamplingDecision
from ragsonde.collector.sampler import unit_hash
from ragsonde.review.model import QueueFilter, Review, SelectedBecause
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import Judgement, MetricKey, NotApplicable, Reason, Scored, ScoredInteraction
from tests.exporters.scored import scored
from tests.review.stores import SALT


@dataclass(frozen=True)
class Traffic:
    """Answers of one application, ``seconds`` apart."""

    count: int = 4_000
    faults: float = 0.15
    kept: float = 0.8
    """Probability with which an answer is scored."""
    judged: float = 0.4
    """Probability with which the judge sees it, out of all traffic."""
    local_errors: float = 0.25
    judge_errors: float = 0.08
    app: str = "shop"
    start: float = 1_000_000.0
    seconds: float = 10.0

    def truth(self) -> dict[str, bool]:
        """Whether each answer of the traffic is wrong, scored or not."""
        chance = np.random.default_rng(5)
        return {f"{self.app}-{number}": bool(chance.random() < self.faults) for number in range(self.count)}

    def scored(self) -> Iterator[ScoredInteraction]:
        """The answers that were kept, with what the scorers say of them."""
        chance = np.random.default_rng(6)
        for number, (id_, fault) in enumerate(self.truth().items()):
            local = fault != (chance.random() < self.local_errors)
            judge = fault != (chance.random() < self.judge_errors)
            if unit_hash(id_, SALT) < self.kept:
                yield self._one(id_, number, local=local, judge=judge)

    def _one(self, id_: str, number: int, *, local: bool, judge: bool) -> ScoredInteraction:
        is_judged = unit_hash(id_, SALT) < self.judged
        ended = self.start + number * self.seconds
        one = scored(
            id_,
            trace_id=id_,
            app=self.app,
            faithfulness=0.0 if local else 1.0,
            probability=self.kept,
            end_ns=int(ended * 1e9),
            scored_at=ended,
        )
        found = {MetricKey.FAITHFULNESS: Scored(0.0 if judge else 1.0)}
        unseen = {MetricKey.FAITHFULNESS: NotApplicable(Reason.SAMPLED_OUT)}
        decision = SamplingDecision(is_judged, self.judged)
        judgement = Judgement("judge", found if is_judged else unseen, decision)
        return replace(one, scores=found if is_judged else one.scores, local_scores=one.scores, judgements=(judgement,))


def review_all(
    store: ReviewStore, truth: dict[str, bool], *, only: Callable[[str], bool] = lambda _: True, limit: int = 10_000
) -> int:
    """Label what was drawn, in the order in which a reviewer gets it; return how many."""
    wanted = QueueFilter(because=SelectedBecause.RANDOM)
    done = 0
    while done < limit and (id_ := store.take_next("ann", wanted)) is not None:
        if only(id_):
            verdict = LabelVerdict.HALLUCINATED if truth[id_] else LabelVerdict.GROUNDED
            store.save(Review(id_, "ann", verdict=verdict))
            done += 1
        else:
            store.save(Review(id_, "ann", skipped=True))
    return done
