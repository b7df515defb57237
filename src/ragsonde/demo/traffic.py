"""Users of the demonstration: they ask, at a steady rate, and for a while the answers go bad."""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter

from ragsonde.demo.app import Answered, DemoApp
from ragsonde.demo.corpus import Corpus, DemoQuestion, load_corpora
from ragsonde.demo.faults import HALLUCINATIONS, Fault
from ragsonde.instrumentation import RagTracer

SERVICE_NAME = "ragsonde-demo"

_UNANSWERABLE_SHARE = 0.06
_GREETING_SHARE = 0.06
_OTHER_FAULTS = (
    (Fault.RETRIEVAL_MISS, 0.03),
    (Fault.OFF_TOPIC, 0.02),
    (Fault.UNJUSTIFIED_REFUSAL, 0.02),
    (Fault.WRONG_CITATION, 0.02),
)
_FEEDBACK_SHARE = 0.15
_FEEDBACK_TRUTH = 0.8
_TURNS_PER_CONVERSATION = 3
_EXPORT_DELAY_MILLISECONDS = 500


class Phase(StrEnum):
    """Where in its script the traffic is."""

    NORMAL = "normal"
    SPIKE = "spike"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The script: how often users ask, and when the answers go bad. Times are seconds from the start."""

    interactions_per_second: float = 2.0
    spike_after_seconds: float = 30.0
    spike_seconds: float = 60.0
    base_hallucination_ratio: float = 0.04
    """Share of answered questions that hallucinate, outside the spike."""
    spike_hallucination_ratio: float = 0.5

    def phase(self, elapsed_seconds: float) -> Phase:
        """Return the phase at a moment."""
        since = elapsed_seconds - self.spike_after_seconds
        return Phase.SPIKE if 0 <= since < self.spike_seconds else Phase.NORMAL


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the traffic stands after an interaction."""

    elapsed_seconds: float
    phase: Phase
    sent: int
    """Interactions so far."""
    hallucinated: int
    """Of these, how many say what their documents do not."""
    last: Answered


class Traffic:
    """Draws questions, faults and feedback, and has the application answer.

    Args:
        app: answers and records.
        schedule: the script.
        seed: decides every draw.
        corpora: to ask about; default: those of all languages, each equally often.
    """

    def __init__(
        self, app: DemoApp, schedule: Schedule, *, seed: int = 0, corpora: Sequence[Corpus] | None = None
    ) -> None:
        self._app = app
        self._schedule = schedule
        self._chance = random.Random(seed)  # noqa: S311 - a demonstration, not a secret
        self._corpora = load_corpora() if corpora is None else tuple(corpora)
        self._sent = 0
        self._hallucinated = 0

    def ask(self, elapsed_seconds: float) -> Progress:
        """Have one question answered as the script wants it at that moment."""
        phase = self._schedule.phase(elapsed_seconds)
        corpus = self._corpora[self._sent % len(self._corpora)]
        question = self._question(corpus)
        fault = Fault.NONE
        if isinstance(question, DemoQuestion):
            fault = self._fault(phase)
        last = self._app.answer(
            question.text if isinstance(question, DemoQuestion) else question,
            language=corpus.language,
            fault=fault,
            conversation_id=f"demo-{corpus.language}-{self._sent // (len(self._corpora) * _TURNS_PER_CONVERSATION)}",
            feedback=self._feedback(fault),
            withheld_id=(
                question.document_id
                if isinstance(question, DemoQuestion) and fault is Fault.RETRIEVAL_MISS
                else None
            ),
        )  # fmt: skip
        self._sent += 1
        self._hallucinated += last.fault in HALLUCINATIONS
        return Progress(elapsed_seconds, phase, self._sent, self._hallucinated, last)

    def run(
        self,
        stop: threading.Event,
        on_progress: Callable[[Progress], None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask at the script's rate until ``stop`` is set; a machine that cannot keep up asks less, not in bursts."""
        pause = 1.0 / self._schedule.interactions_per_second
        start = due = monotonic()
        while not stop.wait(max(0.0, due - monotonic())):
            on_progress(self.ask(monotonic() - start))
            due = max(due + pause, monotonic() - pause)

    def _question(self, corpus: Corpus) -> DemoQuestion | str:
        draw = self._chance.random()
        if draw < _GREETING_SHARE:
            return self._chance.choice(corpus.greetings)[0]
        if draw < _GREETING_SHARE + _UNANSWERABLE_SHARE:
            return self._chance.choice(corpus.unanswerable)
        return self._chance.choice(corpus.questions)

    def _fault(self, phase: Phase) -> Fault:
        schedule = self._schedule
        spike = phase is Phase.SPIKE
        draw = self._chance.random()
        draw -= schedule.spike_hallucination_ratio if spike else schedule.base_hallucination_ratio
        if draw < 0:
            return self._chance.choice(HALLUCINATIONS)
        for fault, share in _OTHER_FAULTS:
            draw -= share
            if draw < 0:
                return fault
        return Fault.NONE

    def _feedback(self, fault: Fault) -> float | None:
        if self._chance.random() >= _FEEDBACK_SHARE:
            return None
        honest = self._chance.random() < _FEEDBACK_TRUTH
        return 1.0 if (fault is Fault.NONE) == honest else -1.0


def run_traffic(
    exporter: SpanExporter,
    *,
    stop: threading.Event,
    on_progress: Callable[[Progress], None],
    seed: int = 0,
    interactions_per_second: float = 2.0,
    spike_after_seconds: float = 30.0,
    spike_seconds: float = 60.0,
) -> None:
    """Run the demonstration's application and its users until ``stop`` is set; then send what is left and return.

    Args:
        exporter: takes the spans, as that of a real application would; it is shut down at the end.
        stop: ends the traffic.
        on_progress: called after every interaction, in the calling thread; holds the ground truth.
        seed: decides everything but the timing.
        interactions_per_second: questions asked, all languages together.
        spike_after_seconds: when the answers go bad.
        spike_seconds: for how long they stay so.
    """
    resource = Resource.create({"service.name": SERVICE_NAME, "deployment.environment.name": "demo"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter, schedule_delay_millis=_EXPORT_DELAY_MILLISECONDS))
    tracer = RagTracer("demo-assistant", capture="full", tracer_provider=provider)
    schedule = Schedule(interactions_per_second, spike_after_seconds, spike_seconds)
    corpora = load_corpora()
    app = DemoApp(tracer, seed=seed, corpora=corpora)
    try:
        Traffic(app, schedule, seed=seed, corpora=corpora).run(stop, on_progress)
    finally:
        provider.shutdown()
