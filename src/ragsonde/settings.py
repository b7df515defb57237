"""Everything that can be set, put together from the components' own configurations.

Values come from the command line, then the environment (``RAGSONDE__SECTION__FIELD``), then a YAML file, then the
defaults. Unknown keys are refused.
"""

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from ragsonde.collector.assembler import AssemblyConfig
from ragsonde.collector.config import Config
from ragsonde.collector.consumer import KafkaSourceConfig
from ragsonde.collector.dead_letter import DeadLetterConfig
from ragsonde.collector.decoder import DecoderConfig
from ragsonde.collector.embedded_log import EmbeddedLogConfig
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.kafka_connection import KafkaConfig
from ragsonde.collector.pipeline import PipelineConfig
from ragsonde.collector.producer import KafkaPublisherConfig
from ragsonde.collector.receiver import ReceiverConfig
from ragsonde.collector.resolver import ResolverConfig
from ragsonde.collector.sampler import SamplingConfig
from ragsonde.collector.source import TopicsConfig
from ragsonde.collector.yaml_file import read_yaml
from ragsonde.config_reference import sections
from ragsonde.environment import DELIMITER, PREFIX, EnvironmentSource, check_variables, variable_behind
from ragsonde.evaluation.config import EvaluationConfig
from ragsonde.exporters.jsonl import JsonlConfig
from ragsonde.exporters.kafka import ScoresTopicConfig
from ragsonde.exporters.labels import LabelsConfig
from ragsonde.exporters.lane import FanoutConfig
from ragsonde.exporters.otlp import OtlpEventsConfig
from ragsonde.exporters.status.recent import StatusConfig
from ragsonde.redaction import Redactor
from ragsonde.review.config import ReviewConfig
from ragsonde.scorers.catalog import ScoringConfig
from ragsonde.server import ServerConfig

_T = TypeVar("_T")


class KafkaSettings(Config):
    """Kafka as the transport. Without this section the embedded log is used."""

    connection: KafkaConfig
    """The cluster and how to talk to it."""
    source: KafkaSourceConfig = KafkaSourceConfig()
    """How records are read."""
    publisher: KafkaPublisherConfig = KafkaPublisherConfig()
    """How records are written: what the receiver takes, dead letters, scores."""


