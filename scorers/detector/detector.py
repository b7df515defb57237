"""How likely the contexts support each claim of an answer."""

from collections.abc import Sequence

from ragsonde.scorers.detector.features import AnswerFeatures, ClaimFeatures
from ragsonde.scorers.detector.model import Model, Rating, shipped_model
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

    def rate(self, claims: Sequence[ClaimFeatures], answer: AnswerFeatures) -> list[Rating]:
        """How likely the contexts support each claim, in the order given."""
        if not claims:
            return []
        model = self._model.record if answer.has_record else self._model.prose
        return model.ratings(claims, answer)
