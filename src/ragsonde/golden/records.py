"""Score records, as `ragsonde score` and the exporters write them, read back."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ragsonde.collector.errors import ConfigError, PermanentError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.exporters.record_reader import from_record
from ragsonde.golden.rows import Rows
from ragsonde.scorers.score import ScoredInteraction


@dataclass
class Records:
    """Scored interactions by their ids, and what could not be read."""

    scored: dict[str, ScoredInteraction] = field(default_factory=dict)
    """Of several records with one id the last counts: it replaces the earlier scoring."""
    bad: list[BadRecord] = field(default_factory=list)


def read_records(paths: Iterable[Path]) -> Records:
    """Read files of score records.

    Raises:
        ConfigError: a file cannot be read at all, or none of them holds a record.
    """
    records = Records()
    for path in paths:
        rows = Rows(path)
        for place, row in rows:
            try:
                scored = from_record(dict(row))
            except PermanentError as error:
                rows.reject(place, f"{error}; records are what `ragsonde score` writes")
            else:
                records.scored[scored.interaction.id] = scored
        records.bad += rows.bad
    if not records.scored:
        first = f": {records.bad[0]}" if records.bad else ""
        raise ConfigError(f"no score record found in {', '.join(map(str, paths))}{first}")
    return records
