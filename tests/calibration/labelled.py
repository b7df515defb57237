"""Score records and labels for tests."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ragsonde.calibration.labels import Label
from ragsonde.exporters.record import to_json_line
from ragsonde.scorers.score import MetricKey, Scored, ScoredInteraction, Verdict
from tests.exporters.scored import claim, scored


def judged(id: str, *supports: float, probability: float = 1.0, **values: Any) -> ScoredInteraction:  # noqa: A002
    """A record with one claim for each probability of support; from 0.5 on it is supported."""
    claims = tuple(
        claim(
            text=f"claim {number}",
            verdict=Verdict.SUPPORTED if support >= 0.5 else Verdict.NOT_FOUND,
            probability=support,
        )
        for number, support in enumerate(supports)
    )
    share = sum(support >= 0.5 for support in supports) / len(supports)
    return scored(id, scores={MetricKey.FAITHFULNESS: Scored(share, claims=claims)}, probability=probability, **values)


def label(id: str, verdict: str = "hallucinated", **values: Any) -> Label:  # noqa: A002 - the field's own name
    return Label.model_validate({"id": id, "verdict": verdict} | values)


def by_id(*records: ScoredInteraction) -> dict[str, ScoredInteraction]:
    return {known.interaction.id: known for known in records}


def write_records(path: Path, records: Iterable[ScoredInteraction]) -> Path:
    path.write_bytes(b"".join(map(to_json_line, records)))
    return path
