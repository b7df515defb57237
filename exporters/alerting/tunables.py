"""What an operator sets about alerts: objectives, windows, and how much evidence an alert needs."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.yaml_file import read_yaml
from ragsonde.scorers.score import MetricKey

Ratio = Annotated[float, Field(ge=0.0, le=1.0)]
Duration = Annotated[str, Field(pattern=r"^[1-9]\d*[smhdw]$")]
Window = Annotated[str, Field(pattern=r"^[1-9]\d*[mhd]$")]
AppName = Annotated[str, Field(pattern=r"^[\w.+:/@ -]+$")]
"""What the label ``app`` lets pass as a name."""
ScorerName = Annotated[str, Field(pattern=r"^\w+$")]


class Floors(Config):
    """Least mean scores; null for those that are only held against the application's own past."""

    answer_relevance: Ratio | None = None
    """Mean answer relevance below which an application is called off topic."""
    context_relevance: Ratio | None = None
    """Mean context relevance below which retrieval is called bad. It depends on how long the passages are."""
    context_precision: Ratio | None = None
    """Mean context precision below which retrieval is called bad."""
    citation_accuracy: Ratio | None = None
    """Mean citation accuracy below which citations are called broken."""
    citation_presence: Ratio | None = None
    """Mean citation presence below which citations are called broken; only for applications that cite."""


class Objectives(Config):
    """What an application promises. Null, in the section of an application, takes the default's value."""

    hallucination_ratio: Ratio | None = None
    """Largest acceptable share of answers with a claim that the contexts do not support, as the scorer measures it."""
    contradicted_claims_ratio: Ratio | None = None
    """Largest acceptable share of claims that the contexts contradict."""
    retrieval_fault_ratio: Ratio | None = None
    """Largest acceptable share of diagnosed interactions whose fault lies with retrieval."""
    unjustified_refusal_ratio: Ratio | None = None
    """Largest acceptable share of diagnosed interactions that refuse although the contexts hold the answer."""
    floors: Floors = Floors()
    """Least mean scores."""


class DefaultObjectives(Objectives):
    """What every application promises that has no objectives of its own."""

    hallucination_ratio: Ratio = 0.1
    """Largest acceptable share of answers with a claim that the contexts do not support, as the scorer measures it.
    Default 0.1."""
    contradicted_claims_ratio: Ratio = 0.05
    """Largest acceptable share of claims that the contexts contradict. Default 0.05."""
    retrieval_fault_ratio: Ratio = 0.25
    """Largest acceptable share of diagnosed interactions whose fault lies with retrieval. Default 0.25."""
    unjustified_refusal_ratio: Ratio = 0.1
    """Largest acceptable share of diagnosed interactions that refuse although the contexts hold the answer.
    Default 0.1."""


class Speed(Config):
    """Windows that give the evidence, and a short one that says whether it is over."""

    windows: Annotated[tuple[Window, ...], Field(min_length=1)]
    """Windows that the confidence bound is taken over, from short to long: any of them may prove the case. With much
    traffic the short ones do so within minutes; with little traffic they hold too few answers and stay silent."""
    short_window: Window
    """The alert ends as soon as this window is back within the objective, given enough evidence."""
    factor: Annotated[float, Field(ge=1.0, le=100.0)]
    """How many times the objective the bound must reach."""
    rise_factor: Annotated[float, Field(ge=1.0, le=100.0)]
    """How many times the application's own past rate the bound must reach."""
    min_size: Annotated[float, Field(ge=1.0)]
    """Least effective sample size in a window. Bounds of a handful of answers are wide, yet two bad answers out of
    three do prove more than 10 %: this is what keeps them from paging anybody."""
    min_short_size: Annotated[float, Field(ge=1.0)] = 20
    """Least effective sample size in the short window for it to end the alert. Default 20."""
    hold: Duration
    """How long the condition must last before the alert fires (Prometheus' ``for``)."""
    keep: Duration
    """How long the alert goes on after the condition has ended, so that it does not flap."""

    @property
    def window(self) -> str:
        """The longest window."""
        return self.windows[-1]


class Baseline(Config):
    """The application's own past, as a yardstick beside the objective."""

    window: Window = "1d"
    """How much of the past, up to where the alert's own window begins. Default a day."""
    min_size: Annotated[float, Field(ge=1.0)] = 100
    """Least effective sample size of the past. Default 100."""
    drop_factor: Annotated[float, Field(gt=0.0, le=1.0)] = 0.85
    """To which part of the past a good score's upper bound must fall. Default 0.85."""


