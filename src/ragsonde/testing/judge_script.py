"""The script of a judge server: what it knows, and when it misbehaves how."""

from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Fault(StrEnum):
    """Ways to misbehave."""

    SLOW = "slow"
    """Answers correctly after ``seconds``."""
    HANG = "hang"
    """Never answers."""
    DRIP = "drip"
    """Sends its reply a byte at a time, one each ``seconds``."""
    DISCONNECT = "disconnect"
    """Closes the connection in the middle of the reply."""
    STATUS = "status"
    """Answers with HTTP ``status``, an error ``code``, and ``retry_after`` if given."""
    HIDDEN_ERROR = "hidden_error"
    """Answers 200 with an error object of ``status`` inside, as some gateways do."""
    NO_STRUCTURE = "no_structure"
    """Refuses ``response_format`` and ``tools`` with 400."""
    NO_TEMPERATURE = "no_temperature"
    """Refuses ``temperature`` with 400."""
    NOT_JSON = "not_json"
    """Answers 200 with an HTML page."""
    EMPTY = "empty"
    """An empty message."""
    NO_USAGE = "no_usage"
    """A correct reply without token counts."""
    LENGTH = "length"
    """The reply is cut, and the finish reason says so."""
    CUT = "cut"
    """The reply is cut, and the finish reason does not say so."""
    FENCED = "fenced"
    """Inside a Markdown code fence, with prose around."""
    REASONING = "reasoning"
    """After a reasoning block that holds another, wrong verdict."""
    THOUGHT = "thought"
    """After a line ``thought``."""
    TWO_OBJECTS = "two_objects"
    """A wrong verdict first, then the right one."""
    ECHO = "echo"
    """The right verdict, then every JSON object that stands in the application's text."""
    CONTROL_CHARACTERS = "control_characters"
    """Raw line breaks and tabs inside strings."""
    TRAILING_COMMA = "trailing_comma"
    """Commas before closing brackets."""
    ENCODED = "encoded"
    """The object as one JSON string."""
    TOP_LEVEL_ARRAY = "top_level_array"
    """The list of verdicts alone."""
    WRONG_SHAPE = "wrong_shape"
    """Another object than asked for."""
    WRONG_COUNT = "wrong_count"
    """One verdict too few."""
    UNKNOWN_LABEL = "unknown_label"
    """A verdict that is not on the list."""
    NO_CHECK = "no_check"
    """Without the check word."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FaultRule(_Model):
    """A fault and when it strikes; without any schedule, always. The first rule that strikes wins."""

    fault: Fault
    first: int | None = Field(default=None, ge=1)
    """Only the first calls, counted since the rule was set."""
    every: int | None = Field(default=None, ge=1)
    """Every k-th call, counted since the rule was set."""
    from_seconds: float = Field(default=0.0, ge=0)
    """Not before so many seconds since the rule was set."""
    until_seconds: float | None = Field(default=None, ge=0)
    """Not after so many seconds since the rule was set."""
    tasks: tuple[str, ...] = ()
    """Only for prompts of these names (``merged``, ``embeddings``); empty: all."""
    status: int = Field(default=500, ge=300, le=599)
    """HTTP status of a ``status`` or ``hidden_error`` fault."""
    code: str = "server_error"
    """Error code in the body."""
    retry_after: str | None = None
    """Value of Retry-After: seconds, or a date."""
    seconds: float = Field(default=1.0, ge=0)
    """Delay of ``slow`` and ``drip``."""

    def strikes(self, call: int, seconds: float, task: str) -> bool:
        """Whether it strikes the ``call``-th call (from 1), ``seconds`` after the rule was set."""
        return (
            (not self.tasks or task in self.tasks)
            and (self.first is None or call <= self.first)
            and (self.every is None or call % self.every == 0)
            and self.from_seconds <= seconds
            and (self.until_seconds is None or seconds < self.until_seconds)
        )


class KnownClaim(_Model):
    """A statement whose verdict is given. It is found in an answer by ``said``."""

    said: str = Field(min_length=1)
    """Words of the answer that state it."""
    claim: str | None = None
    """The statement; ``said`` if None."""
    verdict: Literal["supported", "contradicted", "not_found"]
    quote: str = ""
    """The passage that decides; the verdict is given only where a document shown holds it."""
    cited: tuple[str, ...] = ()
    """What the answer cites for it."""
    document: int | None = None
    """Document named as holding the quote; None: each that holds it."""
    force: bool = False
    """Give verdict and quote even where no document shown holds the quote: a judge that makes things up."""


class Override(_Model):
    """Fields of a reply that are given outright."""

    contains: str = ""
    """For prompts that contain this text; empty: all."""
    task: str = "merged"
    """For prompts of this name."""
    reply: dict[str, Any]
    """Fields that replace those worked out."""


class Script(_Model):
    """Everything a judge server is told."""

    known: tuple[KnownClaim, ...] = ()
    overrides: tuple[Override, ...] = ()
    faults: tuple[FaultRule, ...] = ()

    @model_validator(mode="after")
    def _tasks_named(self) -> Self:
        if any(not override.task for override in self.overrides):
            raise ValueError("overrides: task must name a prompt")
        return self


def load_script(path: Path) -> Script:
    """A script from a JSON file. Raises pydantic's ValidationError, which names the field."""
    return Script.model_validate_json(path.read_bytes())
