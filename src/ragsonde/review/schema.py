"""The tables of the review store, as the newest migration leaves them.

Times are whole milliseconds since the epoch, so that both databases compare and divide them alike. Text is bounded
where it is shown in lists; the full record of an item is compressed JSON.
"""

from typing import Any, TypeAlias

import sqlalchemy as sa

METADATA = sa.MetaData()
PREFIX = "ragsonde_review_"

StoredRow: TypeAlias = Any
"""A row that was read; SQLAlchemy's own type for it differs between its versions."""


def _table(name: str, *parts: sa.schema.SchemaItem) -> sa.Table:
    return sa.Table(PREFIX + name, METADATA, *parts)


def _key(name: str) -> "sa.Column[Any]":
    return sa.Column(name, sa.Text, primary_key=True)


def _text(name: str, *, nullable: bool = False) -> "sa.Column[Any]":
    return sa.Column(name, sa.Text, nullable=nullable)


def _number(name: str, *, nullable: bool = False) -> "sa.Column[Any]":
    return sa.Column(name, sa.Double, nullable=nullable)


def _integer(name: str, *, nullable: bool = False) -> "sa.Column[Any]":
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def _boolean(name: str, *, nullable: bool = False) -> "sa.Column[Any]":
    return sa.Column(name, sa.Boolean, nullable=nullable)


SCHEMA = _table("schema", sa.Column("version", sa.BigInteger, nullable=False))
"""One row: the version of the tables."""

INTERACTIONS = _table(
    "interactions",
    _key("id"),
    _text("app"),
    _integer("answered_ms"),
    _integer("scored_ms"),
    _text("language"),
    _text("diagnosis"),
    _text("conversation_id", nullable=True),
    _number("probability"),  # with which it was kept to be scored
    _boolean("refusal", nullable=True),
    _number("faithfulness", nullable=True),  # the best that is known
    _integer("question_characters", nullable=True),
    _integer("answer_characters", nullable=True),
    _integer("contexts", nullable=True),
    _integer("context_characters", nullable=True),
    _text("question", nullable=True),  # these two only for turns of a conversation
    _text("answer", nullable=True),
)
"""A compact row for each scored interaction."""

OUTCOMES = _table(
    "outcomes",
    _key("interaction_id"),
    _key("scorer"),
    _key("metric"),
    _text("app"),
    _integer("answered_ms"),
    _text("kind"),
    _text("reason"),
    _number("value", nullable=True),
    _number("weight"),
)
"""What each source of scores found by each metric, but for what it was not to look at."""

VERDICTS = _table(
    "verdicts",
    _key("interaction_id"),
    _key("scorer"),
    _text("app"),
    _integer("answered_ms"),
    _number("probability"),  # with which it was drawn for this scorer, the first draw included
    _boolean("applies"),  # whether it belongs to what a hallucination rate is about
    _boolean("fault", nullable=True),  # whether the scorer sees a hallucination
    _text("failure", nullable=True),
)
"""What each source of scores that looked at an interaction says of the whole answer."""

ITEMS = _table(
    "items",
    _key("id"),
    _text("app"),
    _integer("answered_ms"),
    _integer("scored_ms"),
    _text("language"),
    _text("diagnosis"),
    _text("conversation_id", nullable=True),
    _text("question"),
    _text("because"),
    _number("share", nullable=True),  # the random share it was drawn with; null where it was picked
    _number("draw"),  # the hash behind the draw, in [0, 1)
    _number("urgency"),  # how strongly the rule that picked it speaks
    _text("picked_on"),  # the UTC day of its selection
    _integer("wanted_reviews"),
    _integer("reviews"),  # complete ones
    _text("state"),
    _integer("claims"),
    _number("score", nullable=True),  # faithfulness
    _number("rank"),  # the score, or 2 where there is none: worst first, unknown last
    _text("dismissed_by", nullable=True),
    _integer("dismissed_ms", nullable=True),
)
"""The queue."""

RECORDS = _table("records", _key("item_id"), sa.Column("record", sa.LargeBinary, nullable=False))
"""The full score record of each item, as compressed JSON; apart, so that lists need not step over it."""

ITEM_SCORES = _table("item_scores", _key("item_id"), _key("metric"), _number("value"))
"""The best known value of each metric that has one."""

REVIEWS = _table(
    "reviews",
    _key("item_id"),
    _key("reviewer"),
    _integer("version"),
    _text("body"),
    _boolean("complete"),
    _boolean("fault", nullable=True),  # whether it says that the answer is not borne out
    _boolean("skipped"),
    _boolean("withdrawn"),  # undone to nothing; the row keeps the version growing
    _integer("updated_ms"),
)
"""The latest state of each review."""

HISTORY = _table(
    "history",
    _key("item_id"),
    _key("reviewer"),
    sa.Column("version", sa.BigInteger, primary_key=True),
    _text("body"),
    _integer("saved_ms"),
    _boolean("undone"),
)
"""Every state that was ever saved."""

HOLDS = _table("holds", _key("item_id"), _text("reviewer"), _integer("until_ms"))
"""Who has an item open."""

SEEN = _table("seen", _key("id"), _integer("selected_ms"))
"""Every id that was ever in the queue: none comes back."""

sa.Index(PREFIX + "interactions_answered", INTERACTIONS.c.answered_ms)
sa.Index(PREFIX + "interactions_conversation", INTERACTIONS.c.conversation_id, INTERACTIONS.c.answered_ms)
sa.Index(PREFIX + "outcomes_answered", OUTCOMES.c.answered_ms)
sa.Index(PREFIX + "verdicts_answered", VERDICTS.c.answered_ms)
sa.Index(PREFIX + "items_queue", ITEMS.c.state, ITEMS.c.rank, ITEMS.c.id)
sa.Index(PREFIX + "items_app", ITEMS.c.app, ITEMS.c.state, ITEMS.c.rank, ITEMS.c.id)
sa.Index(PREFIX + "items_picked", ITEMS.c.picked_on, ITEMS.c.app, ITEMS.c.because)
sa.Index(PREFIX + "items_answered", ITEMS.c.answered_ms)
sa.Index(PREFIX + "item_scores_metric", ITEM_SCORES.c.metric, ITEM_SCORES.c.value, ITEM_SCORES.c.item_id)
sa.Index(PREFIX + "reviews_reviewer", REVIEWS.c.reviewer, REVIEWS.c.updated_ms)
