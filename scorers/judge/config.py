"""What an operator can set about the judge."""

from enum import StrEnum
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from ragsonde.collector.config import Config


class Api(StrEnum):
    """The two wire formats."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class Structure(StrEnum):
    """How the reply's shape is asked for, from the strictest to none."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool"
    JSON_OBJECT = "json_object"
    NONE = "none"


class JudgeMode(StrEnum):
    """How many calls an interaction takes."""

    MERGED = "merged"
    DECOMPOSED = "decomposed"


class TimeoutConfig(Config):
    """How long a judge may take."""

    connect_seconds: float = Field(default=5.0, gt=0, le=60)
    """Seconds to open the connection."""
    read_seconds: float = Field(default=60.0, gt=0, le=600)
    """Seconds of silence on an open connection."""
    total_seconds: float = Field(default=120.0, gt=0, le=1800)
    """Hard limit in seconds for one question to the judge, with waiting, retries and the repair."""


class RetryConfig(Config):
    """Retries on 408, 409, 429, 5xx and transport errors; they never outlast the deadline."""

    max_attempts: int = Field(default=4, ge=1, le=20)
    """Attempts in all, the first included."""
    initial_seconds: float = Field(default=0.5, gt=0, le=60)
    """Mean wait before the second attempt; it doubles with each one, with full jitter."""
    max_seconds: float = Field(default=30.0, gt=0, le=600)
    """Longest wait between two attempts, unless the server's Retry-After asks for more."""


class BreakerConfig(Config):
    """When to stop asking."""

    failures: int = Field(default=5, ge=1, le=1000)
    """Questions in a row that end without any reply before the breaker opens; a refusal that retrying
    cannot mend (401, 402, 403, 404, no quota, unknown model) opens it at once."""
    cooldown_seconds: float = Field(default=30.0, gt=0, le=86_400)
    """Seconds before one call may probe whether the judge is back."""


class ConcurrencyConfig(Config):
    """Calls in flight; halved when the judge is overloaded, raised by one per round of successes."""

    initial: int = Field(default=4, ge=1, le=512)
    """Calls in flight at the start."""
    maximum: int = Field(default=16, ge=1, le=512)
    """Most calls in flight."""


class BudgetStoreConfig(Config):
    """A database through which several processes keep one budget."""

    url: SecretStr | None = None
    """SQLAlchemy address, masked: ``sqlite:////data/budget.db`` for processes on one machine (no network file system),
    ``postgresql://user@host/db`` for replicas (needs the extra ``postgres``). Prefer ``url_env`` where it holds a
    password."""
    url_env: str | None = None
    """Environment variable that holds the address."""
    account: str | None = Field(default=None, min_length=1, max_length=200)
    """Name of the budget: those with the same one in the same database share what is spent. None: the model's name."""
    timeout_seconds: float = Field(default=5.0, ge=0.1, le=60)
    """Seconds that the database may take. A call that cannot be checked by then is not made. Default 5."""
    keep_days: int = Field(default=90, ge=2, le=3650)
    """Days that daily totals are kept for. Default 90."""

    @model_validator(mode="after")
    def _has_one_address(self) -> Self:
        if (self.url is None) == (self.url_env is None):
            raise ValueError("give either url or url_env")
        return self


class DailyBudgetConfig(Config):
    """Limits per UTC day; None sets none."""

    calls: int | None = Field(default=None, ge=0)
    """Calls."""
    tokens: int | None = Field(default=None, ge=0)
    """Input and output tokens together."""
    money: float | None = Field(default=None, ge=0)
    """Money, in the price's currency. Needs a known price."""
    store: BudgetStoreConfig | None = None
    """Where what was spent is kept. None: in memory, so that each process has a budget of its own, and a new one after
    a restart."""


class PriceConfig(Config):
    """What the model costs. An unknown price is said to be unknown, never guessed."""

    input_per_million: float = Field(ge=0)
    """Price of a million input tokens."""
    output_per_million: float = Field(ge=0)
    """Price of a million output tokens."""


class CacheConfig(Config):
    """Where results are kept, so that the same content is judged once."""

    max_entries: int = Field(default=10_000, ge=0, le=10_000_000)
    """Results kept, the least recently used go first; 0 switches the cache off."""
    path: Path | None = None
    """SQLite file for results that outlive the process. None keeps them in memory. The file holds what judges
    said about answers, so guard it like the answers."""
    max_age_seconds: float = Field(default=7 * 86_400.0, gt=0)
    """Seconds after which a result is judged anew."""


