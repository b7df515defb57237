"""Runs one outage from beginning to end, watches the sidecar's metrics, and settles accounts from its scores file."""

import itertools
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from bench.judge_outage.stand import BreakableJudge, CountingExporter, Fault, running_sidecar, scores_file, traffic

_BEFORE_SECONDS = 30.0
_AFTER_SECONDS = 30.0
_RECOVERY_SECONDS = 300.0
_SETTLE_SECONDS = 240.0
_POLL_SECONDS = 1.0
_MADE = ("ok", "refused", "unreachable", "timeout", "overloaded")
"""Statuses of requests that went out to the judge."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What ``/metrics`` said at one moment."""

    at: float
    interactions: float
    """Interactions that have been scored and handed to the metrics."""
    committed: float
    """Records read and committed."""
    verdicts: float
    """Requests that the judge answered."""
    requests: float
    """Requests that were made to the judge, retries included."""
    failed: float
    """Answers whose faithfulness the judge failed to give."""
    breaker_open: bool
    dropped: float
    dead: float


@dataclass(slots=True)
class Watch:
    """Readings, one a second, from a thread of its own."""

    url: str
    readings: list[Reading] = field(default_factory=list)

    def look(self) -> Reading:
        """Take a reading and keep it."""
        text = httpx.get(f"{self.url}/metrics", timeout=30).raise_for_status().text
        found = [sample for family in text_string_to_metric_families(text) for sample in family.samples]

        def total(name: str, **labels: str) -> float:
            return sum(each.value for each in found if each.name == name and labels.items() <= each.labels.items())

        calls = {status: total("ragsonde_judge_calls_total", status=status) for status in _MADE}
        reading = Reading(
            at=time.monotonic(),
            interactions=total("ragsonde_interactions_total"),
            committed=total("ragsonde_records_total") - total("ragsonde_source_watermark_lag_records"),
            verdicts=calls["ok"],
            requests=sum(calls.values()),
            failed=total("ragsonde_outcomes_total", scorer="judge", metric="faithfulness", outcome="failed"),
            breaker_open=total("ragsonde_judge_breaker_state", state="open") > 0,
            dropped=total("ragsonde_dropped_total"),
            dead=total("ragsonde_dead_letters_total"),
        )
        self.readings.append(reading)
        return reading

    @contextmanager
    def running(self) -> Iterator[None]:
        """Look every second while the block runs."""
        stop = threading.Event()

        def watch() -> None:
            while not stop.wait(_POLL_SECONDS):
                self.look()

        thread = threading.Thread(target=watch, name="watch")
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()


@dataclass(frozen=True, slots=True)
class Account:
    """Where every interaction that the sidecar accepted has gone."""

    sent: int
    recorded: int
    """Interactions in the scores file."""
    scored_locally: int
    """Of these, with an outcome of the local scorers that is not ``failed``."""
    judged: int
    """With a verdict of the judge, or told by it that the metric has no meaning."""
    failed: Mapping[str, int]
    """Without a verdict, by the kind of failure."""
    repeated: int
    """Lines beyond the first of an interaction."""

    @property
    def lost(self) -> int:
        """Accepted, and not in the scores file."""
        return self.sent - self.recorded


@dataclass(frozen=True, slots=True)
class Result:
    """One outage."""

    fault: Fault
    outage_seconds: float
    account: Account
    sent_in_outage: int
    scored_in_outage: int
    """Interactions that reached the metrics during the outage."""
    commit_pause_seconds: float
    """Longest time during the outage in which the committed offset stood still."""
    requests_in_outage: int
    """Requests to the judge, retries included: what the breaker let through."""
    openings: int
    """Times that the breaker was seen to go from not open to open, looked at once a second."""
    open_share: float
    """Share of the outage in which the breaker was open."""
    recovery_seconds: float | None
    """From the judge's return to the first verdict that ``/metrics`` counts; None where none came."""
    failed_on_metrics: int
    refused_spans: int
    dropped: int
    dead: int

    def broken_promises(self) -> list[str]:
        """Return what did not hold; empty where all did."""
        account = self.account
        checks = {
            f"{account.lost} interactions lost": account.lost != 0,
            f"{account.repeated} interactions written twice": account.repeated != 0,
            f"{account.recorded - account.scored_locally} interactions without local scores": (
                account.scored_locally != account.recorded
            ),
            f"{self.refused_spans} spans not accepted": self.refused_spans != 0,
            f"{self.dropped} items dropped, {self.dead} dead letters": self.dropped + self.dead != 0,
            "nothing was committed during the outage": self.commit_pause_seconds >= self.outage_seconds,
            "no verdict came after the outage": self.recovery_seconds is None,
            f"the metrics count {self.failed_on_metrics} failures, the file {sum(account.failed.values())}": (
                self.failed_on_metrics != sum(account.failed.values())
            ),
        }
        return [f"{self.fault}: {promise}" for promise, broken in checks.items() if broken]


