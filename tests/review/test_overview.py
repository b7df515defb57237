"""The overview: sums that the database makes, over SQLite and PostgreSQL."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.model import SamplingDecision
from ragsonde.exporters.estimate import WeightedSums, estimate
from ragsonde.review.drift import stability_index
from ragsonde.review.model import ItemState, Review
from ragsonde.review.overview import Overview
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import (
    DiagnosisLabel,
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Outcome,
    Reason,
    Scored,
    ScoredInteraction,
)
from tests.exporters.scored import scored
from tests.fakes import FakeClock

START = datetime(2027, 1, 15, tzinfo=UTC)
FAITHFULNESS = MetricKey.FAITHFULNESS


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock((START + timedelta(days=3)).timestamp())


def at(minutes: float, id_: str, **values: Any) -> ScoredInteraction:
    return scored(id_, end_ns=int((START + timedelta(minutes=minutes)).timestamp() * 1e9), **values)


def seen(store: ReviewStore, minutes: float = 60, **values: Any) -> Overview:
    return store.overview(START, START + timedelta(minutes=minutes), **values)


def test_means_are_weighted_and_stand_at_their_time(store: ReviewStore) -> None:
    store.add(
        [
            at(0, "a", faithfulness=1.0, probability=0.5),
            at(0.5, "b", faithfulness=0.0),
            at(30, "c", faithfulness=0.5),
            at(60, "after", faithfulness=0.0),
            at(-1, "before", faithfulness=0.0),
        ]
    )
    found = seen(store)
    assert found.interactions == {"shop": 3}
    assert found.bucket_seconds == 60
    (series,) = found.rates
    assert (series.app, series.metric, series.scorer) == ("shop", "faithfulness", "local")
    assert len(series.points) == 60
    assert [point.at for point in series.points[:2]] == [START, START + timedelta(minutes=1)]
    known = {number: point for number, point in enumerate(series.points) if point.scored}
    assert {number: (point.mean, point.scored) for number, point in known.items()} == {
        0: (pytest.approx(2 / 3), 2),
        30: (0.5, 1),
    }
    empty = series.points[1]
    assert (empty.mean, empty.low, empty.high) == (None, None, None)
    sums = WeightedSums.of(1.0, 2.0) + WeightedSums.of(0.0, 1.0) + WeightedSums.of(0.5, 1.0)
    expected = estimate(sums)
    assert expected is not None
    assert (series.overall.mean, series.overall.low) == (pytest.approx(expected.mean), pytest.approx(expected.low))


@pytest.mark.parametrize(("hours", "bucket"), [(1, 60), (24, 1800), (24 * 7, 6 * 3600), (24 * 90, 86_400)])
def test_a_plot_has_some_sixty_points(store: ReviewStore, hours: float, bucket: int) -> None:
    store.add([at(1, "a")])
    found = seen(store, hours * 60)
    assert found.bucket_seconds == bucket
    assert len(found.rates[0].points) <= 91


def test_diagnoses_sessions_and_apps(store: ReviewStore) -> None:
    miss = DiagnosisLabel.RETRIEVAL_MISS
    store.add(
        [
            at(1, "a", conversation_id="one", probability=0.5),
            at(2, "b", conversation_id="one", diagnosis=miss, faithfulness=0.5),
            at(3, "c", conversation_id="two", diagnosis=DiagnosisLabel.UNKNOWN, faithfulness=None),
            at(4, "d", app="bank"),
            at(5, "e", app="bank", conversation_id="three", faithfulness=0.5),
            at(6, "f", app="bank", conversation_id="four"),
            at(7, "g", app="bank", conversation_id="five"),
        ]
    )
    store.save(Review("e", "ann", verdict=LabelVerdict.GROUNDED))
    store.save(Review("f", "ann", verdict=LabelVerdict.HALLUCINATED))
    found = seen(store)
    assert found.diagnoses["shop"] == {"ok": 0.5, "retrieval_miss": 0.25, "unknown": 0.25}
    assert found.sessions == {"shop": (1, 2), "bank": (1, 3)}
    assert found.queue["bank", ItemState.OPEN] == 2
    only = seen(store, app="bank")
    assert only.interactions == {"bank": 4}
    assert set(only.diagnoses) == {series.app for series in only.rates} == {"bank"}
    assert all(app == "bank" for app, _ in only.queue)


def judged(id_: str, local: float, outcome: Outcome) -> ScoredInteraction:
    one = at(1, id_, faithfulness=local)
    judgement = Judgement("judge", {FAITHFULNESS: outcome}, SamplingDecision(kept=True, probability=1.0))
    return replace(one, local_scores=one.scores, judgements=(judgement,))


def test_a_judges_health_is_what_became_of_what_it_was_to_look_at(store: ReviewStore) -> None:
    store.add(
        [
            judged("a", 1.0, Scored(1.0)),
            judged("b", 0.0, Scored(1.0)),
            judged("c", 1.0, Failed(FailureKind.TIMEOUT)),
            judged("d", 1.0, NotApplicable(Reason.SAMPLED_OUT)),
            judged("e", 1.0, NotApplicable(Reason.REFUSAL)),
        ]
    )
    found = seen(store)
    (judge,) = found.judges
    assert (judge.scorer, judge.drawn, judge.judged, judge.failed) == ("judge", 4, 3, {"timeout": 1})
    assert judge.agreement_with_local == 0.5
    (series,) = [series for series in found.rates if series.scorer == "judge"]
    assert (series.not_applicable, series.failed, series.overall.scored) == (1, 1, 2)


def test_the_honest_rate_is_over_the_same_stretch(store: ReviewStore) -> None:
    store.add([at(number, f"{number:02d}", faithfulness=float(number % 2)) for number in range(70)])
    for number in range(40):
        verdict = LabelVerdict.GROUNDED if number % 4 else LabelVerdict.HALLUCINATED
        store.save(Review(f"{number:02d}", "ann", verdict=verdict))
    (rate,) = seen(store).honest
    assert (rate.app, rate.scorer, rate.population, rate.labelled, rate.compared) == ("shop", "local", 60, 40, 40)
    assert (rate.rate, rate.uncorrected) == (pytest.approx(0.25), 0.5)
    assert rate.kappa == pytest.approx(0.5)


def test_drift_compares_with_the_stretch_before(store: ReviewStore) -> None:
    longer = [at(number / 2, f"now-{number}", question="q" * (200 + number), language="pl") for number in range(100)]
    shorter = [
        at(-number / 2 - 1, f"then-{number}", question="q" * (10 + number), contexts=()) for number in range(100)
    ]
    store.add([*longer, *shorter])
    drifts = {drift.name: drift for drift in seen(store).drift}
    question = drifts["question_characters"]
    assert (question.before, question.now) == (pytest.approx(59.5), pytest.approx(249.5))
    assert question.distance is not None
    assert question.distance > 1.0
    assert drifts["answer_characters"].distance == 0.0
    assert (drifts["language:pl"].before, drifts["language:pl"].now) == (0.0, 1.0)
    assert (drifts["no_context"].before, drifts["no_context"].now) == (1.0, 0.0)
    assert (drifts["refusals"].before, drifts["refusals"].now, drifts["refusals"].distance) == (0.0, 0.0, 0.0)


def test_without_anything_there_is_nothing_to_show(store: ReviewStore) -> None:
    found = seen(store)
    assert (found.interactions, list(found.rates), list(found.honest), list(found.drift)) == ({}, [], [], [])
    store.add([at(1, "a")])
    drifts = {drift.name: drift for drift in seen(store).drift}
    assert drifts["question_characters"].before is None
    assert drifts["question_characters"].distance is None


values = st.lists(st.floats(0, 1e6), min_size=20, max_size=60).map(np.array)


@given(values)
def test_equal_spreads_have_no_distance(given_values: Any) -> None:
    ones = np.ones(len(given_values))
    assert stability_index(given_values, ones, given_values, ones) == 0.0


@given(values, values)
def test_a_distance_is_never_below_nothing_and_always_a_number(one: Any, other: Any) -> None:
    found = stability_index(one, np.ones(len(one)), other, np.ones(len(other)))
    assert found is not None
    assert 0.0 <= found < 100.0
