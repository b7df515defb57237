"""Figures that others published, with their sources; ``published.toml`` holds them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

_MEASURES = ("auroc", "f1", "precision", "recall", "balanced_accuracy", "macro_f1")


class PublishedTable(BaseModel):
    """What one source says of one slice of one set: for each measure, the figure of each system."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    set: str
    slice: str
    level: str
    source: str = Field(min_length=10)
    auroc: Mapping[str, float] = {}
    f1: Mapping[str, float] = {}
    precision: Mapping[str, float] = {}
    recall: Mapping[str, float] = {}
    balanced_accuracy: Mapping[str, float] = {}
    macro_f1: Mapping[str, float] = {}

    def systems(self) -> dict[str, dict[str, float]]:
        """The figures of each system, by measure."""
        found: dict[str, dict[str, float]] = {}
        for measure in _MEASURES:
            for system, value in getattr(self, measure).items():
                found.setdefault(system, {})[measure] = value
        return found


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    figure: tuple[PublishedTable, ...]


def published_tables() -> tuple[PublishedTable, ...]:
    """All that is known."""
    content = Path(__file__).with_name("published.toml").read_text(encoding="utf-8")
    return _File.model_validate(tomllib.loads(content)).figure
