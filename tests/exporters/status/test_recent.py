from ragsonde.collector.clock import Deadline
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.status.recent import Order, RecentInteractions, StatusConfig
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, ScoredInteraction, Verdict
from tests.exporters.scored import scored
from tests.fakes import FakeClock

NOW = 1_700_000_000.0


def recent(**config: int) -> tuple[RecentInteractions, FakeClock]:
    clock = FakeClock(NOW)
    return RecentInteractions(StatusConfig(**config), LabelPolicy(LabelsConfig(max_apps=2)), clock), clock


def at(time: float, id: str, **values: object) -> ScoredInteraction:  # noqa: A002
    return scored(id, end_ns=int(time * 1e9), **values)


def ids(store: RecentInteractions, **query: object) -> list[str]:
    found = store.interactions(**{"app": None, "order": Order.NEWEST, "limit": 100} | query)
    return [one.interaction.id for one in found]


def test_the_newest_are_kept_and_come_first() -> None:
    store, _ = recent(max_interactions=3)
    store.export([at(NOW - age, str(age)) for age in (50, 40, 30, 20, 10)], Deadline(1))
    assert ids(store) == ["10", "20", "30"]
    assert store.get("50") is None
    assert store.total(NOW - 60, NOW + 10, None).interactions == 5  # the tallies know them all


def test_the_texts_kept_are_bounded_in_bytes() -> None:
    store, _ = recent(max_bytes=2**16)
    store.export([at(NOW, str(number), answer="x" * 10_000) for number in range(10)], Deadline(1))
    assert ids(store) == ["9"]


def test_worst_first_puts_low_and_contradicted_before_good_and_unknown_last() -> None:
    store, _ = recent()
    store.export(
        [
            at(NOW - 5, "good", faithfulness=1.0),
            at(NOW - 4, "unknown", scores={MetricKey.FAITHFULNESS: Failed(FailureKind.TIMEOUT)}),
            at(NOW - 3, "missing", faithfulness=0.5, verdicts=(Verdict.NOT_FOUND,)),
            at(NOW - 2, "contradicted", faithfulness=0.5, verdicts=(Verdict.CONTRADICTED,)),
            at(NOW - 1, "bad", faithfulness=0.0),
        ],
        Deadline(1),
    )
    assert ids(store, order=Order.WORST) == ["bad", "contradicted", "missing", "good", "unknown"]


def test_a_rescored_interaction_is_shown_anew_and_counted_once() -> None:
    store, _ = recent()
    store.export([at(NOW - 5, "a", faithfulness=1.0)], Deadline(1))
    store.export([at(NOW - 5, "a", faithfulness=0.0, rescored=True, scored_at=2.0)], Deadline(1))
    shown = store.get("a")
    assert shown is not None
    assert shown.rescored
    tally = store.total(NOW - 60, NOW + 10, None)
    assert (tally.interactions, tally.hallucinated) == (1, 0)


def test_a_redelivered_interaction_is_counted_once() -> None:
    store, _ = recent()
    for _ in range(2):
        store.export([at(NOW - 5, "a")], Deadline(1))
    assert store.total(NOW - 60, NOW + 10, None).interactions == 1


def test_an_answer_counts_when_it_was_given_and_a_clock_ahead_does_not_move_it_out_of_sight() -> None:
    store, _ = recent()
    store.export([at(NOW - 4000, "earlier"), at(NOW + 9000, "ahead"), at(NOW - 10**7, "ancient")], Deadline(1))
    assert store.total(NOW - 60, NOW + 10, None).interactions == 1
    assert store.total(NOW - 4100, NOW - 3900, None).interactions == 1


def test_applications_are_limited_and_filter_what_is_shown() -> None:
    store, _ = recent()
    store.export([at(NOW, str(number), app=f"app-{number}") for number in range(4)], Deadline(1))
    assert store.apps() == ["app-0", "app-1", "other"]
    assert ids(store, app="app-1") == ["1"]
    assert set(ids(store, app="other")) == {"2", "3"}


def test_long_stretches_are_read_from_the_coarse_tallies_and_hold_the_same() -> None:
    store, clock = recent()
    for hour in range(20):
        clock.now = NOW + hour * 3600
        store.export([at(clock.now - 1, str(hour))], Deadline(1))
    assert store.total(clock.now - 86_400, clock.now + 300, None).interactions == 20
    assert store.total(clock.now - 3000, clock.now + 10, None).interactions == 1
