"""The composition root: puts the pieces together, starts them downstream first, stops them upstream first."""

import logging
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from ragsonde.collector.assembler import Assembler
from ragsonde.collector.clock import Clock, Deadline, SystemClock
from ragsonde.collector.consumer import KafkaSource
from ragsonde.collector.dead_letter import DeadLetterQueue
from ragsonde.collector.decoder import Decoder
from ragsonde.collector.embedded_log import EmbeddedPublisher, EmbeddedSource
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.model import Interaction, SamplingDecision, SourcePosition
from ragsonde.collector.pipeline import Pipeline
from ragsonde.collector.producer import KafkaPublisher
from ragsonde.collector.receiver import receiver_routes
from ragsonde.collector.resolver import build_resolver
from ragsonde.collector.sampler import Sampler
from ragsonde.collector.source import Publisher, Source
from ragsonde.collector.telemetry import EventListener
from ragsonde.exporters.endpoints import health_endpoints, metrics_endpoint
from ragsonde.exporters.exporter import Exporter
from ragsonde.exporters.fanout import Fanout
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.jsonl import JsonlExporter
from ragsonde.exporters.kafka import KafkaScoresExporter
from ragsonde.exporters.labels import LabelPolicy
from ragsonde.exporters.otlp import OtlpEventsExporter
from ragsonde.exporters.pages.site import Link
from ragsonde.exporters.prometheus import PrometheusExporter
from ragsonde.exporters.self_telemetry import SelfTelemetry
from ragsonde.exporters.status.page import StatusPage
from ragsonde.exporters.status.recent import RecentInteractions
from ragsonde.interaction_redaction import redaction_of
from ragsonde.scorers.cascade import JudgePolicy, JudgeSamplingConfig, JudgeStage
from ragsonde.scorers.catalog import JUDGE, SECOND_JUDGE, ScoringConfig, build_scorers, make_judge, settings_of
from ragsonde.scorers.engine import ScoredSink, ScoringEngine
from ragsonde.scorers.judge.rubric import load_rubric_file
from ragsonde.scorers.scorer import Scorer
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest
from ragsonde.server import HttpServer
from ragsonde.settings import Settings

if TYPE_CHECKING:
    from ragsonde.review.service import ReviewService

_log = logging.getLogger(__name__)

_STALLED_SECONDS = 60.0
"""Without a turn of the loop for this long, the process is called dead. Rebalances may hold the loop for a while."""
_STAGES = ("receiver", "publisher", "source", "assembly", "extraction", "scoring", "delivery", JUDGE, SECOND_JUDGE)
_SHUTDOWN_SECONDS = 10.0
_START_SECONDS = 5.0
"""How long to wait for the source to be open before saying that all is up; one that is slow may come later."""


