"""The demonstration in a process of its own, and a reviewer who labels its answers with keys."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.app.sidecars import wait_for

WAIT_MS = 120_000


@contextmanager
def demonstration(data_dir: Path, *options: str) -> Iterator[str]:
    """Run it on a free port; yields its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ragsonde", "demo", "--port", "0", "--data-dir", str(data_dir), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"COLUMNS": "200"},
    )
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.extend(process.stdout or ()), daemon=True)
    reader.start()

    def address() -> str | None:
        assert process.poll() is None, "".join(told)
        found = re.search(r"page\s+(http://\S+?)/?\s", "".join(told))
        return found and found[1]

    try:
        yield wait_for(address, "the demonstration to start")
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join(10)
        if process.stdout is not None:
            process.stdout.close()


def enter_queue(page: Page, name: str, *, items: int) -> None:
    """Go to the queue by the head of the page, give a name, and wait until so many items are there."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review").click()
    page.locator("#reviewer-name").fill(name)
    with page.expect_navigation():
        page.get_by_role("button", name="Go on").click()

    def enough() -> bool:
        page.reload()
        return int(re.sub(r"\D", "", page.locator(".tallies b").first.inner_text())) >= items

    wait_for(enough, f"{items} items in the queue", 180.0)


def label_items(page: Page, count: int) -> None:
    """Label items one after the other: the answer holds a fault where a claim is marked as one."""
    page.get_by_role("button", name="Review the next one").click()
    for number in range(count):
        expect(page.locator("#review")).to_be_visible(timeout=WAIT_MS)
        at = page.url
        faulty = page.locator(".answer mark.claim:not(.supported)").count() > 0
        page.keyboard.press("Shift+C" if faulty else "Shift+S")
        page.keyboard.press("e" if faulty else "r")
        if faulty:
            page.keyboard.type("What the passages say.")
            page.keyboard.press("Escape")
        expect(page.locator("#save-state")).to_have_text("Saved", timeout=WAIT_MS)
        page.keyboard.press("Enter" if number < count - 1 else "q")
        page.wait_for_url(lambda url, at=at: url != at, timeout=WAIT_MS)  # type: ignore[misc]
