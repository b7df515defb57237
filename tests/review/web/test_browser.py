"""Labelling in a real browser: by keys alone, in two tabs, by two people, without scripts, on a phone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.clock import SystemClock
from ragsonde.review.model import ItemState, QueueFilter, Review
from tests.browsing import Watched, grave_findings
from tests.exporters.faults import BRIDGE, INVENTED, really_scored, words_at_fault
from tests.exporters.scored import scored
from tests.review.web.conftest import Shop

pytestmark = pytest.mark.browser


def enter(page: Page, shop: Shop, name: str = "Anna") -> None:
    page.goto(f"{shop.url}/review")
    page.locator("#reviewer-name").fill(name)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(f"You are {name}")).to_be_visible()


def open_one(page: Page, shop: Shop, name: str = "Anna", place: int = 0) -> str:
    """Open an item with two claims at least; returns its id."""
    enter(page, shop, name)
    page.locator("#queue a").nth(place).click()
    expect(page.locator("#review")).to_be_visible()
    expect(page.locator("html")).to_have_class("scripted")
    return page.url.rpartition("/")[2].partition("?")[0]


def mine(shop: Shop, item_id: str, name: str = "Anna") -> Review | None:
    return next((one for one in shop.store.item(item_id).reviews if one.reviewer == name), None)


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_text("Saved")


@pytest.fixture
def anna(watched: Watched) -> Page:
    return watched.page


@pytest.fixture
def ben(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_an_item_is_labelled_with_the_keyboard_alone(shop: Shop, anna: Page) -> None:
    anna.goto(f"{shop.url}/review")
    anna.locator("#reviewer-name").focus()
    anna.keyboard.type("Anna")
    anna.keyboard.press("Enter")
    expect(anna.get_by_text("You are Anna")).to_be_visible()
    expect(anna.locator("html")).to_have_class("scripted")
    anna.keyboard.press("Enter")
    expect(anna.locator("#review")).to_be_visible()
    expect(anna.locator("html")).to_have_class("scripted")
    item_id = anna.url.rpartition("/")[2].partition("?")[0]
    claims = anna.locator("#claims > li").count()
    for key in ["1", "2"][:claims]:
        anna.keyboard.press("j")
        anna.keyboard.press(key)
    anna.keyboard.press("Shift+C")
    anna.keyboard.press("m")
    anna.keyboard.type("two jumps")  # holds letters that are keys elsewhere
    anna.keyboard.press("Escape")
    anna.keyboard.press("r")
    saved(anna)
    review = mine(shop, item_id)
    assert review is not None
    expected = {0: LabelVerdict.SUPPORTED, 1: LabelVerdict.CONTRADICTED}
    assert review.claims == {index: expected[index] for index in range(claims)}
    assert review.verdict is LabelVerdict.CONTRADICTED
    assert review.note == "two jumps"
    assert review.answer_is_right
    anna.keyboard.press("Enter")
    expect(
        anna.get_by_text("Saved. Look at it again", exact=False).or_(anna.locator(".banner", has_text="Saved."))
    ).to_be_visible()
    assert item_id not in anna.url.partition("?")[0]


def test_the_whole_answer_has_its_own_keys(shop: Shop, anna: Page) -> None:
    item_id = open_one(anna, shop)
    for keys, verdict in (
        (["a", "1"], LabelVerdict.SUPPORTED),
        (["a", "c"], LabelVerdict.CONTRADICTED),
        (["Shift+N"], LabelVerdict.NOT_FOUND),
        (["a", "4"], LabelVerdict.UNSURE),
        (["a", "0"], None),
    ):
        for key in keys:
            anna.keyboard.press(key)
        checked = anna.locator('input[name="verdict"]:checked')
        expect(checked).to_have_value(verdict or "")
    saved(anna)
    review = mine(shop, item_id)
    assert review is not None
    assert review.verdict is None
    assert review.claims == {}


def test_choosing_a_claim_shows_what_decided_it(shop: Shop, anna: Page) -> None:
    open_one(anna, shop)
    anna.keyboard.press("j")
    expect(anna.locator("#claims > li").first).to_be_focused()
    expect(anna.locator("#claims > li").first).to_have_class("supported now")
    expect(anna.locator(".answer mark.now")).to_have_count(1)
    expect(anna.locator(".passages > li.shown mark.quote.now")).to_have_count(1)
    anna.keyboard.press("j")
    expect(anna.locator("#claims > li").nth(1)).to_be_focused()
    anna.keyboard.press("k")
    expect(anna.locator("#claims > li").first).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_at_fault_are_marked_for_eyes_and_ears(shop: Shop, browser: Browser, scheme: str) -> None:
    one = really_scored("bridge", INVENTED, BRIDGE, seconds=SystemClock().wall())
    shop.store.add([one])
    page = browser.new_page(color_scheme=scheme, viewport={"width": 375, "height": 800})  # type: ignore[arg-type]
    enter(page, shop)
    page.goto(f"{shop.url}/review/items/bridge")
    (words,) = words_at_fault(one)
    fault = page.locator(".answer mark.fault")
    expect(fault).to_have_text(f"[the words at fault:] {words} [end]")
    fault.click()  # it is a part of its claim
    expect(page.locator("#claims > li").first).to_be_focused()
    assert grave_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    page.close()


def test_keys_do_nothing_in_a_field_with_a_modifier_or_when_turned_off(shop: Shop, anna: Page) -> None:
    item_id = open_one(anna, shop)
    anna.keyboard.press("Control+Shift+S")
    anna.keyboard.press("Alt+1")
    anna.locator("#corrected").focus()
    anna.keyboard.type("1 2 3 s c n u x d z ? q")
    anna.keyboard.press("Escape")
    saved(anna)
    anna.keyboard.press("?")
    expect(anna.get_by_role("dialog", name="Keys")).to_be_visible()
    anna.keyboard.press("1")
    anna.get_by_label("single keys do something").uncheck()
    anna.keyboard.press("Escape")
    expect(anna.get_by_role("dialog")).to_be_hidden()
    anna.keyboard.press("1")
    anna.keyboard.press("d")
    anna.reload()
    anna.keyboard.press("1")
    review = mine(shop, item_id)
    assert review is not None
    assert review.corrected_answer == "1 2 3 s c n u x d z ? q"
    assert review.claims == {}
    assert shop.store.item(item_id).state is ItemState.OPEN


def test_undo_takes_back_the_last_key_and_then_the_one_before(shop: Shop, anna: Page) -> None:
    item_id = open_one(anna, shop)
    anna.keyboard.press("1")
    saved(anna)
    anna.keyboard.press("2")
    expect(anna.locator('input[name="version"]')).to_have_value("2")
    anna.keyboard.press("z")
    expect(anna.locator("#save-state")).to_have_text("Taken back")
    expect(anna.locator('input[name="claim-0"]:checked')).to_have_value("supported")
    anna.keyboard.press("z")
    expect(anna.locator('input[name="claim-0"]:checked')).to_have_value("")
    assert mine(shop, item_id) is None
    anna.keyboard.press("3")
    saved(anna)
    assert mine(shop, item_id) is not None


def test_undo_on_a_fresh_item_goes_back_to_the_one_before(shop: Shop, anna: Page) -> None:
    first = open_one(anna, shop)
    anna.keyboard.press("Shift+S")
    saved(anna)
    anna.keyboard.press("Enter")
    expect(anna.locator(".banner", has_text="Saved.")).to_be_visible()
    anna.keyboard.press("z")
    expect(anna.get_by_text("was taken back")).to_be_visible()
    assert first in anna.url
    assert mine(shop, first) is None


def test_a_failed_save_is_said_and_tried_again_until_it_is_there(shop: Shop, context: BrowserContext) -> None:
    page = context.new_page()
    item_id = open_one(page, shop)
    context.set_offline(True)
    page.keyboard.press("1")
    expect(page.locator("#save-state")).to_have_text("Not saved (no connection); trying again")
    page.keyboard.press("Shift+C")
    assert mine(shop, item_id) is None
    context.set_offline(False)
    expect(page.locator("#save-state")).to_have_text("Saved", timeout=20_000)
    review = mine(shop, item_id)
    assert review is not None
    assert (review.verdict, dict(review.claims)) == (LabelVerdict.CONTRADICTED, {0: LabelVerdict.SUPPORTED})


def test_a_server_that_is_in_trouble_does_not_lose_a_label(shop: Shop, context: BrowserContext) -> None:
    page = context.new_page()
    item_id = open_one(page, shop)
    failures = iter([503, 500])

    def trouble(route: Route) -> None:
        status = next(failures, None) if "action=save" in (route.request.post_data or "") else None
        if status is None:
            route.continue_()
        else:
            route.fulfill(status=status, json={"error": "The review store does not answer"})

    page.route("**/review/items/**", trouble)
    page.keyboard.press("1")
    expect(page.locator("#save-state")).to_contain_text("The review store does not answer")
    expect(page.locator("#save-state")).to_have_text("Saved", timeout=20_000)
    assert mine(shop, item_id) is not None


@pytest.mark.parametrize("keep", ["here", "there", "both"])
def test_two_tabs_collide_and_the_reader_decides(shop: Shop, context: BrowserContext, keep: str) -> None:
    one, other = context.new_page(), context.new_page()
    item_id = open_one(one, shop)
    other.goto(one.url)
    one.keyboard.press("1")
    one.keyboard.press("b")
    saved(one)
    other.keyboard.press("2")
    panel = other.get_by_role("region", name="Saved elsewhere meanwhile")
    expect(panel).to_be_visible()
    expect(panel).to_contain_text("Claim 1 there: supported; here: contradicted")
    other.keyboard.press("j")
    other.keyboard.press("Shift+S")  # goes on, and is not lost either
    if keep == "here":
        other.get_by_role("button", name="Keep what is here").click()
        saved(other)
        expected = {0: LabelVerdict.CONTRADICTED}
    elif keep == "both":
        other.get_by_role("button", name="Fill in what is missing here").click()
        saved(other)
        expected = {0: LabelVerdict.CONTRADICTED}
    else:
        other.get_by_role("link", name="Take what is saved").click()
        expect(other.locator('input[name="claim-0"]:checked')).to_have_value("supported")
        expected = {0: LabelVerdict.SUPPORTED}
    expect(panel).to_be_hidden()
    review = mine(shop, item_id)
    assert review is not None
    assert dict(review.claims) == expected
    assert review.unanswerable is (keep != "here")


def test_two_people_get_different_items_and_see_who_holds_one(shop: Shop, anna: Page, ben: Page) -> None:
    enter(anna, shop, "Anna")
    enter(ben, shop, "Ben")
    anna.keyboard.press("Enter")
    expect(anna.locator("#review")).to_be_visible()
    ben.keyboard.press("Enter")
    expect(ben.locator("#review")).to_be_visible()
    assert anna.url != ben.url
    ben.goto(anna.url)
    expect(ben.get_by_text("Held by Anna")).to_be_visible()


def test_without_scripts_all_is_plain_forms(shop: Shop, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    enter(page, shop)
    page.get_by_role("button", name="Review the next one").click()
    item_id = page.url.rpartition("/")[2].partition("?")[0]
    page.locator("#claims > li").first.get_by_label("contradicted").check(force=True)
    page.locator("#whole").get_by_label("not found").check(force=True)
    page.get_by_label("Note").fill("by hand")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    review = mine(shop, item_id)
    assert review is not None
    assert (review.verdict, review.note) == (LabelVerdict.NOT_FOUND, "by hand")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("was taken back")).to_be_visible()
    assert mine(shop, item_id) is None
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_text("Skipped")).to_be_visible()
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("Dismissed; nobody gets it")).to_be_visible()
    page.get_by_role("button", name="Undo").first.click()
    expect(page.get_by_text("back in the queue")).to_be_visible()
    context.close()


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_needs_no_sideways_scrolling(shop: Shop, browser: Browser, width: int) -> None:
    shop.store.add([scored("named", app="a name that goes on " * 8, end_ns=int(SystemClock().wall() * 1e9))])
    page = browser.new_page(viewport={"width": width, "height": 700}, has_touch=True)
    item_id = open_one(page, shop)
    page.locator("#claims > li").first.get_by_label("contradicted").check()
    saved(page)
    for path in ("/review", "/review?below=1", f"/review/items/{item_id}", "/overview"):
        page.goto(shop.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave(shop: Shop, browser: Browser, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{shop.url}/review")
    assert grave_findings(page) == []
    open_one(page, shop)
    page.keyboard.press("j")
    page.keyboard.press("1")
    saved(page)
    assert grave_findings(page) == []
    page.keyboard.press("?")
    assert grave_findings(page) == []
    for path in ("/review?below=0.9&state=any", "/overview", "/review/items/none"):
        page.goto(shop.url + path)
        assert grave_findings(page) == [], path
    page.close()


def test_the_queue_is_empty_once_all_is_labelled(shop: Shop, anna: Page) -> None:
    entries = shop.store.queue(QueueFilter(), limit=200).entries
    for entry in entries[1:]:
        shop.store.dismiss(entry.id, "Anna")
    enter(anna, shop)
    expect(anna.locator("html")).to_have_class("scripted")
    anna.keyboard.press("Enter")
    expect(anna.locator("#review")).to_be_visible()
    expect(anna.locator("html")).to_have_class("scripted")
    anna.keyboard.press("Shift+S")
    anna.keyboard.press("Enter")
    expect(anna.get_by_text("Nothing waits for you")).to_be_visible()
