"""Label values that come from outside, made safe and few.

A label value from a span attribute can be a user id, a URL or ten kilobytes of text, and each distinct value is a new
time series for ever. Values pass only if they are on the configured list or, without a list, if they look like a name
and are among the first few; all others become ``other``.
"""

import re
import threading
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from ragsonde.collector.config import Config
from ragsonde.collector.model import Interaction
from ragsonde.exporters.identifiers import is_identifier
from ragsonde.scorers.text.language import SCRIPTS, UNDETERMINED

OTHER = "other"
UNKNOWN = "unknown"
"""The value for what the telemetry did not say."""

LANGUAGES = frozenset(code for codes in SCRIPTS.values() for code in codes) | {UNDETERMINED}
"""Languages with series of their own, as ISO 639 codes: all that can be told, and ``und`` for one that could not be."""

_MAX_CHARACTERS = 64
_NAME = re.compile(r"[\w.+:/@ -]+")


class LabelLimit:
    """Lets the values on a list pass, or without a list the first few that look like names. Thread-safe."""

    def __init__(self, allowed: Collection[str] | None, limit: int) -> None:
        self._fixed = allowed is not None
        self._values = {_normalised(value) for value in allowed or ()} | {UNKNOWN, OTHER}
        self._limit = limit + len(self._values)
        self._lock = threading.Lock()

    def __call__(self, value: str | None) -> str:
        """Return the value where it may pass, ``unknown`` for None or blank, and ``other`` for all else."""
        if value is None or not value.strip():
            return UNKNOWN
        name = _normalised(value[: _MAX_CHARACTERS + 1])
        if name in self._values:
            return name
        if self._fixed or len(name) > _MAX_CHARACTERS or not _NAME.fullmatch(name) or is_identifier(name):
            return OTHER
        with self._lock:
            if name not in self._values:
                if len(self._values) >= self._limit:
                    return OTHER
                self._values.add(name)
        return name


def _normalised(value: str) -> str:
    return unicodedata.normalize("NFC", value).strip()


class LabelsConfig(Config):
    """Which values become labels of their own; each distinct one costs time series in Prometheus."""

    apps: tuple[str, ...] | None = None
    """Applications (``service.name``) with series of their own; others count as ``other``. Default: the first ones
    seen, up to ``max_apps``."""
    max_apps: Annotated[int, Field(ge=1, le=1000)] = 20
    """Applications with series of their own where ``apps`` is not given. Default 20."""
    environments: tuple[str, ...] | None = None
    """Deployment environments with series of their own. Default: the first ones seen, up to ``max_environments``."""
    max_environments: Annotated[int, Field(ge=1, le=100)] = 5
    """Environments with series of their own where ``environments`` is not given. Default 5."""
    models: tuple[str, ...] | None = None
    """Generator models with series of their own. Default: the first ones seen, up to ``max_models``."""
    max_models: Annotated[int, Field(ge=1, le=1000)] = 20
    """Models with series of their own where ``models`` is not given. Default 20."""
    max_scopes: Annotated[int, Field(ge=1, le=10_000)] = 200
    """Combinations of application, environment and language with series of their own, about 70 each. Beyond them the
    language becomes ``other``. Default 200."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The labels that quality sums are kept apart by."""

    app: str
    environment: str
    language: str


class LabelPolicy:
    """Turns what interactions carry into label values, for all metrics alike. Thread-safe."""

    def __init__(self, config: LabelsConfig) -> None:
        self._max_scopes = config.max_scopes
        self.app = LabelLimit(config.apps, config.max_apps)
        self.environment = LabelLimit(config.environments, config.max_environments)
        self.model = LabelLimit(config.models, config.max_models)
        self._scopes: set[Scope] = set()
        self._lock = threading.Lock()

    def scope(self, interaction: Interaction, language: str) -> Scope:
        """Return the labels of an interaction's sums."""
        app, environment = self.app(interaction.app), self.environment(interaction.environment)
        primary = language.partition("-")[0].lower()
        scope = Scope(app, environment, primary if primary in LANGUAGES else OTHER)
        with self._lock:
            if scope in self._scopes or len(self._scopes) < self._max_scopes:
                self._scopes.add(scope)
                return scope
        return Scope(app, environment, OTHER)
