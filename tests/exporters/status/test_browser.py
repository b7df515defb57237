"""The live page in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Document
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.pages.site import Link
from ragsonde.exporters.status.page import StatusPage
from ragsonde.exporters.status.recent import RecentInteractions, StatusConfig
from ragsonde.scorers.score import Verdict
from tests.browsing import Watched, grave_findings, served
from tests.exporters.faults import BRIDGE, INVENTED, really_scored, words_at_fault
from tests.exporters.scored import scored
from tests.exporters.status.traffic import judged, judged_traffic, traffic

pytestmark = pytest.mark.browser


@dataclass
class Site:
    """A served page over a store that tests add to."""

    recent: RecentInteractions
    url: str


@pytest.fixture
def site() -> Iterator[Site]:
    recent = RecentInteractions(StatusConfig(), LabelPolicy(LabelsConfig()), SystemClock())
    with served(StatusPage(recent, SystemClock(), links=[Link("Live", "/")]).routes()) as url:
        yield Site(recent, url)


@pytest.fixture
def busy(site: Site) -> Site:
    site.recent.export(traffic(SystemClock().wall()), Deadline(30))
    return site


def test_the_spike_the_claims_and_the_numbers_are_there(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    expect(page.locator(".figure.raised")).to_be_visible()
    expect(page.locator(".alarm")).to_contain_text("Raised since")
    assert page.locator("line.point.raised").count() >= 2
    assert page.locator("mark.claim.contradicted, mark.claim.not_found").count() >= 1
    chart = page.locator("#plot svg").bounding_box()
    assert chart is not None
    raised = [box["x"] for point in page.locator("line.point.raised").all() if (box := point.bounding_box())]
    assert min(raised) > chart["x"] + chart["width"] * 0.6  # it began in the last quarter of the hour
    expect(page.locator("table.metrics tbody tr")).to_have_count(6)


@pytest.fixture
def with_judges(site: Site) -> Site:
    site.recent.export(judged_traffic(SystemClock().wall()), Deadline(30))
    return site


def test_the_reader_can_switch_to_the_judge_and_the_choice_stays(with_judges: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(f"{with_judges.url}/?app=policy-desk&window=1h")
    switch = page.get_by_role("navigation", name="Whose scores")
    expect(switch.get_by_role("link", name="local scorers")).to_have_attribute("aria-current", "true")
    local = page.locator(".figure").inner_text()
    switch.get_by_role("link", name="judge", exact=True).click()
    heading = page.get_by_role("heading", name="Hallucinated answers by the judge")
    expect(heading).to_be_visible()
    assert page.locator(".figure").inner_text() != local
    page.get_by_label("15m").check()  # the script puts the new window into the page and the address
    expect(page).to_have_url(re.compile("window=15m.*scorer=judge|scorer=judge.*window=15m"))
    expect(page.locator("#headline")).to_contain_text("15 minutes")
    expect(heading).to_be_visible()
    page.reload()
    expect(heading).to_be_visible()
    expect(page.get_by_label("Application")).to_have_value("policy-desk")
    switch.get_by_role("link", name="second judge").click()
    expect(page.locator(".figure")).to_have_text("Nothing scored")
    expect(page.locator("#headline")).not_to_contain_text("%")
    switch.get_by_role("link", name="local scorers").click()
    expect(page.get_by_role("heading", name="Hallucinated answers by the local scorers")).to_be_visible()
    assert "scorer" not in page.url


def test_a_judge_that_begins_to_score_can_be_switched_to_without_a_reload(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    expect(page.get_by_role("navigation", name="Whose scores")).to_have_count(0)
    fresh = scored("fresh", end_ns=int(SystemClock().wall() * 1e9))
    busy.recent.export([judged(fresh, drawn=True, faithfulness=1.0)], Deadline(1))
    expect(page.get_by_role("navigation", name="Whose scores")).to_be_visible(timeout=30_000)


def test_switching_works_without_scripts_and_other_filters_keep_it(with_judges: Site, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{with_judges.url}/?window=1h")
    page.get_by_role("link", name="judge", exact=True).click()
    page.get_by_label("Application").select_option("policy-desk")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("heading", name="Hallucinated answers by the judge")).to_be_visible()
    assert "app=policy-desk" in page.url
    assert "window=1h" in page.url
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("scorer", ["judge", "second_judge"])
def test_a_judge_s_page_is_readable(with_judges: Site, browser: Browser, scheme: str, scorer: str) -> None:
    page = browser.new_page(color_scheme=scheme, viewport={"width": 320, "height": 700})  # type: ignore[arg-type]
    page.goto(f"{with_judges.url}/?scorer={scorer}")
    assert grave_findings(page) == []
    assert [found for found in page.evaluate(CONTRAST) if found["ratio"] < 4.5] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.close()


def test_a_filter_takes_effect_without_a_reload_and_survives_one(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    page.evaluate("window.here = true")
    page.get_by_label("Application").select_option("policy-desk")
    expect(page.locator("#interactions .meta", has_text="shop-assistant")).to_have_count(0)
    page.get_by_label("worst first").check()
    expect(page.get_by_role("heading", name="Worst answers")).to_be_visible()
    assert page.evaluate("window.here") is True
    page.reload()
    expect(page.get_by_label("Application")).to_have_value("policy-desk")
    expect(page.get_by_label("worst first")).to_be_checked()
    expect(page.locator("#interactions article").first).to_have_class("card interaction hallucinated")


def test_new_answers_appear_by_themselves(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    busy.recent.export(
        [scored("fresh", question="Is this one new?", end_ns=int(SystemClock().wall() * 1e9))], Deadline(1)
    )
    expect(page.get_by_role("heading", name="Is this one new?")).to_be_attached(timeout=30_000)
    expect(page.locator("#show-new")).to_be_hidden()


def test_a_reader_within_the_list_keeps_the_place_and_is_offered_the_new_ones(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    third = page.locator("#interactions article").nth(2)
    name = third.get_attribute("data-id")
    third.locator("summary").click()
    third.scroll_into_view_if_needed()
    before = third.bounding_box()
    busy.recent.export(
        [scored("fresh", question="Is this one new?", end_ns=int(SystemClock().wall() * 1e9))], Deadline(1)
    )
    offer = page.get_by_role("button", name="Show 1 newer answer")
    expect(offer).to_be_visible(timeout=30_000)
    assert page.locator("#interactions article").nth(2).get_attribute("data-id") == name
    assert third.locator("details").get_attribute("open") is not None
    after = third.bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == pytest.approx(before["y"], abs=1)
    offer.click()
    expect(page.get_by_role("heading", name="Is this one new?")).to_be_visible()
    assert page.locator(f'article[data-id="{name}"] details').get_attribute("open") is not None


def test_the_first_answer_ends_the_empty_page(site: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(site.url)
    expect(page.get_by_role("heading", name="No answers yet")).to_be_visible()
    site.recent.export([scored("first", question="First?", end_ns=int(SystemClock().wall() * 1e9))], Deadline(1))
    expect(page.get_by_role("heading", name="First?")).to_be_visible(timeout=30_000)


def test_an_answer_runs_in_its_own_direction(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(f"{busy.url}/?limit=200")
    for text, direction in (("نعم، يمكن", "rtl"), ("Tak, termin", "ltr")):
        answer = page.locator(".answer", has_text=text).first
        assert answer.evaluate("(element) => getComputedStyle(element).direction") == direction


def test_a_lost_connection_is_said_and_the_page_recovers_its_voice(site: Site, context: BrowserContext) -> None:
    page = context.new_page()
    page.goto(site.url)
    context.set_offline(True)
    expect(page.locator("#live-note")).to_have_text("Connection lost, trying again", timeout=30_000)
    context.set_offline(False)
    expect(page.locator("#live-note")).to_be_empty(timeout=30_000)


def test_an_update_leaves_open_what_the_reader_opened_and_the_focus_where_it_was(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    page.get_by_text("As a table").click()
    shown = page.locator("#live time").get_attribute("datetime")
    assert shown is not None
    expect(page.locator("#live time")).not_to_have_attribute("datetime", shown, timeout=30_000)
    assert page.locator(".series").get_attribute("open") is not None
    expect(page.get_by_text("As a table")).to_be_focused()


def test_the_chart_can_be_read_with_the_keyboard(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(busy.url)
    page.locator("#plot").focus()
    page.keyboard.press("ArrowLeft")
    latest = page.locator("#readout").inner_text()
    assert "%" in latest
    assert "judged" in latest
    page.keyboard.press("ArrowLeft")
    assert page.locator("#readout").inner_text() != latest


def test_an_answer_leads_to_its_page_with_the_quotes_marked(busy: Site, watched: Watched) -> None:
    page = watched.page
    page.goto(f"{busy.url}/?order=worst")
    page.locator("#interactions article .meta a").first.click()
    expect(page.get_by_role("heading", name="Claims against the sources")).to_be_visible()
    assert page.locator(".passage mark.quote").count() >= 1
    page.get_by_role("link", name="All answers").click()
    expect(page.locator("#overview")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_words_at_fault_have_a_line_of_their_own_and_can_be_heard(
    site: Site, browser: Browser, scheme: str, width: int
) -> None:
    one = really_scored("one", INVENTED, BRIDGE, seconds=SystemClock().wall())
    site.recent.export([one], Deadline(1))
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})  # type: ignore[arg-type]
    page.goto(f"{site.url}/interactions/one")
    (words,) = words_at_fault(one)
    fault = page.locator(".answer mark.fault")
    expect(fault).to_have_text(f"[the words at fault:] {words} [end]")
    style = "(part) => getComputedStyle(part).textDecorationStyle"
    assert fault.evaluate(style) == "wavy"
    assert page.locator(".answer mark.not_found > .words").first.evaluate(style) == "dashed"
    assert (
        page.locator(".answer mark.claim").first.evaluate("(part) => getComputedStyle(part).textDecorationLine")
        == "none"
    )
    assert [found for found in page.evaluate(CONTRAST) if found["ratio"] < 4.5] == []
    assert page.evaluate(LINE_CONTRAST) >= 3
    assert grave_findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_background(busy: Site, browser: Browser, scheme: str) -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1 for text."""
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(f"{busy.url}/?order=worst")
    ratios = page.evaluate(CONTRAST)
    assert len(ratios) > 50
    assert [found for found in ratios if found["ratio"] < 4.5] == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_grave(busy: Site, browser: Browser, scheme: str) -> None:
    page = browser.new_page(color_scheme=scheme)  # type: ignore[arg-type]
    page.goto(busy.url)
    assert grave_findings(page) == []
    page.locator("#interactions article .meta a").first.click()
    page.wait_for_load_state()
    assert grave_findings(page) == []
    page.close()


