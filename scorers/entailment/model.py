"""The contract of a model for entailment."""

from typing import Protocol


class EntailmentModel(Protocol):
    """Says how likely a premise entails a claim (natural language inference; Dagan et al., 2006).

    The same pair gives the same answer whatever was asked before. Calls may come from several threads at once.
    """

    @property
    def version(self) -> str:
        """Changes whenever the same pair may get another answer."""
        ...

    @property
    def digest(self) -> str:
        """sha256 of all that answers depend on: a calibration belongs to it."""
        ...

    def tokens(self, text: str) -> int:
        """Length of a text as the model counts it; of two texts at least the longer one's, at most both together."""
        ...

    def room(self, claim: str) -> int:
        """Tokens of premise that fit beside a claim; 0 or less where the claim alone fills the model's window."""
        ...

    def log_odds(self, premise: str, claim: str) -> float:
        """Natural log odds, finite, that the premise entails the claim; uncalibrated.

        Of a premise longer than ``room`` only the beginning is read. Not to be asked of a claim without room.
        """
        ...
