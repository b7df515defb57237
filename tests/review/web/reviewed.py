"""A review store with a queue worth looking at: two applications, five languages, a judge, a rubric, conversations."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragsonde.collector.clock import Clock
from ragsonde.collector.model import SamplingDecision
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import (
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Reason,
    Scored,
    ScoredInteraction,
    Verdict,
)
from tests.exporters.status.traffic import interaction_at
from tests.review.stores import open_reviews

RUBRICS = {"politeness": ("polite", "curt", "rude")}


def filled(folder: Path, clock: Clock, *, count: int = 120, **fields: Any) -> ReviewStore:
    """A store that traffic of the last hours has come to."""
    store = open_reviews(f"sqlite:///{folder}/review.sqlite3", clock, **fields)  # type: ignore[arg-type]
    store.add(conversations(clock.wall(), count))
    return store


def conversations(now: float, count: int) -> list[ScoredInteraction]:
    """Scored interactions, three turns to a conversation, up to now; a third of them judged."""
    chance = random.Random(11)
    found = []
    for number in range(count):
        time = now - (count - number) * 150.0
        one = interaction_at(time, number + 1, chance, hallucination_rate=0.25)
        found.append(_in_conversation(_judged(one, chance) if number % 3 == 0 else one, number // 3))
    return found


def _in_conversation(one: ScoredInteraction, number: int) -> ScoredInteraction:
    return replace(one, interaction=replace(one.interaction, conversation_id=f"chat-{number}", app="shop-assistant"))


def _judged(one: ScoredInteraction, chance: random.Random) -> ScoredInteraction:
    """With a judge beside the local scorers, which does not always agree."""
    local = one.scores
    found = local[MetricKey.FAITHFULNESS]
    scores: dict[Any, Any] = {"politeness": Scored(1.0, "polite")}
    if isinstance(found, Scored) and chance.random() < 0.8:
        claims = tuple(
            replace(claim, verdict=Verdict.NOT_FOUND if chance.random() < 0.3 else claim.verdict, probability=None)
            for claim in found.claims
        )
        share = sum(claim.verdict is Verdict.SUPPORTED for claim in claims) / len(claims)
        scores[MetricKey.FAITHFULNESS] = Scored(share, claims=claims)
    else:
        scores[MetricKey.FAITHFULNESS] = Failed(FailureKind.TIMEOUT, "no answer within 30 s")
    scores[MetricKey.ANSWER_RELEVANCE] = NotApplicable(Reason.OVER_BUDGET, "the day's budget is spent")
    decision = SamplingDecision(kept=True, probability=0.3, stratum="judge")
    return replace(one, local_scores=local, judgements=(Judgement("judge", scores, decision),))


def only(scored: Sequence[ScoredInteraction], folder: Path, clock: Clock, **fields: Any) -> ReviewStore:
    """A store with just these."""
    store = open_reviews(f"sqlite:///{folder}/review.sqlite3", clock, **fields)  # type: ignore[arg-type]
    store.add(scored)
    return store
