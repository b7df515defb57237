"""The field cases as data: each section of a file is one promise, each entry of it one input that must keep it."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from ragsonde.collector.clock import Deadline, SystemClock
from ragsonde.collector.model import Document
from ragsonde.scorers.catalog import ScoringConfig, build_scorers
from ragsonde.scorers.score import NotApplicable, Outcome, Reason, Scored, ScoredInteraction, Verdict
from ragsonde.scorers.scoring import ScorerSet, ScoringRequest
from tests.builders import interaction

DATA = Path(__file__).parent / "data"


class Case(BaseModel):
    """One input. ``case_07`` alone names the case as it was reported, ``case_07-pl-fee`` a neighbour of its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: str = "What do the documents say?"
    contexts: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    """Ids of the contexts; ``doc-1``, ``doc-2``, … where not given."""
    answer: str = ""
    verdicts: tuple[str, ...] = ()
    """The verdict of each claim, in order; ``unsupported`` is any but supported."""
    value: float | None = None
    """Expected value of the metric that the promise is about."""
    words: tuple[str, ...] = ()
    """What a reason must name."""
    cited: tuple[str, ...] = ()
    """The document of each citation, in order; empty for one that was not retrieved."""
    padding: str = ""
    """Text that has nothing to do with the rest, to be repeated."""
    quote: str = ""
    """A quote to look for in the contexts."""
    expected: str | None = None
    """An expected label."""

    xfail: str | None = None
    """Why it does not hold yet, in plain words."""

    def documents(self) -> tuple[Document, ...]:
        """The contexts as retrieved documents."""
        names = self.ids or tuple(f"doc-{rank}" for rank in range(1, len(self.contexts) + 1))
        texts = enumerate(zip(names, self.contexts, strict=True), start=1)
        return tuple(Document(text, rank, id=name) for rank, (name, text) in texts)


def cases(file: str, *sections: str) -> list[Any]:
    """Parameters for pytest: the entries of some sections of ``data/FILE.toml``."""
    content = tomllib.loads((DATA / f"{file}.toml").read_text(encoding="utf-8"))
    return [_parameter(Case.model_validate(entry)) for section in sections for entry in content[section]]


def _parameter(case: Case) -> Any:
    marks = [pytest.mark.xfail(reason=case.xfail, strict=True)] if case.xfail else []
    return pytest.param(case, id=case.id, marks=marks)


def local_scorers() -> ScorerSet:
    """Every scorer that looks at all traffic, made by the real catalogue."""
    settings = ScoringConfig()
    return ScorerSet(build_scorers(settings), diagnosis=settings.diagnosis, clock=SystemClock())


def score(scorers: ScorerSet, case: Case, **values: object) -> ScoredInteraction:
    """Score one case locally."""
    given = {"question": case.question, "contexts": case.documents(), "answer": case.answer} | values
    (scored,) = scorers.score([ScoringRequest(interaction(**given))], Deadline(120))
    return scored


def value(outcome: Outcome) -> float:
    """The value of a scored outcome: a number within [0, 1] and never NaN."""
    assert isinstance(outcome, Scored), outcome
    assert 0.0 <= outcome.value <= 1.0
    return outcome.value


def label(outcome: Outcome) -> str | None:
    """The label of a scored outcome."""
    assert isinstance(outcome, Scored), outcome
    return outcome.label


def assert_reason(outcome: Outcome, reason: Reason) -> None:
    """Check that an outcome is not applicable, for this reason."""
    assert isinstance(outcome, NotApplicable), outcome
    assert outcome.reason is reason


def assert_verdicts(outcome: Outcome, expected: Sequence[str]) -> None:
    """Check the verdicts of an outcome's claims, in order."""
    assert isinstance(outcome, Scored), outcome
    found = [(claim.text, claim.verdict, claim.reason) for claim in outcome.claims]
    assert len(found) == len(expected), found
    for (_, verdict, _), wanted in zip(found, expected, strict=True):
        right = verdict is not Verdict.SUPPORTED if wanted == "unsupported" else verdict == wanted
        assert right, found
