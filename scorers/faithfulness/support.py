"""How well one document supports one statement: what a citation is checked with."""

from ragsonde.scorers.detector import Detector
from ragsonde.scorers.entailment import Entailment
from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck, version_of
from ragsonde.scorers.score import Verdict
from ragsonde.scorers.text.language import UNDETERMINED, detect_language
from ragsonde.scorers.text.segmentation import split_sentences

_SUPPORTED, _NOT_SUPPORTED = 0.5, 0.499
"""The least probability of a statement whose verdict is that it is supported, and what is left of the probability of
another, so that 0.5 parts them."""


class Support:
    """Says how likely a document supports a statement; at least 0.5 means that it does."""

    def __init__(self, *, cache: AnalysisCache | None = None, entailment: Entailment | None = None) -> None:
        self._cache = cache if cache is not None else AnalysisCache()
        self._detector = Detector()
        self._entailment = entailment

    @property
    def version(self) -> str:
        """The rules of the verdicts, and the models behind the probabilities."""
        return version_of(self._detector, self._entailment)

    def support(self, statement: str, document: str) -> float | None:
        """Judge a statement without citation markers against the whole text of a document; 0.0 for an empty one.

        None where the document is in another language and nothing in the statement can be held to it.
        """
        if not document.strip() or not statement.strip():
            return 0.0
        analysed = self._cache.analysed(document, lambda: split_sentences(document))
        # A short statement shows its language less surely than its document, which mostly shares it.
        language = detect_language(statement)
        language = detect_language(document) if language == UNDETERMINED else language
        check = ClaimCheck(
            Evidence([analysed]), language=language, detector=self._detector, entailment=self._entailment
        )
        judged = check.judge(statement)
        if not judged.compared:
            return None
        if judged.verdict is Verdict.SUPPORTED:
            return max(_SUPPORTED, judged.probability)
        return _NOT_SUPPORTED * judged.probability
