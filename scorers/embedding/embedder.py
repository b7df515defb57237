"""The contract of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class TextKind(StrEnum):
    """What a text is to the search: retrieval models embed the two sides differently."""

    QUERY = "query"
    PASSAGE = "passage"


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is the cosine of their meanings.

    The same text and kind give the same vector whatever stands next to them in the call. No text is cut: what is
    longer than the model's window is embedded whole, in a way that the embedder documents. Calls may come from several
    threads at once.
    """

    @property
    def name(self) -> str:
        """The model's name; calibrations belong to it."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever the same text may give another vector."""
        ...

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> NDArray[np.float32]:
        """Embed texts: ``[len(texts), dimension]`` float32, each row of unit length, in the order given.

        Raises ConfigError where the model is not installed or cannot be prepared.
        """
        ...
