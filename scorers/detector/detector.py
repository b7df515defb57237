"""How likely the contexts support each claim of an answer."""

from collections.abc import Sequence

from ragsonde.scorers.detector.features import AnswerFeatures, ClaimFeatures, vectors
from ragsonde.scorers.detector.trees import Model, shipped_model
from ragsonde.scorers.text.language import UNDETERMINED


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

    def validated_in(self, language: str) -> bool:
        """Whether probabilities were checked against human labels in a language (ISO 639; ``und`` counts as yes)."""
        return language == UNDETERMINED or language in self._model.languages

    def support(self, claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[float]:
        """The probability, 0 to 1, that the contexts support each claim, in the order given."""
        if not claims:
            return []
        forest = self._model.record if answer.has_record else self._model.prose
        return [1.0 - forest.unsupported(vector) for vector in vectors(claims, answer)]
