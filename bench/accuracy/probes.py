"""Parts of the product that are no scorers by themselves, made measurable as such."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bench.accuracy.data import CITED
from ragsonde.collector.clock import Deadline
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import MetricKey, NotApplicable, Outcome, Reason, Scored

SUPPORT = "local_support"


@dataclass(frozen=True, slots=True)
class SupportProbe:
    """The probability of support itself, which citation scores only report as yes or no.

    Judges the whole claim against all cited documents taken together.
    """

    support: Callable[[str, str], float | None]
    name: str = SUPPORT
    version: str = "1"
    keys: tuple[MetricKey, ...] = (MetricKey.CITATION_ACCURACY,)

    def score(self, readings: Sequence[Reading], deadline: Deadline) -> list[Mapping[MetricKey, Outcome]]:  # noqa: ARG002
        """Score a batch."""
        return [{MetricKey.CITATION_ACCURACY: self._score(reading)} for reading in readings]

    def _score(self, reading: Reading) -> Outcome:
        if not reading.documents:
            return NotApplicable(Reason.CONTEXTS_NOT_CAPTURED)
        document = "\n\n".join(document.text or "" for document in reading.documents)
        support = self.support(reading.answer.replace(CITED, ""), document)
        return NotApplicable(Reason.OTHER_LANGUAGE) if support is None else Scored(support)
