"""The filters of the queue as they stand in an address."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import quote

from ragsonde.exporters.pages.query import Query
from ragsonde.review.model import ItemState, QueueFilter, SelectedBecause
from ragsonde.scorers.score import MetricKey

ANY_STATE = "any"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader asked for. What makes no sense is as if it had not been asked."""

    app: str | None = None
    metric: MetricKey | None = None
    below: float | None = None
    diagnosis: str | None = None
    language: str | None = None
    because: SelectedBecause | None = None
    since: date | None = None
    """First day, in UTC."""
    until: date | None = None
    """Last day, in UTC."""
    state: ItemState | None = ItemState.OPEN
    unseen: bool = False
    """Only what this reviewer has neither reviewed nor skipped."""
    misread: tuple[str, ...] = field(default=(), compare=False)
    """What made no sense, as ``name=value``."""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Asked":
        """Read a query."""
        given = Query(query)
        asked = cls(
            app=given.text("app"),
            metric=given.choice("metric", MetricKey),
            below=given.read("below", _share),
            diagnosis=given.text("diagnosis"),
            language=given.text("language"),
            because=given.choice("because", SelectedBecause),
            since=given.read("since", _day),
            until=given.read("until", _day),
            state=None if given.text("state") == ANY_STATE else given.choice("state", ItemState) or ItemState.OPEN,
            unseen=given.read("unseen", _tick) or False,
        )
        return replace(asked, misread=given.misread)

    def wanted(self, reviewer: str | None, *, state: ItemState | None = None) -> QueueFilter:
        """Return the filter for the desk; with ``state`` in place of the one asked for."""
        return QueueFilter(
            app=self.app,
            metric=self.metric,
            score_below=self.below,
            diagnosis=self.diagnosis,
            language=self.language,
            because=self.because,
            since=None if self.since is None else _start(self.since),
            until=None if self.until is None else _start(self.until) + timedelta(days=1),
            state=state or self.state,
            not_reviewed_by=reviewer if self.unseen else None,
        )

    def query(self, **further: str) -> str:
        """Return the query, with what is further to stand in it; empty where nothing was asked."""
        values = {
            "app": self.app,
            "metric": self.metric,
            "below": None if self.below is None else f"{self.below:g}",
            "diagnosis": self.diagnosis,
            "language": self.language,
            "because": self.because,
            "since": self.since and self.since.isoformat(),
            "until": self.until and self.until.isoformat(),
            "state": ANY_STATE if self.state is None else None if self.state is ItemState.OPEN else self.state,
            "unseen": "1" if self.unseen else None,
        } | further
        parts = [f"{name}={quote(value, safe='', errors='replace')}" for name, value in values.items() if value]
        return "?" + "&".join(parts) if parts else ""

    @property
    def narrowed(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.query())


def item_path(item_id: str) -> str:
    """Return the path of an item's page."""
    return "/review/items/" + quote(item_id, safe="", errors="replace")


def _start(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _share(value: str) -> float:
    number = float(value)
    if not (math.isfinite(number) and 0.0 <= number <= 1.0):
        raise ValueError("no share")
    return number


def _day(value: str) -> date:
    day = date.fromisoformat(value)
    if not 1970 <= day.year < 9999:
        raise ValueError("no day that an answer can be of")
    return day


def _tick(value: str) -> bool:
    if value not in ("0", "1"):
        raise ValueError("neither 0 nor 1")
    return value == "1"
