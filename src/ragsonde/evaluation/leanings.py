"""What a scorer should not lean on, and whether it does: the order of the contexts, the length of the answer.

Position and verbosity bias (Zheng et al., "Judging LLM-as-a-Judge", NeurIPS 2023): each interaction is scored as it is
and again with something changed that cannot change the verdict, and the two are compared pair by pair. A local scorer
that counts words must show no shift at all; a judge's repeated calls differ by chance, which the interval shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from numpy.random import Generator

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Interaction
from ragsonde.evaluation.comparison import Change, Values, compare
from ragsonde.scorers.score import MetricKey, Scored
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest

ORDER_KEYS = (MetricKey.FAITHFULNESS, MetricKey.ANSWER_RELEVANCE, MetricKey.CONTEXT_RELEVANCE, MetricKey.CONTEXT_RECALL)
"""Metrics that the order of contexts says nothing of; precision is about the order."""
LENGTH_KEYS = (MetricKey.FAITHFULNESS, MetricKey.ANSWER_RELEVANCE)


def reversed_contexts(interaction: Interaction) -> Interaction:
    """The same contexts in the opposite order."""
    contexts = interaction.contexts or ()
    turned = tuple(replace(document, rank=rank) for rank, document in enumerate(reversed(contexts), start=1))
    return replace(interaction, contexts=turned)


def said_twice(interaction: Interaction) -> Interaction:
    """The answer, said twice: longer, and in any language no better and no worse."""
    return replace(interaction, answer=f"{interaction.answer}\n\n{interaction.answer}")


def shifts(
    interactions: Sequence[Interaction],
    scorers: ScorerSet,
    chance: Generator,
    *,
    batch_size: int,
    timeout_seconds: float,
    progress: Callable[[int], None] = lambda _: None,
) -> dict[str, list[Change]]:
    """Score each interaction as it is, with contexts reversed, and with its answer said twice.

    Returned are the changes by check, ``order`` and ``length``; what is ``worse`` or ``better`` there is a leaning.
    """

    def values(given: Sequence[Interaction], keys: Sequence[MetricKey]) -> Values:
        found: dict[str, dict[MetricKey, float]] = {}
        for start in range(0, len(given), batch_size):
            requests = [ScoringRequest(interaction) for interaction in given[start : start + batch_size]]
            for known in scorers.score(requests, Deadline(timeout_seconds)):
                outcomes = {key: known.scores.get(key) for key in keys}
                found[known.interaction.id] = {
                    key: outcome.value for key, outcome in outcomes.items() if isinstance(outcome, Scored)
                }
            progress(len(requests))
        return found

    ordered = [interaction for interaction in interactions if len(interaction.contexts or ()) > 1]
    answered = [interaction for interaction in interactions if interaction.answer]
    plain = values(interactions, tuple(dict.fromkeys(ORDER_KEYS + LENGTH_KEYS)))
    turned = values([reversed_contexts(interaction) for interaction in ordered], ORDER_KEYS)
    longer = values([said_twice(interaction) for interaction in answered], LENGTH_KEYS)
    return {"order": compare(plain, turned, chance), "length": compare(plain, longer, chance)}
