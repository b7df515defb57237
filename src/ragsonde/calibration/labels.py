"""What people say of answers and claims: one verdict a line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_file import BadRecord
from ragsonde.collector.interaction_row import describe
from ragsonde.golden.rows import Rows


class LabelVerdict(StrEnum):
    """A person's verdict. Words for a claim and for a whole answer mean the same here."""

    SUPPORTED = "supported"
    GROUNDED = "grounded"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    UNSUPPORTED = "unsupported"
    HALLUCINATED = "hallucinated"
    UNSURE = "unsure"

    @property
    def fault(self) -> bool | None:
        """Whether it says that the contexts do not bear the text out; None where the reviewer could not tell."""
        if self is LabelVerdict.UNSURE:
            return None
        return self not in {LabelVerdict.SUPPORTED, LabelVerdict.GROUNDED}


class Label(BaseModel):
    """One reviewer's verdict on a claim, or on the answer as a whole."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)

    id: str
    """The interaction's id."""
    claim: Annotated[int, Field(ge=0)] | None = None
    """Index of the claim within the record's faithfulness; null for the whole answer."""
    verdict: LabelVerdict
    reviewer: str = "unnamed"
    """Who says so; several reviewers may label the same."""
    probability: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    """With which the scored interaction was drawn to be labelled; null where it was not drawn by chance (picked
    because it looked bad, say): such labels say nothing of the traffic's rate."""
    inclusion: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    """With which the interaction was drawn out of all traffic to be labelled, by the hash that the sampler and the
    judges draw with. Where it is known it counts in place of ``probability``: since judges draw alike, more is labelled
    of what a judge has seen than of all that was scored."""
    claim_text: str | None = None
    """The claim as the reviewer saw it; a label on a claim that now reads otherwise is left out."""
    scorer_versions: Mapping[str, str] | None = None
    """Of the record that the reviewer saw."""


@dataclass
class Labels:
    """The labels of a file, and what could not be read."""

    labels: list[Label] = field(default_factory=list)
    bad: list[BadRecord] = field(default_factory=list)
    repeated: int = 0
    """Labels that a later one of the same reviewer on the same text replaces."""


def read_labels(path: Path) -> Labels:
    """Read labels from JSON lines (or a table with the same columns).

    Raises:
        ConfigError: the file cannot be read, or holds no label.
    """
    rows = Rows(path)
    latest: dict[tuple[str, int | None, str], Label] = {}
    count = 0
    for place, row in rows:
        try:
            label = Label.model_validate(dict(row))
        except ValidationError as error:
            rows.reject(place, describe(error))
            continue
        count += 1
        latest[label.id, label.claim, label.reviewer] = label
    if not latest:
        first = f": {rows.bad[0]}" if rows.bad else ""
        raise ConfigError(f"{path} holds no label{first}; one JSON object a line with id and verdict is expected")
    return Labels(list(latest.values()), rows.bad, count - len(latest))
