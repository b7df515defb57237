"""Scores interactions in parallel and keeps each result at once, so that a stopped run goes on where it was."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import orjson

from ragsonde.collector.clock import Deadline
from ragsonde.collector.errors import ConfigError, PermanentError
from ragsonde.collector.model import Interaction
from ragsonde.exporters.record import to_json_line, to_record
from ragsonde.exporters.record_reader import from_record
from ragsonde.golden.files import as_row
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.score import ScoredInteraction
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest

RESULTS_FILE = "results.jsonl"
GOLDEN_DIGEST = "ragsonde.golden.sha256"
"""Metadata key with the hash of the golden item: an edited item is scored anew."""

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Runner:
    """Scores what is not yet in the results file."""

    scorers: ScorerSet
    batch_size: int
    workers: int
    timeout_seconds: float
    """Seconds that a batch may take."""

    def run(
        self, interactions: Sequence[Interaction], results: Path, progress: Progress = lambda _: None
    ) -> list[ScoredInteraction]:
        """Return the scored interactions in order. ``progress`` is told how many more are done.

        Stopped by an exception (KeyboardInterrupt too), what has been scored stays in the file, and the next run with
        the same scorers takes it from there.

        Raises:
            ConfigError: the results file cannot be written.
        """
        kept = self._kept(interactions, results)
        progress(len(kept))
        todo = [interaction for interaction in interactions if interaction.id not in kept]
        if todo:
            for scored in self._score(todo, results):
                kept[scored.interaction.id] = scored
                progress(1)
        return [kept[interaction.id] for interaction in interactions]

    def _score(self, todo: Sequence[Interaction], results: Path) -> Iterator[ScoredInteraction]:
        batches = [todo[start : start + self.batch_size] for start in range(0, len(todo), self.batch_size)]
        with _appending(results) as stream, ThreadPoolExecutor(self.workers, "ragsonde-evaluate") as pool:
            running: list[Future[list[ScoredInteraction]]] = [pool.submit(self._batch, batch) for batch in batches]
            try:
                for done in as_completed(running):
                    for scored in done.result():
                        stream.write(to_json_line(scored))
                        yield scored
                    stream.flush()
            finally:
                for future in running:
                    future.cancel()

    def _batch(self, batch: Sequence[Interaction]) -> list[ScoredInteraction]:
        requests = [ScoringRequest(interaction) for interaction in batch]
        return self.scorers.score(requests, Deadline(self.timeout_seconds))

    def _kept(self, interactions: Sequence[Interaction], results: Path) -> dict[str, ScoredInteraction]:
        """What an earlier run has scored: the same interaction by the same versions of the same scorers."""
        wanted = {interaction.id: interaction for interaction in interactions}
        versions = dict(self.scorers.versions)
        kept: dict[str, ScoredInteraction] = {}
        for scored in _read(results):
            interaction = wanted.get(scored.interaction.id)
            if interaction is not None and dict(scored.scorer_versions) == versions and _same(interaction, scored):
                kept[interaction.id] = scored
        return kept


def marked(interaction: Interaction, item: GoldenItem) -> Interaction:
    """Note which state of the golden item the interaction is scored against."""
    digest = hashlib.sha256(orjson.dumps(as_row(item), option=orjson.OPT_SORT_KEYS)).hexdigest()
    return replace(interaction, metadata={**interaction.metadata, GOLDEN_DIGEST: digest})


def _same(interaction: Interaction, scored: ScoredInteraction) -> bool:
    """Whether a result is of this interaction, as far as a record tells."""
    now = to_record(replace(scored, interaction=interaction))["interaction"]
    then = to_record(scored)["interaction"]
    return bool(orjson.loads(orjson.dumps(now)) == orjson.loads(orjson.dumps(then)))


def _read(results: Path) -> Iterator[ScoredInteraction]:
    """The results of earlier runs; a line that is cut or of another version is as if it were not there."""
    if not results.exists():
        return
    with results.open("rb") as stream:
        for line in stream:
            try:
                yield from_record(orjson.loads(line))
            except (orjson.JSONDecodeError, PermanentError):
                continue


def _appending(results: Path) -> BinaryIO:
    try:
        results.parent.mkdir(parents=True, exist_ok=True)
        stream = results.open("ab+")
    except (FileExistsError, NotADirectoryError) as error:
        raise ConfigError(f"{results.parent} is no directory: name one for the report and the results") from error
    except OSError as error:
        raise ConfigError(f"cannot write {results}: {error.strerror}") from error
    if stream.tell():
        stream.seek(-1, 2)
        if stream.read(1) != b"\n":  # the last run was killed within a line
            stream.write(b"\n")
    return stream


def duplicates(interactions: Sequence[Interaction]) -> Mapping[str, int]:
    """Ids that stand more than once, with how often."""
    counts: dict[str, int] = {}
    for interaction in interactions:
        counts[interaction.id] = counts.get(interaction.id, 0) + 1
    return {id_: count for id_, count in counts.items() if count > 1}
