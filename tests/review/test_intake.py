"""What the exporter brings: once for each id, within the day's caps, and never under a reviewer's eyes."""

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import PermanentError, RetryableError
from ragsonde.exporters.exporter import PartlyRefusedError
from ragsonde.review.exporter import ReviewExporter
from ragsonde.review.model import ItemState, QueueFilter, Review, SelectedBecause
from ragsonde.review.schema import INTERACTIONS, OUTCOMES, SEEN, VERDICTS
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import (
    Failed,
    FailureKind,
    Judgement,
    MetricKey,
    NotApplicable,
    Reason,
    Scored,
    ScoredInteraction,
)
from tests.broker import free_ports
from tests.exporters.scored import scored
from tests.fakes import FakeClock
from tests.review.conftest import Opener
from tests.review.stores import NONE_DRAWN, open_reviews

ANY = QueueFilter(state=None)


def rows(store: ReviewStore, table: sa.Table, **where: Any) -> list[dict[str, Any]]:
    conditions = [table.c[name] == value for name, value in where.items()]
    with store.database.reading() as connection:
        return [dict(row) for row in connection.execute(sa.select(table).where(*conditions)).mappings()]


def shown(store: ReviewStore) -> dict[str, float | None]:
    return {entry.id: entry.score for entry in store.queue(ANY).entries}


def picking(open_store: Opener, **caps: int) -> ReviewStore:
    return open_store(selection=NONE_DRAWN | {"caps": caps})


# Idempotence ------------------------------------------------------------------------------------------------


def test_a_batch_that_comes_again_after_a_crash_changes_nothing(open_store: Opener) -> None:
    batch = [scored("a", faithfulness=0.1), scored("b", faithfulness=0.2), scored("b", faithfulness=0.2)]
    store = open_store()
    store.add(batch[:1])
    before = shown(store)
    restarted = open_store()
    restarted.add(batch)
    restarted.add([replace(one, scores={}) for one in batch])
    assert shown(restarted) == before | {"b": 0.2}
    assert len(rows(restarted, INTERACTIONS)) == len(rows(restarted, SEEN)) == 2
    assert len(rows(restarted, OUTCOMES)) == 2


def test_a_batch_of_which_one_part_fails_leaves_nothing_behind(store: ReviewStore) -> None:
    odd: Any = replace(scored("b"), language=3)
    with pytest.raises((PermanentError, TypeError, AttributeError)):
        store.add([scored("a"), odd])
    assert rows(store, INTERACTIONS) == []
    store.add([scored("a")])
    assert shown(store) == {"a": 1.0}


def test_a_rescoring_replaces_what_nobody_has_seen(store: ReviewStore) -> None:
    store.add([scored("a", faithfulness=0.2, scored_at=100.0)])
    store.add([scored("a", faithfulness=0.9, rescored=True, scored_at=200.0, language="pl")])
    assert shown(store) == {"a": 0.9}
    assert store.item("a").scored.language == "pl"
    assert [row["value"] for row in rows(store, OUTCOMES)] == [0.9]
    store.add([scored("a", faithfulness=0.1, rescored=True, scored_at=150.0)])
    assert shown(store) == {"a": 0.9}


@pytest.mark.parametrize("seen", ["reviewed", "held"])
def test_a_rescoring_keeps_the_record_that_a_reviewer_saw(store: ReviewStore, seen: str) -> None:
    store.add([scored("a", faithfulness=0.2)])
    if seen == "reviewed":
        store.save(Review("a", "ann", verdict=LabelVerdict.HALLUCINATED))
    else:
        store.hold("a", "ann")
    store.add([scored("a", faithfulness=0.9, rescored=True, scored_at=2_000.0)])
    assert shown(store) == {"a": 0.2}
    assert [row["value"] for row in rows(store, OUTCOMES)] == [0.9]
    assert [row["faithfulness"] for row in rows(store, INTERACTIONS)] == [0.9]


def test_a_rescoring_can_draw_what_was_picked(open_store: Opener) -> None:
    picking(open_store, low_score=1).add([scored("a", faithfulness=0.0)])
    store = open_store(selection={"random_share": 1.0, "double_share": 1.0})
    assert store.item("a").selection.because is SelectedBecause.LOW_SCORE
    store.add([scored("a", faithfulness=0.0, rescored=True)])
    selection = store.item("a").selection
    assert (selection.because, selection.probability, selection.wanted_reviews) == (SelectedBecause.RANDOM, 1.0, 2)


# Caps -------------------------------------------------------------------------------------------------------


