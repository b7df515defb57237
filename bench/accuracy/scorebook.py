"""Runs scorers over interactions and keeps what they said, so that a measurement can go on where it was stopped."""

import json
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.accuracy.raters import Rater
from bench.accuracy.signals import Mark, Result, result_of
from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import Interaction
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Failed, FailureKind, MetricKey, Outcome
from ragsonde.scorers.scorer import Scorer

_log = logging.getLogger(__name__)
_BATCH_SECONDS = 3600.0

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """What a scorer said of one interaction."""

    results: Mapping[MetricKey, Result]
    seconds: float


class ScoreBook:
    """Kept scores: one file for each scorer, state of the code, and file of cases. A cut last line is no harm."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def entries(
        self,
        rater: Rater,
        keys: Sequence[MetricKey],
        section: str,
        interactions: Sequence[Interaction],
        advance: Advance = lambda _: None,
    ) -> dict[str, Entry]:
        """Score what is not in the book yet; return the entries by interaction id.

        ``section`` names the cases and the state of their file; ``advance`` is told how many more are done.
        """
        path = self._folder / f"{rater.name}-{rater.fingerprint}" / f"{section}.jsonl"
        known = _read(path)
        wanted = {interaction.id for interaction in interactions}
        found = {identity: entry for identity, entry in known.items() if identity in wanted}
        advance(len(found))
        missing = [interaction for interaction in interactions if interaction.id not in found]
        if not missing:
            return found
        path.parent.mkdir(parents=True, exist_ok=True)
        scorer = rater.only(keys)
        with path.open("a", encoding="utf-8") as stream:
            stream.write("\n")  # what an interrupted run left of its last line ends here
            for start in range(0, len(missing), rater.batch_size):
                batch = missing[start : start + rater.batch_size]
                for interaction, entry in zip(batch, _score(scorer, batch), strict=True):
                    found[interaction.id] = entry
                    stream.write(_line(interaction.id, entry))
                stream.flush()
                advance(len(batch))
        return found


def _score(scorer: Scorer, batch: Sequence[Interaction]) -> Iterable[Entry]:
    """Score a batch; time is shared out evenly, since a scorer may work on all at once."""
    started = time.perf_counter()
    outcomes = _outcomes(scorer, [Reading(interaction) for interaction in batch])
    seconds = (time.perf_counter() - started) / len(batch)
    return [Entry({key: result_of(outcome) for key, outcome in given.items()}, seconds) for given in outcomes]


def _outcomes(scorer: Scorer, readings: Sequence[Reading]) -> Sequence[Mapping[MetricKey, Outcome]]:
    """Outcomes of a batch; a scorer that raises fails on the one reading that it stumbles over, as in service."""
    try:
        return scorer.score(readings, Deadline(_BATCH_SECONDS))
    except Exception as error:  # noqa: BLE001 - a measurement goes on, and counts it
        if len(readings) > 1:
            return [outcome for reading in readings for outcome in _outcomes(scorer, [reading])]
        _log.warning("%s failed on %s", scorer.name, readings[0].interaction.id, exc_info=error)
        return [dict.fromkeys(scorer.keys, Failed(FailureKind.INTERNAL_ERROR, type(error).__name__))]


def _line(identity: str, entry: Entry) -> str:
    results = {str(key): asdict(result) for key, result in entry.results.items()}
    for result in results.values():
        result["marks"] = [list(mark.values()) for mark in result["marks"]]
    return json.dumps({"id": identity, "seconds": entry.seconds, "results": results}, ensure_ascii=False) + "\n"


def _read(path: Path) -> dict[str, Entry]:
    if not path.exists():
        return {}
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            found[record["id"]] = _entry(record)
        except (ValueError, KeyError, TypeError):
            continue  # an interrupted run's last line, or the gap after it
    return found


def _entry(record: Mapping[str, Any]) -> Entry:
    results = {
        MetricKey(key): Result(
            kept["value"], kept["why"], kept["failed"], tuple(_mark(*fields) for fields in kept["marks"])
        )
        for key, kept in record["results"].items()
    }
    return Entry(results, record["seconds"])


def _mark(start: int, end: int, supported: Any, probability: float, stretches: Any) -> Mark:
    return Mark(start, end, supported, probability, None if stretches is None else tuple(map(tuple, stretches)))
