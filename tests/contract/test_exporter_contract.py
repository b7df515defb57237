"""What every exporter promises, the tests' own included."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings

from ragsonde.collector.clock import Deadline
from ragsonde.exporters.exporter import Exporter
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.jsonl import JsonlConfig, JsonlExporter
from ragsonde.exporters.kafka import KafkaScoresExporter, ScoresTopicConfig
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.otlp import OtlpEventsConfig, OtlpEventsExporter
from ragsonde.exporters.prometheus import PrometheusExporter
from ragsonde.exporters.record_reader import from_json_line
from ragsonde.exporters.status.recent import RecentInteractions, StatusConfig
from ragsonde.review.exporter import ReviewExporter
from ragsonde.review.schema import INTERACTIONS
from ragsonde.scorers.score import ScoredInteraction
from tests.exporters.otlp_receiver import OtlpReceiver
from tests.exporters.recording import RecordingExporter
from tests.exporters.scored import scored, scored_interactions
from tests.exporters.test_kafka import RecordingPublisher
from tests.fakes import FakeClock
from tests.review.stores import open_reviews

SOON = Deadline(30, FakeClock())


@dataclass
class Subject:
    """An exporter, and how to see how many interactions its sink knows."""

    exporter: Exporter
    known: Callable[[], int]


def recording(_: Path) -> Subject:
    exporter = RecordingExporter()
    return Subject(exporter, lambda: len(exporter.delivered))


def prometheus(_: Path) -> Subject:
    instruments = Instruments()

    def known() -> int:
        families = [family for family in instruments.collect() if family.name == "ragsonde_interactions"]
        return int(sum(sample.value for family in families for sample in family.samples))

    return Subject(PrometheusExporter(instruments, LabelPolicy(LabelsConfig())), known)


def jsonl(folder: Path) -> Subject:
    path = folder / "scores.jsonl"

    def known() -> int:
        return len({from_json_line(line).interaction.id for line in path.read_bytes().splitlines()})

    return Subject(JsonlExporter(JsonlConfig(path=path)), known)


def scores_topic(_: Path) -> Subject:
    publisher = RecordingPublisher()
    exporter = KafkaScoresExporter(publisher, ScoresTopicConfig())
    return Subject(exporter, lambda: len({message.key for message in publisher.messages}))


def status_page(_: Path) -> Subject:
    recent = RecentInteractions(StatusConfig(), LabelPolicy(LabelsConfig()), FakeClock(2_000.0))
    return Subject(recent, lambda: recent.total(0.0, 3_000.0, None).interactions)


def otlp_events(_: Path) -> Subject:
    receiver = OtlpReceiver()
    exporter = OtlpEventsExporter(OtlpEventsConfig(endpoint="http://collector.test"), transport=receiver.transport())
    return Subject(exporter, lambda: len({event.attributes["ragsonde.interaction.id"] for event in receiver.events}))


def review_store(folder: Path) -> Subject:
    store = open_reviews(f"sqlite:///{folder}/review.sqlite3")

    def known() -> int:
        with store.database.reading() as connection:
            return int(connection.execute(sa.select(sa.func.count()).select_from(INTERACTIONS)).scalar_one())

    return Subject(ReviewExporter(store, required=False), known)


MAKERS = (recording, prometheus, jsonl, scores_topic, status_page, otlp_events, review_store)


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.__name__)
def subject(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Subject]:
    made: Subject = request.param(tmp_path)
    yield made
    made.exporter.shutdown(SOON)


def test_it_has_a_name_that_can_be_a_label_and_says_whether_it_is_required(subject: Subject) -> None:
    assert subject.exporter.name.isidentifier()
    assert isinstance(subject.exporter.required, bool)


def test_shutdown_is_safe_when_never_started_and_twice(subject: Subject) -> None:
    subject.exporter.shutdown(SOON)
    subject.exporter.shutdown(SOON)


def test_start_is_safe_twice_and_what_was_exported_is_there(subject: Subject) -> None:
    subject.exporter.start()
    subject.exporter.start()
    subject.exporter.export([scored("a"), scored("b")], SOON)
    subject.exporter.flush(SOON)
    assert subject.known() == 2


def test_an_empty_batch_changes_nothing(subject: Subject) -> None:
    subject.exporter.start()
    subject.exporter.export([scored("a")], SOON)
    subject.exporter.export([], SOON)
    assert subject.known() == 1


def test_the_same_interaction_again_does_not_count_twice(subject: Subject) -> None:
    subject.exporter.start()
    batch = [scored("a"), scored("b")]
    subject.exporter.export(batch, SOON)
    subject.exporter.export(batch, SOON)
    subject.exporter.export([scored("b"), scored("c"), scored("c")], SOON)
    assert subject.known() == 3


def test_a_rescoring_does_not_count_as_another_interaction(subject: Subject) -> None:
    subject.exporter.start()
    subject.exporter.export([scored("a")], SOON)
    subject.exporter.export([scored("a", faithfulness=0.0, rescored=True, scored_at=1_500.0)], SOON)
    assert subject.known() == 1


def test_shutdown_after_work_keeps_what_was_exported(subject: Subject) -> None:
    subject.exporter.start()
    subject.exporter.export([scored("a")], SOON)
    subject.exporter.shutdown(SOON)
    subject.exporter.shutdown(SOON)
    assert subject.known() == 1


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
@given(one=scored_interactions)
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_interaction_is_too_odd_to_export(
    maker: Callable[[Path], Subject], one: ScoredInteraction, tmp_path_factory: pytest.TempPathFactory
) -> None:
    exporter = maker(tmp_path_factory.mktemp("sink")).exporter
    exporter.start()
    exporter.export([one], SOON)
    exporter.shutdown(SOON)


def test_a_probability_close_to_zero_stays_a_number(subject: Subject) -> None:
    rare = scored("a", probability=1e-9)
    subject.exporter.start()
    subject.exporter.export([rare], SOON)
    assert subject.known() == 1