class Pipeline(Config):
    """The sidecar's own alerts."""

    min_coverage: Ratio = 0.5
    """Least share of eligible interactions with a score; below it nobody can say how good the answers are.
    Default 0.5."""
    coverage_metrics: Annotated[tuple[MetricKey, ...], Field(min_length=1)] = (
        MetricKey.FAITHFULNESS,
        MetricKey.ANSWER_RELEVANCE,
        MetricKey.CONTEXT_RELEVANCE,
    )
    """Metrics whose coverage is watched. Default faithfulness, answer relevance, context relevance."""
    max_judge_failures: Ratio = 0.5
    """Share of judge calls that may fail. Default 0.5."""
    min_judge_calls: Annotated[int, Field(ge=1)] = 5
    """Failed judge calls in a quarter of an hour below which their share says nothing. Default 5."""
    budget_warning: Ratio = 0.8
    """Share of the judge's daily budget at which to warn. Default 0.8."""
    max_lag_records: Annotated[int, Field(ge=1)] = 1000
    """Records behind the end of a topic that are no cause for alarm, even while they grow. Default 1000."""
    max_watermark_lag_records: Annotated[int, Field(ge=1)] = 20_000
    """Records read but not committed in one partition: what a crash would read again. Default 20000."""
    max_dead_letter_ratio: Ratio = 0.01
    """Share of records that may be undecodable. Default 0.01."""
    min_dead_letters: Annotated[int, Field(ge=1)] = 3
    """Undecodable records in a quarter of an hour that are no cause for alarm by themselves: fewer never fire.
    Default 3."""
    max_paused_ratio: Ratio = 0.5
    """Share of the time that back-pressure may pause consumption. Default 0.5."""
    max_export_failures: Ratio = 0.5
    """Share of export attempts that may fail. Default 0.5."""
    min_expected_interactions: Annotated[int, Field(ge=1)] = 20
    """Interactions in the same hour of yesterday, and of last week where that is known, from which on none at all is
    called a silence. Default 20."""


class Review(Config):
    """When a scorer is said to disagree with people."""

    scorers: Annotated[tuple[ScorerName, ...], Field(min_length=1)] = ("judge", "second_judge")
    """Scorers that are held against people. Default the judges: the local scorers are known to agree less, and their
    rate is corrected by the same labels."""
    min_agreement: Annotated[float, Field(gt=0.0, le=1.0)] = 0.4
    """Least Cohen's kappa between a scorer's verdicts on answers and people's. Default 0.4, where moderate agreement
    begins (Landis and Koch, 1977)."""
    min_labelled: Annotated[int, Field(ge=2)] = 50
    """Labelled interactions of an application from which on its kappa says anything. Default 50."""


class Tunables(Config):
    """Everything that can be set about rules and alerts."""

    job: Annotated[str, Field(pattern=r"^[\w./:-]+$")] = "ragsonde"
    """The name of the Prometheus job that scrapes Ragsonde. Default ``ragsonde``."""
    runbooks: str = "deploy/runbooks"
    """Where the runbooks are: the URL, without a slash at its end, under which you publish ``deploy/runbooks``.
    Default: their place in the source tree."""
    windows: Annotated[tuple[Window, ...], Field(min_length=1)] = ("5m", "30m", "1h", "6h", "1d")
    """Windows that rates, sizes and bounds are recorded over."""
    fast: Speed = Speed(
        windows=("5m", "30m", "1h"), short_window="5m", factor=2.0, rise_factor=3.0, min_size=20, hold="2m", keep="10m"
    )
    """Fast alerts: much too bad, soon."""
    slow: Speed = Speed(
        windows=("6h",), short_window="30m", factor=1.0, rise_factor=2.0, min_size=30, hold="15m", keep="30m"
    )
    """Slow alerts: somewhat too bad, for hours."""
    daily: Speed = Speed(
        windows=("1d",), short_window="6h", factor=1.0, rise_factor=2.0, min_size=20, hold="30m", keep="1h"
    )
    """What is left for applications with few answers a day."""
    baseline: Baseline = Baseline()
    """The application's own past."""
    objectives: DefaultObjectives = DefaultObjectives()
    """What applications promise."""
    apps: dict[AppName, Objectives] = Field(default_factory=dict)
    """Objectives of single applications, by the label ``app``; what is not given is taken from ``objectives``."""
    review: Review = Review()
    """When a scorer is said to disagree with people."""
    pipeline: Pipeline = Pipeline()
    """The sidecar's own alerts."""

    def _speeds(self) -> dict[str, Speed]:
        return {"fast": self.fast, "slow": self.slow, "daily": self.daily}

    @model_validator(mode="after")
    def _recorded(self) -> Self:
        wanted = {"baseline.window": self.baseline.window}
        for name, speed in self._speeds().items():
            wanted |= {f"{name}.short_window": speed.short_window}
            wanted |= {f"{name}.windows.{index}": window for index, window in enumerate(speed.windows)}
        for field, window in wanted.items():
            if window not in self.windows:
                raise ValueError(f"{field} is {window}, which is not among windows ({', '.join(self.windows)}): add it")
        if len(set(self.windows)) != len(self.windows):
            raise ValueError("windows must be distinct")
        return self

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        factor = max(speed.factor for speed in self._speeds().values())
        for name, objectives in {"objectives": self.objectives, **self.apps}.items():
            for field in DefaultObjectives.model_fields:
                value = getattr(objectives, field)
                if isinstance(value, float) and factor * value >= 1.0:
                    raise ValueError(
                        f"{name}.{field} is {value:g}, and alerts fire at up to {factor:g} times as much: no share "
                        "can reach that; lower the objective or the factor"
                    )
        return self


def load(path: Path) -> Tunables:
    """Read a file of tunables.

    Raises:
        ConfigError: the file cannot be read, a key is not known or a value is wrong; each is named with its path.
    """
    values = read_yaml(path)
    try:
        return Tunables.model_validate({} if values is None else values)
    except ValidationError as error:
        problems = [
            f"  {'.'.join(map(str, item['loc'])) or '(top level)'}: {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigError("\n".join([f"{path} is not valid:", *problems])) from error
