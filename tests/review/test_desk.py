"""What the review pages rely on, over SQLite and PostgreSQL."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.errors import PermanentError
from ragsonde.review.desk import ReviewConflictError, UnknownItemError
from ragsonde.review.model import ItemState, QueueFilter, Review, SelectedBecause
from ragsonde.review.store import ReviewStore
from ragsonde.scorers.score import DiagnosisLabel, MetricKey, Scored, Verdict
from tests.exporters.scored import claim, scored
from tests.fakes import FakeClock
from tests.review.conftest import Opener
from tests.review.stores import ALL_DRAWN, trace_below

GROUNDED, UNSURE = LabelVerdict.GROUNDED, LabelVerdict.UNSURE
ANY = QueueFilter()


def ids(store: ReviewStore, wanted: QueueFilter = ANY, limit: int = 50) -> list[str]:
    return [entry.id for entry in store.queue(wanted, limit=limit).entries]


# The queue --------------------------------------------------------------------------------------------------


def test_the_queue_is_worst_first_and_what_has_no_score_comes_last(store: ReviewStore) -> None:
    store.add([scored("a", faithfulness=0.5), scored("b", faithfulness=None), scored("c", faithfulness=0.1)])
    page = store.queue(ANY)
    assert [(entry.id, entry.score) for entry in page.entries] == [("c", 0.1), ("a", 0.5), ("b", None)]
    assert (page.total, page.next_cursor) == (3, None)


def test_a_walk_over_pages_sees_each_item_once_while_others_are_added(store: ReviewStore) -> None:
    store.add([scored(f"old-{number:02d}", faithfulness=(number % 7) / 10) for number in range(30)])
    seen: list[str] = []
    cursor, pages = None, 0
    while True:
        page = store.queue(ANY, cursor=cursor, limit=7)
        seen += [entry.id for entry in page.entries]
        store.add([scored(f"new-{pages}-{number}", faithfulness=number / 10) for number in range(8)])
        pages += 1
        cursor = page.next_cursor
        if cursor is None or pages > 100:
            break
    assert len(set(seen)) == len(seen)
    assert {id_ for id_ in seen if id_.startswith("old")} == {f"old-{number:02d}" for number in range(30)}


@pytest.mark.parametrize("cursor", ["", "x", "WzEsMiwzXQ", "é", "bnVsbA", "WyJhIiwiYiJd"])
def test_a_cursor_that_is_none_of_ours_is_refused(store: ReviewStore, cursor: str) -> None:
    with pytest.raises(PermanentError, match="first page"):
        store.queue(ANY, cursor=cursor)


def test_filters_narrow_the_queue(store: ReviewStore) -> None:
    relevance = {MetricKey.ANSWER_RELEVANCE: Scored(0.2), MetricKey.FAITHFULNESS: Scored(0.9)}
    store.add(
        [
            scored("shop", faithfulness=0.3, end_ns=100 * 10**9),
            scored("bank", faithfulness=0.4, app="bank", language="pl", end_ns=200 * 10**9),
            scored("relevance", scores=relevance, diagnosis=DiagnosisLabel.GENERATION_OFF_TOPIC, end_ns=300 * 10**9),
        ]
    )
    assert ids(store, QueueFilter(app="bank")) == ["bank"]
    assert ids(store, QueueFilter(language="pl")) == ["bank"]
    assert ids(store, QueueFilter(diagnosis="generation_off_topic")) == ["relevance"]
    assert ids(store, QueueFilter(score_below=0.4)) == ["shop"]
    assert ids(store, QueueFilter(because=SelectedBecause.LOW_SCORE)) == []
    by_relevance = store.queue(QueueFilter(metric=MetricKey.ANSWER_RELEVANCE, score_below=0.5))
    assert [(entry.id, entry.score) for entry in by_relevance.entries] == [("relevance", 0.2)]
    assert by_relevance.total == 1
    since, until = datetime.fromtimestamp(200, UTC), datetime.fromtimestamp(300, UTC)
    assert ids(store, QueueFilter(since=since, until=until)) == ["bank"]
    choices = store.choices()
    assert choices.apps == ("bank", "shop")
    assert choices.languages == ("en", "pl")
    assert choices.diagnoses == ("generation_off_topic", "ok")
    assert set(choices.metrics) == {MetricKey.ANSWER_RELEVANCE, MetricKey.FAITHFULNESS}


def test_a_list_leaves_out_what_the_reviewer_has_seen_and_what_others_hold(store: ReviewStore) -> None:
    store.add([scored(name) for name in "abcd"])
    store.save(Review("a", "ann", claims={}, note="to come back to"))
    store.save(Review("b", "ann", skipped=True))
    assert store.hold("c", "bob") is None
    assert ids(store, QueueFilter(not_reviewed_by="ann")) == ["d"]
    assert ids(store, QueueFilter(not_reviewed_by="bob")) == ["a", "b", "c", "d"]
    assert [entry.held_by for entry in store.queue(ANY).entries] == [None, None, "bob", None]


# Holds ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [1, 2])
def test_reviewers_at_once_share_the_queue_without_meeting(open_store: Opener, wanted: int) -> None:
    selection = {"random_share": 1.0, "double_share": wanted - 1.0}
    stores = [open_store(selection=selection), open_store(selection=selection)]
    stores[0].add([scored(f"{number:03d}") for number in range(40)])
    taken: dict[str, list[str]] = {"ann": [], "bob": [], "cem": []}
    start = threading.Barrier(len(taken))

    def label_all(mine: ReviewStore, name: str) -> None:
        while (id_ := mine.take_next(name, ANY)) is not None:
            taken[name].append(id_)
            mine.save(Review(id_, name, verdict=GROUNDED))

    def work(position: int, name: str) -> None:
        start.wait()
        label_all(stores[position % 2], name)

    with ThreadPoolExecutor(len(taken)) as pool:
        for done in [pool.submit(work, *each) for each in enumerate(taken)]:
            done.result()
    for name in taken:  # an item that another one held at the end
        label_all(stores[0], name)
    for mine in taken.values():
        assert len(set(mine)) == len(mine)
    every = sorted(id_ for mine in taken.values() for id_ in mine)
    assert every == sorted([f"{number:03d}" for number in range(40)] * wanted)
    assert stores[0].counts()["shop", ItemState.DONE] == 40


def test_an_item_to_be_labelled_twice_goes_to_two_different_reviewers(open_store: Opener) -> None:
    store = open_store(selection={"random_share": 1.0, "double_share": 1.0})
    store.add([scored("a")])
    assert store.take_next("ann", ANY) == "a"
    assert store.take_next("bob", ANY) is None
    store.save(Review("a", "ann", verdict=GROUNDED))
    assert store.item("a").state is ItemState.OPEN
    assert store.take_next("ann", ANY) is None
    assert store.take_next("bob", ANY) == "a"
    store.save(Review("a", "bob", verdict=LabelVerdict.HALLUCINATED))
    assert store.item("a").state is ItemState.DONE
    assert store.take_next("cem", ANY) is None


def test_a_hold_ends_by_itself_and_a_reload_gets_the_same_item(store: ReviewStore, clock: FakeClock) -> None:
    store.add([scored("a")])
    assert store.take_next("ann", ANY) == store.take_next("ann", ANY) == "a"
    assert store.hold("a", "bob") == "ann"
    assert store.take_next("bob", ANY) is None
    clock.advance(15 * 60 + 1)
    assert store.take_next("bob", ANY) == "a"
    assert store.hold("a", "ann") == "bob"


def test_skipping_leaves_the_item_to_others(store: ReviewStore) -> None:
    store.add([scored("a")])
    assert store.take_next("ann", ANY) == "a"
    store.save(Review("a", "ann", skipped=True))
    assert store.item("a").state is ItemState.OPEN
    assert store.take_next("ann", ANY) is None
    assert store.take_next("bob", ANY) == "a"


def test_drawn_and_picked_items_come_in_turn_and_drawn_ones_not_by_their_score(
    open_store: Opener, clock: FakeClock
) -> None:
    store = open_store(selection={"random_share": 0.5, "double_share": 0.0, "caps": {"low_score": 1000}})
    store.add([scored(f"{number:03d}", trace_id="", faithfulness=number / 1000) for number in range(60)])
    because, drawn_scores = [], []
    for _ in range(20):
        id_ = store.take_next("ann", ANY)
        assert id_ is not None
        item = store.item(id_)
        because.append(item.selection.because)
        if item.selection.because is SelectedBecause.RANDOM:
            outcome = item.scored.scores[MetricKey.FAITHFULNESS]
            assert isinstance(outcome, Scored)
            drawn_scores.append(outcome.value)
        clock.advance(1)
        store.save(Review(id_, "ann", verdict=GROUNDED))
    assert because == [SelectedBecause.RANDOM, SelectedBecause.LOW_SCORE] * 10
    assert drawn_scores != sorted(drawn_scores)


# Reviews ----------------------------------------------------------------------------------------------------


def test_a_review_comes_back_as_it_was_saved(store: ReviewStore, clock: FakeClock) -> None:
    store.add([scored("a")])
    given = Review(
        "a",
        "zoë",
        verdict=GROUNDED,
        claims={0: LabelVerdict.SUPPORTED, 2: UNSURE},
        rubrics={"politeness": "polite"},
        corrected_answer="Within 30 days.",
        answer_is_right=True,
        unanswerable=True,
        key_facts=("30 days",),
        note="line\nline \0 odd",
    )
    saved = store.save(given)
    assert store.item("a").reviews == (saved,)
    assert saved.updated_at == datetime.fromtimestamp(clock.wall(), UTC)
    assert (saved.claims, saved.rubrics, saved.key_facts) == (given.claims, given.rubrics, given.key_facts)
    assert saved.version == 1
    assert saved.note == "line\nline \ufffd odd"


def test_an_older_version_is_refused_with_what_stands(store: ReviewStore) -> None:
    store.add([scored("a")])
    first = store.save(Review("a", "ann", verdict=GROUNDED))
    second = store.save(Review("a", "ann", verdict=UNSURE, version=first.version))
    with pytest.raises(ReviewConflictError) as refused:
        store.save(Review("a", "ann", verdict=GROUNDED, version=first.version))
    assert refused.value.latest == second
    assert store.save(Review("a", "bob", verdict=GROUNDED)).version == 1


def test_undo_walks_back_through_the_history_and_never_meets_an_old_tab(store: ReviewStore) -> None:
    store.add([scored("a"), scored("b")])
    first = store.save(Review("a", "ann", claims={0: LabelVerdict.SUPPORTED}, verdict=GROUNDED))
    second = store.save(Review("a", "ann", verdict=UNSURE, version=first.version))
    store.save(Review("a", "bob", verdict=GROUNDED))
    assert store.last_changed("ann") == "a"
    back = store.undo("a", "ann")
    assert back is not None
    assert (back.verdict, back.claims) == (GROUNDED, {0: LabelVerdict.SUPPORTED})
    assert back.version > second.version
    assert store.undo("a", "ann") is None
    assert store.undo("a", "ann") is None
    assert store.last_changed("ann") is None
    assert [review.reviewer for review in store.item("a").reviews] == ["bob"]
    with pytest.raises(ReviewConflictError):
        store.save(Review("a", "ann", verdict=GROUNDED, version=first.version))
    again = store.save(Review("a", "ann", verdict=UNSURE))
    assert again.version > back.version
    assert store.undo("a", "ann") is None


def test_an_undo_reopens_the_item_for_who_took_it_back(store: ReviewStore) -> None:
    store.add([scored("a")])
    store.save(Review("a", "ann", verdict=GROUNDED))
    assert store.item("a").state is ItemState.DONE
    store.undo("a", "ann")
    assert store.item("a").state is ItemState.OPEN
    assert store.take_next("bob", ANY) is None
    assert store.take_next("ann", ANY) == "a"


@pytest.mark.parametrize(
    ("claims", "complete"),
    [
        ({}, False),
        ({0: LabelVerdict.SUPPORTED}, False),
        ({0: LabelVerdict.SUPPORTED, 1: UNSURE}, False),
        ({0: LabelVerdict.SUPPORTED, 1: LabelVerdict.SUPPORTED}, True),
        ({1: LabelVerdict.CONTRADICTED}, True),
    ],
)
def test_verdicts_on_claims_are_a_review_once_they_settle_the_answer(
    store: ReviewStore, claims: dict[int, LabelVerdict], complete: bool
) -> None:
    store.add([scored("a", verdicts=(Verdict.SUPPORTED, Verdict.SUPPORTED))])
    store.save(Review("a", "ann", claims=claims, note="x"))
    assert (store.item("a").state is ItemState.DONE) is complete
    assert store.queue(QueueFilter(state=None)).entries[0].reviews == int(complete)


def test_what_was_dismissed_stays_so_until_it_is_taken_back(store: ReviewStore) -> None:
    store.add([scored("a")])
    store.dismiss("a", "ann")
    store.add([scored("a", rescored=True, faithfulness=0.0)])
    store.save(Review("a", "bob", note="a late word"))
    assert ids(store) == []
    assert ids(store, QueueFilter(state=ItemState.DISMISSED)) == ["a"]
    assert store.take_next("cem", ANY) is None
    store.dismiss("a", "ann", dismissed=False)
    assert ids(store) == ["a"]


def test_an_item_that_is_not_there_is_said_so(store: ReviewStore) -> None:
    for call in (
        lambda: store.item("none"),
        lambda: store.hold("none", "ann"),
        lambda: store.save(Review("none", "ann")),
        lambda: store.undo("none", "ann"),
        lambda: store.dismiss("none", "ann"),
        lambda: store.item("\0"),
    ):
        with pytest.raises(UnknownItemError):
            call()


# Reading ----------------------------------------------------------------------------------------------------


def test_a_conversation_is_in_order_with_what_people_said(store: ReviewStore, open_store: Opener) -> None:
    drawn = open_store(selection={"random_share": 1e-12})
    turn = {"conversation_id": "talk"}
    drawn.add([scored("third", question="3?", end_ns=3 * 10**9, **turn)])
    store.add([scored("second", question="2?", faithfulness=0.5, end_ns=2 * 10**9, **turn)])
    store.add([scored("first", question="1?", end_ns=10**9, **turn), scored("other", conversation_id="talk", app="b")])
    store.save(Review("second", "ann", verdict=LabelVerdict.HALLUCINATED))
    turns = store.conversation("talk", "shop")
    assert [(one.id, one.question, one.in_queue) for one in turns] == [
        ("first", "1?", True),
        ("second", "2?", True),
        ("third", "3?", False),
    ]
    assert [one.verdict for one in turns] == [None, LabelVerdict.HALLUCINATED, None]
    assert [one.faithfulness for one in turns] == [1.0, 0.5, 1.0]
    assert store.conversation("none", "shop") == []


def test_labels_say_what_was_seen_and_with_which_probability_it_was_drawn(open_store: Opener) -> None:
    store = open_store(selection=ALL_DRAWN | {"random_share": 0.999})
    claims = (claim("one"), claim("two"))
    scores = {MetricKey.FAITHFULNESS: Scored(1.0, claims=claims)}
    store.add([scored("a", scores=scores, probability=0.25, trace_id=trace_below(0.2))])
    item = store.item("a")
    assert item.selection.probability == 0.999
    store.save(Review("a", "ann", verdict=GROUNDED, claims={1: LabelVerdict.NOT_FOUND, 7: UNSURE}))
    labels = list(store.labels())
    assert [(label.claim, label.claim_text, label.verdict) for label in labels] == [
        (None, None, GROUNDED),
        (1, "two", LabelVerdict.NOT_FOUND),
    ]
    assert {label.probability for label in labels} == {0.999}
    assert {label.inclusion for label in labels} == {0.999 * 0.25}


def test_reviewed_items_are_those_of_which_somebody_said_what_is_right(store: ReviewStore, clock: FakeClock) -> None:
    store.add([scored(name) for name in "abc"])
    store.save(Review("a", "ann", verdict=GROUNDED))
    store.save(Review("b", "ann", corrected_answer="No.", key_facts=("no",)))
    clock.advance(1)
    store.save(Review("b", "bob", verdict=GROUNDED, answer_is_right=True))
    store.save(Review("c", "ann", unanswerable=True))
    items = {item.id: item for item in store.reviewed_items()}
    assert set(items) == {"b", "c"}
    assert (items["b"].reviewer, items["b"].answer_is_right, items["b"].reference) == ("bob", True, None)
    assert items["c"].unanswerable
    assert {one.interaction.id for one in store.scored()} == {"a", "b", "c"}


def test_agreement_is_over_what_two_have_labelled(open_store: Opener) -> None:
    store = open_store(selection={"random_share": 1.0, "double_share": 1.0})
    store.add([scored(name) for name in "abcde"])
    assert store.agreement().answer_kappa is None
    says = {"a": ("g", "g"), "b": ("h", "h"), "c": ("g", "h"), "d": ("g", "g"), "e": ("g", "")}
    words = {"g": GROUNDED, "h": LabelVerdict.HALLUCINATED}
    for id_, verdicts in says.items():
        for reviewer, word in zip(("ann", "bob"), verdicts, strict=False):
            if word:
                store.save(Review(id_, reviewer, verdict=words[word]))
    found = store.agreement()
    assert found.items == 4
    assert found.answer_kappa is not None
    assert 0.0 < found.answer_kappa < 1.0
    assert found.claim_kappa is None
