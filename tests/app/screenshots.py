"""Makes the pictures of the documentation from the demonstration: ``python -m tests.app.screenshots``."""

import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.app.demonstrating import demonstration, enter_queue, label_items
from tests.browsing import running_browser

ASSETS = Path(__file__).parents[2] / "docs" / "assets"
LABELLED = 40


def main() -> None:
    ASSETS.mkdir(exist_ok=True)
    timing = ("--rate", "5", "--spike-after", "90", "--spike-seconds", "30")
    with (
        tempfile.TemporaryDirectory() as folder,
        demonstration(Path(folder), *timing) as url,
        running_browser() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 900}, locale="en-GB", color_scheme="light")
        page.goto(url)
        enter_queue(page, "Anna", items=LABELLED + 20)
        label_items(page, LABELLED)
        picture_of_an_item(page, url)
        page.set_viewport_size({"width": 1280, "height": 960})
        page.goto(f"{url}/overview?stretch=1h&metric=all")
        expect(page.locator(".panel").first).to_be_visible()
        page.screenshot(path=ASSETS / "overview.png")


def picture_of_an_item(page: Page, url: str) -> None:
    page.goto(f"{url}/review?diagnosis=generation_unfaithful&language=en&state=any")
    page.locator("#queue a").first.click()
    expect(page.locator("#claims")).to_be_visible()
    page.locator("#claims > li:not(.supported)").first.click(position={"x": 5, "y": 5})
    page.keyboard.press("2")
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.locator("#item").evaluate("(item) => window.scrollTo(0, item.offsetTop - 60)")
    page.screenshot(path=ASSETS / "review-item.png")


if __name__ == "__main__":
    main()
