"""A real Chromium for tests of the pages: the browser, a page that reports what it complains about, and a server."""

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from starlette.applications import Starlette
from starlette.routing import BaseRoute

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser; without one the test is skipped, in CI it fails."""
    if CHROMIUM is None:
        message = "no Chromium to test the pages with: install it (Debian: apt-get install chromium)"
        if os.environ.get("CI") == "true":
            pytest.fail(message, pytrace=False)
        pytest.skip(message)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as launched:
        yield launched


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    yield made
    made.close()


@dataclass
class Watched:
    """A page, with what it complained about and whom it asked."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname or ""))

    def _console(self, message: object) -> None:
        kind, text = getattr(message, "type", ""), getattr(message, "text", "")
        if kind in {"error", "warning"}:
            self.complaints.append(text)


@pytest.fixture
def watched(context: BrowserContext) -> Iterator[Watched]:
    made = Watched(context.new_page())
    yield made
    assert made.complaints == []
    assert made.hosts <= {"127.0.0.1"}


@contextmanager
def served(routes: Sequence[BaseRoute]) -> Iterator[str]:
    """Serve routes on a free port; yields the base URL."""
    app = Starlette(routes=list(routes))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


def grave_findings(page: Page) -> list[str]:
    """What axe finds on a page that is serious or critical, with the elements concerned."""
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:4]]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]