class Sidecar:
    """A whole sidecar in one process: ``start`` it, ``wait`` or poll it, ``stop`` it."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        """Put the pieces together. Loads models and connects to the transport.

        Raises:
            ConfigError: a setting can never work.
            RetryableError: the transport does not answer.
        """
        self._clock = clock or SystemClock()
        instruments = Instruments()
        labels = LabelPolicy(settings.exporters.labels)
        self.listener: EventListener = SelfTelemetry(instruments, labels, self._clock, stages=_STAGES)
        self.recent = RecentInteractions(settings.exporters.status, labels, self._clock)
        self._publisher = _publisher(settings, self._clock, self.listener)
        self._review = _review(settings, instruments, labels, self._clock)
        exporters: list[Exporter] = [
            PrometheusExporter(instruments, labels),
            self.recent,
            *_exporters(settings, self._publisher, self.listener),
            *([self._review.exporter] if self._review is not None else []),
        ]
        self._fanout = Fanout(exporters, config=settings.exporters.fanout, clock=self._clock, listener=self.listener)
        self._judges = _judge_stages(settings, self._fanout, self._clock, self.listener)
        first_sink = self._judges[0] if self._judges else self._fanout
        self._engine = _engine(settings, first_sink, self._clock, self.listener)
        self._dead_letters = DeadLetterQueue(
            self._publisher, settings.dead_letter, clock=self._clock, listener=self.listener
        )
        self._pipeline = _pipeline(settings, self._engine, self._dead_letters, self._clock, self.listener)
        self._http = HttpServer(
            settings.server, self._routes(settings, instruments), own_guard=_paths_with_own_token(settings)
        )
        self._failure: Exception | None = None
        self._start_decided = threading.Event()
        """Set once the source is open, or never will be."""
        self._loop = threading.Thread(target=self._run_loop, name="ragsonde-loop", daemon=True)

    def start(self) -> str:
        """Start everything, downstream first; return the base URL of the HTTP port.

        Raises:
            ConfigError: an exporter, the port or the source cannot work as configured.
            RagsondeError: what ended the loop before it came round (another process uses the data directory, say).
        """
        self._fanout.start()
        for stage in self._judges:
            stage.start()
        self._engine.start()
        if self._review is not None:
            self._review.start()
        url = self._http.start()
        self._loop.start()
        self._start_decided.wait(_START_SECONDS)
        if self._failure is not None:
            raise self._failure
        return url

    def wait(self, seconds: float) -> bool:
        """Wait for the loop to end by itself; return whether it has.

        Raises:
            RagsondeError: what ended the loop (too many dead letters, say).
        """
        self._loop.join(seconds)
        if self._failure is not None:
            raise self._failure
        return not self._loop.is_alive()

    def stop(self) -> None:
        """Drain, commit and free everything, upstream first. Safe to call twice, and after a failed start."""
        self._pipeline.stop()
        if self._loop.is_alive():
            self._loop.join()
        self._engine.shutdown(Deadline(_SHUTDOWN_SECONDS, self._clock))
        for stage in self._judges:
            stage.shutdown(Deadline(_SHUTDOWN_SECONDS, self._clock))
        self._fanout.shutdown(Deadline(_SHUTDOWN_SECONDS, self._clock))
        self._http.stop(Deadline(_SHUTDOWN_SECONDS, self._clock))
        if self._review is not None:
            self._review.stop(Deadline(_SHUTDOWN_SECONDS, self._clock))
        self._publisher.close()

    def _run_loop(self) -> None:
        try:
            self._pipeline.run(on_started=self._start_decided.set)
        except Exception as error:  # noqa: BLE001 - carried over to the thread that waits
            self._failure = error
            _log.error("the loop has ended: %s", error)
        finally:
            self._start_decided.set()

    def _routes(self, settings: Settings, instruments: Instruments) -> list[BaseRoute]:
        routes: list[BaseRoute] = [metrics_endpoint(instruments)]
        routes += health_endpoints(alive=self._deadly_troubles, ready=self._troubles)
        if settings.receiver is not None:
            routes += receiver_routes(self._publisher, settings.receiver, clock=self._clock, listener=self.listener)
        links = [Link("Live", "/"), Link("Metrics", "/metrics")]
        if self._review is not None:
            links[1:1] = [Link("Review", "/review"), Link("Overview", "/overview")]
            routes += _review_routes(self._review, settings.scoring, links, self._clock)
        return routes + StatusPage(self.recent, self._clock, links=links).routes()

    def _deadly_troubles(self) -> Sequence[str]:
        """Return what only a restart can mend."""
        if self._failure is not None:
            return [f"the loop has ended: {self._failure}"]
        stalled = self._pipeline.seconds_since_turn()
        if self._loop.is_alive() and stalled > _STALLED_SECONDS:
            return [f"the loop has not come round for {stalled:.0f} seconds"]
        return []

    def _troubles(self) -> Sequence[str]:
        """Return what keeps interactions from being scored at the moment."""
        troubles = list(self._deadly_troubles())
        if not self._loop.is_alive() and self._failure is None:
            troubles.append("the loop is not running")
        if self._pipeline.source_trouble is not None:
            troubles.append(f"the source is away: {self._pipeline.source_trouble}")
        troubles += [f"exporter {name} cannot deliver" for name in self._fanout.failing()]
        return troubles


def _review(settings: Settings, instruments: Instruments, labels: LabelPolicy, clock: Clock) -> "ReviewService | None":
    if not settings.review.is_enabled(embedded=settings.kafka is None):
        return None
    from ragsonde.review.service import ReviewService  # noqa: PLC0415 - numerical libraries load slowly

    return ReviewService(
        settings.review,
        settings.data_dir,
        salt=settings.sampling.salt,
        instruments=instruments,
        labels=labels,
        clock=clock,
    )


def _review_routes(
    review: "ReviewService", scoring: ScoringConfig, links: Sequence[Link], clock: Clock
) -> list[BaseRoute]:
    from ragsonde.review.web.routes import review_routes  # noqa: PLC0415 - numerical libraries load slowly

    rubrics = {rubric.name: tuple(rubric.labels) for rubric in map(load_rubric_file, scoring.rubrics)}
    return review_routes(review.store, review.store, clock=clock, links=links, rubrics=rubrics)


def _paths_with_own_token(settings: Settings) -> Sequence[str]:
    """Senders may have a token of their own, which then is the one that counts for what they send."""
    receiver = settings.receiver
    return () if receiver is None or receiver.expected_token() is None else ("/v1/",)


def _publisher(settings: Settings, clock: Clock, listener: EventListener) -> Publisher:
    if settings.kafka is not None:
        return KafkaPublisher(settings.kafka.connection, settings.kafka.publisher, listener)
    return EmbeddedPublisher(settings.embedded_log, settings.data_dir, clock, listener)


def _source(settings: Settings, listener: EventListener) -> Source:
    if settings.kafka is not None:
        return KafkaSource(
            settings.kafka.connection, settings.topics, settings.group_id, settings.kafka.source, listener
        )
    return EmbeddedSource(settings.embedded_log, settings.data_dir, settings.topics, settings.group_id)


def _exporters(settings: Settings, publisher: Publisher, listener: EventListener) -> list[Exporter]:
    exporters: list[Exporter] = []
    if settings.exporters.jsonl is not None:
        exporters.append(JsonlExporter(settings.exporters.jsonl))
    if settings.exporters.scores_topic is not None:
        exporters.append(KafkaScoresExporter(publisher, settings.exporters.scores_topic))
    if settings.exporters.otlp_events is not None:
        exporters.append(OtlpEventsExporter(settings.exporters.otlp_events, listener=listener))
    return exporters


def scorer_set(settings: Settings, clock: Clock, listener: EventListener, further: Sequence[Scorer] = ()) -> ScorerSet:
    """Make the configured scorers, and take ``further`` ones along: where both give a metric, these win.

    Raises:
        ConfigError: a model cannot be made ready.
    """
    return ScorerSet(
        [*build_scorers(settings.scoring, clock, listener), *further],
        diagnosis=settings.scoring.diagnosis,
        clock=clock,
        listener=listener,
    )


def _judge_stages(settings: Settings, fanout: Fanout, clock: Clock, listener: EventListener) -> Sequence[JudgeStage]:
    """Make the judges' stages, first one first, each handing on to the next and the last one to the exporters."""
    config = settings.scoring
    wanted = [(JUDGE, config.judge, config.judge_sampling), (SECOND_JUDGE, config.second_judge, _only(config))]
    stages: list[JudgeStage] = []
    for name, judge, sampling in reversed(wanted):
        if judge is not None:
            with settings_of(name):
                scorer = make_judge(config, judge, clock, listener)
            stage = JudgeStage(
                name,
                scorer,
                JudgePolicy(sampling, settings.sampling.salt),
                stages[0] if stages else fanout,
                diagnosis=config.diagnosis,
                workers=judge.concurrency.maximum,
                timeout_seconds=judge.timeouts.total_seconds,
                queue_size=config.judge_queue_size,
                clock=clock,
                listener=listener,
            )
            stages.insert(0, stage)
    return stages


