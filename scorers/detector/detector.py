"""How likely the contexts support each claim of an answer."""

from collections.abc import Sequence

from ragsonde.scorers.detector.features import AnswerFeatures, ClaimFeatures, vectors
from ragsonde.scorers.detector.trees import Model, shipped_model


class Detector:
    """Rates claims by their features alone: no text is looked at again, no library is needed. MODEL_CARD.md says more.

    Holds nothing that changes, so calls may come from several threads.
    """

    def __init__(self, model: Model | None = None) -> None:
        self._model = model or shipped_model()

    @property
    def version(self) -> str:
        """Changes with the fitted weights."""
        return self._model.version

    def support(self, claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[float]:
        """The probability, 0 to 1, that the contexts support each claim, in the order given."""
        if not claims:
            return []
        return [1.0 - self._model.unsupported(vector) for vector in vectors(claims, answer)]
