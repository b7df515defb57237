"""The review pages over a real store: a client that behaves as a browser does, and a browser."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from starlette.applications import Starlette
from starlette.routing import BaseRoute
from starlette.testclient import TestClient

from ragsonde.collector.clock import Clock, SystemClock
from ragsonde.exporters.pages.site import Link
from ragsonde.review.model import QueueFilter
from ragsonde.review.overview import Overview
from ragsonde.review.store import ReviewStore
from ragsonde.review.web.routes import review_routes
from ragsonde.scorers.score import ScoredInteraction
from tests.browsing import browser, context, served, watched  # noqa: F401 - fixtures
from tests.fakes import FakeClock
from tests.review.web import reviewed
from tests.review.web.overviews import FixedOverview, empty

NOW = 1_790_000_000.0
LINKS = (Link("Live", "/"), Link("Review", "/review"), Link("Overview", "/overview"))
OWN = {"Sec-Fetch-Site": "same-origin"}


def routes_of(
    store: ReviewStore, clock: Clock, make: Callable[[datetime, datetime], Overview] = empty
) -> list[BaseRoute]:
    return review_routes(store, FixedOverview(make), clock=clock, links=LINKS, rubrics=reviewed.RUBRICS)


class Person(TestClient):
    """A reviewer's browser without scripts: keeps cookies and sends forms of the page that it is on."""

    def __init__(self, app: Starlette, name: str | None) -> None:
        super().__init__(app, follow_redirects=False)
        self.get("/review")
        if name is not None:
            assert self.submit("/review/reviewer", name=name).status_code == 303

    @property
    def token(self) -> str:
        return self.cookies["ragsonde_form"]

    def submit(self, path: str, headers: dict[str, str] | None = None, **fields: Any) -> Response:
        return self.post(path, data={"token": self.token} | fields, headers=OWN | (headers or {}))

    def act(self, item_id: str, action: str, **fields: Any) -> Response:
        return self.submit(f"/review/items/{item_id}", action=action, **fields)

    def autosave(self, item_id: str, **fields: Any) -> Response:
        return self.submit(f"/review/items/{item_id}", {"Accept": "application/json"}, action="save", **fields)


@dataclass
class Place:
    """A store with its pages."""

    store: ReviewStore
    app: Starlette
    clock: FakeClock

    def person(self, name: str | None = "Anna") -> Person:
        return Person(self.app, name)

    def ids(self) -> list[str]:
        return [entry.id for entry in self.store.queue(QueueFilter(state=None), limit=200).entries]


@pytest.fixture
def place_of(tmp_path: Path) -> Iterator[Callable[..., Place]]:
    """Makes a place with just the given interactions."""
    with ExitStack() as stack:

        def made(scored: Sequence[ScoredInteraction], **fields: Any) -> Place:
            clock = FakeClock(NOW)
            store = reviewed.only(scored, tmp_path, clock, **fields)
            stack.callback(store.close)
            return Place(store, Starlette(routes=routes_of(store, clock)), clock)

        yield made


@pytest.fixture
def place(place_of: Callable[..., Place]) -> Place:
    """A place with forty answers in conversations."""
    return place_of(reviewed.conversations(NOW, 40))


@dataclass
class Shop:
    """A served review site over a real store."""

    store: ReviewStore
    url: str


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    store = reviewed.filled(tmp_path, SystemClock(), count=40)
    with served(routes_of(store, SystemClock())) as url:
        yield Shop(store, url)
    store.close()
