"""The deployed rules at work: real Ragsonde, Prometheus and Alertmanager, with time running 120 times faster."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from ragsonde.demo import DemoApp, Fault, Schedule, Traffic, load_corpus
from ragsonde.instrumentation import RagTracer
from tests.deploy.monitoring import Prometheus, Webhook, alertmanager, eventually, prometheus, ragsonde, tool

FACTOR = 120.0
"""One hour of the rules takes 30 seconds, five minutes take 2.5."""
SEED = 20260214
RATE = 12.0
"""Questions per second to the busy application: enough for 20 judged answers in the rules' five minutes."""
SPIKE_SECONDS = 10_000.0
"""Where the traffic's script has its spike; the test says itself when that moment is."""
BUSY, NIGHT = "busy-shop", "night-shop"
SPIKE = "RagsondeHallucinationSpike"


@contextmanager
def instrumented(name: str, url: str) -> Iterator[RagTracer]:
    provider = TracerProvider(resource=Resource.create({"service.name": name}), shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{url}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=250))
    try:
        yield RagTracer("assistant", capture="full", tracer_provider=provider)
    finally:
        provider.shutdown()


class BusyUsers:
    """Asks the busy application without a break; its answers are bad while ``bad`` is set."""

    def __init__(self, tracer: RagTracer) -> None:
        corpora = [load_corpus(language) for language in ("en", "de", "pl")]
        schedule = Schedule(
            interactions_per_second=RATE,
            spike_after_seconds=SPIKE_SECONDS,
            spike_seconds=SPIKE_SECONDS,
            base_hallucination_ratio=0.0,
            spike_hallucination_ratio=0.75,
        )
        self._traffic = Traffic(DemoApp(tracer, seed=SEED, corpora=corpora), schedule, seed=SEED, corpora=corpora)
        self.bad = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> "BusyUsers":
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._stop.wait(1.0 / RATE):
            self._traffic.ask(SPIKE_SECONDS if self.bad.is_set() else 0.0)


@dataclass(frozen=True, slots=True)
class Watched:
    prometheus: Prometheus
    webhook: Webhook
    busy: BusyUsers
    night: DemoApp


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    for names in (("prometheus",), ("prometheus-alertmanager", "alertmanager")):
        tool(*names)
    with ExitStack() as stack:
        webhook = stack.enter_context(Webhook())
        url = stack.enter_context(ragsonde(tmp_path, ASSEMBLY__QUIET_SECONDS="0.5"))
        alerts_to = stack.enter_context(alertmanager(tmp_path, webhook.url, FACTOR))
        asked = stack.enter_context(prometheus(tmp_path, url.removeprefix("http://"), alerts_to, FACTOR))
        night = DemoApp(stack.enter_context(instrumented(NIGHT, url)), seed=SEED, corpora=[load_corpus("en")])
        busy = stack.enter_context(BusyUsers(stack.enter_context(instrumented(BUSY, url))))
        yield Watched(asked, webhook, busy, night)


def test_a_spike_pages_with_evidence_and_only_then_and_it_ends(watched: Watched) -> None:
    asked, question = watched.prometheus, load_corpus("en").questions[0].text
    watched.night.answer(question)
    for app in (BUSY, NIGHT):  # a series has to be there before an increase of it can be seen
        seen = f'ragsonde_hallucination_weights_total{{app="{app}"}}'
        eventually(lambda seen=seen: asked.value(seen), 60, f"the first judged answer of {app}")
    eventually(lambda: asked.value(f"{recorded('size1h', BUSY)} >= 30"), 60, "enough evidence of good answers")
    assert pages(asked) == []

    watched.busy.bad.set()
    page = eventually(lambda: heard(watched.webhook, "firing"), 60, "the spike reaches the webhook of the on-call")
    assert page["labels"] == {
        "alertname": SPIKE,
        "severity": "critical",
        "component": "quality",
        "app": BUSY,
        "scorer": "local",
    }
    assert BUSY in page["annotations"]["description"]
    assert "The objective is 10%" in page["annotations"]["description"]
    assert page["annotations"]["runbook_url"].endswith(f"{SPIKE}.md")

    # Now the quiet application: two bad answers out of three, for longer than a page would take.
    for fault in (Fault.INVENTED_FACT, Fault.INVENTED_FACT, Fault.NONE):
        watched.night.answer(question, fault=fault)
    bad = f"{recorded('rate1h', NIGHT)} > 0.6"
    eventually(lambda: asked.value(f"count_over_time(({bad})[20s:500ms]) >= 10"), 60, "the quiet one's mean is bad")
    assert asked.value(f"{recorded('size1h', NIGHT)} < 5") is not None
    assert pages(asked) == [BUSY]

    watched.busy.bad.clear()
    resolved = eventually(lambda: heard(watched.webhook, "resolved"), 90, "the webhook hears that it is over")
    assert resolved["labels"] == page["labels"]
    heard_of = {alert["labels"].get("app") for path in ("/on-call", "/team") for alert in watched.webhook.alerts(path)}
    assert NIGHT not in heard_of


def recorded(part: str, app: str) -> str:
    return f'app:ragsonde_hallucination:{part}{{app="{app}"}}'


def pages(asked: Prometheus) -> list[str]:
    """Return the applications whose spike alert is firing or about to."""
    return [alert["app"] for alert in asked.alerts() if alert["alertname"] == SPIKE]


def heard(webhook: Webhook, status: str) -> dict[str, Any] | None:
    for alert in webhook.alerts("/on-call"):
        if alert["status"] == status and alert["labels"]["alertname"] == SPIKE:
            return alert
    return None