def test_a_day_keeps_the_worst_of_each_app_and_what_left_never_returns(open_store: Opener, clock: FakeClock) -> None:
    store = picking(open_store, low_score=2)
    store.add([scored("a", faithfulness=0.4), scored("b", faithfulness=0.3), scored("c", faithfulness=0.45)])
    assert set(shown(store)) == {"a", "b"}
    store.add([scored("d", faithfulness=0.1), scored("other", faithfulness=0.4, app="bank")])
    assert set(shown(store)) == {"b", "d", "other"}
    store.add([scored("a", faithfulness=0.0, rescored=True)])
    assert set(shown(store)) == {"b", "d", "other"}
    clock.advance(86_400)
    store.add([scored("e", faithfulness=0.4)])
    assert set(shown(store)) == {"b", "d", "e", "other"}


def test_what_somebody_works_on_makes_no_room(open_store: Opener) -> None:
    store = picking(open_store, low_score=3)
    store.add([scored(name, faithfulness=0.4) for name in "abc"])
    store.hold("a", "ann")
    store.save(Review("b", "ann", note="later"))
    store.dismiss("c", "ann")
    store.add([scored("d", faithfulness=0.0)])
    assert set(shown(store)) == {"a", "b", "c"}


def test_caps_are_for_each_reason_and_chance_has_none(open_store: Opener) -> None:
    store = open_store(selection={"random_share": 1.0, "double_share": 0.0, "caps": {"low_score": 1}})
    store.add([scored(f"{number}", faithfulness=0.0) for number in range(30)])
    assert store.counts()["shop", ItemState.OPEN] == 30
    store = picking(open_store, low_score=1, negative_feedback=1)
    store.add([scored("x", faithfulness=0.0), scored("y", feedback=-1.0), scored("z", feedback=-0.5)])
    assert {"x", "y"} <= set(shown(store))
    assert "z" not in shown(store)


# Rows -------------------------------------------------------------------------------------------------------


def judged(**outcomes: Any) -> ScoredInteraction:
    one = scored("a", faithfulness=0.0, probability=0.5)
    judgement = Judgement("judge", {MetricKey(key): value for key, value in outcomes.items()}, one.decision)
    return replace(one, local_scores=one.scores, judgements=(judgement,))


@pytest.mark.parametrize(
    ("outcome", "verdict"),
    [
        (Scored(1.0), (True, False, None)),
        (Scored(0.5), (True, True, None)),
        (Failed(FailureKind.TIMEOUT), (True, None, "timeout")),
        (NotApplicable(Reason.REFUSAL), (False, None, None)),
        (NotApplicable(Reason.SAMPLED_OUT), None),
    ],
)
def test_a_verdict_is_known_of_what_a_scorer_looked_at(
    store: ReviewStore, outcome: Any, verdict: tuple[Any, ...] | None
) -> None:
    store.add([judged(faithfulness=outcome)])
    found = rows(store, VERDICTS, scorer="judge")
    assert [(row["applies"], row["fault"], row["failure"]) for row in found] == ([verdict] if verdict else [])
    (local,) = rows(store, VERDICTS, scorer="local")
    assert (local["fault"], local["probability"]) == (True, 0.5)
    assert [row["weight"] for row in rows(store, OUTCOMES, scorer="local")] == [2.0]


def test_texts_are_kept_only_of_conversations_and_sizes_of_all(store: ReviewStore) -> None:
    store.add([scored("a", question="q" * 5000, conversation_id="talk"), scored("b", contexts=None, answer=None)])
    a, b = sorted(rows(store, INTERACTIONS), key=lambda row: str(row["id"]))
    assert (len(a["question"]), a["question_characters"], a["contexts"]) == (1000, 5000, 1)
    assert (b["question"], b["answer"], b["answer_characters"], b["contexts"], b["context_characters"]) == (None,) * 5


# The exporter -----------------------------------------------------------------------------------------------


def test_a_database_that_is_away_is_waited_for_and_keeps_nobody_from_starting() -> None:
    store = open_reviews(f"postgresql://u:secret@127.0.0.1:{free_ports(1)[0]}/b")
    exporter = ReviewExporter(store, required=True)
    exporter.start()
    with pytest.raises(RetryableError) as raised:
        exporter.export([scored()], Deadline(30))
    assert "secret" not in str(raised.value)
    store.close()


def test_an_id_beyond_reason_is_refused_and_the_others_are_stored(store: ReviewStore) -> None:
    exporter = ReviewExporter(store, required=False)
    with pytest.raises(PartlyRefusedError) as refused:
        exporter.export([scored("a"), scored("x" * 1000), scored("b")], Deadline(30))
    assert list(refused.value.refused) == [1]
    assert set(shown(store)) == {"a", "b"}
