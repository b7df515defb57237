"""What a scored interaction adds to the tables."""

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from ragsonde.exporters.quality import AnswerResult, answer_result, claims, outcome_labels
from ragsonde.exporters.record import to_json_line
from ragsonde.exporters.record_reader import from_json_line
from ragsonde.review.model import ItemState
from ragsonde.review.selection import Candidate
from ragsonde.scorers.score import (
    Failed,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
)

Row = dict[str, Any]

LISTED_CHARACTERS = 200
"""Of a question, where items are listed."""
TURN_QUESTION_CHARACTERS = 1_000
TURN_ANSWER_CHARACTERS = 4_000
UNKNOWN_RANK = 2.0
"""Where a score would stand, so that what has none comes last."""
_LATEST_MS = 253_402_300_799_999
"""The end of the year 9999, the last that a datetime can hold."""


def plain(text: str) -> str:
    """Replace what PostgreSQL cannot hold in a text: NUL, and surrogates without their other half."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8") if _is_odd(text) else text


def _is_odd(text: str) -> bool:
    return "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)


def optional(text: str | None, limit: int | None = None) -> str | None:
    """The same of a text that may be missing, cut to a length."""
    return None if text is None else plain(text[:limit])


def milliseconds(moment: datetime) -> int:
    """A time with time zone, as it is stored."""
    return int(moment.timestamp() * 1000)


def moment(stored: int) -> datetime:
    """A stored time, in UTC."""
    return datetime.fromtimestamp(stored / 1000, UTC)


def answered_ms(scored: ScoredInteraction) -> int:
    """When the answer was given; where the telemetry does not say, when it was scored."""
    end_ns = scored.interaction.end_ns
    return min(_LATEST_MS, end_ns // 1_000_000 if end_ns > 0 else _scored_ms(scored))


def interaction_row(scored: ScoredInteraction) -> Row:
    """The compact row."""
    interaction = scored.interaction
    contexts = interaction.contexts
    conversation = optional(interaction.conversation_id)
    return {
        "id": plain(interaction.id),
        "app": plain(interaction.app),
        "answered_ms": answered_ms(scored),
        "scored_ms": _scored_ms(scored),
        "language": plain(scored.language),
        "diagnosis": str(scored.diagnosis.label),
        "conversation_id": conversation,
        "probability": scored.decision.probability,
        "refusal": scored.refusal,
        "faithfulness": _value(scored, MetricKey.FAITHFULNESS),
        "question_characters": None if interaction.question is None else len(interaction.question),
        "answer_characters": None if interaction.answer is None else len(interaction.answer),
        "contexts": None if contexts is None else len(contexts),
        "context_characters": None if contexts is None else sum(len(document.text or "") for document in contexts),
        "question": optional(interaction.question, TURN_QUESTION_CHARACTERS) if conversation else None,
        "answer": optional(interaction.answer, TURN_ANSWER_CHARACTERS) if conversation else None,
    }


def outcome_rows(scored: ScoredInteraction) -> Iterator[Row]:
    """A row for each outcome of each source of scores that looked at the interaction."""
    for scorer, view in _views(scored):
        for metric, outcome in view.scores.items():
            if not _is_unseen(outcome):
                kind, reason = outcome_labels(outcome)
                yield {
                    "interaction_id": plain(scored.interaction.id),
                    "scorer": plain(scorer),
                    "metric": plain(metric),
                    "app": plain(scored.interaction.app),
                    "answered_ms": answered_ms(scored),
                    "kind": str(kind),
                    "reason": str(reason),
                    "value": outcome.value if isinstance(outcome, Scored) else None,
                    "weight": 1.0 / view.decision.probability,
                }


def verdict_rows(scored: ScoredInteraction) -> Iterator[Row]:
    """A row for each source of scores that was to tell whether the answer is grounded."""
    for scorer, view in _views(scored):
        outcome = view.scores.get(MetricKey.FAITHFULNESS)
        if outcome is not None and not _is_unseen(outcome):
            result = answer_result(view)
            yield {
                "interaction_id": plain(scored.interaction.id),
                "scorer": plain(scorer),
                "app": plain(scored.interaction.app),
                "answered_ms": answered_ms(scored),
                "probability": view.decision.probability,
                "applies": isinstance(outcome, Scored | Failed),
                "fault": None if result is AnswerResult.NOT_JUDGED else result is AnswerResult.HALLUCINATED,
                "failure": str(outcome.kind) if isinstance(outcome, Failed) else None,
            }


def item_row(scored: ScoredInteraction, candidate: Candidate, day: str) -> Row:
    """The item of the queue."""
    selection = candidate.selection
    return {
        **changing_columns(scored),
        "id": plain(scored.interaction.id),
        "app": plain(scored.interaction.app),
        "because": str(selection.because),
        "share": selection.probability,
        "draw": candidate.draw,
        "urgency": candidate.urgency,
        "picked_on": day,
        "wanted_reviews": selection.wanted_reviews,
        "reviews": 0,
        "state": str(ItemState.OPEN),
    }


def changing_columns(scored: ScoredInteraction) -> Row:
    """The columns of an item that a new scoring changes."""
    score = _value(scored, MetricKey.FAITHFULNESS)
    return {
        "answered_ms": answered_ms(scored),
        "scored_ms": _scored_ms(scored),
        "language": plain(scored.language),
        "diagnosis": str(scored.diagnosis.label),
        "conversation_id": optional(scored.interaction.conversation_id),
        "question": plain((scored.interaction.question or "")[:LISTED_CHARACTERS]),
        "claims": len(claims(scored)),
        "score": score,
        "rank": UNKNOWN_RANK if score is None else score,
    }


def record_row(scored: ScoredInteraction) -> Row:
    """The full record of an item."""
    return {"item_id": plain(scored.interaction.id), "record": zlib.compress(to_json_line(scored))}


def item_score_rows(scored: ScoredInteraction) -> Iterator[Row]:
    """The best known value of each metric that has one."""
    for metric, outcome in scored.scores.items():
        if isinstance(outcome, Scored):
            yield {"item_id": plain(scored.interaction.id), "metric": plain(metric), "value": outcome.value}


def read_record(stored: bytes) -> ScoredInteraction:
    """Return the scored interaction of a stored record.

    Raises:
        PermanentError: it is none of this version.
    """
    return from_json_line(zlib.decompress(stored))


def _views(scored: ScoredInteraction) -> Iterator[tuple[str, ScoredInteraction]]:
    """The sources of scores that the interaction was drawn for, each once."""
    yield from {plain(name): view for name, view in scored.by_scorer() if view.decision.kept}.items()


def _is_unseen(outcome: Outcome) -> bool:
    return isinstance(outcome, NotApplicable) and outcome.reason is Reason.SAMPLED_OUT


def _value(scored: ScoredInteraction, metric: MetricKey) -> float | None:
    outcome = scored.scores.get(metric)
    return outcome.value if isinstance(outcome, Scored) else None


def _scored_ms(scored: ScoredInteraction) -> int:
    return min(_LATEST_MS, int(scored.scored_at * 1000))
