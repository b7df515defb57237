"""A calibration as JSON, and its reliability diagram as SVG."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from numpy.random import Generator
from pydantic import BaseModel, ConfigDict, ValidationError

from ragsonde.calibration.agreement import Agreement, agreement
from ragsonde.calibration.cases import Cases
from ragsonde.calibration.drift import Circumstances, noted
from ragsonde.calibration.mapping import CalibrationMap
from ragsonde.calibration.reliability import Reliability, reliability
from ragsonde.calibration.self_preference import SelfPreference
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.interaction_row import describe
from ragsonde.golden.rows import open_file

SCHEMA_VERSION = 1
"""Raised when a reader of the older shape would misread the newer one."""


@dataclass(frozen=True, slots=True)
class LevelReport:
    """The findings on claims, or on answers."""

    cases: Cases
    agreement: Agreement
    reliability: Reliability | None
    mapped: Reliability | None = None
    """The reliability of calibrated scores, on the cases that the map was fitted to: it flatters."""


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """How far a scorer can be trusted."""

    scorer: str | None
    levels: tuple[LevelReport, ...]
    circumstances: Circumstances
    warnings: tuple[str, ...]
    fitted: CalibrationMap | None = None
    self_preference: SelfPreference | None = None


def level_report(cases: Cases, chance: Generator, fitted: CalibrationMap | None = None) -> LevelReport:
    """Compare scorer and people on one level; with a map of this level, its effect as well."""
    own = fitted is not None and fitted.level is cases.level
    mapped = fitted.apply([case.score for case in cases.cases]) if fitted is not None and own else None
    return LevelReport(
        cases,
        agreement(cases.cases, chance, cases.ties),
        reliability(cases.cases, chance),
        None if mapped is None else reliability(cases.cases, chance, mapped),
    )


def to_json(report: CalibrationReport) -> bytes:
    """Return the report as JSON."""
    value = {
        "schema_version": SCHEMA_VERSION,
        "created_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "scorer": report.scorer,
        "circumstances": noted(report.circumstances),
        "warnings": report.warnings,
        "levels": {level.cases.level.value: _level(level) for level in report.levels},
        "self_preference": None if report.self_preference is None else asdict(report.self_preference),
        "map": None if report.fitted is None else report.fitted.model_dump(mode="json"),
    }
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _level(level: LevelReport) -> dict[str, Any]:
    return {
        "weighted": level.cases.weighted,
        "left_out": level.cases.left_out,
        "agreement": asdict(level.agreement),
        "reliability": None if level.reliability is None else asdict(level.reliability),
        "reliability_of_mapped": None if level.mapped is None else asdict(level.mapped),
    }


class _Earlier(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    schema_version: int
    circumstances: dict[str, list[str]]


def earlier_circumstances(path: Path) -> Mapping[str, Sequence[str]]:
    """Return what an earlier report noted of the records that it was made from.

    Raises:
        ConfigError: the file cannot be read, or is no such report.
    """
    with open_file(path) as stream:
        content = stream.read()
    try:
        return _Earlier.model_validate_json(content).circumstances
    except ValidationError as error:
        remedy = "give the calibration.json that an earlier `ragsonde calibrate` wrote"
        raise ConfigError(f"{path} is no calibration report ({describe(error)}); {remedy}") from error


def to_svg(found: Reliability, title: str, mapped: Reliability | None = None) -> str:
    """Return a reliability diagram: how often people see a fault at each score of the scorer."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    most = max(part.count for part in found.bins)
    template = environment.get_template("reliability.svg.j2")
    return template.render(bins=found.bins, most=most, title=title, mapped=mapped.bins if mapped else (), ece=found.ece)
