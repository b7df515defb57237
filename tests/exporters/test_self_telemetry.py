import importlib
import pkgutil

import pytest
from prometheus_client.openmetrics.exposition import generate_latest

import ragsonde.collector
import ragsonde.scorers
from ragsonde.collector import telemetry
from ragsonde.collector.errors import DecodeReason
from ragsonde.collector.model import Capture, Signal
from ragsonde.collector.telemetry import (
    BreakerChanged,
    BreakerState,
    BudgetKind,
    BudgetLimited,
    BudgetSpent,
    ConsumptionPaused,
    Dropped,
    DropReason,
    Event,
    EvictionReason,
    IgnoreReason,
    InFlight,
    InteractionAssembled,
    JudgeCalled,
    JudgeStatus,
    PartitionReleased,
    RecordDeadLettered,
    RequestReceived,
    SourceState,
    SpanIgnored,
)
from ragsonde.exporters.instruments import Instruments
from ragsonde.exporters.labels import LabelPolicy, LabelsConfig
from ragsonde.exporters.self_telemetry import SelfTelemetry
from tests.fakes import FakeClock


class Listening:
    def __init__(self) -> None:
        self.instruments, self.clock = Instruments(), FakeClock()
        self.listener = SelfTelemetry(
            self.instruments, LabelPolicy(LabelsConfig()), self.clock, stages=("scoring", "prometheus")
        )

    def value(self, name: str, **labels: str) -> float | None:
        return self.instruments.registry.get_sample_value(name, labels)


@pytest.fixture
def listening() -> Listening:
    return Listening()


