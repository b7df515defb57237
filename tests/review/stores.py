"""Review stores for tests: on a clock that tests move, with every interaction drawn unless said otherwise."""

from itertools import count
from typing import Any

from ragsonde.collector.sampler import unit_hash
from ragsonde.review.config import ReviewConfig
from ragsonde.review.database import Database
from ragsonde.review.store import ReviewStore
from tests.fakes import FakeClock

SALT = "salt"
NO_PICKS = dict.fromkeys(
    ("negative_feedback", "judge_against_local", "judge_against_judge", "low_score", "uncertain"), 0
)
ALL_DRAWN = {"random_share": 1.0, "double_share": 0.0}
NONE_DRAWN = {"random_share": 1e-12}


def open_reviews(
    address: str, clock: FakeClock | None = None, *, selection: dict[str, Any] | None = None, **fields: Any
) -> ReviewStore:
    config = ReviewConfig.model_validate({"selection": selection or ALL_DRAWN} | fields)
    database = Database(address, timeout_seconds=config.timeout_seconds)
    return ReviewStore(database, config, salt=SALT, clock=clock or FakeClock())


def trace_below(most: float, least: float = 0.0) -> str:
    """A trace id whose draw lies in ``[least, most)``."""
    return next(f"trace-{number}" for number in count() if least <= unit_hash(f"trace-{number}", SALT) < most)
