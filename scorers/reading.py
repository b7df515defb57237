"""An interaction as a reader sees it: sentences, claims, citations, abstention and language, found once, used by all."""

from dataclasses import dataclass
from functools import cached_property

from ragsonde.collector.model import Capture, Document, Interaction
from ragsonde.scorers.score import Reason


@dataclass(frozen=True)
class Sentence:
    """A stretch of a text; ``text == source[start:end]``."""

    text: str
    start: int
    end: int


class Reading:
    """An interaction with the parts that every scorer needs. Parts are computed at first use and kept."""

    def __init__(self, interaction: Interaction) -> None:
        self.interaction = interaction

    @cached_property
    def documents(self) -> tuple[Document, ...] | None:
        """Contexts in rank order that carry text; None where contexts were not captured; empty where none came."""
        contexts = self.interaction.contexts
        if contexts is None:
            return None
        with_text = tuple(document for document in contexts if document.text is not None)
        return with_text if with_text or not contexts else None

    def unscorable(self, *, needs_contexts: bool) -> Reason | None:
        """The reason for which nothing (or nothing that needs contexts) can be said; None where it can."""
        capture = self.interaction.capture
        if capture is Capture.CONTENT_NOT_CAPTURED:
            return Reason.CONTENT_NOT_CAPTURED
        if capture is Capture.INCOMPLETE or self.interaction.answer is None:
            return Reason.INCOMPLETE
        if needs_contexts and self.documents is None:
            return Reason.CONTEXTS_NOT_CAPTURED
        return None
