"""Live traffic becomes golden items: reviewed ones as gold, others as drafts."""

import hashlib
from pathlib import Path

from ragsonde.collector.interaction_file import BadRecord
from ragsonde.golden.exporting import DRAFT, ReviewedItem, ReviewedLines, drafts, from_reviews
from ragsonde.golden.item import GoldenItem
from ragsonde.scorers.score import MetricKey, Scored, Verdict
from tests.exporters.scored import claim, scored
from tests.golden_sets.golden_items import write

SUPPORTED = {MetricKey.FAITHFULNESS: Scored(1.0, claims=(claim(context_ids=("doc-1",)),))}


def test_a_review_decides_and_the_record_fills_in(tmp_path: Path) -> None:
    lines = ReviewedLines(
        write(
            tmp_path / "reviews.jsonl",
            {"id": "a", "reference": "early"},
            {"id": "a", "reviewer": "ana", "answer_is_right": True, "risk": "high"},
            {"id": "b", "reviewer": "ana", "unanswerable": True},
            {"id": "gone", "reference": "R."},
            {"id": "c"},
            {"reviewer": "nobody"},
        )
    )
    known = {id_: scored(id_, scores=SUPPORTED) for id_ in ("a", "b", "c")}
    found = list(from_reviews(lines, known))
    first, second = (one for one in found if isinstance(one, GoldenItem) and one.id in {"a", "b"})
    assert first.reference == known["a"].interaction.answer
    assert (first.reviewed_by, first.risk) == (("ana",), "high")
    assert [passage.document_id for passage in first.gold] == ["doc-1"]
    text = known["a"].interaction.contexts[0].text or ""  # type: ignore[index]
    assert first.sources[0].sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert second.unanswerable
    assert second.gold == ()
    assert [bad.place for bad in found if isinstance(bad, BadRecord)] == ["gone"]
    assert lines.bad[0].place == "line 6"


def test_a_review_that_settles_nothing_is_told() -> None:
    (bad,) = from_reviews([ReviewedItem(id="a")], {"a": scored("a", faithfulness=None)})
    assert isinstance(bad, BadRecord)
    assert "nothing is known to be right" in bad.problem


def test_drafts_are_of_faithful_answers_only_and_say_that_they_are_drafts() -> None:
    good, bad = (
        scored("a", scores=SUPPORTED),
        scored("b", faithfulness=0.5, verdicts=(Verdict.SUPPORTED, Verdict.NOT_FOUND)),
    )
    (draft,) = drafts([good, bad, scored("c", faithfulness=None)])
    assert (draft.id, draft.reviewed_by, draft.note) == ("a", (), DRAFT)
