"""What can be set of the review store and its selection."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, model_validator

from ragsonde.collector.config import Config
from ragsonde.collector.errors import ConfigError
from ragsonde.collector.sampler import Probability

FILE_NAME = "review.sqlite3"
"""Of the embedded store, within the data directory."""

Unit = Annotated[float, Field(ge=0.0, le=1.0)]
DailyCap = Annotated[int, Field(ge=0, le=100_000)]
Days = Annotated[float, Field(gt=0.0, le=36_500.0)]


class PickCaps(Config):
    """How many interactions of one application each rule may pick in a day (UTC); 0 switches the rule off.

    Within a day the worst stay: a worse one takes the place of the least bad that nobody has looked at.
    """

    negative_feedback: DailyCap = 20
    """Interactions with the user's feedback below 0. Default 20."""
    judge_against_local: DailyCap = 20
    """Those where judge and local scorers differ most in faithfulness. Default 20."""
    judge_against_judge: DailyCap = 10
    """Those where the two judges differ most in faithfulness. Default 10."""
    low_score: DailyCap = 20
    """The lowest faithfulness. Default 20."""
    uncertain: DailyCap = 10
    """Those with the least certain claim. Default 10."""


class SelectionConfig(Config):
    """Which scored interactions people get to see."""

    random_share: Probability = 0.02
    """Share of the scored interactions that is drawn by chance, in (0, 1]; only these labels say something of all
    traffic. As much as reviewers can get through. Default 0.02."""
    double_share: Unit = 0.1
    """Share of the drawn ones that two people label, so that their agreement can be seen. Default 0.1."""
    caps: PickCaps = PickCaps()
    """How many more are picked because something looks wrong."""
    low_score_below: Unit = 0.5
    """A faithfulness below this is low. Default 0.5."""
    disagreement_from: Annotated[float, Field(gt=0.0, le=1.0)] = 0.5
    """From this difference in faithfulness on, two scorers disagree. Default 0.5."""
    uncertain_low: Unit = 0.4
    """Lower end of the uncertain band: a claim's probability of being supported. Default 0.4."""
    uncertain_high: Unit = 0.6
    """Upper end of the uncertain band. Default 0.6."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.uncertain_low > self.uncertain_high:
            raise ValueError("uncertain_low must not be above uncertain_high")
        return self


class ReviewConfig(Config):
    """The review store: what people look at, and what they say of it."""

    enabled: bool | None = None
    """Whether interactions are kept for review. Default: yes with the embedded log, and with Kafka where a database is
    named, since replicas must share one; else no."""
    database_url: SecretStr | None = None
    """SQLAlchemy address, such as ``postgresql://user:password@host/name``; masked. Default: the SQLite file
    ``review.sqlite3`` in ``data_dir``."""
    database_url_file: Path | None = None
    """File that holds the address, in place of ``database_url``; read at start."""
    timeout_seconds: Annotated[float, Field(gt=0.0, le=60.0)] = 10.0
    """Seconds that a connection, a lock or a statement may take. Up to 60; default 10."""
    required: bool = False
    """Whether offsets wait for this store. Default no: while it is away interactions are lost to it, and counted."""
    selection: SelectionConfig = SelectionConfig()
    """What comes into the queue."""
    hold_minutes: Annotated[float, Field(gt=0.0, le=1440.0)] = 15.0
    """Minutes for which an item that somebody has open is kept from others. Up to a day; default 15."""
    retention_days: Days = 30.0
    """Days after which interactions without a review are removed, counted from the answer; overview and rates look back
    no further. Default 30."""
    reviewed_retention_days: Days = 730.0
    """Days after which reviewed ones are removed. Default 730."""
    rate_window_days: Annotated[float, Field(gt=0.0, le=366.0)] = 7.0
    """Days that the corrected hallucination rate looks back. Up to 366; default 7."""
    rate_every_seconds: Annotated[float, Field(ge=1.0, le=86_400.0)] = 300.0
    """Seconds between two computations of that rate. Up to a day; default 300."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.database_url is not None and self.database_url_file is not None:
            raise ValueError("give database_url or database_url_file, not both")
        if self.reviewed_retention_days < self.retention_days:
            raise ValueError("reviewed_retention_days must not be below retention_days")
        if self.rate_window_days > self.retention_days:
            raise ValueError("rate_window_days must not be above retention_days: what is removed cannot be counted")
        return self

    def is_enabled(self, *, embedded: bool) -> bool:
        """Whether interactions are kept for review; ``embedded``: in a process that reads the embedded log, alone."""
        if self.enabled is not None:
            return self.enabled
        return embedded or self.database_url is not None or self.database_url_file is not None

    def address(self, data_dir: Path) -> str:
        """Return the database's address.

        Raises:
            ConfigError: the file with the address cannot be read or is empty.
        """
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        if self.database_url_file is None:
            return sqlite_address(data_dir)
        try:
            text = self.database_url_file.read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"review.database_url_file {self.database_url_file} cannot be read: {error}") from error
        if not text:
            raise ConfigError(f"review.database_url_file {self.database_url_file} is empty: put the address in it")
        return text


def sqlite_address(data_dir: Path) -> str:
    """Return the address of the embedded store in a data directory."""
    return f"sqlite:///{data_dir / FILE_NAME}"
