"""Whole sidecars for tests: real threads, real HTTP, short waits."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from prometheus_client.parser import text_string_to_metric_families

from ragsonde.app import Sidecar
from ragsonde.collector.model import Interaction
from ragsonde.scorers.score import ScoredInteraction
from ragsonde.settings import load
from tests.instrumentation.tracing import recorded

WAIT_SECONDS = 180.0
"""How long a test waits for what has to happen; only a failing one takes so long. The first interaction that a process
scores costs seconds of processor time, which a busy machine may give it a tenth of."""


class RunningSidecar:
    """A started sidecar and what can be seen of it from outside."""

    def __init__(self, sidecar: Sidecar, url: str) -> None:
        self.sidecar = sidecar
        self.url = url

    def post(self, body: bytes, signal: str = "traces", content_type: str = "application/x-protobuf") -> httpx.Response:
        return httpx.post(f"{self.url}/v1/{signal}", content=body, headers={"Content-Type": content_type})

    def samples(self, name: str) -> dict[frozenset[tuple[str, str]], float]:
        """All samples of a metric on ``/metrics``, by their labels."""
        text = httpx.get(f"{self.url}/metrics").raise_for_status().text
        return {
            frozenset(sample.labels.items()): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name
        }

    def total(self, name: str, **labels: str) -> float:
        return sum(value for found, value in self.samples(name).items() if labels.items() <= set(found))

    def scored(self, identifier: str) -> ScoredInteraction | None:
        return self.sidecar.recent.get(identifier)

    def interaction(self, identifier: str) -> Interaction:
        scored = wait_for(lambda: self.scored(identifier), f"interaction {identifier} to be scored")
        return scored.interaction


@contextmanager
def running(data_dir: Path, **settings: Any) -> Iterator[RunningSidecar]:
    """Run a sidecar as ``load`` would configure it, on a free port, with a short quiet period."""
    values: dict[str, Any] = {
        "data_dir": data_dir,
        "server": {"port": 0},
        "assembly": {"quiet_seconds": 0.3},
        "pipeline": {"commit_seconds": 0.2, "drain_seconds": 10},
    }
    sidecar = Sidecar(load(None, values | settings))
    try:
        yield RunningSidecar(sidecar, sidecar.start())
    finally:
        sidecar.stop()


def rag_trace(question: str, contexts: Sequence[str], answer: str) -> bytes:
    """An OTLP request with the spans that the instrumentation emits for one answered question."""
    with recorded() as place:
        tracer = place.tracer()
        with tracer.interaction(question) as interaction:
            with interaction.retrieval("kb") as retrieval:
                retrieval.documents([{"id": f"doc-{rank}", "content": text} for rank, text in enumerate(contexts, 1)])
            with interaction.generation("model-1") as generation:
                generation.output(answer)
            interaction.answer(answer)
        return encode_spans(place.spans).SerializeToString()


def wait_for(look: Callable[[], Any], what: str, seconds: float = WAIT_SECONDS) -> Any:
    """Wait until ``look`` gives something true, and return it.

    A look at a sidecar costs it processor time, a lot of it on a busy machine: no more than half goes into looking.
    """
    end = time.monotonic() + seconds
    while (started := time.monotonic()) < end:
        if found := look():
            return found
        time.sleep(max(0.05, time.monotonic() - started))
    raise AssertionError(f"waited {seconds:g} seconds in vain for {what}")
