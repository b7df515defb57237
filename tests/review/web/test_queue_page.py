from collections.abc import Callable

import pytest

from ragsonde.collector.errors import RetryableError
from ragsonde.review.model import ItemState, Review
from ragsonde.review.store import ReviewStore
from tests.exporters.scored import scored
from tests.review.web.conftest import NOW, Place
from tests.review.web.elements import Elements

MANY = [
    scored(f"id-{number}", question=f"Question {number}?", end_ns=int((NOW - number) * 1e9)) for number in range(120)
]


def listed(html: str) -> list[str]:
    links = [attributes["href"] or "" for attributes in Elements(html).all("a")]
    return [link.partition("?")[0] for link in links if link.startswith("/review/items/")]


def test_pages_follow_each_other_until_all_were_shown(place_of: Callable[..., Place]) -> None:
    anna = place_of(MANY).person()
    address, seen = "/review?app=shop", []
    for _ in range(3):
        html = anna.get(address).text
        seen += listed(html)
        following = Elements(html).all("a", rel="next")
        address = f"{following[0]['href']}" if following else ""
    assert address == ""
    assert len(seen) == len(set(seen)) == 120


def test_a_filter_stays_through_the_item_and_the_next_page(place_of: Callable[..., Place]) -> None:
    anna = place_of(MANY).person()
    elements = Elements(anna.get("/review?app=shop&below=1&state=any").text)
    links = [attributes["href"] or "" for attributes in elements.all("a")]
    items = [link for link in links if link.startswith("/review/items/")]
    assert items == [] or all("app=shop" in link and "below=1" in link for link in items)
    assert elements.all("option", value="any", selected=None) == elements.all("option", value="any")  # type: ignore[arg-type]
    assert "app=shop" in (elements.all("form", id="start")[0]["action"] or "")


def test_each_state_of_the_queue_says_what_to_do(place_of: Callable[..., Place]) -> None:
    place = place_of([])
    anna = place.person()
    assert "Nothing to review yet" in anna.get("/review").text
    assert "Nothing fits" in anna.get("/review?app=nobody").text
    place.store.add([scored("one", end_ns=int(NOW * 1e9))])
    place.store.save(Review("one", "Anna", verdict="supported"))  # type: ignore[arg-type]
    assert "All done" in anna.get("/review").text
    assert listed(anna.get("/review?state=done").text) == ["/review/items/one"]


def test_the_next_item_is_one_that_fits_and_the_end_is_said(place_of: Callable[..., Place]) -> None:
    place = place_of([scored("one", app="a", end_ns=int(NOW * 1e9)), scored("two", app="b", end_ns=int(NOW * 1e9))])
    anna = place.person()
    assert anna.submit("/review/next?app=b").headers["location"] == "/review/items/two?app=b"
    place.store.dismiss("two", "Anna")
    response = anna.submit("/review/next?app=b")
    assert response.headers["location"] == "/review?app=b&finished=1"
    assert "Nothing waits for you with these filters" in anna.get(response.headers["location"]).text


def test_two_reviewers_are_led_to_different_items(place: Place) -> None:
    anna, ben = place.person("Anna"), place.person("Ben")
    first = anna.submit("/review/next").headers["location"]
    assert ben.submit("/review/next").headers["location"] != first
    assert "open at" in ben.get("/review").text
    assert "Anna" in ben.get("/review").text


def test_without_a_name_the_queue_is_seen_and_nothing_is_taken(place: Place) -> None:
    nobody = place.person(None)
    assert listed(nobody.get("/review").text) != []
    assert nobody.submit("/review/next").headers["location"] == "/review?rename=1"
    first = place.ids()[0]
    assert "Who are you?" in nobody.get(f"/review/items/{first}?app=shop-assistant").text
    led = nobody.submit("/review/reviewer", name="Anna", to=f"/review/items/{first}?app=shop-assistant")
    assert led.headers["location"] == f"/review/items/{first}?app=shop-assistant"


def test_the_last_change_is_taken_back_from_the_queue(place: Place) -> None:
    anna, first = place.person(), place.ids()[0]
    assert "Undo my last change" not in anna.get("/review").text
    anna.act(first, "save", verdict="supported")
    assert "Undo my last change" in anna.get("/review").text
    assert anna.submit("/review/undo").headers["location"] == f"/review/items/{first}?told=undone"
    assert place.store.item(first).reviews == ()


def test_a_filter_that_is_not_understood_is_said(place: Place) -> None:
    html = place.person().get("/review", params={"metric": "faithfullness", "below": "0,5", "state": "any"}).text
    assert "Not understood, so left out" in html
    assert "metric=faithfullness" in html
    assert "below=0,5" in html
    assert "Not understood" not in place.person().get("/review?state=any&below=").text


def test_a_filter_that_nothing_fits_stays_chosen(place: Place) -> None:
    query = {"app": "gone", "diagnosis": "retrieval_noise", "language": "xx", "metric": "mrr"}
    html = place.person().get("/review", params=query).text
    assert "Nothing fits" in html
    chosen = [attributes for _, attributes in Elements(html).tags if "selected" in attributes]
    assert len(chosen) == len(query) + 1  # and the state
    for value in ("gone", "xx"):
        assert f"<option selected>{value}</option>" in html


def test_a_cursor_of_nobody_s_is_a_clear_400(place: Place) -> None:
    assert place.person().get("/review?cursor=x").status_code == 400


def test_a_store_that_does_not_answer_is_said_and_nothing_breaks(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    anna, first = place.person(), place.ids()[0]

    def away(*_args: object, **_named: object) -> None:
        raise RetryableError("database is locked")

    for name in ("queue", "item", "save", "take_next"):
        monkeypatch.setattr(ReviewStore, name, away)
    for response in (anna.get("/review"), anna.get(f"/review/items/{first}"), anna.submit("/review/next")):
        assert response.status_code == 503
        assert "try again" in response.text.lower()
    assert anna.autosave(first, verdict="supported").status_code == 503
    assert "try again" in anna.autosave(first, verdict="supported").json()["error"]


def test_counts_are_those_of_all_states(place: Place) -> None:
    anna, ids = place.person(), place.ids()
    place.store.dismiss(ids[0], "Anna")
    counts = sum(count for (_, state), count in place.store.counts().items() if state is ItemState.OPEN)
    assert f"{counts} open · 0 done · 1 dismissed" in Elements(anna.get("/review").text).words