class RedactionSettings(Config):
    """What is taken out of texts before they are scored, stored or sent anywhere."""

    enabled: bool = True
    """Whether e-mail addresses, phone numbers, payment cards, IBANs, IP addresses and credentials are replaced by
    placeholders such as ``[EMAIL_1]``, the same for the same value within an interaction. Default yes."""
    patterns: Mapping[str, str] = Field(default_factory=dict)
    """Further patterns, name to regular expression; a match becomes ``[NAME_1]``."""
    regions: tuple[str, ...] | None = None
    """Countries (ISO 3166, such as ``PL``) whose national phone number formats are recognised; numbers with a country
    code always are. Default: eight countries with much RAG traffic; ``[]`` for none."""

    @field_validator("patterns")
    @classmethod
    def _can_be_used(cls, patterns: Mapping[str, str]) -> Mapping[str, str]:
        remedy = r"a name and a regular expression are expected, such as {member: 'M-[0-9]{6}'}; \( is a bracket"
        return _tried(patterns, lambda: Redactor(kinds=(), patterns=patterns), remedy)

    @field_validator("regions")
    @classmethod
    def _are_known(cls, regions: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return _tried(
            regions, lambda: Redactor(kinds=("phone",), regions=regions), "use ISO 3166 codes such as PL or US"
        )


def _tried(value: _T, make: Callable[[], object], remedy: str) -> _T:
    """Return a value with which something could be made; what is wrong with it else, without its field's name."""
    try:
        make()
    except ValueError as error:
        field, _, problem = str(error).partition(": ")
        raise ValueError(f"{problem or field}; {remedy}") from error
    return value


class ExporterSettings(Config):
    """Where scores go, beside Prometheus and the status page."""

    labels: LabelsConfig = LabelsConfig()
    """Which label values the metrics may have."""
    status: StatusConfig = StatusConfig()
    """What the status page remembers."""
    jsonl: JsonlConfig | None = None
    """Append scores to a file, one JSON line each. Default: no file."""
    scores_topic: ScoresTopicConfig | None = None
    """Publish scores to a topic. Default: no topic."""
    otlp_events: OtlpEventsConfig | None = None
    """Send scores as OpenTelemetry evaluation events over OTLP/HTTP. Default: none are sent."""
    fanout: FanoutConfig = FanoutConfig()
    """Queues and retries in front of the exporters."""


class Settings(BaseSettings):
    """The configuration of the sidecar."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter=DELIMITER,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        validate_default=True,
    )

    data_dir: Path = Path("ragsonde-data")
    """Directory for the embedded log and other files of this process. Default ``ragsonde-data``."""
    group_id: str = Field(default="ragsonde", min_length=1, max_length=249)
    """Consumer group; replicas with the same one share the partitions. Default ``ragsonde``."""
    topics: TopicsConfig = TopicsConfig()
    """Topics that hold OTLP."""
    kafka: KafkaSettings | None = None
    """Kafka as the transport. Default: the embedded log."""
    embedded_log: EmbeddedLogConfig = EmbeddedLogConfig()
    """The log that is used when no Kafka is configured."""
    server: ServerConfig = ServerConfig()
    """The HTTP port."""
    receiver: ReceiverConfig | None = ReceiverConfig()
    """The OTLP/HTTP receiver; ``null`` to take nothing over HTTP."""
    decoder: DecoderConfig = DecoderConfig()
    """Bounds on records."""
    dead_letter: DeadLetterConfig = DeadLetterConfig()
    """What happens to records that cannot be decoded."""
    assembly: AssemblyConfig = AssemblyConfig()
    """How traces are put together."""
    resolver: ResolverConfig | None = None
    """Where document texts are looked up when spans carry only ids. Default: nowhere."""
    redaction: RedactionSettings = RedactionSettings()
    """What is taken out of texts."""
    sampling: SamplingConfig = SamplingConfig()
    """Which interactions are scored."""
    pipeline: PipelineConfig = PipelineConfig()
    """How much is in flight."""
    scoring: ScoringConfig = ScoringConfig()
    """How interactions are scored."""
    exporters: ExporterSettings = ExporterSettings()
    """Where scores go."""
    review: ReviewConfig = ReviewConfig()
    """What people look at, and what they say of it."""
    evaluation: EvaluationConfig = EvaluationConfig()
    """How `ragsonde evaluate` judges a run."""

    @classmethod
    def settings_customise_sources(  # noqa: D102 - pydantic-settings' hook
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the hook's signature
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the hook's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the hook's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        if isinstance(init_settings, InitSettingsSource):
            # What is passed in is two layers, so that the environment lies between command line and file.
            command_line = init_settings.init_kwargs.pop("command_line", {})
            return InitSettingsSource(settings_cls, command_line), EnvironmentSource(settings_cls), init_settings
        return init_settings, EnvironmentSource(settings_cls)


def load(path: Path | None = None, command_line: Mapping[str, Any] | None = None) -> Settings:
    """Read the configuration.

    ``command_line`` holds nested values that win over everything else.

    Raises:
        ConfigError: a file cannot be read, a key is not known, or a value is wrong; each is named with its path.
    """
    values = _read_yaml(path) if path is not None else {}
    check_variables(Settings.model_fields)
    try:
        return Settings(**values | {"command_line": dict(command_line or {})})
    except ValidationError as error:
        origin = str(path) if path is not None else "the configuration"
        raise ConfigError(f"{origin} is not valid:\n{_problems(error)}") from error


def _read_yaml(path: Path) -> dict[str, Any]:
    values = read_yaml(path)
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: a mapping of sections is expected at the top, not {type(values).__name__}")
    return {str(key): value for key, value in values.items()}


def _problems(error: ValidationError) -> str:
    lines = []
    for item in error.errors(include_url=False):
        path = ".".join(str(part) for part in item["loc"]) or "(top level)"
        variable = variable_behind(item["loc"])
        where = "" if variable is None else f" (set by {variable}; lists and maps are written as JSON)"
        lines.append(f"  {path}: {_problem(item)}{where}")
    return "\n".join(lines)


def _problem(item: ErrorDetails) -> str:
    match item["type"]:
        case "extra_forbidden":
            return f"unknown key{_meant(item['loc'])}; `ragsonde print-config` shows all that there are"
        case "model_type" | "model_attributes_type" | "dict_type" if item["input"] is None:
            return "the section is empty: leave it out, or give it keys"
        case "model_type" | "model_attributes_type":
            return f"a section with keys is expected, not {type(item['input']).__name__}"
        case _:
            return item["msg"].removeprefix("Value error, ")


def _meant(path: tuple[int | str, ...]) -> str:
    above = ".".join(map(str, path[:-1]))
    names = [name for section, model in sections(Settings) if section == above for name in model.model_fields]
    close = difflib.get_close_matches(str(path[-1]), names, n=1)
    return f", perhaps {close[0]}?" if close else ""
