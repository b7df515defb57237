"""From the demonstration to a corrected rate, by clicks in a real browser and then from the same store by commands."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Page, expect

from ragsonde.calibration.labels import read_labels
from ragsonde.golden.files import read_valid_set
from tests.app.sidecars import wait_for
from tests.browsing import running_browser

pytestmark = pytest.mark.browser

ITEMS = 30
"""Every other one is drawn by chance, and a rate needs ten of those."""
WAIT_MS = 120_000


@contextmanager
def demonstration(data_dir: Path) -> Iterator[str]:
    """The demonstration in a process of its own; yields its address."""
    command = [sys.executable, "-m", "ragsonde", "demo", "--port", "0", "--data-dir", str(data_dir), "--rate", "6"]
    process = subprocess.Popen(
        [*command, "--spike-after", "4", "--spike-seconds", "600", "--seed", "3"],
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


def command(*arguments: str) -> str:
    whole = [sys.executable, "-m", "ragsonde", *arguments]
    done = subprocess.run(whole, check=False, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def label(page: Page, count: int) -> None:
    """Label items from the queue with keys: the answer holds a fault where a claim is marked as one."""
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


def ready_queue(page: Page, count: int) -> None:
    """Wait until so many answers wait for a reviewer."""
    waiting = page.locator(".tallies b").first

    def enough() -> bool:
        page.reload()
        return int(re.sub(r"\D", "", waiting.inner_text())) >= count

    wait_for(enough, f"{count} items in the queue")


def downloaded(page: Page, link: str, file: Path) -> Path:
    with page.expect_download() as started:
        page.get_by_role("link", name=link).click()
    started.value.save_as(file)
    return file


def test_labels_given_in_a_browser_become_a_golden_set_a_calibration_and_a_rate(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with demonstration(data_dir) as url, running_browser() as browser:
        page = browser.new_page(accept_downloads=True)
        page.goto(url)
        page.get_by_role("navigation", name="Pages").get_by_role("link", name="Review").click()
        page.locator("#reviewer-name").fill("Anna")
        page.get_by_role("button", name="Go on").click()
        ready_queue(page, ITEMS + 10)
        page.get_by_role("button", name="Review the next one").click()
        label(page, ITEMS)

        page.get_by_role("navigation", name="Pages").get_by_role("link", name="Overview").click()
        page.get_by_label("24h").check()
        rate = page.locator(".forest", has=page.locator(".corrected .value")).first
        expect(rate.locator(".figure")).to_have_text(re.compile(r"^[<>]?\d+(\.\d)?%$"))
        expect(rate.locator(".range-text")).to_contain_text("to")

        golden = read_valid_set(downloaded(page, "golden set", tmp_path / "golden.jsonl")).items
        assert len(golden) == ITEMS
        assert all(item.reviewed_by == ("Anna",) for item in golden)
        labels = read_labels(downloaded(page, "labels", tmp_path / "labels.jsonl"))
        assert labels.bad == []
        assert sum(label.probability is not None for label in labels.labels) >= 2
        page.get_by_role("link", name="calibration report").click()
        expect(page.get_by_text("Cohen's kappa").first).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("Reliability")).first).to_be_visible()

    # The same store, once the process is gone.
    out = tmp_path / "exported.jsonl"
    command("golden", "export", "--from-review", str(data_dir), "--out", str(out))
    assert {item.id for item in read_valid_set(out).items} == {item.id for item in golden}
    assert "Cohen's kappa" in command("calibrate", "--review", str(data_dir))
    found = orjson.loads(command("rate", "--review", str(data_dir), "--format", "json"))
    assert found["rate"]["known"] is True
    assert found["rate"]["estimate"]["low"] <= found["rate"]["estimate"]["rate"] <= found["rate"]["estimate"]["high"]
