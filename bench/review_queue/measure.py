"""A store with many items behind a real HTTP server, beside a route that does nothing."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route

from ragsonde.calibration.labels import LabelVerdict
from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Document, Interaction, SamplingDecision
from ragsonde.review.config import ReviewConfig
from ragsonde.review.model import QueueFilter, Review
from ragsonde.review.store import ReviewStore, open_store
from ragsonde.review.web.routes import review_routes
from ragsonde.scorers.score import Claim, Diagnosis, DiagnosisLabel, MetricKey, Scored, ScoredInteraction, Verdict
from ragsonde.server import HttpServer, ServerConfig

_SENTENCE = "Returns are free within 30 days of delivery if the seal is unbroken. "
_LANGUAGES = ("en", "de", "pl", "ru", "zh")
_APPS = ("shop", "bank", "library")
_DAY_SECONDS = 86_400


@dataclass(frozen=True)
class Timing:
    """What one kind of request took, in milliseconds."""

    name: str
    path: str
    median: float
    slowest_tenth: float
    """Nine of ten were quicker."""
    size_bytes: int


def fill(store: ReviewStore, items: int, progress: Callable[[int], None]) -> None:
    """Add items of five passages and four claims each; every fiftieth is reviewed."""
    chance = np.random.default_rng(10)
    for start in range(0, items, 200):
        store.add([_scored(number, chance) for number in range(start, min(items, start + 200))])
        progress(200)
    for entry in store.queue(QueueFilter(), limit=items // 50).entries:
        store.save(Review(entry.id, "ann", verdict=LabelVerdict.HALLUCINATED))


def _scored(number: int, chance: np.random.Generator) -> ScoredInteraction:
    answer = _SENTENCE * 4
    length = len(_SENTENCE)
    verdicts = [Verdict.SUPPORTED if chance.random() < 0.8 else Verdict.NOT_FOUND for _ in range(4)]
    claims = tuple(
        Claim(_SENTENCE.strip(), index * length, (index + 1) * length - 1, verdict, probability=float(chance.random()))
        for index, verdict in enumerate(verdicts)
    )
    ended = time.time() - chance.random() * 7 * _DAY_SECONDS
    share = sum(verdict is Verdict.SUPPORTED for verdict in verdicts) / 4
    return ScoredInteraction(
        Interaction(
            id=f"{number:032x}",
            question=f"How long can I return item {number}?",
            answer=answer,
            contexts=tuple(Document(_SENTENCE * 10 + str(number), rank, f"doc-{rank}") for rank in range(1, 6)),
            trace_id=f"{number:032x}",
            app=_APPS[number % len(_APPS)],
            conversation_id=f"conversation-{number // 4}",
            end_ns=int(ended * 1e9),
        ),
        SamplingDecision(kept=True, probability=1.0),
        {
            MetricKey.FAITHFULNESS: Scored(share, claims=claims),
            MetricKey.ANSWER_RELEVANCE: Scored(round(float(chance.random()), 3)),
            MetricKey.CONTEXT_RELEVANCE: Scored(round(float(chance.random()), 3)),
        },
        Diagnosis(DiagnosisLabel.OK if share == 1.0 else DiagnosisLabel.GENERATION_UNFAITHFUL, "because"),
        answered=True,
        refusal=False,
        language=_LANGUAGES[number % len(_LANGUAGES)],
        scored_at=ended,
    )


@contextmanager
def served(folder: Path, address: str | None, items: int, progress: Callable[[int], None]) -> Iterator[str]:
    """Fill a store and serve its pages; yield the base URL."""
    config = ReviewConfig.model_validate({"database_url": address, "selection": {"random_share": 1.0}})
    store = open_store(config, folder)
    fill(store, items, progress)
    bare: BaseRoute = Route("/bare", _bare)
    server = HttpServer(ServerConfig(port=0), [bare, *review_routes(store, store, clock=SystemClock())])
    try:
        yield server.start()
    finally:
        server.stop(Deadline(10))
        store.close()


async def _bare(_: Request) -> PlainTextResponse:
    return PlainTextResponse("ok")


def measure(url: str, repetitions: int) -> Sequence[Timing]:
    """Ask for each kind of page in turn, so that all see the same machine."""
    with httpx.Client(base_url=url, timeout=60.0) as client:
        paths = _paths(client)
        taken: dict[str, list[float]] = {name: [] for name in paths}
        sizes: dict[str, int] = {}
        for _ in range(repetitions):
            for name, path in paths.items():
                started = time.perf_counter()
                reply = client.get(path).raise_for_status()
                taken[name].append(1000 * (time.perf_counter() - started))
                sizes[name] = len(reply.content)
    return [
        Timing(name, path, statistics.median(taken[name]), statistics.quantiles(taken[name], n=10)[-1], sizes[name])
        for name, path in paths.items()
    ]


def _paths(client: httpx.Client) -> dict[str, str]:
    """What is measured; a later page is reached as a reader would, by the link on the first one."""
    first = client.get("/review").raise_for_status().text
    token = first.partition('name="token" value="')[2].partition('"')[0]
    ours = {"Sec-Fetch-Site": "same-origin"}
    if client.post("/review/reviewer", data={"token": token, "name": "ann"}, headers=ours).status_code != 303:
        raise RuntimeError("the page did not take the reviewer's name")
    first = client.get("/review").raise_for_status().text
    cursor = first.partition("cursor=")[2].partition('"')[0].partition("&")[0]
    item = first.partition("/review/items/")[2].partition('"')[0].partition("?")[0]
    return {
        "a bare route": "/bare",
        "the queue": "/review",
        "its second page": f"/review?cursor={cursor}",
        "filtered by application and language": "/review?app=bank&language=pl",
        "filtered by another metric": "/review?metric=answer_relevance&below=0.2",
        "one item": f"/review/items/{item}",
        "the overview of 7 days": "/overview?window=7d",
    }
