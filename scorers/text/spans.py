"""Stretches of a text. Offsets are character offsets into the source, so that every finding can be shown in place."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sentence:
    """A stretch of a text; ``text == source[start:end]``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """One factual statement of an answer; ``text == answer[start:end]``."""

    text: str
    start: int
    end: int
    plain: str
    """The text without citation markers, Markdown marks and surrounding white space; a table row with its headers."""


@dataclass(frozen=True, slots=True)
class Abstention:
    """Whether an answer abstains, wholly or in part."""

    refusal: bool
    """The answer says that it cannot answer, or that the sources do not hold it, wholly or in part."""
    answered: bool
    """The answer (also) states something: it holds at least one factual statement."""
    cue: Sentence | None = None
    """The first sentence (or clause) that abstains; None without a refusal."""

    @property
    def partial(self) -> bool:
        """Refusal and answer in one: what is stated is scored, the refusal is flagged."""
        return self.refusal and self.answered

    @property
    def pure(self) -> bool:
        """Nothing but a refusal."""
        return self.refusal and not self.answered