def every_event() -> set[type[Event]]:
    """All events that a telemetry module defines, wherever it is."""
    found = set()
    for package in (ragsonde.collector, ragsonde.scorers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.rpartition(".")[2] == "telemetry":
                values = vars(importlib.import_module(module.name)).values()
                found |= {value for value in values if isinstance(value, type) and issubclass(value, Event)}
    return found - {Event}


def test_every_event_is_mapped_to_a_metric(listening: Listening) -> None:
    events = every_event()
    assert telemetry.RecordReceived in events
    assert events == set(listening.listener.events)


def test_an_event_that_nobody_knows_is_counted_and_does_not_raise(listening: Listening) -> None:
    class Unheard(Event):
        pass

    listening.listener(Unheard())
    assert listening.value("ragsonde_unmapped_events_total") == 1


def test_closed_label_sets_stand_at_zero_before_the_first_event(listening: Listening) -> None:
    for name, reasons in (
        ("ragsonde_dead_letters_total", DecodeReason),
        ("ragsonde_ignored_spans_total", IgnoreReason),
        ("ragsonde_evicted_traces_total", EvictionReason),
    ):
        for reason in reasons:
            assert listening.value(name, reason=reason) == 0.0
    for reason in DropReason:
        assert listening.value("ragsonde_dropped_total", stage="prometheus", reason=reason) == 0.0
    assert listening.value("ragsonde_consumption_paused") == 0.0


def test_losses_are_counted_by_reason(listening: Listening) -> None:
    listening.listener(RecordDeadLettered("otlp_spans", DecodeReason.INVALID_PROTOBUF))
    listening.listener(SpanIgnored(IgnoreReason.DUPLICATE, 3))
    listening.listener(Dropped("jsonl", DropReason.QUEUE_FULL, 2))
    assert listening.value("ragsonde_dead_letters_total", reason="invalid_protobuf") == 1
    assert listening.value("ragsonde_ignored_spans_total", reason="duplicate") == 3
    assert listening.value("ragsonde_dropped_total", stage="jsonl", reason="queue_full") == 2


def test_a_lag_that_the_source_cannot_tell_is_absent_not_zero(listening: Listening) -> None:
    listening.listener(SourceState("otlp_spans", 0, lag=7, watermark_lag=2))
    place = {"topic": "otlp_spans", "partition": "0"}
    assert listening.value("ragsonde_source_lag_records", **place) == 7
    listening.listener(SourceState("otlp_spans", 0, lag=None, watermark_lag=2))
    assert listening.value("ragsonde_source_lag_records", **place) is None
    assert listening.value("ragsonde_source_watermark_lag_records", **place) == 2


def test_a_partition_that_moved_elsewhere_loses_its_lag(listening: Listening) -> None:
    listening.listener(SourceState("otlp_spans", 0, lag=7, watermark_lag=2))
    listening.clock.advance(600)
    listening.listener(SourceState("otlp_spans", 1, lag=1, watermark_lag=0))
    assert listening.value("ragsonde_source_lag_records", topic="otlp_spans", partition="0") is None
    assert listening.value("ragsonde_source_lag_records", topic="otlp_spans", partition="1") == 1


def test_pauses_are_counted_and_the_state_is_shown(listening: Listening) -> None:
    for paused in (True, False, True):
        listening.listener(ConsumptionPaused(paused))
    assert listening.value("ragsonde_pauses_total") == 2
    assert listening.value("ragsonde_consumption_paused") == 1


def test_a_late_interaction_is_not_counted_as_assembled_again(listening: Listening) -> None:
    event = InteractionAssembled("shop", "openinference", Capture.CAPTURED, late=False)
    listening.listener(event)
    listening.listener(InteractionAssembled("shop", "openinference", Capture.CAPTURED, late=True))
    labels = {"app": "shop", "convention": "openinference", "capture": "captured"}
    assert listening.value("ragsonde_assembled_interactions_total", **labels) == 1
    assert listening.value("ragsonde_late_interactions_total", app="shop") == 1


def test_receiver_requests_are_counted_by_status(listening: Listening) -> None:
    listening.listener(RequestReceived(Signal.TRACES, 200, items=5, rejected=1, size_bytes=900, seconds=0.01))
    assert listening.value("ragsonde_receiver_requests_total", signal="traces", status="200") == 1
    assert listening.value("ragsonde_receiver_items_total", signal="traces", result="rejected") == 1
    assert listening.value("ragsonde_receiver_request_bytes_total", signal="traces") == 900


def test_the_process_and_the_build_are_described_on_our_own_registry(listening: Listening) -> None:
    text = generate_latest(listening.instruments).decode()
    assert "process_cpu_seconds_total" in text
    assert "ragsonde_build_info" in text


def test_judge_tokens_and_cost_that_are_not_known_add_nothing(listening: Listening) -> None:
    listening.listener(JudgeCalled(JudgeStatus.TIMEOUT, "gpt-4o", "merged", 30.0, None, None, None))
    assert listening.value("ragsonde_judge_calls_total", model="gpt-4o", prompt="merged", status="timeout") == 1
    assert listening.value("ragsonde_judge_tokens_total", model="gpt-4o", direction="input") is None
    assert listening.value("ragsonde_judge_cost_total", model="gpt-4o") is None
    listening.listener(JudgeCalled(JudgeStatus.OK, "gpt-4o", "merged", 2.0, 900, 100, 0.01))
    assert listening.value("ragsonde_judge_tokens_total", model="gpt-4o", direction="input") == 900
    assert listening.value("ragsonde_judge_cost_total", model="gpt-4o") == pytest.approx(0.01)
    listening.listener(BudgetSpent("gpt-4o", calls=2, tokens=1000, money=None))
    assert listening.value("ragsonde_judge_budget_spent", model="gpt-4o", kind="tokens") == 1000
    assert listening.value("ragsonde_judge_budget_spent", model="gpt-4o", kind="money") is None
    listening.listener(BudgetLimited("gpt-4o", BudgetKind.TOKENS, 5000))
    assert listening.value("ragsonde_judge_budget_limit", model="gpt-4o", kind="tokens") == 5000
    assert listening.value("ragsonde_judge_budget_limit", model="gpt-4o", kind="money") is None


def test_a_cached_verdict_takes_no_time_of_the_judge(listening: Listening) -> None:
    listening.listener(JudgeCalled(JudgeStatus.CACHED, "gpt-4o", "merged", 0.0, 0, 0, 0.0, cached=True))
    assert listening.value("ragsonde_judge_calls_total", model="gpt-4o", prompt="merged", status="cached") == 1
    assert listening.value("ragsonde_judge_call_seconds_count", model="gpt-4o") is None


def test_the_breaker_is_in_exactly_one_state(listening: Listening) -> None:
    for state in (BreakerState.OPEN, BreakerState.HALF_OPEN):
        listening.listener(BreakerChanged("gpt-4o", state))
        states = [
            listening.value("ragsonde_judge_breaker_state", model="gpt-4o", state=other) for other in BreakerState
        ]
        assert sum(value or 0 for value in states) == 1
        assert listening.value("ragsonde_judge_breaker_state", model="gpt-4o", state=state) == 1


def test_a_stage_that_does_not_know_its_bytes_shows_none_rather_than_zero(listening: Listening) -> None:
    listening.listener(InFlight("jsonl", 3, 0))
    listening.listener(InFlight("assembly", 2, 900))
    assert listening.value("ragsonde_in_flight_items", stage="jsonl") == 3
    assert listening.value("ragsonde_in_flight_bytes", stage="jsonl") is None
    assert listening.value("ragsonde_in_flight_bytes", stage="assembly") == 900
    listening.listener(InFlight("assembly", 0, 0))
    assert listening.value("ragsonde_in_flight_bytes", stage="assembly") == 0


def test_the_lag_of_a_partition_that_went_to_another_replica_is_forgotten_at_once(listening: Listening) -> None:
    listening.listener(SourceState("otlp_spans", 3, 17, 20))
    assert listening.value("ragsonde_source_lag_records", topic="otlp_spans", partition="3") == 17
    listening.listener(PartitionReleased("otlp_spans", 3))
    assert listening.value("ragsonde_source_lag_records", topic="otlp_spans", partition="3") is None
    assert listening.value("ragsonde_source_watermark_lag_records", topic="otlp_spans", partition="3") is None