def test_texts_that_scroll_can_be_reached_by_keyboard(site: Site, browser: Browser) -> None:
    long = "The limit is 5 kg.\n" * 300
    one = scored("long", answer=long, contexts=(Document(long, 1),), end_ns=int(SystemClock().wall() * 1e9))
    site.recent.export([one], Deadline(1))
    page = browser.new_page(viewport={"width": 375, "height": 700})
    for path in ("/", "/interactions/long", "/?app=nobody"):
        page.goto(site.url + path)
        for summary in page.locator("#interactions summary").all():
            summary.click()
        assert grave_findings(page) == []
    page.close()


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_needs_no_sideways_scrolling(busy: Site, browser: Browser, width: int) -> None:
    page = browser.new_page(viewport={"width": width, "height": 700})
    long = scored("long", question="x" * 600, answer="y" * 2000, app="a" * 64, end_ns=int(SystemClock().wall() * 1e9))
    busy.recent.export([long], Deadline(1))
    for path in ("/", "/interactions/long"):
        page.goto(busy.url + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_page_works_without_scripts(busy: Site, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(busy.url)
    expect(page.locator(".figure")).to_be_visible()
    page.get_by_label("Application").select_option("policy-desk")
    page.get_by_role("button", name="Show", exact=True).click()
    assert "app=policy-desk" in page.url
    expect(page.locator("#interactions .meta", has_text="shop-assistant")).to_have_count(0)
    context.close()


def test_an_answer_full_of_markup_runs_nothing(site: Site, watched: Watched) -> None:
    attack = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    one = scored(
        "attack",
        question=attack,
        answer=attack + " within 30 days",
        app="shop",
        faithfulness=0.0,
        verdicts=(Verdict.NOT_FOUND,),
        end_ns=int(SystemClock().wall() * 1e9),
    )
    site.recent.export([one], Deadline(1))
    page = watched.page
    for path in ("/", "/interactions/attack"):
        page.goto(site.url + path)
        expect(page.get_by_role("heading", name=attack)).to_be_visible()
        assert "owned" not in page.title() or path != "/"
        assert page.locator("img[src=x]").count() == 0


CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const over = (top, below) => {
    const alpha = top[3] ?? 1;
    return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha));
  };
  const backdrop = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const luminance = (colour) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const box = element.getBoundingClientRect();
    if (!own || box.width < 2 || box.height < 2 || element.closest(".unseen")) continue;
    const below = backdrop(element);
    const pair = [over(parse(getComputedStyle(element).color), below), below].map(luminance);
    const [high, low] = pair.sort((a, b) => b - a);
    found.push({ text: element.textContent.trim().slice(0, 40), ratio: (high + 0.05) / (low + 0.05) });
  }
  return found;
}"""

LINE_CONTRAST = """() => {
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = parse(colour).map((value) => linear(value / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const fault = document.querySelector(".answer mark.fault");
  const line = luminance(getComputedStyle(fault).textDecorationColor);
  const below = luminance(getComputedStyle(fault.closest(".claim")).backgroundColor);
  return (Math.max(line, below) + 0.05) / (Math.min(line, below) + 0.05);
}"""
"""WCAG 2.2, 1.4.11: 3 to 1 for what a mark is told by."""