class EndpointConfig(Config):
    """How an endpoint is told who asks."""

    api_key: SecretStr | None = None
    """The key itself. Prefer ``api_key_env`` or ``api_key_file``."""
    api_key_env: str | None = None
    """Environment variable that holds the key."""
    api_key_file: Path | None = None
    """File that holds the key; read at start, surrounding white space dropped."""
    auth_header: Literal["authorization", "api-key", "x-api-key"] | None = None
    """Header that carries the key. None: ``authorization: Bearer`` for openai, ``x-api-key`` for anthropic.
    Azure wants ``api-key``."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """Further request headers; their values are masked like keys."""
    query: dict[str, str] = Field(default_factory=dict)
    """Query parameters, such as Azure's ``api-version``. Not a place for secrets."""

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        keys = [name for name in ("api_key", "api_key_env", "api_key_file") if getattr(self, name) is not None]
        if len(keys) > 1:
            raise ValueError(f"set only one of {', '.join(keys)}")
        return self


class EmbeddingConfig(EndpointConfig):
    """The embeddings endpoint, for answer relevance and answer correctness in the decomposed mode.

    With a ``base_url`` of its own it also has a key of its own: the judge's key goes to the judge alone.
    """

    model: str = Field(min_length=1)
    """Embedding model."""
    base_url: str | None = Field(default=None, pattern=r"^https?://")
    """Root of the endpoint, without ``/embeddings``; None takes the judge's own, key included."""
    price_per_million: float | None = Field(default=None, ge=0)
    """Price of a million tokens; None where it is not known."""


class JudgeConfig(EndpointConfig):
    """The judge: which model, where, how it is asked and what it may cost."""

    model: str = Field(min_length=1)
    """Model (for Azure's older form, the deployment) that judges."""
    api: Api = Api.OPENAI
    """Wire format: ``openai`` (any compatible server) or ``anthropic`` (Messages API)."""
    base_url: str = Field(pattern=r"^https?://")
    """Root of the endpoint, without ``/chat/completions`` or ``/messages``."""
    mode: JudgeMode = JudgeMode.MERGED
    """``merged``: one call per interaction. ``decomposed``: the published multi-call definitions, at several times
    the cost."""
    structure: Structure | Literal["auto"] = "auto"
    """How the reply's shape is enforced. ``auto`` starts with the strictest that the API knows and steps down for
    good at the first refusal."""
    prompts: tuple[Path, ...] = ()
    """Files with prompts of your own that stand in for shipped ones of the same name (TOML, as in
    ``scorers/rubrics``); one that names a ``language`` (ISO 639) is used for answers in it only. Default: none."""
    temperature: float | None = Field(default=0.0, ge=0, le=2)
    """Sampling temperature; None leaves it out, for models that refuse it."""
    seed: int | None = None
    """Sampling seed, where the server knows one."""
    max_output_tokens: int = Field(default=4096, ge=16, le=200_000)
    """Output tokens per call."""
    context_window_tokens: int = Field(default=32_000, ge=512)
    """Window of the model, in tokens. Longer contexts are judged in several windows, each with the whole answer."""
    max_windows: int = Field(default=8, ge=1, le=1000)
    """Most windows for one interaction; more gives failed(context_overflow)."""
    token_scale: float = Field(default=1.0, gt=0, le=10)
    """Factor on the estimated number of tokens: the estimate is cautious, lower it where you know your tokenizer."""
    questions: int = Field(default=3, ge=1, le=10)
    """Questions regenerated from the answer in the decomposed mode."""
    max_reply_bytes: int = Field(default=4_194_304, ge=1024)
    """Longest HTTP reply that is read, in bytes."""
    timeouts: TimeoutConfig = TimeoutConfig()
    """Timeouts."""
    retries: RetryConfig = RetryConfig()
    """Retries."""
    breaker: BreakerConfig = BreakerConfig()
    """Circuit breaker."""
    concurrency: ConcurrencyConfig = ConcurrencyConfig()
    """Concurrency."""
    budget: DailyBudgetConfig = DailyBudgetConfig()
    """Daily budget."""
    price: PriceConfig | None = None
    """Price; None looks the model up in the built-in table, which dates from the day it names."""
    cache: CacheConfig = CacheConfig()
    """Result cache."""
    embeddings: EmbeddingConfig | None = None
    """Embeddings endpoint."""

    @field_validator("base_url")
    @classmethod
    def _without_trailing_slash(cls, value: str) -> str:
        return value.rstrip("/")

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.api is Api.ANTHROPIC and self.embeddings is not None and self.embeddings.base_url is None:
            raise ValueError("embeddings.base_url is needed: the anthropic API has no embeddings")
        allowed = {
            Api.OPENAI: {Structure.JSON_SCHEMA, Structure.JSON_OBJECT, Structure.NONE},
            Api.ANTHROPIC: {Structure.TOOL, Structure.NONE},
        }[self.api]
        if self.structure != "auto" and self.structure not in allowed:
            raise ValueError(f"structure {self.structure} is not known to the {self.api} API: use auto")
        if self.max_output_tokens >= self.context_window_tokens:
            raise ValueError("max_output_tokens must be smaller than context_window_tokens")
        if self.concurrency.initial > self.concurrency.maximum:
            raise ValueError("concurrency.initial must not exceed concurrency.maximum")
        return self
