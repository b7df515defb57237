"""From the demonstration to a corrected rate, by clicks in a real browser and then from the same store by commands."""

import os
import re
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from playwright.sync_api import Page, expect

from ragsonde.calibration.labels import read_labels
from ragsonde.golden.files import read_valid_set
from tests.app.demonstrating import demonstration, enter_queue, label_items
from tests.browsing import running_browser

pytestmark = pytest.mark.browser

ITEMS = 30
"""Every other one is drawn by chance, and a rate needs ten of those."""


def command(*arguments: str) -> str:
    whole = [sys.executable, "-m", "ragsonde", *arguments]
    done = subprocess.run(whole, check=False, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def downloaded(page: Page, link: str, file: Path) -> Path:
    with page.expect_download() as started:
        page.get_by_role("link", name=link).click()
    started.value.save_as(file)
    return file


def test_labels_given_in_a_browser_become_a_golden_set_a_calibration_and_a_rate(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    timing = ("--rate", "6", "--spike-after", "4", "--spike-seconds", "600")
    with demonstration(data_dir, *timing) as url, running_browser() as browser:
        page = browser.new_page(accept_downloads=True)
        page.goto(url)
        enter_queue(page, "Anna", items=ITEMS + 10)
        label_items(page, ITEMS)

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
    rates = orjson.loads(command("rate", "--review", str(data_dir), "--format", "json"))
    local = next(rate for rate in rates if rate["scorer"] == "local")
    assert local["low"] <= local["rate"] <= local["high"]
    assert local["labelled"] >= 10