def _only(config: ScoringConfig) -> JudgeSamplingConfig:
    """A plain share, with no rule that raises it."""
    share = config.second_judge_probability
    fields = [name for name in JudgeSamplingConfig.model_fields if name.endswith("probability")]
    return JudgeSamplingConfig.model_validate(dict.fromkeys(fields, share))


def _engine(settings: Settings, sink: ScoredSink, clock: Clock, listener: EventListener) -> ScoringEngine:
    if JUDGE in settings.scoring.scorers:
        raise ConfigError(
            "scoring.scorers: on live traffic the judge would hold up all others; leave it out there and set "
            "scoring.judge_sampling.probability to the share that it is to see (1 for everything)"
        )
    scorers = scorer_set(settings, clock, listener)
    return ScoringEngine(scorers, sink, config=settings.scoring.engine, clock=clock, listener=listener)


def _pipeline(
    settings: Settings, engine: ScoringEngine, dead_letters: DeadLetterQueue, clock: Clock, listener: EventListener
) -> Pipeline:
    def hand_on(interaction: Interaction, decision: SamplingDecision, late: bool, done: Callable[[], None]) -> None:
        engine.submit(ScoringRequest(interaction, decision, late), done)

    assembler: Assembler[SourcePosition] = Assembler(settings.assembly, clock, listener)
    resolver = (
        build_resolver(settings.resolver, clock=clock, listener=listener) if settings.resolver is not None else None
    )
    return Pipeline(
        source=_source(settings, listener),
        decoder=Decoder(settings.decoder.max_record_bytes, settings.decoder.max_depth),
        assembler=assembler,
        sampler=Sampler(settings.sampling),
        handler=hand_on,
        dead_letters=dead_letters,
        config=settings.pipeline,
        clock=clock,
        resolve=resolver.resolve if resolver is not None else lambda interaction: interaction,
        redact=redaction_of(settings.redaction),
        max_known_traces=2 * settings.assembly.max_traces,
        listener=listener,
    )