def measure(
    fault: Fault, folder: Path, *, outage_seconds: float, interactions_per_second: float, seed: int, say: Say
) -> Result:
    """Run one outage under traffic.

    Args:
        fault: how the judge is out.
        folder: an empty directory for the sidecar's files.
        outage_seconds: for how long.
        interactions_per_second: of the traffic, which goes on before, during and after.
        seed: of the traffic.
        say: told of progress, a short line at a time.
    """
    with ExitStack() as stack:
        judge = stack.enter_context(BreakableJudge(fault))
        sidecar = stack.enter_context(ExitStack())
        watch = Watch(sidecar.enter_context(running_sidecar(folder, judge.server)))
        exporter = CountingExporter(watch.url)
        with watch.running():
            with traffic(exporter, interactions_per_second, seed):
                _wait(watch, exporter, _BEFORE_SECONDS, "judge is up", say)
                began = watch.look()
                judge.break_off()
                _wait(watch, exporter, outage_seconds, "judge is out", say)
                ended = watch.look()
                judge.mend()
                recovery = _recovered(watch, exporter, say)
                _wait(watch, exporter, _AFTER_SECONDS, "judge is back", say)
            _settle(watch, len(exporter.accepted), say)
        last = watch.look()
        sidecar.close()
    during = [reading for reading in watch.readings if began.at <= reading.at <= ended.at]
    return Result(
        fault=fault,
        outage_seconds=ended.at - began.at,
        account=settle(scores_file(folder).read_text("utf-8").splitlines(), exporter.accepted),
        sent_in_outage=sum(began.at <= at <= ended.at for at in exporter.accepted.values()),
        scored_in_outage=int(ended.interactions - began.interactions),
        commit_pause_seconds=longest_pause(during),
        requests_in_outage=int(ended.requests - began.requests),
        openings=sum(after.breaker_open and not before.breaker_open for before, after in itertools.pairwise(during)),
        open_share=sum(reading.breaker_open for reading in during) / len(during),
        recovery_seconds=recovery,
        failed_on_metrics=int(last.failed),
        refused_spans=exporter.refused,
        dropped=int(last.dropped),
        dead=int(last.dead),
    )


def longest_pause(readings: Sequence[Reading]) -> float:
    """Return for how long, at most, the committed offset stood still."""
    longest, since = 0.0, readings[0]
    for reading in readings:
        if reading.committed > since.committed:
            since = reading
        longest = max(longest, reading.at - since.at)
    return longest


def settle(lines: Sequence[str], accepted: Mapping[str, float]) -> Account:
    """Return where the accepted interactions are in the scores file."""
    records = [json.loads(line) for line in lines]
    by_trace = {record["interaction"]["trace_id"]: record for record in records}
    judged, failed = 0, Counter[str]()
    for record in by_trace.values():
        outcomes = [judgement["scores"]["faithfulness"] for judgement in record["judgements"]]
        judged += any(outcome["outcome"] != "failed" for outcome in outcomes)
        failed.update(outcome["kind"] for outcome in outcomes if outcome["outcome"] == "failed")
    return Account(
        sent=len(accepted),
        recorded=len(accepted.keys() & by_trace.keys()),
        scored_locally=sum(
            record["local_scores"]["faithfulness"]["outcome"] != "failed" for record in by_trace.values()
        ),
        judged=judged,
        failed=failed,
        repeated=len(records) - len(by_trace),
    )


def _wait(watch: Watch, exporter: CountingExporter, seconds: float, state: str, say: Say) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        _tell(watch, exporter, f"{state}, {left:.0f} s left", say)
        time.sleep(min(5.0, left))


def _recovered(watch: Watch, exporter: CountingExporter, say: Say) -> float | None:
    since = time.monotonic()
    before = watch.look().verdicts
    while time.monotonic() < since + _RECOVERY_SECONDS:
        if watch.look().verdicts > before:
            return time.monotonic() - since
        _tell(watch, exporter, "judge is back, no verdict yet", say)
        time.sleep(_POLL_SECONDS)
    return None


def _settle(watch: Watch, sent: int, say: Say) -> None:
    """Let what was sent be scored; what is missing after that is counted as lost."""
    end = time.monotonic() + _SETTLE_SECONDS
    while time.monotonic() < end and watch.readings[-1].interactions < sent:
        say(f"waiting for the last of {sent}: {watch.readings[-1].interactions:.0f} are scored")
        time.sleep(_POLL_SECONDS)


def _tell(watch: Watch, exporter: CountingExporter, state: str, say: Say) -> None:
    if watch.readings:
        last = watch.readings[-1]
        breaker = "open" if last.breaker_open else "not open"
        say(
            f"{state}: {len(exporter.accepted)} sent, {last.interactions:.0f} scored, {last.committed:.0f} records "
            f"committed, {last.verdicts:.0f} verdicts, {last.failed:.0f} failed, breaker {breaker}"
        )
