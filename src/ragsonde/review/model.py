"""What the review store holds and the review pages show. Plain values; nothing here knows of SQL or HTTP."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.scorers.score import MetricKey, ScoredInteraction


class SelectedBecause(StrEnum):
    """Why an interaction was put into the queue; where several rules fit, the first one here."""

    RANDOM = "random"
    """Drawn by chance with a known probability: the only labels that say something of all traffic."""
    NEGATIVE_FEEDBACK = "negative_feedback"
    JUDGE_AGAINST_LOCAL = "judge_against_local"
    """The judge and the local scorers differ most."""
    JUDGE_AGAINST_JUDGE = "judge_against_judge"
    LOW_SCORE = "low_score"
    UNCERTAIN = "uncertain"
    """A claim's probability lies in the uncertain band."""


class ItemState(StrEnum):
    """Where an item of the queue stands."""

    OPEN = "open"
    """Fewer reviews than it is to get."""
    DONE = "done"
    DISMISSED = "dismissed"
    """Somebody said that it need not be reviewed; it never comes back."""


@dataclass(frozen=True, slots=True)
class Selection:
    """How an interaction came into the queue."""

    because: SelectedBecause
    probability: float | None
    """With which the *scored interaction* was drawn for review; None where it was picked and not drawn."""
    wanted_reviews: int = 1
    """2 for the share that is labelled twice."""


@dataclass(frozen=True, slots=True)
class Review:
    """What one reviewer says of one item: the latest state; earlier ones are in the history."""

    item_id: str
    reviewer: str
    verdict: LabelVerdict | None = None
    """On the answer as a whole; None where only claims were labelled so far."""
    claims: Mapping[int, LabelVerdict] = field(default_factory=dict)
    """On claims, by their index within the record's faithfulness."""
    rubrics: Mapping[str, str] = field(default_factory=dict)
    """A label for each of the operator's own rubrics, by the rubric's name."""
    corrected_answer: str | None = None
    """The right answer, as the reviewer writes it."""
    answer_is_right: bool = False
    """Whether the application's answer can stand as a reference."""
    unanswerable: bool = False
    """Whether the sources do not hold an answer."""
    key_facts: tuple[str, ...] = ()
    note: str | None = None
    skipped: bool = False
    """The reviewer wants to see something else; the item stays open for others."""
    version: int = 0
    """Raised with each save; a save on an older version is refused."""
    updated_at: datetime | None = None
    """With time zone."""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which items to list. None: any."""

    app: str | None = None
    metric: MetricKey | None = None
    """Only where this metric has a value; ``score_below`` and the order then go by it, else by faithfulness."""
    score_below: float | None = None
    diagnosis: str | None = None
    language: str | None = None
    because: SelectedBecause | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Of the answer's time; ``until`` is exclusive."""
    state: ItemState | None = ItemState.OPEN
    not_reviewed_by: str | None = None
    """Only items that this reviewer has neither reviewed nor skipped, and that nobody else holds at the moment."""


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """A line of the queue."""

    id: str
    """The interaction's id."""
    app: str
    question: str
    """The first 200 characters."""
    language: str
    diagnosis: str
    because: SelectedBecause
    state: ItemState
    score: float | None
    """Of the filter's metric, else faithfulness; None where it has no value."""
    answered_at: datetime
    conversation_id: str | None
    reviews: int
    wanted_reviews: int
    held_by: str | None
    """Who has it open at the moment."""


@dataclass(frozen=True, slots=True)
class QueuePage:
    """A stretch of the queue, worst scores first."""

    entries: tuple[QueueEntry, ...]
    total: int
    """How many items the filter lets through."""
    next_cursor: str | None
    """Give it to get the next page; None on the last one."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """Everything about one item."""

    scored: ScoredInteraction
    selection: Selection
    state: ItemState
    reviews: tuple[Review, ...]
    """The latest of each reviewer."""
    answered_at: datetime


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What the filters of the page can be set to: the values that occur."""

    apps: tuple[str, ...]
    languages: tuple[str, ...]
    diagnoses: tuple[str, ...]
    metrics: tuple[MetricKey, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation, for the reader of a later one."""

    id: str
    question: str
    answer: str
    answered_at: datetime
    verdict: LabelVerdict | None
    """Of a reviewer, where there is one."""
    faithfulness: float | None
    in_queue: bool
    """Whether the whole item can be opened; other turns are kept only as text."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far reviewers who labelled the same agree."""

    items: int
    """Labelled by at least two."""
    answer_kappa: float | None
    """Krippendorff's alpha (nominal; Krippendorff 2011) of the answers' verdicts; None where it is not defined."""
    claim_kappa: float | None
    """The same of claims."""
