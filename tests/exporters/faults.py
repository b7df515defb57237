"""Answers with faults, as the real scorer sees them, and what a page shows of an answer."""

from html.parser import HTMLParser

from ragsonde.collector.clock import Deadline
from ragsonde.collector.model import SamplingDecision
from ragsonde.scorers.faithfulness import FaithfulnessScorer
from ragsonde.scorers.reading import Reading
from ragsonde.scorers.score import Claim, Diagnosis, DiagnosisLabel, MetricKey, Scored, ScoredInteraction
from tests.builders import interaction

BRIDGE = (
    "The Marlow Bridge was opened in 1832 after three years of work. William Tierney Clark designed it. "
    "The bridge carries a weight limit of 3 tonnes, and was closed for repairs in 2016."
)
INVENTED = (
    "The Marlow Bridge was designed by William Tierney Clark [1], while velvet giraffes from Portuguese monasteries "
    "sang noisy ballads to sailors & guests at its lavish inauguration ball. The bridge carries a weight limit of 3 "
    "tonnes [1]."
)


def really_scored(id_: str, answer: str, *contexts: str, seconds: float) -> ScoredInteraction:
    """An answer given at that time, as the local faithfulness scorer sees it."""
    given = interaction(
        id=id_, question="Who designed it?", contexts=contexts, answer=answer, end_ns=int(seconds * 1e9), app="bridges"
    )
    (found,) = FaithfulnessScorer().score([Reading(given)], Deadline(30))
    diagnosis = Diagnosis(DiagnosisLabel.GENERATION_UNFAITHFUL, "faithfulness 0.50 lies below 0.80")
    decision = SamplingDecision(kept=True, probability=1.0)
    return ScoredInteraction(
        given, decision, found, diagnosis, answered=True, refusal=False, language="en", scored_at=seconds
    )


def claims_of(scored: ScoredInteraction) -> tuple[Claim, ...]:
    outcome = scored.scores[MetricKey.FAITHFULNESS]
    assert isinstance(outcome, Scored)
    return outcome.claims


def words_at_fault(scored: ScoredInteraction) -> list[str]:
    """As the record has them."""
    answer = scored.interaction.answer or ""
    return [answer[start:end] for claim in claims_of(scored) for start, end in claim.stretches or ()]


class ShownAnswer(HTMLParser):
    """The answer on a page: all that stands in it but for the page's own words, and what is marked as at fault."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.faults: list[str] = []
        self.said = ""
        """With the page's own words."""
        self._open: list[tuple[str, str]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kind = dict(attrs).get("class") or ""
        if self._open or (tag == "div" and kind == "answer"):
            self._open.append((tag, kind))
            if kind == "fault":
                self.faults.append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self.said += data
            if "bdi" not in {tag for tag, _ in self._open}:
                self.text += data
                if "fault" in {kind for _, kind in self._open}:
                    self.faults[-1] += data
