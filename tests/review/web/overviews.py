"""Overviews to show: a rich one, and the states in which little or nothing is known."""

import math
from collections.abc import Callable
from datetime import datetime, timedelta

from ragsonde.review.model import Agreement, ItemState
from ragsonde.review.overview import Drift, HonestRate, JudgeHealth, Overview, RatePoint, RateSeries

NO_AGREEMENT = Agreement(0, None, None)


class FixedOverview:
    """Gives what it was given, moved to the stretch that is asked for."""

    def __init__(self, make: Callable[[datetime, datetime], Overview]) -> None:
        self._make = make

    def overview(self, since: datetime, until: datetime, *, app: str | None = None) -> Overview:
        return self._make(since, until)


def empty(since: datetime, until: datetime) -> Overview:
    return Overview(since, until, 3600, {}, (), (), {}, (), (), {}, NO_AGREEMENT, {})


def _series(app: str, metric: str, scorer: str, level: float, since: datetime, step: timedelta) -> RateSeries:
    points = []
    for number in range(28):
        mean = min(0.99, level + 0.05 * math.sin(number / 3) - (0.18 if 18 <= number <= 21 else 0.0))
        half = 0.04 if scorer == "local" else 0.09
        known = number not in {7, 8}
        points.append(
            RatePoint(
                since + number * step,
                mean if known else None,
                mean - half if known else None,
                min(1.0, mean + half) if known else None,
                90 if known else 0,
            )
        )
    overall = RatePoint(since, level, level - 0.02, min(1.0, level + 0.02), 2340)
    return RateSeries(app, metric, scorer, tuple(points), overall, 61, 12)


def rich(since: datetime, until: datetime) -> Overview:
    step = (until - since) / 28
    apps = ("policy-desk", "shop-assistant")
    rates = [
        _series(app, metric, scorer, level - 0.05 * number, since, step)
        for number, app in enumerate(apps)
        for metric, level in (("faithfulness", 0.92), ("answer_relevance", 0.88), ("context_relevance", 0.6))
        for scorer in ("local", "judge")
    ]
    unknown = RatePoint(since, None, None, None, 0)
    rates.append(RateSeries("shop-assistant", "faithfulness", "second_judge", (unknown,), unknown, 0, 40))
    few = RatePoint(since, 0.5, 0.1, 0.9, 4)
    rates.append(RateSeries("policy-desk", "politeness", "judge", (few,), few, 0, 0))
    return Overview(
        since=since,
        until=until,
        bucket_seconds=int(step.total_seconds()),
        interactions={"policy-desk": 1204, "shop-assistant": 2410},
        rates=rates,
        honest=(
            HonestRate(
                app="policy-desk",
                scorer="local",
                rate=0.064,
                low=0.031,
                high=0.128,
                labelled=48,
                population=1180,
                uncorrected=0.112,
                reason=None,
                kappa=0.71,
                compared=61,
                uncorrected_low=0.09,
                uncorrected_high=0.138,
                people=0.08,
                people_low=0.03,
                people_high=0.19,
            ),
            HonestRate(
                app="shop-assistant",
                scorer="local",
                rate=None,
                low=None,
                high=None,
                labelled=1,
                population=2290,
                uncorrected=0.145,
                reason="1 label says nothing of how labels vary; at least 2 are needed",
                kappa=None,
                compared=3,
                uncorrected_low=0.13,
                uncorrected_high=0.16,
            ),
        ),
        diagnoses={
            "policy-desk": {"ok": 0.86, "retrieval_miss": 0.05, "generation_unfaithful": 0.07, "unknown": 0.02},
            "shop-assistant": {"ok": 0.74, "retrieval_noise": 0.12, "generation_unfaithful": 0.11, "unknown": 0.03},
        },
        drift=(
            Drift("policy-desk", "question_characters", 61.0, 64.0, 0.02),
            Drift("policy-desk", "contexts", 4.0, 2.1, 0.31),
            Drift("policy-desk", "language:de", 0.62, 0.48, 0.14),
            Drift("policy-desk", "refusals", None, 0.04, None),
            Drift("shop-assistant", "answer_characters", 412.0, 398.0, 0.05),
        ),
        judges=(
            JudgeHealth("judge", 740, 690, {"timeout": 31, "invalid_reply": 9}, 0.88),
            JudgeHealth("second_judge", 40, 0, {"judge_unavailable": 40}, None),
        ),
        queue={
            ("policy-desk", ItemState.OPEN): 31,
            ("policy-desk", ItemState.DONE): 48,
            ("shop-assistant", ItemState.OPEN): 66,
            ("shop-assistant", ItemState.DISMISSED): 4,
        },
        agreement=Agreement(9, 0.74, 0.69),
        sessions={"policy-desk": (31, 402), "shop-assistant": (3, 5)},
    )
