"""How well one document supports one statement: what a citation is checked with."""

from ragsonde.scorers.faithfulness.alignment import Evidence
from ragsonde.scorers.faithfulness.analysis import AnalysisCache
from ragsonde.scorers.faithfulness.verdicts import ClaimCheck
from ragsonde.scorers.text.segmentation import split_sentences


class Support:
    """Says how likely a document supports a statement; at least 0.5 means that it does. Also callable."""

    version = "1"

    def __init__(self, *, cache: AnalysisCache | None = None) -> None:
        self._cache = cache if cache is not None else AnalysisCache()

    def __call__(self, statement: str, document: str) -> float:
        """Return ``support``."""
        return self.support(statement, document)

    def support(self, statement: str, document: str) -> float:
        """Judge a statement without citation markers against the whole text of a document; 0.0 for an empty one."""
        if not document.strip() or not statement.strip():
            return 0.0
        analysed = self._cache.analysed(document, lambda: split_sentences(document))
        return ClaimCheck(Evidence([analysed])).judge(statement).probability
