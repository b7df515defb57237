"""The filters of the queue as they stand in an address."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import TypeVar
from urllib.parse import quote

from ragsonde.review.model import ItemState, QueueFilter, SelectedBecause
from ragsonde.scorers.score import MetricKey

ANY_STATE = "any"

_E = TypeVar("_E", bound=StrEnum)


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

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Asked":
        """Read a query."""
        state = query.get("state")
        return cls(
            app=query.get("app") or None,
            metric=_choice(MetricKey, query.get("metric")),
            below=_share(query.get("below")),
            diagnosis=query.get("diagnosis") or None,
            language=query.get("language") or None,
            because=_choice(SelectedBecause, query.get("because")),
            since=_day(query.get("since")),
            until=_day(query.get("until")),
            state=None if state == ANY_STATE else _choice(ItemState, state) or ItemState.OPEN,
            unseen=query.get("unseen") == "1",
        )

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


def _choice(kind: type[_E], value: str | None) -> _E | None:
    try:
        return kind(value) if value else None
    except ValueError:
        return None


def _share(value: str | None) -> float | None:
    try:
        number = float(value or "nan")
    except ValueError:
        return None
    return number if math.isfinite(number) and 0.0 <= number <= 1.0 else None


def _day(value: str | None) -> date | None:
    try:
        day = date.fromisoformat(value or "")
    except ValueError:
        return None
    return day if 1970 <= day.year < 9999 else None
