"""Names, places and whatever else Microsoft Presidio recognises, as a detector for `Redactor`."""

from collections.abc import Iterator, Sequence
from typing import Any

from ragsonde.redaction.finding import Finding, RedactionUnavailableError


class PresidioDetector:
    """Finds what a Presidio ``AnalyzerEngine`` finds. Presidio and its language models are large: measure first.

    Args:
        language: the language of the texts, for which the engine must have a model.
        entities: Presidio's names of the kinds to find, e.g. ``("PERSON",)``; default: all that it knows.
        least_score: findings below this confidence, 0 to 1, are left alone.
        engine: an ``AnalyzerEngine`` of your own; default: a new one.

    Raises:
        RedactionUnavailableError: ``engine`` is not given and presidio-analyzer is not installed.
    """

    def __init__(
        self,
        language: str,
        *,
        entities: Sequence[str] | None = None,
        least_score: float = 0.5,
        engine: Any = None,
    ) -> None:
        self._language = language
        self._entities = None if entities is None else list(entities)
        self._least_score = least_score
        self._engine = engine if engine is not None else _new_engine()

    def __call__(self, text: str) -> Iterator[Finding]:
        """Yield Presidio's findings, labelled with its names of the kinds."""
        results = self._engine.analyze(
            text=text, language=self._language, entities=self._entities, score_threshold=self._least_score
        )
        for result in results:
            yield Finding(result.start, result.end, result.entity_type)


def _new_engine() -> Any:
    try:
        from presidio_analyzer import AnalyzerEngine  # noqa: PLC0415 - large, and only for those who ask
    except ImportError as error:
        raise RedactionUnavailableError("Presidio is not installed: pip install 'ragsonde[presidio]'") from error
    return AnalyzerEngine()
