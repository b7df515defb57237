"""What is asked and what comes back, whichever API carries it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragsonde.scorers.judge.config import Structure


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """One question to a judge. ``turns`` are further (assistant, user) pairs: the repair of an unusable reply."""

    system: str
    user: str
    schema_name: str
    schema: Mapping[str, object]
    turns: tuple[tuple[str, str], ...] = ()
    output_scale: int = 1
    """Factor on the configured output limit."""

    def text(self) -> str:
        """All that is sent, for estimates of its length."""
        return "\n".join([self.system, self.user, *(part for turn in self.turns for part in turn)])

    def again(self, reply: str, request: str, *, output_scale: int = 1) -> "ChatPrompt":
        """The same question, asked again after ``reply``."""
        return replace(self, turns=(*self.turns, (reply, request)), output_scale=output_scale)


@dataclass(frozen=True, slots=True)
class Completion:
    """A judge's reply. Token counts are None where the server gives none."""

    text: str
    cut: bool
    """The server stopped at the output limit."""
    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Vectors, one for each text, in order."""

    vectors: tuple[tuple[float, ...], ...]
    input_tokens: int | None


@dataclass(frozen=True, slots=True)
class Dialect:
    """What this server has been found to accept; learnt from its refusals, once."""

    structure: Structure
    temperature: bool = True
    seed: bool = True
    output_limit: str = "max_tokens"
    """Name of the field for the output limit; newer OpenAI models want ``max_completion_tokens``."""
