"""Which scored interactions people are to look at.

Two kinds. *Drawn* ones come by chance: hash(trace id, salt) < p · share, where p is the probability with which the
interaction was kept to be scored and the hash is the sampler's own. The draw is therefore nested: what is drawn is kept
in any case, a smaller share draws a part of what a larger one draws, every replica and every replay decides alike, and
what is drawn has been seen by each judge whose probability is not below p · share, since judges draw with the same
hash. The labels of drawn interactions carry p · share, so that they say something of all traffic.

*Picked* ones look wrong by some rule and stand for nothing but themselves. An interaction that is drawn and picked
counts as drawn.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ragsonde.collector.sampler import unit_hash
from ragsonde.review.config import SelectionConfig
from ragsonde.review.model import SelectedBecause, Selection
from ragsonde.scorers.score import LOCAL_SCORER, MetricKey, Scored, ScoredInteraction


@dataclass(frozen=True, slots=True)
class Candidate:
    """An interaction that is worth a look."""

    selection: Selection
    draw: float
    """The hash, in [0, 1)."""
    urgency: float
    """How strongly the rule speaks, in [0, 1]; 0 for a drawn one."""


class SelectionPolicy:
    """Decides from an interaction alone, so that each replay decides alike. The store keeps the caps."""

    def __init__(self, config: SelectionConfig, salt: str) -> None:
        """Take the rules, and the salt of the sampler."""
        self._config = config
        self._salt = salt

    def candidate(self, scored: ScoredInteraction) -> Candidate | None:
        """Return why an interaction is worth a look; None where it is not."""
        if not scored.decision.kept or scored.interaction.answer is None:
            return None
        config = self._config
        draw = unit_hash(scored.interaction.trace_id or scored.interaction.id, self._salt)
        drawn_below = scored.decision.probability * config.random_share
        if draw < drawn_below:
            wanted = 2 if draw < drawn_below * config.double_share else 1
            return Candidate(Selection(SelectedBecause.RANDOM, config.random_share, wanted), draw, 0.0)
        for because, urgency in self._rules(scored):
            if getattr(config.caps, because) > 0:
                return Candidate(Selection(because, None), draw, urgency)
        return None

    def cap(self, because: SelectedBecause) -> int | None:
        """Return how many of one application a day may be selected for this reason; None for any number."""
        return None if because is SelectedBecause.RANDOM else int(getattr(self._config.caps, because))

    def _rules(self, scored: ScoredInteraction) -> Iterator[tuple[SelectedBecause, float]]:
        config, feedback = self._config, scored.interaction.feedback
        if feedback is not None and feedback < 0.0:
            yield SelectedBecause.NEGATIVE_FEEDBACK, min(1.0, -feedback)
        local, *judges = _faithfulness_by_scorer(scored)
        apart = [_distance(local, judge) for judge in judges]
        if apart and max(apart) >= config.disagreement_from:
            yield SelectedBecause.JUDGE_AGAINST_LOCAL, max(apart)
        if len(judges) > 1 and (between := _distance(judges[0], judges[1])) >= config.disagreement_from:
            yield SelectedBecause.JUDGE_AGAINST_JUDGE, between
        best = scored.scores.get(MetricKey.FAITHFULNESS)
        if not isinstance(best, Scored):
            return
        if best.value < config.low_score_below:
            yield SelectedBecause.LOW_SCORE, 1.0 - best.value
        doubts = [
            1.0 - 2.0 * abs(claim.probability - 0.5)
            for claim in best.claims
            if claim.probability is not None and config.uncertain_low <= claim.probability <= config.uncertain_high
        ]
        if doubts:
            yield SelectedBecause.UNCERTAIN, max(doubts)


def _faithfulness_by_scorer(scored: ScoredInteraction) -> list[float | None]:
    """The local scorers' value, then those of the judges that are no rubric; None where there is none."""
    views = [view for name, view in scored.by_scorer() if name == LOCAL_SCORER or MetricKey.FAITHFULNESS in view.scores]
    outcomes = [view.scores.get(MetricKey.FAITHFULNESS) for view in views]
    return [outcome.value if isinstance(outcome, Scored) else None for outcome in outcomes]


def _distance(one: float | None, other: float | None) -> float:
    return 0.0 if one is None or other is None else abs(one - other)
